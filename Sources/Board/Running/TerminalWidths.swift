/// The widths of the terminal on their way to the store, in the order in which they come.
///
/// One thread at a time sends them. Another leaves its width to that thread, because an older width
/// would otherwise overtake a newer one between two locks.
struct TerminalWidths: Sendable {
  /// Whether a width that comes while a command runs waits for the end of a pause, and the newest
  /// one that does.
  private var isPausing = false
  private var waiting: Int?
  /// The width to send next.
  private var next: Int?
  private var isSending = false
  private var sent: Int?
  /// What waits until all widths have been sent.
  private var waits: [@Sendable () -> Void] = []

  /// Notes a width at which a line begins. Those that wait are older.
  mutating func note(_ width: Int) {
    waiting = nil
    next = width
  }

  /// Notes a width that comes while a command runs.
  ///
  /// - Returns: Whether to send it and to pause.
  mutating func noteRunning(_ width: Int) -> Bool {
    guard !isPausing else {
      waiting = width
      return false
    }
    isPausing = true
    next = width
    return true
  }

  /// Ends a pause.
  ///
  /// - Parameter isRunning: Whether a command runs that is to be told of the width that waits.
  /// - Returns: Whether to send that width and to pause again.
  mutating func endPause(isRunning: Bool) -> Bool {
    guard let width = waiting.take() else {
      isPausing = false
      return false
    }
    if isRunning { next = width }
    return true
  }

  /// Returns whether the calling thread sends the widths, until `takeNext` returns `nil`.
  mutating func beginSending() -> Bool {
    guard !isSending else { return false }
    isSending = true
    return true
  }

  /// What a thread that sends widths does next.
  enum Next {
    /// Send a width; the last one that was sent before it.
    case send(width: Int, last: Int?)
    /// End, and call these closures.
    case end(resume: [@Sendable () -> Void])
  }

  /// Returns what the sending thread does next.
  mutating func takeNext() -> Next {
    guard let width = next.take() else {
      isSending = false
      defer { waits = [] }
      return .end(resume: waits)
    }
    defer { sent = width }
    return .send(width: width, last: sent)
  }

  /// Returns whether all widths have been sent. Otherwise, `resume` is called once they are.
  mutating func areSent(else resume: @escaping @Sendable () -> Void) -> Bool {
    if isSending { waits.append(resume) }
    return !isSending
  }
}
