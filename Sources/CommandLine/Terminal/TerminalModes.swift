#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The terminal's modes as they were, so that they can be put back from anywhere, a signal handler included.
enum TerminalModes {
  /// Plain memory, since a signal handler may neither lock nor allocate. `descriptor` is written last and read first.
  private struct Saved {
    var descriptor: Int32 = -1
    var modes = termios()
  }

  /// Allocated once and never freed. Sharing it is safe: `save` and `forget` are called by the one reader that owns the
  /// terminal, and what `restore` reads of it is complete while `descriptor` is not -1.
  private nonisolated(unsafe) static let saved: UnsafeMutablePointer<Saved> = {
    let pointer = UnsafeMutablePointer<Saved>.allocate(capacity: 1)
    pointer.initialize(to: Saved())
    return pointer
  }()

  /// Remembers the modes of an open terminal before they are changed. `false` where it is none.
  @discardableResult
  static func save(_ descriptor: Int32) -> Bool {
    guard saved.pointee.descriptor < 0 else { return true }
    guard tcgetattr(descriptor, &saved.pointee.modes) == 0 else { return false }
    saved.pointee.descriptor = descriptor
    return true
  }

  /// Puts back what was saved, if anything. Async-signal-safe.
  static func restore() {
    let descriptor = saved.pointee.descriptor
    guard descriptor >= 0 else { return }
    _ = tcsetattr(descriptor, TCSANOW, &saved.pointee.modes)
  }

  /// Puts back what was saved, and forgets it.
  static func restoreAndForget() {
    restore()
    saved.pointee.descriptor = -1
  }

  /// From now on a crash restores the terminal before it goes on as without this.
  static func restoreOnCrash() {
    _ = saved.pointee.descriptor
    for number in [SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP] {
      var action = sigaction()
      let handler: @convention(c) (Int32) -> Void = { number in
        TerminalModes.restore()
        // The handler was reset when it was entered, so this ends the process as it would have ended.
        raise(number)
      }
      #if canImport(Darwin)
        action.__sigaction_u.__sa_handler = handler
      #else
        action.__sigaction_handler.sa_handler = handler
      #endif
      action.sa_flags =
        Int32(bitPattern: UInt32(truncatingIfNeeded: SA_RESETHAND)) | Int32(SA_NODEFER)
      sigaction(number, &action, nil)
    }
  }
}
