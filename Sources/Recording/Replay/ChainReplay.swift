import SwiftBoardStore

extension Replayer {
  /// Verifies the files of a rotated recording, each from its own header, and that they are one recording.
  ///
  /// - Returns: A summary for each file, oldest first.
  public func verify(
    _ chain: LogChain, acceptRisk: Bool = false
  ) throws(ReplayError) -> [ReplaySummary] {
    try chain.checkJoints()
    var summaries: [ReplaySummary] = []
    for (part, file) in chain.files.enumerated() {
      do throws(ReplayError) {
        summaries.append(try verify(file, acceptRisk: acceptRisk))
      } catch {
        throw error.placed(in: chain, part)
      }
    }
    return summaries
  }

  /// Replays a rotated recording as one, each file from its own header. Before the first step runs, all files were read to their
  /// end, joined and graded.
  ///
  /// - Parameters:
  ///   - acceptRisk: As for a single file.
  ///   - last: The last step to replay, counted through all files; nil: all. What follows it is graded and not run.
  ///   - onStep: Hears of each step with its number and time in the whole recording.
  /// - Throws: What is wrong, with the name of the file where there are several, and step numbers of the whole recording.
  /// - Complexity: Reads every file three times, twice where there is one.
  public func replay(
    _ chain: LogChain, acceptRisk: Bool = false, until last: Int? = nil, onStep: OnStep? = nil
  ) throws(ReplayError) -> ReplaySummary {
    let start = ContinuousClock.now
    var run = try ChainRun(self, chain, acceptRisk: acceptRisk, until: last, onStep)
    while try run.next() {}
    return run.summary(since: start)
  }
}

extension LogChain {
  /// Checks that the files are one recording, where there are several.
  func checkJoints() throws(ReplayError) {
    guard parts.count > 1 else { return }
    do throws(LogReadError) {
      _ = try check()
    } catch {
      throw .unreadable(error)
    }
  }
}
