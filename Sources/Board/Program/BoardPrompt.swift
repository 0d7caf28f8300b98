/// The prompt, which shows the environment, the recording, the shown step and the running jobs.
///
/// Examples: `board[mock]> `, `board *> ` during a recording, `board *(5<12)> ` at step 5 of 12,
/// `board 2&> ` with two jobs. `!` marks a recording that ended by itself.
struct BoardPrompt {
  private let state: BoardState
  private let isRecording: Bool
  private let hasProblem: Bool

  init(_ board: Board) { self.init(board, board.store.withState { copy $0 }) }

  init(_ board: Board, _ state: BoardState) {
    self.init(
      state, isRecording: board.recording != nil,
      hasProblem: board.recordingProblem != nil)
  }

  init(_ state: BoardState, isRecording: Bool, hasProblem: Bool) {
    self.state = state
    self.isRecording = isRecording
    self.hasProblem = hasProblem
  }

  func text(isContinuation: Bool) -> String {
    let isASCII = state.settings.isASCII
    if isContinuation { return isASCII ? "... " : "\u{2026} " }
    let environment = state.settings.environment
    let name = "board" + (environment == .live ? "" : "[\(environment.rawValue)]")
    var signs = hasProblem ? "!" : isRecording ? (isASCII ? "*" : "\u{25CF}") : ""
    if let position = state.session.position {
      signs += "(\(position.step)\(isASCII ? "<" : "\u{25C2}")\(position.last))"
    }
    let jobs = state.shell.running.count
    let parts = [name, signs, jobs > 0 ? "\(jobs)&" : ""].filter { !$0.isEmpty }
    return parts.joined(separator: " ") + (isASCII ? "> " : "\u{203A} ")
  }
}
