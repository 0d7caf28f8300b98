/// The data of the board on disk. The protocol combines small stores, so that a reducer or a test
/// can use a single one.
public protocol PersistenceService: Service, DocumentStore, PreferenceStore, APIServiceStore,
  ResponseCache, RecentSearchStore, LogStore
{
  /// Returns the names of collections and preferences, and how many documents the collections have.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of collections, and of preferences, the first ones by name.
  ///   - countsAll: Whether every document is counted. Otherwise, a count that would need too many
  ///     rows is left out.
  /// - Complexity: Independent of the number of documents, unless all are counted.
  func contents(limit: Int, countsAll: Bool) async throws(PersistenceError) -> DatabaseContents
  /// Returns whether the name of any of these entries is taken, also by a damaged entry. It may be
  /// another answer when they are stored.
  func containsAny(of entries: StoredEntries) async throws(PersistenceError) -> Bool
  /// Stores all entries or none, durable on return. Costs one commit.
  ///
  /// Whether a name is taken is decided in the transaction that stores the entry, so an entry that
  /// another process saves meanwhile is treated by the same rule. An earlier one of `entries` with
  /// the same name takes it as well.
  ///
  /// - Parameters:
  ///   - entries: The entries.
  ///   - existing: What happens to entries whose names are taken.
  /// - Returns: The numbers of entries that were added, replaced and kept.
  /// - Throws: `invalid` if a body or a value is not JSON, and `exists` if a name is taken and
  ///   `existing` is `refuse`. The message then has the kind and the name of the entry:
  ///   `document c/a`, `preference 'a'` or `service 'a'`.
  func putEntries(_ entries: StoredEntries, onExisting existing: ImportDuplicates)
    async throws(PersistenceError) -> DatabaseImport
  /// Whether the main file is open, so that a call that reads it opens nothing.
  var isOpen: Bool { get }
  /// The paths of the files, whether or not they exist or can be opened.
  var paths: [String] { get }
  /// Returns the path of the main file if it does not exist yet, or `nil` if it does. The first
  /// change creates it.
  ///
  /// - Throws: The error of a file that cannot be reached, or is gone.
  func missingDatabase() async throws(PersistenceError) -> String?
  /// Returns the rows, bytes and schema version of the files.
  func statistics() async throws(PersistenceError) -> PersistenceStatistics
  /// Runs the consistency check of the database. Returns the findings; an empty list means that the
  /// files are healthy.
  func check() async throws(PersistenceError) -> [String]
  /// Returns the names of the triggers that another program has added to the database. They do not
  /// run here.
  func foreignTriggers() async throws(PersistenceError) -> [String]
  /// Copies the data that must not be lost, consistently, also during writes of others. Never
  /// replaces an existing file.
  func backup(to path: String) async throws(PersistenceError)
  /// Writes what can still be read of the data that must not be lost to a new database. Never
  /// replaces an existing file.
  func recover(to path: String) async throws(PersistenceError) -> DatabaseRecovery
  /// Returns a one-line warning for the user if something that was removed is still in a file.
  /// Returns `nil` if there is none or it was returned before.
  func takeWarning() async -> String?
}

extension PersistenceService {
  /// Returns the names of collections and preferences, and the numbers of documents that need few
  /// rows.
  ///
  /// - Parameter limit: The maximum number of collections, and of preferences.
  public func contents(limit: Int) async throws(PersistenceError) -> DatabaseContents {
    try await contents(limit: limit, countsAll: false)
  }
  /// `true`: there is nothing to open.
  public var isOpen: Bool { true }
  /// Empty: what is in memory has no file.
  public var paths: [String] { [] }
  /// `nil`: what is in memory is there from the beginning.
  public func missingDatabase() async throws(PersistenceError) -> String? { nil }
  /// None: no other program has access to what is in memory.
  public func foreignTriggers() async throws(PersistenceError) -> [String] { [] }
  /// `nil`: what is removed is in no file.
  public func takeWarning() async -> String? { nil }
}
