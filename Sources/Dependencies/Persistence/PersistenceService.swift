import SwiftBoardJSON
import SwiftBoardSystem

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

/// JSON documents by collection and id. Bodies are JSON text and are returned byte for byte.
public protocol DocumentStore: Sendable {
  /// Inserts or replaces a document, durable on return.
  ///
  /// - Returns: False if it replaced a document.
  /// - Throws: `.invalid` if the body is not JSON.
  @discardableResult
  func putDocument(_ document: Document) async throws(PersistenceError) -> Bool
  /// Stores all documents or none, durable on return. Costs one commit.
  func putDocuments(_ documents: [Document]) async throws(PersistenceError)
  /// Returns the names of the collections that have documents, sorted.
  func collections() async throws(PersistenceError) -> [String]
  /// Returns a document, or `nil` if there is none.
  ///
  /// - Throws: `.corrupted` if the stored body does not match its digest.
  func document(collection: String, id: String) async throws(PersistenceError) -> Document?
  /// Returns a page of the documents that match, in the order of the query. Any number of documents
  /// takes the memory of one page.
  ///
  /// Changes between two pages may be visible. A document that exists the whole time is returned
  /// once.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - cursor: The end of the previous page of the same query, or `nil` for the first page.
  /// - Throws: `invalid` for an invalid path, value or limit, before anything is read.
  func documents(_ query: DocumentQuery, from cursor: DocumentCursor?)
    async throws(PersistenceError) -> DocumentPage
  /// Removes a document. Returns false if there is none.
  func removeDocument(collection: String, id: String) async throws(PersistenceError) -> Bool
  /// Creates an index, so that queries for a value at the path read only the documents with that
  /// value. Returns false if it exists. Durable on return.
  func makeDocumentIndex(_ index: DocumentIndex) async throws(PersistenceError) -> Bool
  /// Removes an index. Returns false if there is none.
  func removeDocumentIndex(_ index: DocumentIndex) async throws(PersistenceError) -> Bool
  /// Returns the indexes, sorted by collection and path.
  func documentIndexes() async throws(PersistenceError) -> [DocumentIndex]
}

extension DocumentStore {
  /// Returns all documents that match, in the order of the query and all in memory.
  ///
  /// - Throws: `invalid` for an invalid path, value or limit, before anything is read.
  public func documents(_ query: DocumentQuery) async throws(PersistenceError) -> [Document] {
    var page = try await documents(query, from: nil)
    var documents = page.documents
    while let next = page.next {
      page = try await self.documents(query, from: next)
      documents += page.documents
    }
    return documents
  }
}

/// A JSON text with an id in a collection.
public struct Document: Sendable, Equatable, Codable {
  /// The name of the collection: any text, compared by its bytes.
  public var collection: String
  /// The id, unique in the collection and compared by its bytes.
  public var id: String
  /// The content as JSON text.
  public var body: String
  /// The time in microseconds since 1970, set by the caller.
  public var updated: Int64

  /// Creates a document. Nothing is checked before it is stored.
  public init(collection: String, id: String, body: String, updated: Int64) {
    self.collection = collection
    self.id = id
    self.body = body
    self.updated = updated
  }
}

/// A query for documents of a collection. Numbers sort before text. Documents with equal sort keys
/// are in ascending order of their ids.
public struct DocumentQuery: Sendable, Equatable, Codable {
  /// The name of the collection.
  public var collection: String
  /// The conditions, which must all hold.
  public var conditions: [Condition]
  /// A path such as `a.b[0]` to sort by, or `nil` to sort by id. A leading `-` means descending
  /// order.
  public var sort: String?
  /// The maximum number of documents, after sorting, or `nil` for all. 0 returns none, and a
  /// negative limit is `invalid`.
  public var limit: Int?

  /// A comparison of the value at a path.
  public struct Condition: Sendable, Equatable, Codable {
    /// A path such as `a.b[0]`. The value at a missing path equals nothing, not even `null`.
    public var path: String
    /// The value, compared by content: numbers by value, objects regardless of the order of
    /// members.
    public var equals: JSON

    /// Creates a condition. Nothing is checked before the query runs.
    public init(path: String, equals: JSON) {
      self.path = path
      self.equals = equals
    }
  }

  /// Creates a query. Without conditions, it returns all documents of the collection by id.
  public init(
    collection: String, conditions: [Condition] = [], sort: String? = nil, limit: Int? = nil
  ) {
    self.collection = collection
    self.conditions = conditions
    self.sort = sort
    self.limit = limit
  }
}

