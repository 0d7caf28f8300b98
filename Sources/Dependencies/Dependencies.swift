/// The services and generators that reducers and effects use besides the state: services, time,
/// identifiers and random numbers.
///
/// It is a value, so you can replace members of a copy. Its services and generators have reference
/// semantics, so copies share them and no write is lost. See `docs/adr/003`.
///
/// ```swift
/// var dependencies = Dependencies.mock
/// dependencies.date = .fixed(0)
/// ```
public struct Dependencies: Sendable {
  /// The HTTP client.
  public var apiClient: any APIClient
  /// The secrets, by name.
  public var keychainService: any KeychainService
  /// Documents, preferences, services, cached answers, searches and stored log records.
  public var persistence: any PersistenceService
  /// The log. It is synchronous and never throws.
  public var logger: any Logger
  /// The usage statistics, with consent only. It is synchronous and never throws.
  public var analytics: any Analytics
  /// The files named in lines.
  public var files: any FileService
  /// The user's terminal.
  public var terminal: any TerminalService
  /// Monotonic time and sleeping.
  public var clock: BoardClock
  /// The wall clock.
  public var date: DateGenerator
  /// The generator of identifiers.
  public var uuid: UUIDGenerator
  /// Random numbers.
  public var random: RandomSource
  /// The service for media libraries. By default, it uses this environment's client and keychain.
  public var mediaService: any MediaService {
    get { ownMediaService ?? LiveMediaService(self) }
    set { ownMediaService = newValue }
  }
  /// The service for download programs. The default is the same as for `mediaService`.
  public var downloadService: any DownloadService {
    get { ownDownloadService ?? LiveDownloadService(self) }
    set { ownDownloadService = newValue }
  }
  private var ownMediaService: (any MediaService)?
  private var ownDownloadService: (any DownloadService)?
  /// The requests in flight, shared by copies of this value, so that equal requests become one.
  public var exchanges = ResponseExchanges()
  /// Inspects the installation, for `doctor`. Returns no findings if the environment does not use
  /// the machine.
  public var installation: @Sendable () async -> [InstallationFinding] = { [] }
  /// Draws a graph, a text in the language of Graphviz, and opens the picture for the user. Returns
  /// the path of the picture, or `nil` if the environment shows none.
  public var showGraph: @Sendable (_ text: String) async throws(GraphError) -> String? = {
    (_) async throws(GraphError) in nil
  }
  /// Creates services of the same environment for a separate run, with their own files in `folder`.
  /// With `sharesHome`, documents, preferences, API services and secrets are shared, and only the
  /// cache and the log are separate. `seed` is that of the generators. It is `nil` if the
  /// environment provides none. Creating the services accesses no file. The caller must shut them
  /// down.
  public var beside:
    (@Sendable (_ folder: String, _ sharesHome: Bool, _ seed: UInt64) -> Dependencies)?

  /// Creates dependencies. See also `.live`, `.mock` and `.preview`.
  public init(
    apiClient: any APIClient, keychainService: any KeychainService,
    persistence: any PersistenceService, logger: any Logger, analytics: any Analytics,
    files: any FileService, terminal: any TerminalService, clock: BoardClock, date: DateGenerator,
    uuid: UUIDGenerator, random: RandomSource
  ) {
    self.apiClient = apiClient
    self.keychainService = keychainService
    self.persistence = persistence
    self.logger = logger
    self.analytics = analytics
    self.files = files
    self.terminal = terminal
    self.clock = clock
    self.date = date
    self.uuid = uuid
    self.random = random
  }

  /// Returns a copy in which `clock`, `date`, `uuid` and `random` use the interceptor. A recorder
  /// stores the drawn values, and a replay returns them again. The services are shared, and their
  /// own draws (such as a log record's time) are not intercepted.
  public func intercepted(by interceptor: @escaping DrawInterceptor) -> Dependencies {
    var copy = self
    copy.clock = clock.intercepted(by: interceptor)
    copy.date = date.intercepted(by: interceptor)
    copy.uuid = uuid.intercepted(by: interceptor)
    copy.random = random.intercepted(by: interceptor)
    return copy
  }
}
