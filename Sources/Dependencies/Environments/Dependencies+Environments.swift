import SwiftBoardSystem

/// The environments. Each access creates new dependencies, which share nothing but the files of
/// `live`.
extension Dependencies {
  /// The real services. They open, load, create and start nothing before they are used.
  ///
  /// Secrets that are read from or stored in the keychain are registered with the logger's
  /// redactor.
  public static func live(
    _ configuration: LiveConfiguration, terminal: any TerminalService = SilentTerminal()
  ) -> Dependencies {
    let paths = configuration.paths
    let options = DatabaseFile.Options(onlyReads: configuration.onlyReads)
    let persistence = LivePersistenceService(
      main: DatabaseFile(path: paths.mainDatabase, schema: .main, options: options),
      cache: DatabaseFile(path: paths.cacheDatabase, schema: .cache, options: options),
      writesTogether: true)
    let redactor = Redactor()
    let file = JSONLinesSink(path: paths.log) { [report = configuration.onLoss] message in
      report?(redactor.redact(message))
    }
    var sinks: [any LogRecordSink] = [file]
    if let level = configuration.storedLogLevel {
      sinks.append(StoreSink(store: persistence, level: level))
    }
    let logger = LiveLogger(sinks: sinks, level: configuration.logLevel, redactor: redactor)
    let unlockSources = UnlockSources(environment: configuration.environment)
    let keychain = LiveKeychainService(
      path: paths.keychain, unlockSources: unlockSources,
      rollbackMarks: DatabaseKeychainMarks(in: persistence),
      onDerivation: configuration.onDerivation)
    let events = FileAnalyticsProvider(path: paths.analytics)
    let analytics = LiveAnalytics(
      providers: [LogAnalyticsProvider(logger: logger), events], redactor: logger.redactor
    ) { [report = configuration.onLoss] provider, count in
      guard provider == events.name else { return }
      let lost = count == 1 ? "1 event of analytics is" : "\(count) events of analytics are"
      report?(redactor.redact("\(lost) lost: \(paths.analytics) could not be written"))
    }
    var dependencies = Dependencies(
      apiClient: configuration.isOffline ? OfflineAPIClient() : LiveAPIClient(redactor: redactor),
      keychainService: RedactingKeychain(keychain, redactor: logger.redactor),
      persistence: persistence, logger: logger, analytics: analytics,
      files: LiveFileService(own: paths), terminal: terminal,
      clock: .live, date: .live,
      uuid: configuration.seed.map(UUIDGenerator.seeded) ?? .live,
      random: configuration.seed.map(RandomSource.seeded) ?? .live)
    dependencies.installation = {
      let installation = LiveInstallation(
        paths: paths, variables: configuration.environment, unlockSources: unlockSources)
      return await DetachedThread.run { installation.findings() }
    }
    let viewer = LiveGraphViewer(picture: paths.graph, variables: configuration.environment)
    dependencies.showGraph = { (text) async throws(GraphError) in try await viewer.show(text) }
    return dependencies
  }

  /// `live` with the process's environment and the default folders.
  public static var live: Dependencies { live(LiveConfiguration()) }

  /// Dependencies for tests: in memory, deterministic, and silent. The HTTP client has only
  /// configured responses. The keychain is empty and unlocked. There are no files. The date is
  /// 2026-01-01T00:00:00Z, identifiers count from 1, and time does not advance. See `mock(clock:)`.
  public static var mock: Dependencies { mock(clock: ManualClock()) }

  /// `mock` with a clock that the test advances.
  public static func mock(clock: ManualClock) -> Dependencies {
    let date = DateGenerator.fixed()
    let logger = MockLogger(date: date)
    var dependencies = Dependencies(
      apiClient: MockAPIClient(),
      keychainService: RedactingKeychain(MockKeychainService(), redactor: logger.redactor),
      persistence: MockPersistenceService(), logger: logger,
      analytics: MockAnalytics(), files: MockFileService(), terminal: SilentTerminal(),
      clock: clock.clock, date: date, uuid: .incrementing, random: .seeded(0))
    dependencies.mediaService = MockMediaService()
    dependencies.downloadService = MockDownloadService()
    return dependencies
  }

  /// Dependencies for trying the board: `mock` with sample responses for every host, sample secrets
  /// until a keychain is created, and time that passes. Uses neither network nor disk.
  public static var demonstration: Dependencies {
    var dependencies = mock
    let redactor = dependencies.logger.redactor
    // The keychain is unlocked initially, so its values are known initially.
    for (name, value) in MockKeychainService.samples {
      redactor.registerSecret(Array(value), name: name)
    }
    dependencies.apiClient = MockAPIClient.preview
    dependencies.keychainService = RedactingKeychain(
      MockKeychainService.preview, redactor: redactor)
    dependencies.mediaService = MockMediaService.preview
    dependencies.downloadService = MockDownloadService.preview
    dependencies.clock = .live
    return dependencies
  }

  /// Dependencies for previews: `demonstration` with sample data in the database, the log and
  /// analytics. Uses neither network nor disk.
  public static var preview: Dependencies {
    var dependencies = demonstration
    dependencies.persistence = .preview
    dependencies.logger = MockLogger.preview(redactor: dependencies.logger.redactor)
    dependencies.analytics = MockAnalytics.preview
    return dependencies
  }

  /// Returns these dependencies with the files of lines and the terminal of a program, which are
  /// real in every environment.
  ///
  /// - Parameters:
  ///   - configuration: The folders of the program. Lines write to none of its files.
  ///   - terminal: The terminal that asks for passphrases.
  public func inProgram(
    _ configuration: LiveConfiguration, terminal: any TerminalService
  ) -> Dependencies {
    var dependencies = self
    dependencies.files = LiveFileService(
      own: configuration.paths, environment: configuration.environment)
    dependencies.terminal = terminal
    return dependencies
  }
}
