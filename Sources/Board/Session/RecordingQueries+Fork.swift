import SwiftBoardRecording

extension RecordingQueries {
  /// Copies a recording up to a step into a new one.
  ///
  /// - Parameters:
  ///   - job: The job that continues in the fork if it forks the running recording.
  ///   - check: Called before the file is created.
  func fork(
    at target: SessionTarget, to file: String?, from source: String?, by job: Int = 0,
    check: (_ path: String) throws -> Void = { _ in }
  ) throws -> SessionResult {
    let location = try location(source)
    return try visit(location) { navigator, end in
      let step = try step(target, location, navigator, end)
      let path = file ?? RecordingQueries.forkName(of: location.path, at: step)
      try check(path)
      let log = navigator.rotatedLog
      let begins = log.stepsBefore(fileOf: step)
      var secret: String?
      let continuation: LogContinuation
      let state: BoardState
      do {
        (continuation, state) = try navigator.fork(at: step, to: path) { line in
          secret = secrets.secret(inLine: line)
          return secret == nil
        }
      } catch RecordingError.withheld(let withheld, let line) {
        throw Failure.secret(
          secret ?? "", inLine: line, of: log.name(of: log.segment(of: step)) ?? location.path,
          before: withheld > begins ? withheld : nil)
      }
      let fork = SessionNavigators.Continuation(
        log: continuation, state: state, path: path, source: location.path)
      if source == nil { navigators.keep(fork, of: job) } else { try fork.end() }
      return .forked(
        fork: SessionForked(
          path: path, step: step, source: location.path, isContinued: source == nil,
          first: begins > 0 ? begins : nil))
    }
  }

  /// Returns the name of a fork: `bug.actions.jsonl` at 7 becomes `bug.fork-7.actions.jsonl`.
  static func forkName(of path: String, at step: Int) -> String {
    for ending in [".actions.jsonl", ".jsonl"] where path.hasSuffix(ending) {
      return path.dropLast(ending.count) + ".fork-\(step)" + ending
    }
    return path + ".fork-\(step)"
  }
}

extension Failure {
  /// The failure of a fork of a recording with a line from before its secret was known.
  ///
  /// - Parameters:
  ///   - path: The file with the line.
  ///   - step: The step of the line, or `nil` for the header of the file.
  fileprivate static func secret(
    _ name: String, inLine line: Int, of path: String, before step: Int?
  ) -> Failure {
    Failure(
      code: ExitCode.data, error: "holdsSecret",
      message: "\(path) holds the value of the secret '\(name)' in line \(line), which a new "
        + "recording may not",
      help: step.map { "fork it at step \($0 - 1) or before: the value is not in it there" }
        ?? "every fork of this file would; 'session record FILE' begins a new recording")
  }
}
