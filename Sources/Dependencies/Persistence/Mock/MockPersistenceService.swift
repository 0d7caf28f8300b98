import SwiftBoardJSON
import Synchronization

/// Persistence in memory, for tests and previews. Results and errors are the same as those of the
/// files.
///
/// `calls` records every call with its arguments, and `failNext` makes the next call of a name
/// fail. Instances share no data.
public final class MockPersistenceService: PersistenceService, CheckedMock {
  struct Content: Sendable {
    var documents: [ByteText: [ByteText: Document]] = [:]
    var indexes: [DocumentIndex] = []
    var preferences: [ByteText: String] = [:]
    var services: [ByteText: APIService] = [:]
    /// The names of services that cannot be read.
    var damaged: Set<ByteText> = []
    /// The searches of each scope, the newest last.
    var searches: [ByteText: [RecentSearch]] = [:]
    var responses: [ByteText: (response: CachedResponse, used: Int)] = [:]
    var uses = 0
    var logRecords: [LogRecord] = []
  }

  private struct State: Sendable {
    var content: Content
    var calls: [MockCall] = []
    var failures = PreparedFailures<PersistenceError>()
    var actions: [(call: String, action: @Sendable () -> Void)] = []
  }

  private let state: Mutex<State>
  let limits: PersistenceLimits

  /// Creates an empty service. Limits below 0 count as 0.
  public convenience init(limits: PersistenceLimits = PersistenceLimits()) {
    self.init(Content(), limits: limits)
  }

  init(_ content: Content, limits: PersistenceLimits = PersistenceLimits()) {
    state = Mutex(State(content: content))
    self.limits = limits
  }

  /// The calls so far in order, including failed ones.
  public var calls: [MockCall] { state.withLock { $0.calls } }

  /// Makes the next call of that name throw `error` and change nothing. Several errors apply to
  /// successive calls.
  public func failNext(
    _ call: String, with error: PersistenceError,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
    column: Int = #column
  ) {
    let location = MockIssue.Line(fileID, filePath, line, column)
    state.withLock { $0.failures.add(call, error, location) }
  }