/// Named settings, each a JSON text.
public protocol PreferenceStore: Sendable {
  /// Returns the JSON text of a preference, or `nil` if there is none.
  func preference(_ name: String) async throws(PersistenceError) -> String?
  /// Sets a preference, durable on return.
  ///
  /// - Throws: `invalid` if the text is not JSON.
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

/// The HTTP services that the user has named.
public protocol APIServiceStore: Sendable {
  /// Stores a service.
  ///
  /// - Throws: `.exists` if there is a service with its name and `replacing` is false.
  func saveService(_ service: APIService, replacing: Bool) async throws(PersistenceError)
  /// Returns a service, or `nil` if there is none.
  ///
  /// - Throws: `.corrupted` if it is damaged.
  func service(_ name: String) async throws(PersistenceError) -> APIService?
  /// Returns all services that are not damaged, sorted by name.
  func services() async throws(PersistenceError) -> [APIService]
  /// Returns the names of the damaged services, sorted. They can only be removed or
  /// replaced.
  func damagedServices() async throws(PersistenceError) -> [String]
  /// Removes a service. Returns false if there is none.
  func removeService(_ name: String) async throws(PersistenceError) -> Bool
}

extension APIServiceStore {
  /// Returns no name: a store in memory damages nothing.
  public func damagedServices() async throws(PersistenceError) -> [String] { [] }
}

/// A named HTTP service. Its authentication names a secret of the keychain and never contains one.
public struct APIService: Sendable, Equatable, Codable {
  /// The authentication of requests to a service. Names a secret of the keychain.
  public enum Authentication: Sendable, Equatable, Codable {
    /// The secret as the value of this header.
    case header(name: String, secret: String)
    /// The secret as the value of this query item.
    case query(name: String, secret: String)
    /// `Authorization: Bearer` and the secret.
    case bearer(secret: String)
    /// `Authorization: Basic` with the user and the secret, RFC 7617.
    case basic(user: String, secret: String)
    /// The response to a Digest challenge, RFC 7616, with the user and the secret.
    case digest(user: String, secret: String)

    /// The name of the secret.
    public var secret: String {
      switch self {
      case .header(_, let secret), .query(_, let secret), .bearer(let secret),
        .basic(_, let secret), .digest(_, let secret):
        secret
      }
    }
  }

  /// The unique name that lines use.
  public var name: String
  /// The absolute URL, without a trailing slash.
  public var baseURL: String
  /// The authentication, or `nil` for none.
  public var authentication: Authentication?
  /// The kind of program behind the service, for example `radarr`, or `nil` if it was not
  /// specified.
  public var preset: String?

  /// Creates a service. Nothing is checked.
  public init(
    name: String, baseURL: String, authentication: Authentication? = nil, preset: String? = nil
  ) {
    self.name = name
    self.baseURL = baseURL
    self.authentication = authentication
    self.preset = preset
  }
}

extension APIService {
  /// The URL without its query and without a trailing slash.
  package var base: String {
    var base = baseURL.prefix { $0 != "?" }
    while base.hasSuffix("/") { base.removeLast() }
    return String(base)
  }

  /// Returns an address with the query of the URL before its own.
  package func addingQuery(to address: String) -> String {
    let query = baseURL.drop { $0 != "?" }.dropFirst()
    guard !query.isEmpty else { return address }
    let end = address.firstIndex { "?#".contains($0) } ?? address.endIndex
    let rest = address[end...]
    return "\(address[..<end])?\(query)"
      + (rest.hasPrefix("?") ? "&" + rest.dropFirst() : String(rest))
  }
}

/// Cached responses of HTTP services, limited by bytes and entries. The least recently used
/// responses are evicted first. The cache may be deleted at any time, and a damaged entry is a
/// miss.
public protocol ResponseCache: Sendable {
  /// Returns the response for a key, or `nil` if there is none or it is damaged. The caller checks
  /// its freshness.
  func cachedResponse(_ key: String) async throws(PersistenceError) -> CachedResponse?
  /// Stores a response and replaces the present one under its key. A response beyond the limit is
  /// not stored, and the present one is removed.
  func storeResponse(_ response: CachedResponse) async throws(PersistenceError)
  /// Returns all responses without bodies, sorted by key.
  func cachedResponses() async throws(PersistenceError) -> [CachedResponseSummary]
  /// Removes the responses of a service, or all if `service` is `nil`. Returns their number.
  func clearResponses(service: String?) async throws(PersistenceError) -> Int
  /// Removes damaged responses and those for which the closure returns true. None of their bytes
  /// remains in a file. Returns their number. Reads all bodies.
  func removeResponses(where isRemoved: @escaping @Sendable (CachedResponse) -> Bool)
    async throws(PersistenceError) -> Int
  /// Removes the responses of one target, whatever their methods, headers and credentials are.
  /// Returns their number.
  ///
  /// - Parameter target: The URL in the keys, which are a method, a space, the URL, and further
  ///   lines.
  func removeResponses(target: String) async throws(PersistenceError) -> Int
}

extension ResponseCache {
  /// Removes the responses of one target. Lists all keys, and reads all bodies if there is one to
  /// remove.
  public func removeResponses(target: String) async throws(PersistenceError) -> Int {
    let isRemoved: @Sendable (String) -> Bool = { key in
      ResponseRepository.target(ofKey: key).utf8.elementsEqual(target.utf8)
    }
    guard try await cachedResponses().contains(where: { isRemoved($0.key) }) else { return 0 }
    return try await removeResponses { isRemoved($0.key) }
  }
}

/// A cached response.
public struct CachedResponse: Sendable, Equatable, Codable {
  /// The key: method, normalized URL and varying headers, without any secret.
  public var key: String
  /// The name of the service, for clearing its responses.
  public var service: String
  /// The status code.
  public var status: Int
  /// The headers of the response in the order received.
  public var headers: [HTTPHeader]
  /// The body after decompression.
  public var body: Data
  /// The time of storing in microseconds since 1970. An entry stored in the future is stale, so
  /// that no entry stays forever if the clock is set back.
  public var stored: Int64
  /// The time from which the response is stale, in microseconds since 1970, or `nil` if it has
  /// none.
  public var expires: Int64?

