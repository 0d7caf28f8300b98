import Synchronization

extension Dependencies {
  /// Shuts down every service: flushes files and providers, and closes databases.
  ///
  /// Call it at the end of a program that used `live`. A later call of a service opens its
  /// resources again. The services of the other environments have nothing to close.
  ///
  /// Services that use others come first: the log may write to the database, which is closed last.
  ///
  /// - Parameter duration: The time limit for each service. A service that has not returned a
  ///   second after it is left behind.
  /// - Returns: False if a service could not finish its work in time.
  @discardableResult
  public func shutDown(within duration: Duration = .seconds(2)) async -> Bool {
    let services: [any Service] = [
      logger, analytics, terminal, files, mediaService, downloadService, apiClient,
      keychainService, persistence,
    ]
    var isComplete = true
    for service in services {
      if await !service.isShutDown(within: duration) { isComplete = false }
    }
    return isComplete
  }
}

extension Service {
  /// Calls `shutDown(within:)`. Returns false a second after the limit if the call has not
  /// returned.
  fileprivate func isShutDown(within duration: Duration) async -> Bool {
    await withCheckedContinuation { continuation in
      let end = FirstResult(continuation)
      let limit = Task {
        try await Task.sleep(for: duration + .seconds(1))
        end.resume(returning: false)
      }
      Task {
        end.resume(returning: await shutDown(within: duration))
        limit.cancel()
      }
    }
  }
}

/// Resumes a continuation with the first of several results.
private final class FirstResult: Sendable {
  private let continuation: Mutex<CheckedContinuation<Bool, Never>?>

  init(_ continuation: CheckedContinuation<Bool, Never>) {
    self.continuation = Mutex(continuation)
  }

  func resume(returning result: Bool) {
    continuation.withLock { $0.take() }?.resume(returning: result)
  }
}
