import SwiftBoardSystem

/// The saved modes of the terminal. They can be restored from anywhere, including a signal handler.
enum TerminalModes {
  /// Plain memory, because a signal handler may neither lock nor allocate. `descriptor` is written
  /// last and read first.
  private struct Saved {
    var descriptor: Int32 = -1
    var modes = termios()
  }

  /// Allocated once and never freed. Sharing it is safe: only the single reader that owns the
  /// terminal calls `save` and `forget`, and the values that `restore` reads are complete while
  /// `descriptor` is not -1.
  private nonisolated(unsafe) static let saved: UnsafeMutablePointer<Saved> = {
    let pointer = UnsafeMutablePointer<Saved>.allocate(capacity: 1)
    pointer.initialize(to: Saved())
    return pointer
  }()

  /// Saves the modes of an open terminal before they are changed. Returns `false` if it is not a
  /// terminal.
  @discardableResult
  static func save(_ descriptor: Int32) -> Bool {
    restoresAtTheEnd
    guard saved.pointee.descriptor < 0 else { return true }
    guard tcgetattr(descriptor, &saved.pointee.modes) == 0 else { return false }
    saved.pointee.descriptor = descriptor
    return true
  }

  /// Restores the saved modes, if any. Async-signal-safe.
  static func restore() {
    let descriptor = saved.pointee.descriptor
    guard descriptor >= 0 else { return }
    _ = tcsetattr(descriptor, TCSANOW, &saved.pointee.modes)
  }

  /// Whether modes are saved.
  static var isSaved: Bool { saved.pointee.descriptor >= 0 }

  /// Restores the saved modes except for echo, which stays off.
  static func restoreWithoutEcho() {
    let descriptor = saved.pointee.descriptor
    guard descriptor >= 0 else { return }
    var modes = saved.pointee.modes
    modes.c_lflag &= ~tcflag_t(ECHO | ECHOE | ECHOK | ECHONL)
    _ = tcsetattr(descriptor, TCSADRAIN, &modes)
  }

  /// Restores the saved modes and forgets them.
  ///
  /// - Returns: The terminal, which the caller must close, or `nil` if nothing was saved.
  @discardableResult
  static func restoreAndForget() -> Int32? {
    let descriptor = saved.pointee.descriptor
    restore()
    saved.pointee.descriptor = -1
    return descriptor < 0 ? nil : descriptor
  }

  /// Installs, once, handlers that restore the terminal at `exit` and on a crash. A crash then
  /// continues as before.
  private static let restoresAtTheEnd: Void = {
    _ = (saved, former)
    atexit { TerminalModes.restore() }
    for number in [SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP] {
      restoreOn(number)
    }
  }()

  /// The previous signal dispositions, by signal. Allocated once and never freed, because a handler
  /// may not.
  private nonisolated(unsafe) static let former: UnsafeMutablePointer<sigaction> = {
    let pointer = UnsafeMutablePointer<sigaction>.allocate(capacity: 32)
    pointer.initialize(repeating: sigaction(), count: 32)
    return pointer
  }()

  private static func restoreOn(_ number: Int32) {
    SignalHandler.install(number, former: former + Int(number)) { number, info, _ in
      TerminalModes.restore()
      sigaction(number, &TerminalModes.former[Int(number)], nil)
      // A fault recurs when the handler returns, and then triggers the previous disposition. A
      // signal sent by a process does not recur.
      if let info, info.pointee.si_code > 0 { return }
      raise(number)
    }
  }
}
