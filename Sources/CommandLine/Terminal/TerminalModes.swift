import SwiftBoardSystem
import Synchronization

/// The saved modes of the terminal. They can be restored from anywhere, including a signal handler.
///
/// There are two: the line editor saves those from before the program, and within them a prompt for
/// a secret saves those that it changes. At the end, the outer ones are restored last.
package struct TerminalModes: Sendable {
  /// Plain memory, because a signal handler may neither lock nor allocate. `descriptor` is written
  /// last and read first.
  private struct Saved {
    var descriptor: Int32 = -1
    var modes = termios()
    /// Whether the terminal marks pasted text, which has to be turned off.
    var marksPaste = false
  }

  /// The modes before the line editor changed them.
  static let editor = TerminalModes(discardsInput: false)
  /// The modes before a prompt for a secret changed them.
  static let secret = TerminalModes(discardsInput: true)

  /// Allocated once and never freed. Sharing it is safe: only the single reader that owns the
  /// terminal calls `save` and `forget`, and the values that `restore` reads are complete while
  /// `descriptor` is not -1.
  private nonisolated(unsafe) let saved: UnsafeMutablePointer<Saved>
  /// Whether `restore` discards what was typed and not read. A part of a secret would otherwise go
  /// to the shell.
  private let discardsInput: Bool

  init(discardsInput: Bool) {
    self.discardsInput = discardsInput
    saved = UnsafeMutablePointer<Saved>.allocate(capacity: 1)
    saved.initialize(to: Saved())
  }

  /// Saves the modes of an open terminal before they are changed. Returns `false` if it is not a
  /// terminal.
  @discardableResult
  func save(_ descriptor: Int32) -> Bool {
    Self.restoresAtTheEnd
    guard saved.pointee.descriptor < 0 else { return true }
    guard tcgetattr(descriptor, &saved.pointee.modes) == 0 else { return false }
    saved.pointee.descriptor = descriptor
    return true
  }

  /// Whether the program may change the modes of a terminal: in the background, they are those of
  /// another program. Async-signal-safe.
  static func isInForeground(_ descriptor: Int32) -> Bool {
    let group = tcgetpgrp(descriptor)
    // A terminal that does not control the process has no foreground for it.
    return group < 0 || group == getpgrp()
  }

  /// The time between two looks whether the program is in the foreground again, in milliseconds.
  /// A shell that brings it there need not send a signal.
  static let foregroundPause: Int32 = 100

  /// Restores the saved modes, if any, unless the program is in the background. Async-signal-safe.
  func restore() {
    let descriptor = saved.pointee.descriptor
    guard descriptor >= 0, Self.isInForeground(descriptor) else { return }
    if saved.pointee.marksPaste { Self.show(Self.pasteOff, on: descriptor) }
    if discardsInput { _ = tcflush(descriptor, TCIFLUSH) }
    _ = tcsetattr(descriptor, TCSANOW, &saved.pointee.modes)
  }

  /// Writes bytes if the terminal takes them: one that takes no output, as after Ctrl-S, must not
  /// keep the program from its end. Async-signal-safe.
  private static func show<Bytes>(_ bytes: Bytes, on descriptor: Int32) {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    guard poll(&request, 1, 0) > 0 else { return }
    withUnsafeBytes(of: bytes) { _ = write(descriptor, $0.baseAddress, $0.count) }
  }

  /// `ESC [ ? 2004 l`, without memory of its own.
  private static var pasteOff: (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8) {
    (0x1B, 0x5B, 0x3F, 0x32, 0x30, 0x30, 0x34, 0x6C)
  }

  /// The terminal with a status in the row of the cursor, or -1. `stop` removes it, because the
  /// row then belongs to the shell.
  static let status = Atomic<Int32>(-1)
  /// Whether `stop` has begun and the process has not continued. No status is shown meanwhile.
  static let isStopping = Atomic(false)

  /// `ESC [ K` at the start of the row, without memory of its own.
  private static var erasedRow: (UInt8, UInt8, UInt8, UInt8) { (0x0D, 0x1B, 0x5B, 0x4B) }

  /// Restores all saved modes, the outer ones last. Async-signal-safe.
  static func restoreAll() {
    secret.restore()
    editor.restore()
  }

  /// Whether modes are saved.
  var isSaved: Bool { saved.pointee.descriptor >= 0 }

  /// The terminal whose modes are saved.
  var descriptor: Int32? { isSaved ? saved.pointee.descriptor : nil }

  /// Restores the saved modes except for echo, which stays off. In the background, where the modes
  /// are another program's, it does nothing.
  ///
  /// - Parameter isUTF8: Whether Backspace goes on to remove whole characters of UTF-8.
  func restoreWithoutEcho(isUTF8: Bool) {
    let descriptor = saved.pointee.descriptor
    guard descriptor >= 0 else { return }
    var modes = saved.pointee.modes
    modes.c_lflag &= ~tcflag_t(ECHO | ECHOE | ECHOK | ECHONL)
    if isUTF8 { modes.c_iflag |= tcflag_t(IUTF8) }
    Self.unlessEnding {
      if Self.isInForeground(descriptor) { _ = tcsetattr(descriptor, TCSADRAIN, &modes) }
    }
  }

  /// Lets keys arrive at once and unchanged, without echo. The saved modes have to be those of the
  /// same terminal. In the background, where the modes are another program's, it does nothing.
  ///
  /// - Parameters:
  ///   - sendsSignals: Whether Ctrl-C, Ctrl-Z and Ctrl-\ send signals instead of being keys.
  ///   - marksPaste: Whether the end of the program has to turn off the marks around pasted text.
  func readKeys(sendsSignals: Bool, marksPaste: Bool) {
    let descriptor = saved.pointee.descriptor
    guard descriptor >= 0 else { return }
    saved.pointee.marksPaste = marksPaste
    var modes = saved.pointee.modes
    modes.c_lflag &= ~tcflag_t(ICANON | ECHO | ECHOE | ECHOK | ECHONL | IEXTEN)
    modes.c_iflag &= ~tcflag_t(ICRNL | INLCR | IGNCR | ISTRIP)
    if sendsSignals {
      modes.c_lflag |= tcflag_t(ISIG)
    } else {
      modes.c_lflag &= ~tcflag_t(ISIG)
      modes.c_iflag &= ~tcflag_t(IXON)
    }
    withUnsafeMutableBytes(of: &modes.c_cc) {
      $0[Int(VMIN)] = 1
      $0[Int(VTIME)] = 0
    }
    Self.unlessEnding {
      if Self.isInForeground(descriptor) { _ = tcsetattr(descriptor, TCSADRAIN, &modes) }
    }
  }

  /// Restores the saved modes and forgets them.
  ///
  /// - Returns: The terminal, which the caller must close, or `nil` if nothing was saved.
  @discardableResult
  func restoreAndForget() -> Int32? {
    let descriptor = saved.pointee.descriptor
    restore()
    saved.pointee.descriptor = -1
    return descriptor < 0 ? nil : descriptor
  }

  // MARK: The end

  private static let isEnding = Atomic(false)
  private static let changes = Atomic(0)

  /// Changes modes unless the program is ending. Another thread may be about to edit a line, or to
  /// ask for a secret, after the modes were restored for the last time.
  static func unlessEnding(_ change: () -> Void) {
    changes.add(1, ordering: .sequentiallyConsistent)
    defer { changes.subtract(1, ordering: .sequentiallyConsistent) }
    if !isEnding.load(ordering: .sequentiallyConsistent) { change() }
  }

  /// Ends all changes of modes, and waits for one that has begun. Modes restored after that stay.
  static func endChanges() {
    isEnding.store(true, ordering: .sequentiallyConsistent)
    for _ in 0..<100 where changes.load(ordering: .sequentiallyConsistent) > 0 { usleep(1000) }
  }

  /// Restores all saved modes for the last time, after a change that has begun.
  package static func restoreAtTheEnd() {
    endChanges()
    restoreAll()
  }

  // MARK: Signals

  /// Installs, once, handlers that restore the terminal at `exit` and on a crash. A crash then
  /// continues as before.
  private static let restoresAtTheEnd: Void = {
    _ = (editor, secret, former)
    atexit { TerminalModes.restoreAtTheEnd() }
    for number in [
      SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGUSR1, SIGUSR2, SIGALRM,
      SIGVTALRM, SIGPROF, SIGXCPU, SIGSYS,
    ] {
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
      TerminalModes.restoreAll()
      sigaction(number, &TerminalModes.former[Int(number)], nil)
      // A fault recurs when the handler returns, and then triggers the previous disposition. Any
      // other signal does not recur, whether a process, the terminal or a timer sent it.
      switch number {
      case SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP:
        if let info, info.pointee.si_code > 0 { return }
      default: break
      }
      raise(number)
    }
  }

  /// Whether SIGTSTP is ignored, as by the program that has started this one.
  static var ignoresStop: Bool { SignalHandler.isIgnored(SIGTSTP) }

  /// Installs a handler that restores the terminal before SIGTSTP stops the process, and calls that
  /// of SIGCONT after it. Async-signal-safe code changes the modes again.
  static func restoreOnStop() {
    // A handler must not be the first to use them.
    _ = (status.load(ordering: .relaxed), isStopping.load(ordering: .relaxed), editor, secret)
    SignalHandler.install(SIGTSTP) { _ in TerminalModes.stop() }
  }

  /// Restores the terminal and stops the process until SIGCONT. Returns at once if nothing can
  /// continue it, as without a shell. Async-signal-safe. The modes stay restored.
  static func stop() {
    let kept = errno
    isStopping.store(true, ordering: .sequentiallyConsistent)
    let descriptor = eraseStatus(or: -1)
    restoreAll()
    _ = signal(SIGTSTP, SIG_DFL)
    var signals = sigset_t()
    var before = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTSTP)
    pthread_sigmask(SIG_UNBLOCK, &signals, &before)
    // Another thread may have been about to show a status.
    _ = eraseStatus(or: descriptor)
    raise(SIGTSTP)
    pthread_sigmask(SIG_SETMASK, &before, nil)
    restoreOnStop()
    isStopping.store(false, ordering: .sequentiallyConsistent)
    errno = kept
  }

  /// Erases the status, or the row of the cursor of `other` if there is none. Returns the terminal,
  /// or -1. Async-signal-safe.
  private static func eraseStatus(or other: Int32) -> Int32 {
    let shown = status.exchange(-1, ordering: .sequentiallyConsistent)
    let descriptor = shown >= 0 ? shown : other
    if descriptor >= 0, isInForeground(descriptor) { show(erasedRow, on: descriptor) }
    return descriptor
  }

  /// Stops the other processes of the group, and then this one, as the terminal does on Ctrl-Z.
  static func stopGroup() {
    _ = signal(SIGTSTP, SIG_IGN)
    kill(0, SIGTSTP)
    stop()
  }
}
