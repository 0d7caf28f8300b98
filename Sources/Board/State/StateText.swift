import SwiftBoardJSON
import SwiftBoardRecording

/// A text in the board's state: the value of a variable, or the last value.
///
/// A short text is in the JSON of the state as it is. In place of a long one there are the job
/// whose action holds it, its length and its digest, so that the state of a recording stays small
/// however long the values are. The program itself keeps the text, for `$NAME` and `{{last}}`.
public struct StateText: Sendable, Equatable {
  /// What the JSON of a state has in place of a long text.
  public struct Reference: Codable, Sendable, Equatable {
    /// The length of the text in UTF-8.
    public var bytes: Int
    /// The digest of the text.
    public var digest: String
    /// The job of the command that has set the text.
    public var job: Int

    init(_ text: String, job: Int) {
      bytes = text.utf8.count
      digest = Digest(of: text.utf8).description
      self.job = job
    }

    /// Decodes a reference. Throws if its digest is none.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      bytes = try container.decode(Int.self, forKey: .bytes)
      digest = try container.decode(String.self, forKey: .digest)
      job = try container.decode(Int.self, forKey: .job)
      guard Digest(digest) != nil else {
        throw DecodingError.dataCorruptedError(
          forKey: .digest, in: container, debugDescription: "invalid digest")
      }
    }
  }

  /// The most bytes of a text that is in the JSON as it is.
  public static let longest = 64 << 10

  /// The text, or `nil` for a long one in a state that was read from a recording.
  public let text: String?
  /// What the JSON has in its place; `nil` for a short text.
  public let reference: Reference?

  /// Creates a text.
  ///
  /// - Parameters:
  ///   - job: The job of the command that sets it.
  ///   - room: The most bytes that may be in the JSON.
  public init(_ text: String, job: Int, room: Int = Self.longest) {
    self.text = text
    let isShort = text.utf8.count <= min(room, Self.longest)
    reference = isShort ? nil : Reference(text, job: job)
  }

  /// Creates the text with marks in place of secrets, by the same job.
  init(_ masked: String, inPlaceOf other: StateText) {
    if let reference = other.reference {
      self.init(masked, job: reference.job, room: 0)
    } else {
      self.init(masked, job: 0, room: .max)
    }
  }

  /// The length of the text in UTF-8.
  public var count: Int { reference?.bytes ?? text?.utf8.count ?? 0 }

  /// Returns whether both have the same JSON.
  public static func == (left: Self, right: Self) -> Bool {
    left.reference == right.reference && (left.reference != nil || left.text == right.text)
  }
}

extension StateText: ExpressibleByStringLiteral {
  /// Creates a text that no command has set.
  public init(stringLiteral text: String) { self.init(text, job: 0) }
}

extension StateText: Codable {
  /// Decodes a text, or a reference to one.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    text = try? container.decode(String.self)
    reference = text == nil ? try container.decode(Reference.self) : nil
  }

  /// Encodes a short text as it is, and a reference to a long one.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let reference { try container.encode(reference) } else { try container.encode(text) }
  }

  /// Writes the same JSON as `encode(to:)`.
  func write(to writer: inout CanonicalWriter) {
    guard let reference else { return writer.string(text ?? "") }
    writer.beginObject()
    writer.member("bytes", reference.bytes)
    writer.member("digest", reference.digest)
    writer.member("job", reference.job)
    writer.endObject()
  }
}

extension ShellState {
  /// The most bytes of all variables that are in the JSON of a state.
  private static let room = 1 << 20

  /// Sets a variable. Its text is in the JSON of the state if there is room beside the others.
  /// O(number of variables).
  mutating func set(_ name: String, to value: String, job: Int) {
    variables[name] = nil
    let used = variables.values.reduce(0) { $0 + ($1.reference == nil ? $1.count : 0) }
    variables[name] = StateText(value, job: job, room: Self.room - used)
  }

  /// Takes long texts, which a state that was read from a recording lacks, from a state that has
  /// the same ones. The JSON of the state stays as it is. O(number of variables).
  mutating func takeTexts(from other: ShellState) {
    func text(_ lacking: StateText, _ known: StateText?) -> StateText {
      guard lacking.text == nil, let known, known == lacking else { return lacking }
      return known
    }
    for (name, value) in variables { variables[name] = text(value, other.variables[name]) }
    last = last.map { text($0, other.last) }
  }
}
