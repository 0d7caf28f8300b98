import SwiftBoardBoard
import SwiftBoardDependencies
import SwiftBoardStore

/// The parameters of a request. A reducer determines them, and an effect uses them.
public struct CharactersRequest: Codable, Sendable, Equatable {
  /// The job of the command, which is the cancel ID of its effects.
  public var job: Int
  /// The name of the service, under which responses are cached.
  public var service = Self.usualService
  /// The address of the service, without a slash at its end.
  public var base = Self.usualAddress
  /// The authentication, which names a secret, or `nil` for none.
  public var authentication: APIService.Authentication?
  /// The permitted sources of the answer.
  public var policy = CachePolicy.localFirst
  /// The time in milliseconds for which a cached response is used without asking, or `nil` for no
  /// limit, as in earlier recordings.
  public var lifetime: Int64? = Self.usualLifetime
  /// How often it is sent again after a failure for the time being.
  public var retries = 0
  /// Milliseconds that each attempt may take.
  public var timeout: Int64 = 30_000

  /// The name of the default service.
  public static let usualService = "rick-and-morty"
  /// One hour. A line with `--cache localFirst` uses a cached response of any age.
  public static let usualLifetime: Int64 = 3_600_000
  /// The address to use if the board has no default service.
  public static let usualAddress = "https://rickandmortyapi.com/api"
}

extension CharactersRequest {
  /// The request of a command.
  ///
  /// - Parameter service: The board's service of the name that the command has, if there is one.
  /// - Throws: `Failure` where the service cannot be asked.
  init(_ pending: PendingCharacters, _ service: APIService?) throws(Failure) {
    let options = pending.command.options ?? CharactersOptions()
    if let name = options.service, service == nil { throw Failure(unknownService: name) }
    self.init(
      job: pending.job, service: service?.name ?? Self.usualService,
      base: service?.baseURL ?? Self.usualAddress, authentication: service?.authentication,
      policy: options.cache ?? pending.command.usualPolicy, retries: options.retries,
      timeout: pending.timeout ?? 30_000)
    // What a line asks to take from the cache may be of any age.
    if options.cache != nil { lifetime = nil }
    while base.hasSuffix("/") { base.removeLast() }
    do { try MarkedText.refuse(base, in: "the address of the service") } catch {
      throw Failure(any: error)
    }
  }

  /// The address of something of the service.
  func endpoint(_ path: String, _ query: [QueryItem] = []) -> APIEndpoint {
    let service = APIService(name: service, baseURL: base)
    return endpoint(url: service.addingQuery(to: "\(service.base)/\(path)"), query)
  }

  /// Returns the endpoint for a URL from a response. A URL of another server is requested without
  /// the key.
  func endpoint(url: String, _ query: [QueryItem] = []) -> APIEndpoint {
    APIEndpoint(
      url: url, query: query,
      headers: [
        HTTPHeader("Accept", "application/json, */*;q=0.5"),
        HTTPHeader("User-Agent", "swiftboard"),
      ], timeout: .milliseconds(timeout),
      authentication: APIEndpoint.isSameServer(url, base) ? authentication : nil)
  }

  /// The policy of attempts, for `Effect.retry`.
  var retryPolicy: RetryPolicy { .service(retries: retries) }

  /// Where values of the service come from, asked for or kept.
  ///
  /// - Parameters:
  ///   - name: The value in messages, with its article.
  ///   - decode: Makes a value of the body of an answer.
  func repository<Value: Sendable>(
    of name: String, _ dependencies: Dependencies,
    _ decode: @escaping @Sendable (_ body: Data) throws -> Value
  ) -> Repository<Value> {
    Repository(
      ResponseRepository(
        dependencies, service: service, account: authentication?.secret,
        lifetime: lifetime.map { .fixed(.milliseconds($0)) } ?? .unlimited),
      log: (dependencies.logger, "characters"), valueName: name
    ) { try decode($0.body) }
  }

  /// Where a page of characters comes from, asked for or kept.
  func pages(_ number: Int, _ dependencies: Dependencies) -> Repository<CharacterPage> {
    repository(of: "a page of characters", dependencies) {
      CharacterPage(try JSONDecoder().decode(ReceivedPage.self, from: $0), number: number)
    }
  }
}

extension CharactersCommand {
  /// A cached list is shown immediately. Searches and repeated commands ask the service.
  fileprivate var usualPolicy: CachePolicy {
    switch self {
    case .search, .refresh: .remoteFirst
    default: .localFirst
    }
  }
}

extension Failure {
  fileprivate init(unknownService name: String) {
    self.init(
      code: ExitCode.missing, error: "noSuchService",
      message: "there is no service named '\(name)'",
      help: "'api service add \(name) URL' makes it known")
  }
}
