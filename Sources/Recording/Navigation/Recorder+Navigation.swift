import SwiftBoardStore

extension Recorder {
  /// Returns a navigator of all steps that were recorded so far, without reading them.
  ///
  /// The recorder keeps states and marks while it writes. A visit reads and reduces only what
  /// follows the nearest state: at most about 4 000 of a million steps. It checks the lines that it
  /// reads, and compares the state with the digest of its step, if the step has one. The
  /// navigator's grade is `fine`. It does not contain steps that are recorded later.
  ///
  /// ```swift
  /// let navigator = try recorder.navigator(path: path, replayer: replayer)
  /// let before = try navigator.state(at: recorder.step - 1)
  /// ```
  ///
  /// Writes buffered lines. May be called from any thread, but not inside the store's critical
  /// section. If no state is known, as in a log of another schema, it verifies the whole recording.
  ///
  /// - Parameters:
  ///   - path: The path of the recording.
  ///   - replayer: The program. Its journal must not be the recorder's.
  ///   - isCancelled: As for `LogFile`.
  /// - Throws: `ReplayError.unreadable`. The file is missing if rotation has removed it meanwhile,
  ///   so that a second call may succeed. Visits throw `diverged` if the state has another digest.
  public func navigator<R: Reducer>(
    path: String, replayer: Replayer<R>,
    isCancelled: @escaping @Sendable () -> Bool = { Task.isCancelled }
  ) throws(ReplayError) -> LogNavigator<R> where R.State == State, R.Action == Action {
    let written = core.writer.written
    // What is known from here on is in the file when it is read.
    flush()
    checkFile()
    let last = min(written.step, step)
    let rotatedLog: RotatedLog
    let header: LogHeader
    do throws(LogReadError) {
      guard failure?.isFileLost != true else { throw .missing(path: path) }
      rotatedLog = try RotatedLog(path: path, isCancelled: isCancelled)
      guard rotatedLog.segments[0].number <= written.segment + 1 else {
        throw .missing(path: "\(path).\(written.segment + 1)")
      }
      header = try rotatedLog.files[0].reader().header()
    } catch {
      throw .unreadable(error)
    }
    let newest = rotatedLog.segments.first { $0.number == written.segment + 1 }
    guard newest?.stepsBefore == written.stepsBefore, header.schema == replayer.schema else {
      return try LogNavigator(rotatedLog, replayer: replayer)
    }
    return LogNavigator(
      written: rotatedLog, header,
      written.index.snapshots.located(in: rotatedLog, through: last),
      written.index.marks.filter { $0.n >= rotatedLog.firstStep && $0.n <= last },
      stepCount: last, replayer: replayer)
  }
}
