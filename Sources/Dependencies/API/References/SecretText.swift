/// A text with the names of secrets. `RequestResolver` replaces the names by the values.
///
/// Only a `secret` part is a reference. Text that looks like a reference stays unchanged.
public struct SecretText: Sendable, Equatable, ExpressibleByStringLiteral {
  /// A part of the text.
  public enum Part: Sendable, Equatable {
    /// Text as it is sent.
    case text(String)
    /// The value of a secret.
    case secret(name: String, form: Form)
  }

  /// The encoding of a value in the text.
  public enum Form: Sendable, Equatable {
    /// Unchanged, percent-encoded for a query, or percent-encoded twice for the query of a URL that
    /// is itself a query value.
    case plain, percentEncoded, percentEncodedTwice
    /// Percent-encoded where a path does not permit the character.
    case path
    /// Base64 of `USER:VALUE`, RFC 7617.
    case basic(user: String)
  }

  /// The parts, in the order of the text.
  public var parts: [Part]

  /// A text from its parts.
  public init(parts: [Part]) { self.parts = parts }
  /// A text without secrets.
  public init(_ text: String) { parts = [.text(text)] }
  /// Creates a text without secrets.
  public init(stringLiteral text: String) { self.init(text) }

  /// The text, or `nil` if a secret is part of it.
  public var text: String? {
    var text = ""
    for part in parts {
      guard case .text(let part) = part else { return nil }
      text += part
    }
    return text
  }

  /// The names of the secrets in order, with repetitions.
  public var secretNames: [String] {
    parts.compactMap { if case .secret(let name, _) = $0 { name } else { nil } }
  }

  /// Returns the text with a replacement for each secret.
  package func replacing(_ secret: (_ name: String) -> String) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .secret(let name, _): secret(name)
      }
    }.joined()
  }

  /// The text with marks instead of secrets, safe to display.
  package var marked: String { replacing(RedactionMark.named) }
}
