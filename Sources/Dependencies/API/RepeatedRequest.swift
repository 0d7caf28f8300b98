/// The requests that may be sent twice.
public enum RepeatedRequest {
  /// Returns whether sending a request twice has the same effect as sending it once, by its method
  /// (RFC 9110, 9.2.2).
  public static func isSafe(_ method: String) -> Bool {
    ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "QUERY"].contains(method)
  }
}

extension APIRequest {
  /// Whether the request may be sent again if the service may have carried it out: by
  /// `isIdempotent`, or else by the method or an `Idempotency-Key`.
  public var isRepeatable: Bool {
    isIdempotent
      ?? (RepeatedRequest.isSafe(method)
        || headers.value(of: "Idempotency-Key")?.isEmpty == false)
  }
}
