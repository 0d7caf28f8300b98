/// The data of the board on disk. The protocol combines small stores, so that a reducer or a test
/// can use a single one.
public protocol PersistenceService: Service, DocumentStore, PreferenceStore, APIServiceStore,
  ResponseCache, RecentSearchStore, LogStore
{
  /// Returns the names of collections and preferences, and how many documents the collections have.
  ///
  /// - Parameter limit: The maximum number of collections, and of preferences, the first ones by
  ///   name.
  /// - Complexity: Independent of the number of documents. A count that would need too many rows is
  ///   left out.
  func contents(limit: Int) async throws(PersistenceError) -> DatabaseContents
  /// Whether the main file is open, so that a call that reads it opens nothing.
  var isOpen: Bool { get }
  /// Returns the rows, bytes and schema version of the files.
  func statistics() async throws(PersistenceError) -> PersistenceStatistics
  /// Runs the consistency check of the database. Returns the findings; an empty list means that the
  /// files are healthy.
  func check() async throws(PersistenceError) -> [String]
  /// Copies the data that must not be lost, consistently, also during writes of others. Never
  /// replaces an existing file.
  func backup(to path: String) async throws(PersistenceError)
  /// Returns a one-line warning for the user if something that was removed is still in a file.
  /// Returns `nil` if there is none or it was returned before.
  func takeWarning() async -> String?
}

extension PersistenceService {
  /// `true`: there is nothing to open.
  public var isOpen: Bool { true }
  /// `nil`: what is removed is in no file.
  public func takeWarning() async -> String? { nil }
}
