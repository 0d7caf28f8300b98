extension Dependencies {
  /// Shuts down every service: what waits reaches files and providers, and databases are closed.
  /// Call it at the end of a program that used `live`; a later call of a service opens what it
  /// needs again. The services of the other environments have nothing to close.
  ///
  /// Logger and analytics come first, since a log may be written to the database, which is closed
  /// last.
  ///
  /// - Parameter duration: The most that each service is waited for.
  /// - Returns: False when something was left behind.
  @discardableResult
  public func shutDown(within duration: Duration = .seconds(2)) async -> Bool {
    let services: [any Service] = [
      logger, analytics, terminal, files, apiClient, keychainService, persistence,
    ]
    var isComplete = true
    for service in services {
      if await !service.shutDown(within: duration) { isComplete = false }
    }
    return isComplete
  }
}
