import SwiftBoardCommandLine
import SwiftBoardDependencies

/// A value of a service as an action may have it, and where it came from.
public struct ServiceAnswer<Value: Codable & Equatable & Sendable>: Codable, Equatable, Sendable {
  /// What was asked for, without known secrets.
  public var value: Value
  /// Whether the cache had a part in it.
  public var verdict: CacheVerdict
  /// Why a kept answer stands in for the service's.
  public var stale: String?
  /// The values in whose place marks stand.
  public var masked: MaskedValues?

  /// Creates an answer of the service.
  public init(_ value: Value, verdict: CacheVerdict = .miss, stale: String? = nil) {
    self.value = value
    self.verdict = verdict
    self.stale = stale
  }
}

extension Repository where Value: Codable & Equatable {
  /// Returns the value of an endpoint as an action may have it.
  ///
  /// - Throws: The errors of `value(of:policy:)`.
  public func answer(
    to endpoint: APIEndpoint, policy: CachePolicy, _ dependencies: Dependencies
  ) async throws -> ServiceAnswer<Value> {
    let fetched = try await value(of: endpoint, policy: policy)
    let (value, masked) = try await masking(fetched.value, dependencies)
    var answer = ServiceAnswer(
      value, verdict: fetched.verdict,
      stale: fetched.networkError.map { dependencies.logger.redact($0.message) })
    answer.masked = masked
    return answer
  }
}

/// Why a service has no value: the status of its answer, or another failure.
public struct ServiceError: Error, Codable, Equatable, Sendable {
  /// The status of an answer without a value, or `nil` if the service did not answer.
  public var status: Int?
  /// The failure, in the words of the board.
  public var failure: Failure

  /// Creates the error of an action from any error of the services, and writes a line to the log.
  ///
  /// - Parameter category: The category of the line: the name of the feature.
  public init(_ error: any Error, _ dependencies: Dependencies, category: String) {
    status = (error as? APIError)?.status
    failure = Failure(error, dependencies)
    dependencies.logger.log("\(failure.message)", level: .warning, category: category)
  }
}
