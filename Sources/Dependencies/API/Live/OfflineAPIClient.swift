/// Sends nothing: every request throws `offline` and says why.
struct OfflineAPIClient: APIClient {
  /// Holds nothing.
  init() {}

  /// Never answers.
  ///
  /// - Throws: `offline`, or `cancelled` where the task is.
  func send(_ request: APIRequest) async throws(APIError) -> APIResponse {
    if Task.isCancelled { throw APIError(.cancelled, "the request was cancelled") }
    throw APIError(.offline, "offline: no request leaves this machine")
  }
}
