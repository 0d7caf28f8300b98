/// Sample answers for every host: see `SampleData.response(to:)`. The same request always gets the
/// same answer, at once.
public struct PreviewAPIClient: APIClient {
  /// Holds nothing.
  public init() {}

  /// A sample answer, at once.
  ///
  /// - Throws: `cancelled`, `invalidURL` and `unsupportedScheme` only.
  public func send(_ request: APIRequest) async throws(APIError) -> APIResponse {
    if Task.isCancelled { throw APIError(.cancelled, "\(request) was cancelled") }
    _ = try URLBuilder(request.url)
    return SampleData.response(to: request)
  }
}
