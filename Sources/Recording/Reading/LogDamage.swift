import SwiftBoardJSON

/// The first corrupt line of a log. Nothing after it is read or guessed.
public struct LogDamage: Sendable, Hashable, CustomStringConvertible {
  /// The number of the line, from 1.
  public let line: Int
  /// The offset of the line, in bytes from 0.
  public let offset: Int
  /// The content that the format requires at this position, in words.
  public let expected: String
  /// The text at that position, shortened.
  public var found: String { content.text }
  /// What is at that position, whole.
  var content: FoundContent
  /// A sentence that describes the damage, without the position.
  public let message: String

  /// The position, the message, and the expected and found values.
  public var description: String {
    "line \(line), byte \(offset): \(message) (expected \(expected), found \(found))"
  }
}

/// What a reader found in place of what it expected.
///
/// A message shows a part of it. The whole is kept until then, so that a program that removes texts
/// from messages does not get the part of such a text (see `LogDamage.mapValues`).
enum FoundContent: Sendable, ExpressibleByStringInterpolation {
  /// A text of this program.
  case words(String)
  /// A recorded value, and the text before it.
  case value(JSON, after: String = "")
  /// A line, of which the end is shown.
  case endOfLine([UInt8])

  /// The number of bytes that are shown of a line.
  private static let shownEnd = 40

  init(stringLiteral text: String) { self = .words(text) }

  /// The text for a message: shortened, with control characters escaped.
  var text: String {
    switch self {
    case .words(let text): text
    case .value(let value, let label): label + describe(value)
    case .endOfLine(let line):
      describe(.string(String(decoding: line.suffix(Self.shownEnd), as: UTF8.self)))
    }
  }

  func mapValues(_ transform: (JSON) -> JSON) -> FoundContent {
    switch self {
    case .words: return self
    case .value(let value, let label): return .value(transform(value), after: label)
    case .endOfLine(let line):
      let text = JSON.string(String(decoding: line, as: UTF8.self))
      let mapped = transform(text)
      // The bytes that are shown need not be UTF-8.
      guard mapped != text else { return self }
      return .endOfLine(Array((mapped.stringValue ?? mapped.text).utf8))
    }
  }
}

extension FoundContent: Hashable {
  static func == (a: FoundContent, b: FoundContent) -> Bool { a.text == b.text }

  func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// A property of a log that the user should know but that is not an error.
public enum LogWarning: Sendable, Hashable, CustomStringConvertible {
  /// The last line has no line feed because the writer ended while writing it. The line is not
  /// read. `offset` is the position of the line in bytes.
  case tornTail(offset: Int)
  /// There is no end line: the recording was not stopped, or is still being written.
  case cutShort(afterStep: Int)
  /// A line of an unknown kind was skipped.
  case unknownKind(String, line: Int)
  /// The number of further warnings of this kind that were not kept.
  case more(Int)
  /// The program has other states than the one that recorded, so digests cannot all be compared.
  case digestsNotCompared

  /// Whether the warning is about the end of the log. While a log is written, it has no end.
  public var isAboutTheEnd: Bool {
    switch self {
    case .tornTail, .cutShort: true
    case .unknownKind, .more, .digestsNotCompared: false
    }
  }

  /// A sentence that describes the property.
  public var description: String {
    switch self {
    case .tornTail(let offset):
      "the last line is incomplete and was left out; it begins at byte \(offset)"
    case .cutShort(let step): "the recording was cut short after step \(step): it has no end line"
    case .unknownKind(let kind, let line):
      "line \(line) has the unknown kind \(describe(.string(kind))) and was skipped"
    case .more(1): "1 more line of an unknown kind was skipped"
    case .more(let count): "\(count) more lines of unknown kinds were skipped"
    case .digestsNotCompared:
      "the program's states have changed since the recording; not all of its digests were compared"
    }
  }

  /// Returns the warning with step numbers of the recording, which has `count` steps in earlier
  /// files.
  func behind(_ count: Int) -> LogWarning {
    if case .cutShort(let step) = self { .cutShort(afterStep: step + count) } else { self }
  }
}
