import SwiftBoardSystem

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
