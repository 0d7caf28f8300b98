/// Sample answers for every host: see `SampleData.response(to:)`. The same request always gets the same answer, at once.
public struct PreviewAPIClient: APIClient {
  public init() {}

  public func send(_ request: APIRequest) async throws(APIError) -> APIResponse {
    if Task.isCancelled { throw APIError(.cancelled, "\(request) was cancelled") }
    _ = try URLBuilder(request.url)
    return SampleData.response(to: request)
  }
}
