/// The HTTP services that the user has named.
public protocol APIServiceStore: Sendable {
  /// Stores a service.
  ///
  /// - Throws: `.exists`, with `service` and the name in its message, if there is a service with
  ///   its name and `replacing` is false.
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

    /// The name of the header that the request gets, or `nil` if it gets none. The one for Digest
    /// depends on the service's challenge.
    public var headerName: String? {
      switch self {
      case .header(let name, _): name
      case .bearer, .basic: "Authorization"
      case .query, .digest: nil
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
    let mark = query.hasSuffix("&") ? "" : "&"
    return "\(address[..<end])?\(query)"
      + (rest.hasPrefix("?") ? mark + rest.dropFirst() : String(rest))
  }
}
