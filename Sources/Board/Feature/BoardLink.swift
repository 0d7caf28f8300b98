import SwiftBoardCommandLine
import SwiftBoardDependencies

/// A parsed link `swiftboard://feature/part/part?name=value`. Escapes like `%20` are decoded.
public struct BoardLink: Sendable, Equatable {
  /// An item `name=value` of a link's query.
  public struct Item: Sendable, Equatable {
    /// The text before the first `=`.
    public var name: String
    /// The text after the first `=`, empty if there is none.
    public var value: String

    /// Creates an item from decoded parts.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The name of a feature: the host of the link.
  public var feature: String
  /// The parts of the path, without empty ones. A part may contain any character, including `/`.
  public var path: [String]
  /// The query items in the order of the link.
  public var query: [Item]

  /// Parses a link. O(length).
  ///
  /// - Throws: a `UsageError` if the text is not a link, if a `%` is not followed by two
  ///   hexadecimal digits, or if escapes are not UTF-8.
  public init(parsing text: String) throws(UsageError) {
    let scheme = "swiftboard://"
    // Scalars, because a separator and a combining mark behind it are one character.
    let rest = text.unicodeScalars.dropFirst(scheme.count)
    let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let path = parts.first?.split(separator: "/") ?? []
    guard text.lowercased().hasPrefix(scheme), let feature = path.first else {
      throw UsageError(
        "'\(text)' is not a link of the board",
        help: "a link is like swiftboard://api/sample/character/1")
    }
    self.feature = try Self.decoded(feature)
    self.path = []
    for part in path.dropFirst() { self.path.append(try Self.decoded(part)) }
    query = []
    for item in parts.count > 1 ? parts[1].split(separator: "&") : [] {
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      query.append(
        Item(try Self.decoded(parts[0]), parts.count > 1 ? try Self.decoded(parts[1]) : ""))
    }
  }

  private static func decoded(
    _ scalars: Substring.UnicodeScalarView
  ) throws(UsageError) -> String {
    let text = Substring(scalars)
    guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
    var bytes: [UInt8] = []
    guard PercentEncoding.forEachByte(of: text, { byte, _ in bytes.append(byte) }) else {
      throw UsageError(
        "'\(text)' in the link has a % that begins no escape",
        help: "a % itself is written %25")
    }
    guard let result = String(validating: bytes, as: UTF8.self) else {
      throw UsageError("the escapes of '\(text)' in the link are not UTF-8")
    }
    return result
  }
}
