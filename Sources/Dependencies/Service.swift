/// The interface of every service of `Dependencies`: it can be shut down.
public protocol Service: Sendable {
  /// Completes pending work and closes open resources. A later call of the service opens them
  /// again.
  ///
  /// `Dependencies.shutDown(within:)` calls it at the end of a program. A service that wraps
  /// another one forwards the call. The default implementation returns true, for a service that
  /// keeps nothing open.
  ///
  /// - Parameter duration: The time limit for waiting. The end of the program waits for the call,
  ///   so an implementation must return soon after the limit.
  /// - Returns: False if work could not be completed.
  func shutDown(within duration: Duration) async -> Bool
}

extension Service {
  /// Returns true: there is no pending work and no open resource.
  public func shutDown(within duration: Duration) async -> Bool { true }
}
