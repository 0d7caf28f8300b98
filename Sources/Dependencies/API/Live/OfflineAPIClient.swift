/// A client that sends nothing. Every request throws `offline`.
struct OfflineAPIClient: APIClient {
  let isOffline = true

  init() {}

  /// Throws an error.
  ///
  /// - Throws: `offline`, or `cancelled` if the task is cancelled.
  func send(_ request: APIRequest) async throws(APIError) -> APIResponse {
    if Task.isCancelled { throw .cancelled("the request", wasSent: false) }
    throw APIError(.offline, "offline: no request leaves this machine")
  }
}
