/// A value and its source: the service or the cache.
///
/// It belongs to one fetch. Actions, the state and recordings contain the value, the verdict and
/// `staleReason(_:)`, without the errors.
public struct Fetched<Value: Sendable>: Sendable {
  /// The value, such as a response or what was decoded from one.
  public var value: Value
  /// The source of the value.
  public var verdict: CacheVerdict
  /// The time at which a cached response was stored or last confirmed, in microseconds since 1970,
  /// or `nil` for a response from the service.
  public var stored: Int64?
  /// The failure of the service, if a cached response replaces its own.
  public var networkError: APIError?
  /// The error of reading or writing the cache.
  public var cacheError: PersistenceError?

  /// Creates a value with its source.
  public init(
    _ value: Value, verdict: CacheVerdict = .miss, stored: Int64? = nil,
    networkError: APIError? = nil, cacheError: PersistenceError? = nil
  ) {
    self.value = value
    self.verdict = verdict
    self.stored = stored
    self.networkError = networkError
    self.cacheError = cacheError
  }

  /// Returns the reason why a cached response replaces that of the service, or `nil` if none does.
  ///
  /// - Parameter redactor: Replaces known secrets by marks.
  public func staleReason(_ redactor: Redactor) -> String? {
    networkError.map { redactor.redact($0.message) }
  }

  /// Returns another value with the same source.
  public func map<NewValue: Sendable, Failure: Error>(
    _ transform: (Value) throws(Failure) -> NewValue
  ) throws(Failure) -> Fetched<NewValue> {
    Fetched<NewValue>(
      try transform(value), verdict: verdict, stored: stored, networkError: networkError,
      cacheError: cacheError)
  }
}

extension Fetched: Equatable where Value: Equatable {}
