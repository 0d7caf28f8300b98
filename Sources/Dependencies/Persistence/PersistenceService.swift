import SwiftBoardJSON
import SwiftBoardSystem

/// The board's data on disk: the union of small stores, so that a reducer or a test can use a
/// single one.
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
  /// Figures of both files: rows, bytes, versions.
  func statistics() async throws(PersistenceError) -> PersistenceStatistics
  /// The database's own consistency check; an empty list is healthy.
  func check() async throws(PersistenceError) -> [String]
  /// A consistent copy of what must not be lost, taken while others may write. Never over an
  /// existing file.
  func backup(to path: String) async throws(PersistenceError)
}

extension PersistenceService {
  /// `true`: there is nothing to open.
  public var isOpen: Bool { true }
}

/// JSON documents by collection and id. Bodies are JSON text and come back byte for byte.
public protocol DocumentStore: Sendable {
  /// Inserts or replaces; durable on return. `body` must be valid JSON (`.invalid` otherwise).
  /// False if it replaced a document.
  @discardableResult
  func putDocument(_ document: Document) async throws(PersistenceError) -> Bool
  /// Puts all of them, or none; durable on return, at the price of one.
  func putDocuments(_ documents: [Document]) async throws(PersistenceError)
  /// The names of the collections that have documents, sorted.
  func collections() async throws(PersistenceError) -> [String]
  /// `nil` only where it is absent. A stored body that no longer matches its digest is
  /// `.corrupted`.
  func document(collection: String, id: String) async throws(PersistenceError) -> Document?
  /// The documents that match, in the query's order, a page at a time, so that any number of them
  /// takes the memory of one page.
  ///
  /// Changes between two pages may be seen; a document that is there all the time comes once.
  ///
  /// - Parameter cursor: The end of the page before, of the same query; `nil` for the first page.
  /// - Throws: `invalid` for an invalid path, value or limit, before anything is read.
  func documents(_ query: DocumentQuery, from cursor: DocumentCursor?)
    async throws(PersistenceError) -> DocumentPage
  /// False if there was none.
  func removeDocument(collection: String, id: String) async throws(PersistenceError) -> Bool
  /// Makes queries for a value at the path of a collection's documents read no other documents.
  /// False if they do already. Durable on return.
  func makeDocumentIndex(_ index: DocumentIndex) async throws(PersistenceError) -> Bool
  /// False if there was none.
  func removeDocumentIndex(_ index: DocumentIndex) async throws(PersistenceError) -> Bool
  /// Sorted by collection and path.
  func documentIndexes() async throws(PersistenceError) -> [DocumentIndex]
}

extension DocumentStore {
  /// Returns all documents that match, in the query's order: all of them in memory.
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

/// A JSON text under a name, in a collection.
public struct Document: Sendable, Equatable, Codable {
  /// The collection's name; any text, compared by its bytes.
  public var collection: String
  /// Unique in the collection; compared by its bytes.
  public var id: String
  /// JSON text.
  public var body: String
  /// Wall-clock microseconds since 1970, set by the caller.
  public var updated: Int64

  /// A document; nothing is checked before it is put.
  public init(collection: String, id: String, body: String, updated: Int64) {
    self.collection = collection
    self.id = id
    self.body = body
    self.updated = updated
  }
}

/// Which documents of a collection, in which order. Ids decide where the sort key does not: numbers
/// before text, ascending.
public struct DocumentQuery: Sendable, Equatable, Codable {
  /// Which collection.
  public var collection: String
  /// All must hold: the value at the path equals `equals`.
  public var conditions: [Condition]
  /// A path like `a.b[0]`; a leading `-` sorts downwards.
  public var sort: String?
  /// The most documents, after sorting; 0 gives none, below that is `invalid`.
  public var limit: Int?

  /// One comparison.
  public struct Condition: Sendable, Equatable, Codable {
    /// A path like `a.b[0]`. One that leads nowhere equals nothing, not even `null`.
    public var path: String
    /// Compared by content: numbers by their value, objects whatever the order of their members.
    public var equals: JSON

    /// A condition; nothing is checked before the query is run.
    public init(path: String, equals: JSON) {
      self.path = path
      self.equals = equals
    }
  }

