extension Logger {
  /// Logs that a service, or the cache, has answered a request.
  ///
  /// - Parameter request: The method and the address.
  func log(
    answerTo request: String, status: Int, bytes: some BinaryInteger, _ verdict: CacheVerdict
  ) {
    log(
      request, level: .info, category: "api",
      fields: [
        LogField("status", String(status)), LogField("verdict", verdict.rawValue),
        LogField("bytes", String(bytes)),
      ])
  }

  /// Logs that there is no answer to a request. A cancelled one has done what was asked for, so it
  /// is no warning.
  ///
  /// - Parameter request: The method and the address.
  func log(failureOf request: String, _ error: APIError) {
    log(
      "\(request): \(error.message)", level: error.kind == .cancelled ? .info : .warning,
      category: "api",
      fields: [LogField("error", error.kind.rawValue)])
  }

  /// Runs an exchange and, if it is cancelled, logs that there is no answer. Cancelling does so at
  /// once, because the program may end before the task continues.
  ///
  /// - Parameter request: The method and the address.
  func noteCancellation<Answer: Sendable>(
    of request: String, _ exchange: () async -> Answer
  ) async -> Answer {
    let cause = LogCause.current
    return await withTaskCancellationHandler {
      await exchange()
    } onCancel: {
      LogCause.$current.withValue(cause) {
        log(failureOf: request, APIError(.cancelled, "cancelled"))
      }
    }
  }
}
