/// What every service of `Dependencies` has: an end.
public protocol Service: Sendable {
  /// Brings to its destination what still waits, and closes what is open. A later call of the
  /// service opens again what it needs.
  ///
  /// `Dependencies.shutDown(within:)` calls it at the end of a program. A service that wraps
  /// another one, as `RedactingKeychain` does, forwards the call. The default is for a service that
  /// keeps nothing open: it returns true.
  ///
  /// - Parameter duration: The longest that the call may take where it waits for others.
  /// - Returns: False if something was left behind.
  func shutDown(within duration: Duration) async -> Bool
}

extension Service {
  /// True: nothing waits, and nothing is open.
  public func shutDown(within duration: Duration) async -> Bool { true }
}
