#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What the board keeps on disk: the union of small stores, so that a reducer or a test can be given one of them.
public protocol PersistenceService: DocumentStore, PreferenceStore, APIServiceStore, ResponseCache,
  RecentSearchStore, LogStore
{
  /// Figures of both files: rows, bytes, versions.
  func statistics() async throws(PersistenceError) -> PersistenceStatistics
  /// The database's own consistency check; an empty list is healthy.
  func check() async throws(PersistenceError) -> [String]
  /// A consistent copy of what must not be lost, taken while others may write. Never over an existing file.
  func backup(to path: String) async throws(PersistenceError)
}

/// JSON documents by collection and id. Bodies are JSON text and come back byte for byte.
public protocol DocumentStore: Sendable {
  /// Inserts or replaces; durable on return. `body` must be valid JSON (`.invalid` otherwise).
  func putDocument(_ document: Document) async throws(PersistenceError)
  /// `nil` only where it is absent. A stored body that no longer matches its digest is `.corrupted`.
  func document(collection: String, id: String) async throws(PersistenceError) -> Document?
  func documents(_ query: DocumentQuery) async throws(PersistenceError) -> [Document]
  /// False where there was none.
  func removeDocument(collection: String, id: String) async throws(PersistenceError) -> Bool
}

public struct Document: Sendable, Equatable, Codable {
  public var collection: String
  public var id: String
  public var body: String
  /// Wall-clock microseconds since 1970, set by the caller.
  public var updated: Int64

  public init(collection: String, id: String, body: String, updated: Int64) {
    self.collection = collection
    self.id = id
    self.body = body
    self.updated = updated
  }
}

/// Which documents of a collection, in which order. Ids decide where the sort key does not: numbers before text,
/// ascending.
public struct DocumentQuery: Sendable, Equatable, Codable {
  public var collection: String
  /// All must hold: the value at the path equals the JSON value `equals`.
  public var conditions: [Condition]
  /// A path like `a.b[0]`; a leading `-` sorts downwards.
  public var sort: String?
  public var limit: Int?

  public struct Condition: Sendable, Equatable, Codable {
    public var path: String
    /// JSON text.
    public var equals: String

    public init(path: String, equals: String) {
      self.path = path
      self.equals = equals
    }
  }

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
  func preference(_ name: String) async throws(PersistenceError) -> String?
  func setPreference(_ name: String, to json: String) async throws(PersistenceError)
  /// False where there was none.
  func unsetPreference(_ name: String) async throws(PersistenceError) -> Bool
  /// Sorted by name.
  func preferences() async throws(PersistenceError) -> [Preference]
}

public struct Preference: Sendable, Equatable, Codable {
  public var name: String
  public var json: String

  public init(name: String, json: String) {
    self.name = name
    self.json = json
  }
}

/// The HTTP services that the user has named.
public protocol APIServiceStore: Sendable {
  /// Throws `.exists` unless `replacing`.
  func saveService(_ service: APIService, replacing: Bool) async throws(PersistenceError)
  func service(_ name: String) async throws(PersistenceError) -> APIService?
  /// Sorted by name.
  func services() async throws(PersistenceError) -> [APIService]
  /// False where there was none.
  func removeService(_ name: String) async throws(PersistenceError) -> Bool
}

/// A named HTTP service. Its authentication names a secret of the keychain and never holds one.
public struct APIService: Sendable, Equatable, Codable {
  public enum Authentication: Sendable, Equatable, Codable {
    case header(name: String, secret: String)
    case query(name: String, secret: String)
    case bearer(secret: String)
    case basic(user: String, secret: String)
  }

  public var name: String
  /// Absolute, without a trailing slash.
  public var baseURL: String
  public var authentication: Authentication?

  public init(name: String, baseURL: String, authentication: Authentication? = nil) {
    self.name = name
    self.baseURL = baseURL
    self.authentication = authentication
  }
}

