extension APIRequest {
  /// Returns whether sending a request with a method twice has the same effect as sending it once
  /// (RFC 9110, 9.2.2).
  public static func isIdempotent(method: String) -> Bool {
    ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "QUERY"].contains(method)
  }

  /// Whether the method changes nothing at the service.
  var isSafe: Bool {
    ["GET", "HEAD", "OPTIONS", "TRACE", "QUERY", "PROPFIND", "REPORT", "SEARCH"].contains(method)
  }

  /// Whether the request may be sent again if the service may have carried it out: by
  /// `isIdempotent`, or else by the method or an `Idempotency-Key`.
  public var isRepeatable: Bool {
    isIdempotent
      ?? (Self.isIdempotent(method: method)
        || headers.value(of: "Idempotency-Key")?.isEmpty == false)
  }
}