  /// A query; without conditions all documents of the collection, by id.
  public init(
    collection: String, conditions: [Condition] = [], sort: String? = nil, limit: Int? = nil
  ) {
    self.collection = collection
    self.conditions = conditions
    self.sort = sort
    self.limit = limit
  }
}

/// Named settings, JSON text each.
public protocol PreferenceStore: Sendable {
  /// JSON text; `nil` only where it is absent.
  func preference(_ name: String) async throws(PersistenceError) -> String?
  /// Durable on return. `invalid` for what is no JSON.
  func setPreference(_ name: String, to json: String) async throws(PersistenceError)
  /// False if there was none.
  func unsetPreference(_ name: String) async throws(PersistenceError) -> Bool
  /// Sorted by name.
  func preferences() async throws(PersistenceError) -> [Preference]
}

/// A setting by its name.
public struct Preference: Sendable, Equatable, Codable {
  /// Unique; compared by its bytes.
  public var name: String
  /// JSON text, byte for byte as it was set.
  public var json: String

  /// A setting; nothing is checked before it is set.
  public init(name: String, json: String) {
    self.name = name
    self.json = json
  }
}

/// The HTTP services that the user has named.
public protocol APIServiceStore: Sendable {
  /// Throws `.exists` unless `replacing`.
  func saveService(_ service: APIService, replacing: Bool) async throws(PersistenceError)
  /// `nil` only where it is absent.
  func service(_ name: String) async throws(PersistenceError) -> APIService?
  /// Sorted by name.
  func services() async throws(PersistenceError) -> [APIService]
  /// False if there was none.
  func removeService(_ name: String) async throws(PersistenceError) -> Bool
}

/// A named HTTP service. Its authentication names a secret of the keychain and never holds one.
public struct APIService: Sendable, Equatable, Codable {
  /// How a request to the service is authenticated. Names a secret of the keychain.
  public enum Authentication: Sendable, Equatable, Codable {
    /// The secret as the value of this header.
    case header(name: String, secret: String)
    /// The secret as the value of this query item.
    case query(name: String, secret: String)
    /// `Authorization: Bearer` and the secret.
    case bearer(secret: String)
    /// `Authorization: Basic` with the user and the secret, RFC 7617.
    case basic(user: String, secret: String)
    /// The answer to a challenge of the scheme Digest, RFC 7616, with the user and the secret.
    case digest(user: String, secret: String)
  }

  /// Unique; what a line calls it by.
  public var name: String
  /// Absolute, without a trailing slash.
  public var baseURL: String
  /// `nil`: requests show nothing.
  public var authentication: Authentication?

  /// A service; nothing is checked here.
  public init(name: String, baseURL: String, authentication: Authentication? = nil) {
    self.name = name
    self.baseURL = baseURL
    self.authentication = authentication
  }
}

/// Answers of HTTP services, bounded by bytes and entries, the least recently used leaving first.
/// It may be deleted at any time: a damaged entry is a miss.
public protocol ResponseCache: Sendable {
  /// `nil` if none is kept, and where it is damaged. Fresh or not is for the caller to say.
  func cachedResponse(_ key: String) async throws(PersistenceError) -> CachedResponse?
  /// Replaces what is kept under its key. If it is larger than the limit, nothing is kept under
  /// that key.
  func storeResponse(_ response: CachedResponse) async throws(PersistenceError)
  /// After a 304: new times and headers, the body stays.
  func refreshResponse(_ key: String, headers: [HTTPHeader], stored: Int64, expires: Int64?)
    async throws(PersistenceError)
  /// Sorted by key, without bodies.
  func cachedResponses() async throws(PersistenceError) -> [CachedResponseSummary]
  /// How many were removed. `service` `nil`: all.
  func clearResponses(service: String?) async throws(PersistenceError) -> Int
  /// Removes each answer for which the condition holds, and damaged ones; none of their bytes stays
  /// in a file. How many were removed. All bodies are read.
  func removeResponses(where isRemoved: @escaping @Sendable (CachedResponse) -> Bool)
    async throws(PersistenceError) -> Int
}

/// An answer that is kept.
public struct CachedResponse: Sendable, Equatable, Codable {
  /// Method, normalised address and varying headers; no secret is part of it.
  public var key: String
  /// Whose answer it is, for clearing.
  public var service: String
  /// The status code.
  public var status: Int
  /// Of the answer, in the order received; never of the request.
  public var headers: [HTTPHeader]
  /// After decompression.
  public var body: Data
  /// Wall-clock microseconds since 1970. An entry stored in the future is stale, so a clock set
  /// back makes none immortal.
  public var stored: Int64
  /// When it stops being fresh, in microseconds since 1970; `nil`: nothing says so.
  public var expires: Int64?

