/// Named settings, each a JSON text.
public protocol PreferenceStore: Sendable {
  /// Returns the JSON text of a preference, or `nil` if there is none.
  func preference(_ name: String) async throws(PersistenceError) -> String?
  /// Sets a preference, durable on return.
  ///
  /// - Throws: `invalid`, with nothing of the text in its message, if the text is not JSON.
  func setPreference(_ name: String, to json: String) async throws(PersistenceError)
  /// Removes a preference. Returns false if there is none.
  func unsetPreference(_ name: String) async throws(PersistenceError) -> Bool
  /// Returns all preferences, sorted by name.
  func preferences() async throws(PersistenceError) -> [Preference]
}

/// A named setting.
public struct Preference: Sendable, Equatable, Codable {
  /// The name, unique and compared by its bytes.
  public var name: String
  /// The JSON text, byte for byte as it was set.
  public var json: String

  /// Creates a setting. Nothing is checked before it is stored.
  public init(name: String, json: String) {
    self.name = name
    self.json = json
  }
}

extension Preference {
  /// The name of the preference with the consent to analytics: `true` or `false`. The consent is
  /// that of one person on one machine, so it is neither exported nor imported.
  package static let analyticsConsent = "analytics.consent"

  /// Whether the preference stays in the database in which it was set.
  var staysHere: Bool { name == Self.analyticsConsent }
}
