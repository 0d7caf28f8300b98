/// Everything a reducer or an effect may reach outside the state: the services, and the world
/// (time, identifiers, chance).
///
/// A value: replace what you like on a copy. The services and generators in it have reference
/// semantics, so that copies share them and no write is lost. See `docs/adr/003`.
///
/// ```swift
/// var dependencies = Dependencies.mock
/// dependencies.date = .fixed(0)
/// ```
public struct Dependencies: Sendable {
  /// HTTP.
  public var apiClient: any APIClient
  /// Secrets, by name.
  public var keychainService: any KeychainService
  /// Documents, preferences, services, cached answers, searches and stored log records.
  public var persistence: any PersistenceService
  /// Log records; synchronous, never throws.
  public var logger: any Logger
  /// Counts, with consent only; synchronous, never throws.
  public var analytics: any Analytics
  /// Files that a line names.
  public var files: any FileService
  /// The person at the board.
  public var terminal: any TerminalService
  /// Monotonic time, and sleeping.
  public var clock: BoardClock
  /// The wall clock.
  public var date: DateGenerator
  /// Identifiers.
  public var uuid: UUIDGenerator
  /// Random numbers.
  public var random: RandomSource
  /// Requests that are under way, so that equal ones become one; copies of a value share them.
  public var exchanges = ResponseExchanges()
  /// Makes services of the same environment for a run beside this one, with files of their own in
  /// `folder`. With `sharesHome` documents, preferences, API services and secrets are the same, and
  /// only what may be deleted is their own: the cache and the log. `nil` if nothing was said of it;
  /// then there are no others. Making them touches nothing; the caller shuts them down.
  public var beside: (@Sendable (_ folder: String, _ sharesHome: Bool) -> Dependencies)?

  /// Creates dependencies from their parts. See also `.live`, `.mock` and `.preview`.
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

  /// A copy whose `clock`, `date`, `uuid` and `random` go through the interceptor: a recorder notes
  /// the drawn values, a replay returns them again. The services are the same, and their own draws
  /// (a log record's time) are not intercepted.
  public func intercepted(by interceptor: @escaping DrawInterceptor) -> Dependencies {
    var copy = self
    copy.clock = clock.intercepted(by: interceptor)
    copy.date = date.intercepted(by: interceptor)
    copy.uuid = uuid.intercepted(by: interceptor)
    copy.random = random.intercepted(by: interceptor)
    return copy
  }
}
