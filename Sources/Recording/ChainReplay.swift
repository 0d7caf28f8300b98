import SwiftBoardStore

extension Replayer {
  /// Verifies the files of a rotated recording, each from its own header, and that they are one recording.
  ///
  /// - Returns: A summary for each file, oldest first.
  public func verify(
    _ chain: LogChain, acceptRisk: Bool = false
  ) throws(LogChainError) -> [ReplaySummary] {
    _ = try chain.check()
    var summaries: [ReplaySummary] = []
    for (part, file) in zip(chain.parts, chain.files) {
      do throws(ReplayError) {
        summaries.append(try verify(file, acceptRisk: acceptRisk))
      } catch {
        throw .replay(path: part.path, error)
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
    if chain.parts.count > 1 {
      do throws(LogChainError) {
        _ = try chain.check()
      } catch {
        throw ReplayError(error)
      }
    }
    let grading = try LogTravel<R>.Grading(chain, self)
    if case .risky = grading.grade, !acceptRisk { throw .risky(grading.grade) }
    var run = ChainRun(self, chain, grading, onStep)
    try run.all(until: last)
    return ReplaySummary(
      steps: run.steps, recordedTime: run.time, elapsed: ContinuousClock.now - start,
      digests: run.digests, warnings: grading.warnings, grade: grading.grade)
  }
}

extension ReplayError {
  /// What is wrong with the files of a recording, as a replay of it says that.
  public init(_ error: LogChainError) {
    switch error {
    case .replay(_, let error): self = error
    case .missing(let path): self = .unreadable(.missing(path: path))
    case .gap(let path): self = .unreadable(.gap(path: path))
    case .broken(let path, let expected, let found):
      self = .unreadable(.broken(path: path, expected: expected, found: found))
    case .unreadable(let path, .damage(let damage)):
      self = .unreadable(.file(path: path, .damage(damage)))
    case .unreadable(_, let error): self = .unreadable(error)
    }
  }
}

/// The run over all files, and what comes together meanwhile.
private struct ChainRun<R: Reducer> where R.State: Codable, R.Action: Codable {
  private let replayer: Replayer<R>
  private let chain: LogChain
  private let grading: LogTravel<R>.Grading
  private let onStep: Replayer<R>.OnStep?

  private(set) var steps = 0
  private(set) var digests = 0
  private(set) var time: Int64 = 0

  init(
    _ replayer: Replayer<R>, _ chain: LogChain, _ grading: LogTravel<R>.Grading,
    _ onStep: Replayer<R>.OnStep?
  ) {
    self.replayer = replayer
    self.chain = chain
    self.grading = grading
    self.onStep = onStep
  }

  mutating func all(until last: Int?) throws(ReplayError) {
    for (index, part) in chain.parts.enumerated() {
      if let last, index > 0, part.stepsBefore >= last { return }
      do throws(ReplayError) {
        try file(index, until: last.map { $0 - part.stepsBefore })
      } catch {
        throw error.placed(in: chain, index)
      }
    }
  }

  private mutating func file(_ index: Int, until last: Int?) throws(ReplayError) {
    let (before, later) = (chain.parts[index].stepsBefore, chain.times[index])
    var run = ReplayRun(
      replayer, grading.graders[index],
      onStep.map { onStep in
        guard before > 0 || later > 0 else { return onStep }
        return { step, state, t in onStep(step.behind(before), state, t + later) }
      })
    try run.take(
      allFrom: { () throws(LogReadError) in try chain.files[index].reader() }, until: last)
    steps += run.steps
    digests += run.digests
    if run.steps > 0 { time = run.time + later }
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
