/// The environments. Each access creates new dependencies: two of them share nothing but the files
/// of `live`.
extension Dependencies {
  /// The real services. Nothing is opened, loaded, made or started before it is used.
  ///
  /// Secrets that the keychain gives out or takes are registered with the logger's redactor.
  public static func live(
    _ configuration: LiveConfiguration, terminal: any TerminalService = SilentTerminal()
  ) -> Dependencies {
    let paths = configuration.paths
    let persistence = LivePersistenceService(
      mainPath: paths.mainDatabase, cachePath: paths.cacheDatabase, limits: PersistenceLimits(),
      writesTogether: true)
    var sinks: [any LogRecordSink] = [JSONLinesSink(path: paths.log)]
    if let level = configuration.storedLogLevel {
      sinks.append(StoreSink(store: persistence, level: level))
    }
    let logger = LiveLogger(sinks: sinks, level: configuration.logLevel)
    let keychain = LiveKeychainService(
      path: paths.keychain, unlockSources: UnlockSources(environment: configuration.environment),
      rollbackMarks: DatabaseKeychainMarks(in: persistence),
      onDerivation: configuration.onDerivation)
    let analytics = LiveAnalytics(
      providers: [
        LogAnalyticsProvider(logger: logger), FileAnalyticsProvider(path: paths.analytics),
      ], redactor: logger.redactor)
    return Dependencies(
      apiClient: configuration.isOffline ? OfflineAPIClient() : LiveAPIClient(),
      keychainService: RedactingKeychain(keychain, redactor: logger.redactor),
      persistence: persistence, logger: logger, analytics: analytics,
      files: LiveFileService(own: paths), terminal: terminal,
      clock: .live, date: .live,
      uuid: configuration.seed.map(UUIDGenerator.seeded) ?? .live,
      random: configuration.seed.map(RandomSource.seeded) ?? .live)
  }

  /// `live` with the process's environment and the standard folders.
  public static var live: Dependencies { live(LiveConfiguration()) }

  /// For tests: everything in memory, deterministic, and silent. The HTTP client has no answers but
  /// configured ones, the keychain is empty and unlocked, there are no files, the terminal is
  /// silent, the date is 2026-01-01T00:00:00Z, identifiers count from 1, and time does not advance;
  /// see `mock(clock:)`.
  public static var mock: Dependencies { mock(clock: ManualClock()) }

  /// `mock` on a clock that the test advances.
  public static func mock(clock: ManualClock) -> Dependencies {
    let date = DateGenerator.fixed()
    let logger = MockLogger(date: date)
    return Dependencies(
      apiClient: MockAPIClient(),
      keychainService: RedactingKeychain(MockKeychainService(), redactor: logger.redactor),
      persistence: MockPersistenceService(), logger: logger,
      analytics: MockAnalytics(), files: MockFileService(), terminal: SilentTerminal(),
      clock: clock.clock, date: date, uuid: .incrementing, random: .seeded(0))
  }

  /// For trying the board: `mock`, with sample answers for every host, sample secrets until a
  /// keychain is made, and with time that passes, so that what waits comes back. Touches no network
  /// and no disk.
  public static var demonstration: Dependencies {
    var dependencies = mock
    let redactor = dependencies.logger.redactor
    // The keychain is unlocked from the beginning, so its values are known from the beginning.
    for (name, value) in MockKeychainService.samples {
      redactor.registerSecret(Array(value), name: name)
    }
    dependencies.apiClient = MockAPIClient.preview
    dependencies.keychainService = RedactingKeychain(
      MockKeychainService.preview, redactor: redactor)
    dependencies.clock = .live
    return dependencies
  }

  /// For looking at: `demonstration`, with sample data in the database, in the log and in
  /// analytics. Touches no network and no disk.
  public static var preview: Dependencies {
    var dependencies = demonstration
    dependencies.persistence = .preview
    dependencies.logger = MockLogger.preview(redactor: dependencies.logger.redactor)
    dependencies.analytics = MockAnalytics.preview
    return dependencies
  }
}
