import SwiftBoardStore

extension Replayer {
  /// Verifies the files of a rotated recording, each from its own header, and that they are one recording.
  ///
  /// - Returns: A summary for each file, oldest first.
  public func verify(
    _ chain: LogChain, acceptRisk: Bool = false
  ) throws(LogChainError) -> [ReplaySummary] {
    _ = try chain.check()
    return try chain.eachFile { file, _ throws(ReplayError) in
      try verify(file, acceptRisk: acceptRisk)
    }
  }

  /// Replays the files of a rotated recording one after the other, each from its own header, once it is known that they are whole
  /// and one recording. Each file is graded when its turn comes.
  ///
  /// - Parameters:
  ///   - last: The last step to replay, counted through all files; nil: all.
  ///   - onStep: Hears of each step with its number and time in the whole recording.
  /// - Returns: A summary for each file that was replayed, oldest first.
  public func replay(
    _ chain: LogChain, acceptRisk: Bool = false, until last: Int? = nil, onStep: OnStep? = nil
  ) throws(LogChainError) -> [ReplaySummary] {
    // A single file is read whole when it is graded.
    if chain.parts.count > 1 { _ = try chain.check() }
    return try chain.eachFile(until: last) { file, index throws(ReplayError) in
      let (before, later) = (chain.parts[index].stepsBefore, chain.times[index])
      return try replay(
        acceptRisk: acceptRisk, until: last.map { $0 - before },
        from: { () throws(LogReadError) in try file.reader() },
        onStep: onStep.map { onStep in
          guard before > 0 || later > 0 else { return onStep }
          return { step, state, t in onStep(step.behind(before), state, t + later) }
        })
    }
  }
}

extension LogChain {
  /// Files that have steps up to `last`; the first one always.
  fileprivate func eachFile<Result>(
    until last: Int? = nil, _ body: (LogFile, Int) throws(ReplayError) -> Result
  ) throws(LogChainError) -> [Result] {
    var results: [Result] = []
    for (index, part) in parts.enumerated() {
      if let last, index > 0, part.stepsBefore >= last { break }
      do throws(ReplayError) {
        results.append(try body(files[index], index))
      } catch {
        throw .replay(path: part.path, error)
      }
    }
    return results
  }
}

extension Step {
  /// The step of a file as one of the recording, of which `count` steps lie in earlier files.
  fileprivate func behind(_ count: Int) -> Step {
    var origin = origin
    if case .effect(let name, let id, let step) = origin, step > 0 {
      origin = .effect(name: name, id: id, step: step + count)
    }
    return Step(number: number + count, origin: origin, action: action, effects: effects)
  }
}
