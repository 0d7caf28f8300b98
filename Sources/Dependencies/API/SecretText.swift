import SwiftBoardSystem

/// A text in which secrets stand by their names. `RequestResolver` puts the values in their places.
///
/// Only a part `secret` is a reference. A text that looks like one is data and stays as it is.
public struct SecretText: Sendable, Equatable, ExpressibleByStringLiteral {
  /// A part of the text.
  public enum Part: Sendable, Equatable {
    /// Text as it is sent.
    case text(String)
    /// The value of a secret.
    case secret(name: String, form: Form)
  }

  /// The form in which a value is put into the text.
  public enum Form: Sendable, Equatable {
    /// As it is; percent-encoded, for a query; percent-encoded twice, for the query of an address
    /// that is a value of a query.
    case plain, percentEncoded, percentEncodedTwice
    /// As it is, but for what ends the path of an address or is none of its characters.
    case path
    /// Base64 of `USER:VALUE`, RFC 7617.
    case basic(user: String)
  }

  /// In the order of the text.
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

  /// The text with a replacement for each secret.
  package func replacing(_ secret: (_ name: String) -> String) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .secret(let name, _): secret(name)
      }
    }.joined()
  }

  /// The text with marks in place of the secrets: as it may be shown.
  package var marked: String { replacing(RedactionMark.named) }
}
