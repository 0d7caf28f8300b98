/// A text that refers to secrets by name, for example `Bearer {{secret:radarr}}`.
///
/// A template without secrets is encoded as a string, any other as `{"parts":[{"text":"Bearer
/// "},{"secret":"radarr"}]}`. Text that merely looks like a reference is therefore never decoded as
/// one.
public struct SecretTemplate: Sendable, Hashable, Codable, CustomStringConvertible,
  ExpressibleByStringLiteral
{
  /// A part of a template.
  public enum Part: Sendable, Hashable {
    /// Literal text, even if it looks like a reference.
    case text(String)
    /// The name of a secret.
    case secret(String)
  }

  /// The parts, without empty texts or adjacent texts.
  public private(set) var parts: [Part]

  /// Creates a template. Removes empty texts and joins adjacent ones. O(n).
  public init(parts: [Part]) {
    // Most words are one part, and each line creates several templates of each of them.
    if parts.count == 1, parts[0] != .text("") {
      self.parts = parts
      return
    }
    var merged: [Part] = []
    for part in parts {
      switch (part, merged.last) {
      case (.text(""), _): continue
      case (.text(let text), .text(let before)?): merged[merged.count - 1] = .text(before + text)
      default: merged.append(part)
      }
    }
    self.parts = merged
  }

  /// Creates a template without secrets.
  public init(_ text: String) { self.init(parts: [.text(text)]) }
  /// Creates a template without secrets.
  public init(stringLiteral text: String) { self.init(text) }

  /// The text, or `nil` if a secret is part of it.
  public var text: String? {
    switch (parts.count, parts.first) {
    case (0, _): ""
    case (1, .text(let text)?): text
    default: nil
    }
  }

  /// The names of the secrets in order, with repetitions.
  public var secretNames: [String] {
    parts.compactMap { if case .secret(let name) = $0 { name } else { nil } }
  }

  /// The text with secrets as `{{secret:name}}`, safe to display.
  public var description: String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .secret(let name): "{{secret:\(name)}}"
      }
    }.joined()
  }

  private enum CodingKeys: String, CodingKey { case parts }
  private enum PartKeys: String, CodingKey { case text, secret }

  /// Decodes a string, or the parts of a template that contains secrets.
  public init(from decoder: any Decoder) throws {
    if let text = try? decoder.singleValueContainer().decode(String.self) {
      self.init(text)
      return
    }
    var list = try decoder.container(keyedBy: CodingKeys.self).nestedUnkeyedContainer(
      forKey: .parts)
    var parts: [Part] = []
    while !list.isAtEnd {
      let part = try list.nestedContainer(keyedBy: PartKeys.self)
      if let name = try part.decodeIfPresent(String.self, forKey: .secret) {
        parts.append(.secret(name))
      } else {
        parts.append(.text(try part.decode(String.self, forKey: .text)))
      }
    }
    self.init(parts: parts)
  }

  /// Encodes the text, or the parts with the names of secrets. A value of a secret is not part of
  /// it.
  public func encode(to encoder: any Encoder) throws {
    if let text {
      var container = encoder.singleValueContainer()
      try container.encode(text)
      return
    }
    var container = encoder.container(keyedBy: CodingKeys.self)
    var list = container.nestedUnkeyedContainer(forKey: .parts)
    for part in parts {
      var item = list.nestedContainer(keyedBy: PartKeys.self)
      switch part {
      case .text(let text): try item.encode(text, forKey: .text)
      case .secret(let name): try item.encode(name, forKey: .secret)
      }
    }
  }
}
