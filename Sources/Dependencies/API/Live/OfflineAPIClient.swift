/// A client that sends nothing. Every request throws `offline`.
struct OfflineAPIClient: APIClient {
  init() {}

  /// Throws an error.
  ///
  /// - Throws: `offline`, or `cancelled` if the task is cancelled.
  func send(_ request: APIRequest) async throws(APIError) -> APIResponse {
    if Task.isCancelled { throw APIError(.cancelled, "the request was cancelled") }
    throw APIError(.offline, "offline: no request leaves this machine")
  }
}
