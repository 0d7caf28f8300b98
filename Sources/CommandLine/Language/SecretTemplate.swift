/// A text that refers to secrets by name, for example `Bearer {{secret:radarr}}`.
///
/// Encoded as a plain string where it names no secret, else as `{"parts":[{"text":"Bearer
/// "},{"secret":"radarr"}]}`, so that a text that merely looks like a reference is never taken for
/// one.
public struct SecretTemplate: Sendable, Hashable, Codable, CustomStringConvertible,
  ExpressibleByStringLiteral
{
  /// A stretch of a template.
  public enum Part: Sendable, Hashable {
    /// Text as it is; what merely looks like a reference is none.
    case text(String)
    /// A secret by its name.
    case secret(String)
  }

  /// Without empty texts, and never two texts in a row.
  public private(set) var parts: [Part]

  /// A template from its parts: empty texts go, neighbouring ones become one. O(n).
  public init(parts: [Part]) {
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

  /// A template without a secret.
  public init(_ text: String) { self.init(parts: [.text(text)]) }
  /// A template that is one secret, by its name.
  public init(secret name: String) { self.init(parts: [.secret(name)]) }
  public init(stringLiteral text: String) { self.init(text) }

  /// The text, or `nil` if a secret is part of it.
  public var text: String? {
    switch (parts.count, parts.first) {
    case (0, _): ""
    case (1, .text(let text)?): text
    default: nil
    }
  }

  /// The secrets named, in order of appearance, each as often as it appears.
  public var secretNames: [String] {
    parts.compactMap { if case .secret(let name) = $0 { name } else { nil } }
  }

  /// With secrets as `{{secret:name}}`: safe to show.
  public var description: String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .secret(let name): "{{secret:\(name)}}"
      }
    }.joined()
  }

  /// The text with every secret put in; only an effect should ask for it.
  public func resolved<Failure>(_ value: (String) throws(Failure) -> String) throws(Failure)
    -> String
  {
    var result = ""
    for part in parts {
      switch part {
      case .text(let text): result += text
      case .secret(let name): result += try value(name)
      }
    }
    return result
  }

  private enum CodingKeys: String, CodingKey { case parts }
  private enum PartKeys: String, CodingKey { case text, secret }

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
