/// Installs functions that answer signals.
package enum SignalHandler {
  /// Calls `handler` for a signal. Interrupted calls of the system continue.
  package static func install(
    _ number: Int32, _ handler: @escaping @convention(c) (Int32) -> Void
  ) {
    var action = sigaction()
    #if canImport(Darwin)
      action.__sigaction_u.__sa_handler = handler
    #else
      action.__sigaction_handler.sa_handler = handler
    #endif
    action.sa_flags = Int32(SA_RESTART)
    sigaction(number, &action, nil)
  }

  /// Calls `handler` with where a signal comes from; it may be called anew while it runs.
  ///
  /// - Parameter former: Receives what answered the signal before.
  package static func install(
    _ number: Int32, former: UnsafeMutablePointer<sigaction>,
    _ handler:
      @escaping @convention(c) (
        Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?
      ) -> Void
  ) {
    var action = sigaction()
    #if canImport(Darwin)
      action.__sigaction_u.__sa_sigaction = handler
    #else
      action.__sigaction_handler.sa_sigaction = handler
    #endif
    action.sa_flags = Int32(truncatingIfNeeded: SA_SIGINFO) | Int32(SA_NODEFER)
    sigaction(number, &action, former)
  }
}