  /// Makes the next call of that name throw an error of that kind and change nothing.
  public func failNext(
    _ call: String, with kind: PersistenceError.Kind,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
    column: Int = #column
  ) {
    failNext(
      call,
      with: PersistenceError(kind, operation: call, message: "\(call): asked to fail"),
      fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Calls a closure at the end of the next call of that name, before it returns or throws. A test
  /// can cancel the caller in it, which is too late for the call.
  public func afterNext(_ call: String, _ action: @escaping @Sendable () -> Void) {
    state.withLock { $0.actions.append((call, action)) }
  }

  private func takeAction(after call: String) -> (@Sendable () -> Void)? {
    state.withLock { state in
      state.actions.firstIndex { $0.call == call }.map { state.actions.remove(at: $0).action }
    }
  }

  /// The requested failures that did not happen.
  public var issues: [MockIssue] { state.withLock { $0.failures.issues } }

  /// Records the call and runs `body`. Discards its changes if it throws.
  func perform<Result>(
    _ call: String, _ arguments: [String] = [],
    _ body: (inout Content) throws(PersistenceError) -> sending Result
  ) throws(PersistenceError) -> sending Result {
    defer { takeAction(after: call)?() }
    return try state.withLock { (state) throws(PersistenceError) -> sending Result in
      state.calls.append(MockCall(call, arguments))
      if let error = state.failures.take(call) { throw error }
      return try body(&state.content)
    }
  }

  // MARK: Documents

  /// Stores a document. O(length of the body), which is validated.
  ///
  /// - Returns: Whether the document is new.
  /// - Throws: `invalid` if the body is not JSON.
  @discardableResult
  public func putDocument(_ document: Document) async throws(PersistenceError) -> Bool {
    try perform("putDocument", [document.collection, document.id, document.body]) {
      (content) throws(PersistenceError) in
      try document.check()
      let replaced = content.documents[ByteText(document.collection), default: [:]].updateValue(
        document, forKey: ByteText(document.id))
      return replaced == nil
    }
  }

  /// Returns the names of the collections.
  public func collections() async throws(PersistenceError) -> [String] {
    try perform("collections") { content in
      content.documents.filter { !$0.value.isEmpty }.keys.sorted().map(\.rawValue)
    }
  }

  /// Returns a document, or `nil` if there is none.
  public func document(collection: String, id: String) async throws(PersistenceError) -> Document? {
    try perform("document", [collection, id]) { $0.documents[ByteText(collection)]?[ByteText(id)] }
  }

  /// Returns all documents of a query as one page. O(n) of the collection, because each document is
  /// parsed.
  ///
  /// - Throws: `invalid` if the query is not valid.
  public func documents(_ query: DocumentQuery, from cursor: DocumentCursor?)
    async throws(PersistenceError) -> DocumentPage
  {
    try perform("documents", ["\(query)"]) { (content) throws(PersistenceError) -> DocumentPage in
      let documents = content.documents[ByteText(query.collection)] ?? [:]
      return DocumentPage(try query.found(in: documents.values))
    }
  }

  /// Removes a document. Returns false if there is none.
  public func removeDocument(collection: String, id: String) async throws(PersistenceError) -> Bool
  {
    try perform("removeDocument", [collection, id]) {
      $0.documents[ByteText(collection)]?.removeValue(forKey: ByteText(id)) != nil
    }
  }

  /// Records an index, which makes no query faster.
  ///
  /// - Throws: `invalid` if the path is not valid.
  public func makeDocumentIndex(_ index: DocumentIndex) async throws(PersistenceError) -> Bool {
    try perform("makeDocumentIndex", [index.collection, index.path]) {
      (content) throws(PersistenceError) in
      let path = try DocumentFilter.path(index.path).description
      let index = DocumentIndex(collection: index.collection, path: path)
      guard !content.indexes.contains(index) else { return false }
      content.indexes.append(index)
      content.indexes.sort {
        (ByteText($0.collection), ByteText($0.path)) < (ByteText($1.collection), ByteText($1.path))
      }
      return true
    }
  }

  /// Removes an index.
  ///
  /// - Throws: `invalid` if the path is not valid.
  public func removeDocumentIndex(_ index: DocumentIndex) async throws(PersistenceError) -> Bool {
    try perform("removeDocumentIndex", [index.collection, index.path]) {
      (content) throws(PersistenceError) in
      let path = try DocumentFilter.path(index.path).description
      let count = content.indexes.count
      let index = DocumentIndex(collection: index.collection, path: path)
      content.indexes.removeAll { $0 == index }
      return content.indexes.count < count
    }
  }

  /// Returns the indexes.
  public func documentIndexes() async throws(PersistenceError) -> [DocumentIndex] {
    try perform("documentIndexes") { $0.indexes }
  }

  // MARK: Preferences

  /// Returns the value of a preference, or `nil` if there is none.
  public func preference(_ name: String) async throws(PersistenceError) -> String? {
    try perform("preference", [name]) { $0.preferences[ByteText(name)] }
  }

  /// Sets a preference. O(length), because the text is validated.
  ///
  /// - Throws: `invalid` if the text is not JSON.
  public func setPreference(_ name: String, to json: String) async throws(PersistenceError) {
    try perform("setPreference", [name, json]) { (content) throws(PersistenceError) in
      try StoredJSON.validate(
        json, limits: .default, operation: "setPreference", what: "The value of \(name)")
      content.preferences[ByteText(name)] = json
    }
  }

  /// Removes a preference. Returns false if there is none.
  public func unsetPreference(_ name: String) async throws(PersistenceError) -> Bool {
    try perform("unsetPreference", [name]) {
      $0.preferences.removeValue(forKey: ByteText(name)) != nil
    }
  }

  /// Returns all preferences in the order of their names. O(n log n).
  public func preferences() async throws(PersistenceError) -> [Preference] {
    try perform("preferences") { content in
      content.preferences.sorted { $0.key < $1.key }
        .map { Preference(name: $0.key.rawValue, json: $0.value) }
    }
  }

  // MARK: Services

  /// Stores a service under its name.
  ///
  /// - Throws: `exists` if there is a service with its name and `replacing` is false.
  public func saveService(_ service: APIService, replacing: Bool) async throws(PersistenceError) {
    try perform("saveService", [service.name, service.baseURL, "replacing: \(replacing)"]) {
      (content) throws(PersistenceError) in
      let name = ByteText(service.name)
      let isTaken = content.services[name] != nil || content.damaged.contains(name)
      guard replacing || !isTaken else { throw PersistenceError.serviceExists(service.name) }
      content.services[name] = service
      content.damaged.remove(name)
    }
  }

  /// Returns a service, or `nil` if there is none.
  public func service(_ name: String) async throws(PersistenceError) -> APIService? {
    try perform("service", [name]) { (content) throws(PersistenceError) in
      guard !content.damaged.contains(ByteText(name)) else {
        throw PersistenceError(
          .corrupted, operation: "service",
          message: "the service \(name) no longer matches its checksum",
          damaged: .service)
      }
      return content.services[ByteText(name)]
    }
  }

  /// Returns all services in the order of their names. O(n log n).
  public func services() async throws(PersistenceError) -> [APIService] {
    try perform("services") { content in
      content.services.filter { !content.damaged.contains($0.key) }.sorted { $0.key < $1.key }
        .map(\.value)
    }
  }

  /// Returns the names of the services that cannot be read, in their order. O(n log n).
  public func damagedServices() async throws(PersistenceError) -> [String] {
    try perform("damagedServices") { $0.damaged.sorted().map(\.rawValue) }
  }

  /// Damages a service, so that it cannot be read until it is removed or replaced.
  public func damageService(_ name: String) {
    state.withLock { _ = $0.content.damaged.insert(ByteText(name)) }
  }

  /// Removes a service. Returns false if there is none.
  public func removeService(_ name: String) async throws(PersistenceError) -> Bool {
    try perform("removeService", [name]) { content in
      let isDamaged = content.damaged.remove(ByteText(name)) != nil
      return content.services.removeValue(forKey: ByteText(name)) != nil || isDamaged
    }
  }

  // MARK: Recent searches

  /// Adds a search to the front of its scope. O(n) of the scope.
  public func addSearch(_ text: String, scope: String, at time: Int64)
    async throws(PersistenceError)
  {
    try perform("addSearch", [text, scope, "\(time)"]) { content in
      var searches = content.searches[ByteText(scope)] ?? []
      searches.removeAll { ByteText($0.text) == ByteText(text) }
      searches.append(RecentSearch(text: text, at: time))
      content.searches[ByteText(scope)] = Array(searches.suffix(max(0, limits.searches)))
    }
  }

  /// Returns the searches, the newest first. O(n) of the scope.
  public func searches(scope: String, containing text: String?) async throws(PersistenceError)
    -> [RecentSearch]
  {
    try perform("searches", [scope, text ?? "nil"]) { content in
      (content.searches[ByteText(scope)] ?? []).reversed().containing(text)
    }
  }

  /// Removes searches. Returns their number. O(n) of the scope.
  public func removeSearches(_ text: String?, scope: String) async throws(PersistenceError) -> Int {
    try perform("removeSearches", [text ?? "nil", scope]) { content in
      let before = content.searches[ByteText(scope)] ?? []
      let after = before.filter { text != nil && ByteText($0.text) != text.map { ByteText($0) } }
      content.searches[ByteText(scope)] = after
      return before.count - after.count
    }
  }

  // MARK: The whole service

  /// Returns whether the name of any of the entries is taken.
  public func containsAny(of entries: StoredEntries) async throws(PersistenceError) -> Bool {
    try perform("containsAny", entries.names) { $0.containsAny(of: entries) }
  }

  /// Stores all entries or none.
  ///
  /// - Throws: `invalid` if a body or a value is not JSON, and `exists` with `refuse` if a name is
  ///   taken.
  public func putEntries(
    _ entries: StoredEntries, onExisting existing: ImportDuplicates
  ) async throws(PersistenceError) -> DatabaseImport {
    try perform("putEntries", entries.names + [existing.rawValue]) {
      (content) throws(PersistenceError) in
      try entries.validate()
      var changed = content
      let counts = try changed.put(entries, existing)
      content = changed
      return counts
    }
  }

  /// Returns the collections and preferences. Every count is exact.
  public func contents(
    limit: Int, countsAll: Bool
  ) async throws(PersistenceError) -> DatabaseContents {
    try perform("contents", [String(limit)]) { content in
      let collections = content.documents.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
      return DatabaseContents(
        collections: collections.prefix(limit).map {
          .init($0.key.rawValue, count: $0.value.count)
        },
        preferences: content.preferences.keys.sorted().prefix(limit).map(\.rawValue))
    }
  }

  /// Returns the numbers of rows, without paths and bytes. The version is that of the files.
  public func statistics() async throws(PersistenceError) -> PersistenceStatistics {
    try perform("statistics") { content in
      let tables: [(String, Int)] = [
        ("documents", content.documents.values.reduce(0) { $0 + $1.count }),
        ("preferences", content.preferences.count), ("api_services", content.services.count),
        ("recent_searches", content.searches.values.reduce(0) { $0 + $1.count }),
        ("responses", content.responses.count), ("log_records", content.logRecords.count),
      ]
      return PersistenceStatistics(
        paths: [], bytes: 0, schemaVersion: DatabaseSchema.main.version,
        tables: tables.map { .init(name: $0.0, rows: $0.1) })
    }
  }

  /// Returns no findings.
  public func check() async throws(PersistenceError) -> [String] {
    try perform("check") { _ in [] }
  }

  /// Throws an error, because there is no file.
  ///
  /// - Throws: `.cannotCreate`.
  public func backup(to path: String) async throws(PersistenceError) {
    try perform("backup", [path]) { (_) throws(PersistenceError) in
      throw PersistenceError(
        .cannotCreate, operation: "backup",
        message: "backup: what is kept in memory has no file to copy.")
    }
  }

  /// Throws an error, because there is no file.
  ///
  /// - Throws: `.cannotCreate`.
  public func recover(to path: String) async throws(PersistenceError) -> DatabaseRecovery {
    try perform("recover", [path]) { (_) throws(PersistenceError) in
      throw PersistenceError(
        .cannotCreate, operation: "recover",
        message: "recover: what is kept in memory has no file to read.")
    }
  }
}
