/// A path to a value inside a `JSON`, such as `a.b[0].c`, `[1].x` or `a["odd key"]`. The empty text
/// is the path of the value itself.
public struct JSONPath: Sendable, Hashable, CustomStringConvertible {
  /// A step from a value to a value inside it.
  public enum Step: Sendable, Hashable {
    /// A member of an object. Of equal keys, the last one.
    case key(String)
    /// A position in an array, from 0.
    case index(Int)
  }

  /// The steps from the outermost value inwards. Without steps, the path is that of the value
  /// itself.
  public var steps: [Step]

  /// Creates a path from its steps.
  public init(_ steps: [Step]) { self.steps = steps }

  /// Creates the path of a value that is encoded or decoded.
  package init(codingPath: [any CodingKey]) {
    steps = codingPath.map { key in key.intValue.map(Step.index) ?? .key(key.stringValue) }
  }

  /// Parses a path. Keys without quotes end at `.`, `[`, `]` and `"`. Keys in quotes are JSON
  /// strings.
  public init(parsing text: String) throws(JSONPathError) {
    steps = []
    let bytes = Array(text.utf8)
    var position = 0
    func fail(_ offset: Int, _ expected: String) -> JSONPathError {
      let rest = String(decoding: bytes[min(offset, bytes.count)...], as: UTF8.self)
      let found = rest.first.map { JSON.string(String($0)).description } ?? "the end"
      return JSONPathError(
        offset: offset, message: "found \(found) at position \(offset + 1), expected \(expected)")
    }
    while position < bytes.count {
      if bytes[position] == UInt8(ascii: "[") {
        position += 1
        let start = position
        if position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
          position += 1
          while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
          }
          guard position < bytes.count else { throw fail(bytes.count, "a closing '\"'") }
          position += 1
          do throws(JSONError) {
            steps.append(
              .key(try JSON(parsing: bytes[start..<position]).stringValue ?? ""))
          } catch {
            throw JSONPathError(offset: start + error.offset, message: error.message)
          }
        } else {
          while position < bytes.count, isDigit(bytes[position]) { position += 1 }
          guard position > start else { throw fail(start, "an index or a key in quotes") }
          guard let index = Int(String(decoding: bytes[start..<position], as: UTF8.self)) else {
            throw JSONPathError(
              offset: start,
              message:
                "found too large an index at position \(start + 1), expected at most \(Int.max)"
            )
          }
          steps.append(.index(index))
        }
        guard position < bytes.count, bytes[position] == UInt8(ascii: "]") else {
          throw fail(position, "']'")
        }
        position += 1
      } else {
        if !steps.isEmpty {
          guard bytes[position] == UInt8(ascii: ".") else { throw fail(position, "'.' or '['") }
          position += 1
        }
        let start = position
        while position < bytes.count, !Self.ends(bytes[position]) { position += 1 }
        guard position > start else { throw fail(start, "a key") }
        steps.append(.key(String(decoding: bytes[start..<position], as: UTF8.self)))
      }
    }
  }

  /// Returns whether a key without quotes ends before a byte.
  static func ends(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ".") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]")
      || byte == UInt8(ascii: "\"")
  }

  /// A text that parses to the same path.
  public var description: String {
    var text = ""
    for step in steps {
      switch step {
      case .index(let index): text += "[\(index)]"
      case .key(let key):
        if key.isEmpty || key.utf8.contains(where: { Self.ends($0) || $0 < 0x20 || $0 == 0x7F }) {
          text += "[\(JSON.string(key).description)]"
        } else {
          text += text.isEmpty ? key : "." + key
        }
      }
    }
    return text
  }
}

/// An error of parsing a path.
public struct JSONPathError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The offset of the first wrong byte.
  public var offset: Int
  /// A message with the found value, its position, and the expected value.
  public var message: String

  /// The message.
  public var description: String { message }
}

extension JSON {
  /// Returns the value at a path, or `nil` if there is none.
  ///
  /// - Complexity: O(number of visited members).
  public func value(at path: JSONPath) -> JSON? {
    path.steps.reduce(self as JSON?) { value, step in
      switch step {
      case .key(let key): value?[key]
      case .index(let index): value?[index]
      }
    }
  }
}
