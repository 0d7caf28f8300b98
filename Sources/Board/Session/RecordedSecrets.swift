import SwiftBoardDependencies
import SwiftBoardJSON
import Synchronization

/// Known secrets in a recording that was made before they were known.
///
/// A result or an error that shows a part of a recorded value has to be without secrets before that
/// part is taken, since the redactor does not find a part of a secret.
final class RecordedSecrets: Sendable {
  private let redactor: Redactor
  /// The names of the secrets that were replaced.
  private let found = Mutex<Set<String>>([])
  /// The secret of each mark that was printed before the result.
  private let printed = Mutex<[String]>([])

  init(_ redactor: Redactor) {
    self.redactor = redactor
  }

  /// Returns a recorded value with marks in place of known secrets. O(size).
  @Sendable
  func masked(_ value: JSON) -> JSON {
    let masked = redactor.masking(value)
    if !masked.names.isEmpty { found.withLock { $0.formUnion(masked.names) } }
    return masked.value
  }

  /// Does the same for texts that are ASCII, so that the mark is.
  @Sendable
  func maskedForASCII(_ value: JSON) -> JSON {
    let masked = masked(value)
    guard masked != value else { return value }
    if case .string(let text) = masked { return .string(RedactionMark.ascii(text)) }
    let text = RedactionMark.ascii(masked.text)
    return (try? JSON(parsing: text)) ?? .string(text)
  }

  /// Does the same for a text.
  func maskedForASCII(_ text: String) -> String {
    maskedForASCII(.string(text)).stringValue ?? text
  }

  /// Returns the secret in a line of a recording, or `nil` if there is none. Its number, its time
  /// and its sums are no values.
  @Sendable
  func secret(inLine bytes: ArraySlice<UInt8>) -> String? {
    guard redactor.hasSecrets, !redactor.mask(Array(bytes)).names.isEmpty,
      case .object(let members)? = try? JSON(parsing: Array(bytes))
    else { return nil }
    let own: Set = ["k", "n", "t", "digest", "sum"]
    return redactor.masking(.object(members.filter { !own.contains($0.key) })).names.first
  }

  /// Counts the marks in a part of the output that is printed before the result.
  ///
  /// - Parameter names: The secret of each mark.
  func count(_ names: [String]) -> MaskedValues? {
    printed.withLock { $0 += names }
    return MaskedValues(names)
  }

  /// Returns the secret of each mark that was printed, and that this has put into a result.
  func names(in result: SessionResult) -> [String] {
    let printed = printed.withLock(\.self)
    let found = found.withLock(\.self)
    guard !found.isEmpty, let bytes = try? CanonicalEncoder.encode(result) else { return printed }
    let text = String(decoding: bytes, as: UTF8.self)
    return found.sorted().reduce(into: printed) { names, name in
      let mark = RedactionMark.named(name)
      let count = [mark, RedactionMark.ascii(mark)].map { text.ranges(of: $0).count }.reduce(0, +)
      names += Array(repeating: name, count: count)
    }
  }
}
