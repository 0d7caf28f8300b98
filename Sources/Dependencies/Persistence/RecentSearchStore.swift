/// The most recent searches, newest first. Each text appears once per scope, with at most 100
/// searches per scope.
public protocol RecentSearchStore: Sendable {
  /// Adds a text to the front of its scope, or moves it there. `at` is in microseconds since 1970.
  /// Removes the oldest search beyond the limit.
  func addSearch(_ text: String, scope: String, at: Int64) async throws(PersistenceError)
  /// Returns the searches that contain the text, ignoring case. `nil` and the empty text match all.
  func searches(scope: String, containing text: String?) async throws(PersistenceError)
    -> [RecentSearch]
  /// Removes a search, or all searches of the scope if `text` is `nil`. Returns their number.
  func removeSearches(_ text: String?, scope: String) async throws(PersistenceError) -> Int
}

/// A text that was searched for.
public struct RecentSearch: Sendable, Equatable, Codable {
  /// The text as it was typed.
  public var text: String
  /// The time of the last search in microseconds since 1970.
  public var at: Int64

  /// Creates a search.
  public init(text: String, at: Int64) {
    self.text = text
    self.at = at
  }
}
