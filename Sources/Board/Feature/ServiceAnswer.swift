import SwiftBoardDependencies

/// A value from a service, safe to store in an action, with its source.
public struct ServiceAnswer<Value: Codable & Equatable & Sendable>: Codable, Equatable, Sendable {
  /// The value, with known secrets masked.
  public var value: Value
  /// The source of the value: the service or the cache.
  public var verdict: CacheVerdict
  /// The reason why a cached response replaces that of the service, or `nil` if none does.
  public var staleReason: String?
  /// The secrets that marks replace in the value.
  public var masked: MaskedValues?

  private enum CodingKeys: String, CodingKey {
    case value, verdict, staleReason = "stale", masked
  }

  /// Creates a value.
  public init(_ value: Value, verdict: CacheVerdict = .miss, staleReason: String? = nil) {
    self.value = value
    self.verdict = verdict
    self.staleReason = staleReason
  }
}

extension Repository where Value: Codable & Equatable {
  /// Returns the value of an endpoint, safe to store in an action.
  ///
  /// - Throws: The errors of `value(of:policy:)`.
  public func answer(
    to endpoint: APIEndpoint, policy: CachePolicy, _ dependencies: Dependencies
  ) async throws -> ServiceAnswer<Value> {
    let fetched = try await value(of: endpoint, policy: policy)
    let (value, masked) = try await masking(fetched.value, dependencies)
    var answer = ServiceAnswer(
      value, verdict: fetched.verdict,
      staleReason: fetched.staleReason(dependencies.logger.redactor))
    answer.masked = masked
    return answer
  }
}

/// The reason why a service has no value: the status of its response, or another failure.
public struct ServiceError: Error, Codable, Equatable, Sendable {
  /// The status of a response without a value, or `nil` if there was no response.
  public var status: Int?
  /// The failure, with the board's message.
  public var failure: Failure

  /// Creates the error of an action from any error of the services, and logs a record.
  ///
  /// - Parameter category: The category of the record: the name of the feature.
  public init(_ error: any Error, _ dependencies: Dependencies, category: String) {
    status = (error as? APIError)?.status
    failure = Failure(error, dependencies)
    dependencies.logger.log("\(failure.message)", level: .warning, category: category)
  }
}
