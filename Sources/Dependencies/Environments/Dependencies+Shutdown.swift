extension Dependencies {
  /// Shuts down every service: flushes files and providers, and closes databases.
  ///
  /// Call it at the end of a program that used `live`. A later call of a service opens its
  /// resources again. The services of the other environments have nothing to close.
  ///
  /// Services that use others come first: the log may write to the database, which is closed last.
  ///
  /// - Parameter duration: The time limit that each service is given. It keeps the limit itself, so
  ///   that none is left before it has written its data.
  /// - Returns: False if a service could not finish its work in time.
  @discardableResult
  public func shutDown(within duration: Duration = .seconds(2)) async -> Bool {
    let services: [any Service] = [
      logger, analytics, terminal, files, mediaService, downloadService, apiClient,
      keychainService, persistence,
    ]
    var isComplete = true
    for service in services {
      if await !service.shutDown(within: duration) { isComplete = false }
    }
    return isComplete
  }
}
