import SwiftBoardSystem

/// The terminal's modes as they were, so that they can be put back from anywhere, a signal handler
/// included.
enum TerminalModes {
  /// Plain memory, since a signal handler may neither lock nor allocate. `descriptor` is written
  /// last and read first.
  private struct Saved {
    var descriptor: Int32 = -1
    var modes = termios()
  }

  /// Allocated once and never freed. Sharing it is safe: `save` and `forget` are called by the one
  /// reader that owns the terminal, and what `restore` reads of it is complete while `descriptor`
  /// is not -1.
  private nonisolated(unsafe) static let saved: UnsafeMutablePointer<Saved> = {
    let pointer = UnsafeMutablePointer<Saved>.allocate(capacity: 1)
    pointer.initialize(to: Saved())
    return pointer
  }()

  /// Remembers the modes of an open terminal before they are changed. `false` where it is none.
  @discardableResult
  static func save(_ descriptor: Int32) -> Bool {
    restoresAtTheEnd
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

  /// Whether something is saved.
  static var isSaved: Bool { saved.pointee.descriptor >= 0 }

  /// Puts back what was saved, but for echo, which stays off.
  static func restoreWithoutEcho() {
    let descriptor = saved.pointee.descriptor
    guard descriptor >= 0 else { return }
    var modes = saved.pointee.modes
    modes.c_lflag &= ~tcflag_t(ECHO | ECHOE | ECHOK | ECHONL)
    _ = tcsetattr(descriptor, TCSADRAIN, &modes)
  }

  /// Puts back what was saved, and forgets it.
  ///
  /// - Returns: The terminal, which is the caller's to close; `nil` if nothing was saved.
  @discardableResult
  static func restoreAndForget() -> Int32? {
    let descriptor = saved.pointee.descriptor
    restore()
    saved.pointee.descriptor = -1
    return descriptor < 0 ? nil : descriptor
  }

  /// Once: from then on `exit` restores the terminal, and a crash does before it continues as
  /// without this.
  private static let restoresAtTheEnd: Void = {
    _ = (saved, former)
    atexit { TerminalModes.restore() }
    for number in [SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP] {
      restoreOn(number)
    }
  }()

  /// What a crash did before, by signal; allocated once and never freed, for a handler may not.
  private nonisolated(unsafe) static let former: UnsafeMutablePointer<sigaction> = {
    let pointer = UnsafeMutablePointer<sigaction>.allocate(capacity: 32)
    pointer.initialize(repeating: sigaction(), count: 32)
    return pointer
  }()

  private static func restoreOn(_ number: Int32) {
    SignalHandler.install(number, former: former + Int(number)) { number, info, _ in
      TerminalModes.restore()
      sigaction(number, &TerminalModes.former[Int(number)], nil)
      // A fault recurs when the handler returns, and then meets the previous disposition. A signal
      // that a process sent does not recur.
      if let info, info.pointee.si_code > 0 { return }
      raise(number)
    }
  }
}
