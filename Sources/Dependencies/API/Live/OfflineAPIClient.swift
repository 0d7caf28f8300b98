/// Sends nothing: every request throws `unreachable` and says why. For `--offline`.
struct OfflineAPIClient: APIClient {
  /// Holds nothing.
  init() {}

  /// Never answers.
  ///
  /// - Throws: `unreachable`, or `cancelled` where the task is.
  func send(_ request: APIRequest) async throws(APIError) -> APIResponse {
    if Task.isCancelled { throw APIError(.cancelled, "the request was cancelled") }
    throw APIError(.unreachable, "offline: no request leaves this machine (--offline)")
  }
}
