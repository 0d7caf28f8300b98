import SwiftBoardCommandLine

/// The prompt, which shows the environment, the recording, the shown step and the running jobs.
///
/// Examples: `board[mock]> `, `board[work]> ` in an environment of the configuration,
/// `board[try:preview]> ` if that has other than the live services, `board *> ` during a recording,
/// `board *(5<12)> ` at step 5 of 12, `board 2&> ` with two jobs. `!` marks a recording that ended
/// by itself.
struct BoardPrompt {
  private let state: BoardState
  /// The name of the environment, if it is one of the configuration file.
  private let namedEnvironment: String?
  private let recordedSteps: Int?
  private let hasProblem: Bool

  /// - Parameter state: The state of the board, or `nil` for its present one.
  init(_ board: Board, _ state: BoardState? = nil, in name: String?) {
    self.init(
      state ?? board.store.withState { copy $0 }, recordedSteps: board.recording?.step,
      hasProblem: board.recordingProblem != nil, name: name)
  }

  /// - Parameter recordedSteps: The last step of the running recording, or `nil` if there is none.
  init(_ state: BoardState, recordedSteps: Int?, hasProblem: Bool, name: String? = nil) {
    self.state = state
    namedEnvironment = name
    self.recordedSteps = recordedSteps
    self.hasProblem = hasProblem
  }

  func text(isContinuation: Bool) -> String {
    let isASCII = state.settings.isASCII
    if isContinuation { return isASCII ? "... " : "\u{2026} " }
    let services = state.settings.environment
    let environment = [
      namedEnvironment.map { escapeControls($0) }, services == .live ? nil : services.rawValue,
    ].compactMap(\.self).joined(separator: ":")
    let name = "board" + (environment.isEmpty ? "" : "[\(environment)]")
    var signs = hasProblem ? "!" : recordedSteps != nil ? (isASCII ? "*" : "\u{25CF}") : ""
    if let position = state.session.position {
      let last = max(recordedSteps ?? 0, position.last)
      signs += "(\(position.step)\(isASCII ? "<" : "\u{25C2}")\(last))"
    }
    let jobs = state.shell.running.count
    let parts = [name, signs, jobs > 0 ? "\(jobs)&" : ""].filter { !$0.isEmpty }
    return parts.joined(separator: " ") + (isASCII ? "> " : "\u{203A} ")
  }
}