  /// An answer as it is to be kept.
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

/// A kept answer without headers and body.
public struct CachedResponseSummary: Sendable, Equatable, Codable {
  /// As in `CachedResponse`.
  public var key: String
  /// As in `CachedResponse`.
  public var service: String
  /// As in `CachedResponse`.
  public var status: Int
  /// Of the body.
  public var bytes: Int
  /// Microseconds since 1970.
  public var stored: Int64
  /// Microseconds since 1970; `nil`: nothing says so.
  public var expires: Int64?

  /// A summary as a cache gives it.
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

/// The most recent searches, newest first, each text once per scope, at most 100 a scope.
public protocol RecentSearchStore: Sendable {
  /// Puts the text in front of its scope; one that is there already moves. `at` is microseconds
  /// since 1970. The oldest beyond the limit goes.
  func addSearch(_ text: String, scope: String, at: Int64) async throws(PersistenceError)
  /// Returns the searches that contain the text, ignoring case; all for `nil` and for the empty
  /// text.
  func searches(scope: String, containing text: String?) async throws(PersistenceError)
    -> [RecentSearch]
  /// How many were removed. `text` `nil`: all of the scope.
  func removeSearches(_ text: String?, scope: String) async throws(PersistenceError) -> Int
}

/// A text that was looked for.
public struct RecentSearch: Sendable, Equatable, Codable {
  /// As it was typed.
  public var text: String
  /// When it was looked for last, in microseconds since 1970.
  public var at: Int64

  /// A search as a store gives it.
  public init(text: String, at: Int64) {
    self.text = text
    self.at = at
  }
}

/// Log records that outlive the process.
public protocol LogStore: Sendable {
  /// In this order. The oldest beyond the limit go.
  func appendLogRecords(_ records: [LogRecord]) async throws(PersistenceError)
  /// The newest `limit` that match, oldest of them first.
  func logRecords(limit: Int, atLeast level: LogLevel?) async throws(PersistenceError)
    -> [LogRecord]
  /// All of them.
  func clearLogRecords() async throws(PersistenceError)
}

/// Figures at one moment.
public struct PersistenceStatistics: Sendable, Equatable, Codable {
  /// How full a table is.
  public struct Row: Sendable, Equatable, Codable {
    /// The table's name.
    public var name: String
    /// How many rows it has.
    public var rows: Int

    /// A table's figure.
    public init(name: String, rows: Int) {
      self.name = name
      self.rows = rows
    }
  }

  /// Empty for an implementation without files.
  public var paths: [String]
  /// Of both files and their write-ahead logs; 0 without files.
  public var bytes: Int
  /// Of the main file.
  public var schemaVersion: Int
  /// The tables, with the tables of the main file first.
  public var tables: [Row]

  /// Figures as a service gives them.
  public init(paths: [String], bytes: Int, schemaVersion: Int, tables: [Row]) {
    self.paths = paths
    self.bytes = bytes
    self.schemaVersion = schemaVersion
    self.tables = tables
  }
}

/// Why the persistence refused. Carries path, operation and result code; never a bound value.
public struct PersistenceError: Error, Sendable, Equatable, Codable {
  /// What was refused, and why.
  public enum Kind: String, Sendable, Codable, CaseIterable {
    /// A value or query that is not accepted; a name that is taken.
    case invalid, exists
    /// Locked for more than five seconds; no space; the system; permissions; the file cannot be
    /// opened, or none be made; it was moved or deleted while it was open.
    case busy, full, io, readOnly, cannotOpen, cannotCreate, moved
    /// Damaged; no database; another program's; a later version's. It was left as it is.
    case corrupted, notADatabase, foreignDatabase, newerSchema
    /// The task was cancelled while it waited; a defect of this program.
    case cancelled, misuse
  }

  /// The kind of refusal, for code.
  public var kind: Kind
  /// The file; empty without one.
  public var path: String
  /// The name of the call, for example `putDocument`.
  public var operation: String
  /// The database's extended result code, 0 if there is none.
  public var code: Int32
  /// What happened, to which file, and why, for people; never a stored value. `advice` says what to
  /// do.
  public var message: String
  /// What to do about it, in a sentence or two.
  public var advice: String

  /// An error.
  ///
  /// - Parameters:
  ///   - code: SQLite's extended result code: <https://sqlite.org/rescode.html>.
  ///   - advice: `nil`: what is usual for the kind.
  public init(
    _ kind: Kind, path: String = "", operation: String, code: Int32 = 0, message: String,
    advice: String? = nil
  ) {
    self.kind = kind
    self.path = path
    self.operation = operation
    self.code = code
    self.message = message
    self.advice = advice ?? kind.advice
  }
}