  /// Creates an entry.
  public init(
    key: String, service: String, status: Int, headers: [HTTPHeader], body: Data, stored: Int64,
    expires: Int64?
  ) {
    self.key = key
    self.service = service
    self.status = status
    self.headers = headers
    self.body = body
    self.stored = stored
    self.expires = expires
  }
}

/// A cached response without headers and body.
public struct CachedResponseSummary: Sendable, Equatable, Codable {
  /// The key, as in `CachedResponse`.
  public var key: String
  /// The name of the service, as in `CachedResponse`.
  public var service: String
  /// The status code, as in `CachedResponse`.
  public var status: Int
  /// The size of the body in bytes.
  public var bytes: Int
  /// The time of storing in microseconds since 1970.
  public var stored: Int64
  /// The time from which the response is stale, in microseconds since 1970, or `nil` if it has
  /// none.
  public var expires: Int64?

  /// Creates a summary.
  public init(
    key: String, service: String, status: Int, bytes: Int, stored: Int64, expires: Int64?
  ) {
    self.key = key
    self.service = service
    self.status = status
    self.bytes = bytes
    self.stored = stored
    self.expires = expires
  }
}

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

/// Log records that outlive the process.
public protocol LogStore: Sendable {
  /// Appends records in this order. Removes the oldest beyond the limit.
  func appendLogRecords(_ records: [LogRecord]) async throws(PersistenceError)
  /// Returns the newest `limit` records that match, the oldest of them first.
  func logRecords(limit: Int, atLeast level: LogLevel?) async throws(PersistenceError)
    -> [LogRecord]
  /// Removes all records.
  func clearLogRecords() async throws(PersistenceError)
}

/// The sizes of the files and tables at one moment.
public struct PersistenceStatistics: Sendable, Equatable, Codable {
  /// The number of rows of a table.
  public struct Row: Sendable, Equatable, Codable {
    /// The name of the table.
    public var name: String
    /// The number of rows.
    public var rows: Int

    /// Creates an entry for a table.
    public init(name: String, rows: Int) {
      self.name = name
      self.rows = rows
    }
  }

  /// The paths of the files; empty for an implementation without files.
  public var paths: [String]
  /// The size of both files and their write-ahead logs in bytes; 0 without files.
  public var bytes: Int
  /// The version of the schema of the main file.
  public var schemaVersion: Int
  /// The tables, with those of the main file first.
  public var tables: [Row]

  /// Creates statistics.
  public init(paths: [String], bytes: Int, schemaVersion: Int, tables: [Row]) {
    self.paths = paths
    self.bytes = bytes
    self.schemaVersion = schemaVersion
    self.tables = tables
  }
}

/// An error of the persistence. It contains path, operation and result code, never a bound value.
public struct PersistenceError: Error, Sendable, Equatable, Codable {
  /// The kind of an error.
  public enum Kind: String, Sendable, Codable, CaseIterable {
    /// The value or query is not valid, or the name is taken.
    case invalid, exists
    /// The file was locked for more than five seconds, the disk is full, the system reported an
    /// error, permissions are missing, the file could not be opened or created, or it was moved or
    /// deleted while it was open.
    case busy, full, io, readOnly, cannotOpen, cannotCreate, moved
    /// The file is damaged, is not a database, belongs to another program, or has the schema of a
    /// later version. It was not changed.
    case corrupted, notADatabase, foreignDatabase, newerSchema
    /// The task was cancelled while it waited, or this program has a defect.
    case cancelled, misuse
  }

  /// An entry of the database that can be damaged alone.
  public enum Entry: String, Sendable, Codable, CaseIterable {
    /// One of the entries of that part.
    case document, preference, service
  }

  /// The kind of error, for code.
  public var kind: Kind
  /// The path of the file; empty without one.
  public var path: String
  /// The name of the call, such as `putDocument`.
  public var operation: String
  /// The extended result code of SQLite, 0 if there is none.
  public var code: Int32
  /// A text for the user that says what happened, to which file, and why. Never contains a stored
  /// value.
  public var message: String
  /// The damaged entry, if the rest of the file is whole.
  public var damaged: Entry?

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: SQLite's extended result code: <https://sqlite.org/rescode.html>.
  ///   - damaged: The damaged entry, if the rest of the file is whole.
  public init(
    _ kind: Kind, path: String = "", operation: String, code: Int32 = 0, message: String,
    damaged: Entry? = nil
  ) {
    self.kind = kind
    self.path = path
    self.operation = operation
    self.code = code
    self.message = message
    self.damaged = damaged
  }
}
