import Synchronization

/// The question whether to leave while commands run in the background. It is asked once; leaving
/// again without another line in between is the answer.
final class ExitConfirmation: Sendable {
  private let board: Board
  private let isAsked = Mutex(false)

  init(_ board: Board) { self.board = board }

  /// Returns what to say instead of leaving, or `nil` to leave.
  func ask() -> String? {
    let running = board.store.withState { $0.shell.running.filter(\.isBackground) }
    let wasAsked = isAsked.withLock { asked in
      defer { asked = !running.isEmpty }
      return asked
    }
    guard !running.isEmpty, !wasAsked else { return nil }
    let names = running.prefix(3).map { "[\($0.job)] \($0.name.replacing(".", with: " "))" }
    let list = names.joined(separator: ", ") + (running.count > 3 ? ", ..." : "")
    return running.count == 1
      ? "1 job is running: \(list)" : "\(running.count) jobs are running: \(list)"
  }

  /// Notes that another line runs, after which the question is asked anew.
  func forget() { isAsked.withLock { $0 = false } }
}