/// Answers of HTTP services, bounded by bytes and entries, the least recently used leaving first. It may be deleted at any
/// time: a damaged entry is a miss.
public protocol ResponseCache: Sendable {
  func cachedResponse(_ key: String) async throws(PersistenceError) -> CachedResponse?
  func storeResponse(_ response: CachedResponse) async throws(PersistenceError)
  /// After a 304: new times and headers, the body stays.
  func refreshResponse(_ key: String, headers: [HTTPHeader], stored: Int64, expires: Int64?)
    async throws(PersistenceError)
  func cachedResponses() async throws(PersistenceError) -> [CachedResponseSummary]
  /// How many were removed. `service` `nil`: all.
  func clearResponses(service: String?) async throws(PersistenceError) -> Int
}

public struct CachedResponse: Sendable, Equatable, Codable {
  /// Method, normalised address and varying headers; no secret is part of it.
  public var key: String
  public var service: String
  public var status: Int
  public var headers: [HTTPHeader]
  public var body: Data
  /// Wall-clock microseconds since 1970. An entry stored in the future is stale, so a clock set back makes none immortal.
  public var stored: Int64
  public var expires: Int64?

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

public struct CachedResponseSummary: Sendable, Equatable, Codable {
  public var key: String
  public var service: String
  public var status: Int
  public var bytes: Int
  public var stored: Int64
  public var expires: Int64?

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

/// What was looked for last, newest first, each text once per scope, at most 100 a scope.
public protocol RecentSearchStore: Sendable {
  func addSearch(_ text: String, scope: String, at: Int64) async throws(PersistenceError)
  func searches(scope: String, containing text: String?) async throws(PersistenceError)
    -> [RecentSearch]
  /// How many were removed. `text` `nil`: all of the scope.
  func removeSearches(_ text: String?, scope: String) async throws(PersistenceError) -> Int
}

public struct RecentSearch: Sendable, Equatable, Codable {
  public var text: String
  public var at: Int64

  public init(text: String, at: Int64) {
    self.text = text
    self.at = at
  }
}

/// Log records that outlive the process.
public protocol LogStore: Sendable {
  func appendLogRecords(_ records: [LogRecord]) async throws(PersistenceError)
  /// The newest `limit` that match, oldest of them first.
  func logRecords(limit: Int, atLeast level: LogLevel?) async throws(PersistenceError)
    -> [LogRecord]
  func clearLogRecords() async throws(PersistenceError)
}

public struct PersistenceStatistics: Sendable, Equatable, Codable {
  public struct Row: Sendable, Equatable, Codable {
    public var name: String
    public var rows: Int

    public init(name: String, rows: Int) {
      self.name = name
      self.rows = rows
    }
  }

  /// Empty for an implementation without files.
  public var paths: [String]
  public var bytes: Int
  public var schemaVersion: Int
  public var tables: [Row]

  public init(paths: [String], bytes: Int, schemaVersion: Int, tables: [Row]) {
    self.paths = paths
    self.bytes = bytes
    self.schemaVersion = schemaVersion
    self.tables = tables
  }
}

/// Why the persistence refused. Carries path, operation and result code; never a bound value.
public struct PersistenceError: Error, Sendable, Equatable, Codable {
  public enum Kind: String, Sendable, Codable, CaseIterable {
    case invalid, exists
    case busy, full, io, readOnly, cannotOpen, cannotCreate, moved
    case corrupted, notADatabase, foreignDatabase, newerSchema
    case cancelled, misuse
  }

  public var kind: Kind
  public var path: String
  public var operation: String
  /// The database's extended result code, 0 where there is none.
  public var code: Int32
  public var message: String

  public init(
    _ kind: Kind, path: String = "", operation: String, code: Int32 = 0, message: String
  ) {
    self.kind = kind
    self.path = path
    self.operation = operation
    self.code = code
    self.message = message
  }
}
