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
}
