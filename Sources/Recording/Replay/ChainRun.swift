import SwiftBoardStore

/// The run over all files, step by step, and what comes together meanwhile.
struct ChainRun<R: Reducer> where R.State: Codable, R.Action: Codable {
  private struct File {
    let reader: LogReader
    /// The last step to run, as it is numbered in it.
    let last: Int?
    var run: ReplayRun<R>

    mutating func next() throws(ReplayError) -> Bool { try run.takeStep(reader, until: last) }
  }

  private let replayer: Replayer<R>
  private let chain: LogChain
  private let grading: LogTravel<R>.Grading
  private let last: Int?
  private let onStep: Replayer<R>.OnStep?

  /// The file that is run, and the one to open behind it.
  private var file: File?
  private var nextPart = 0
  /// Of the files that are done.
  private var steps = 0
  private var digests = 0
  private var time: Int64 = 0

  /// Reads all files to their end, joins and grades them; runs nothing.
  init(
    _ replayer: Replayer<R>, _ chain: LogChain, acceptRisk: Bool, until last: Int?,
    _ onStep: Replayer<R>.OnStep?
  ) throws(ReplayError) {
    try chain.checkJoints()
    grading = try LogTravel<R>.Grading(chain, replayer.schema, replayer.migrations)
    if case .risky = grading.grade, !acceptRisk { throw .risky(grading.grade) }
    self.replayer = replayer
    self.chain = chain
    self.last = last
    self.onStep = onStep
  }

  /// Runs the next step; false where there is none.
  mutating func next() throws(ReplayError) -> Bool {
    while try open() {
      do throws(ReplayError) {
        if try file?.next() == true { return true }
      } catch {
        throw error.placed(in: chain, nextPart - 1)
      }
      close()
    }
    return false
  }

  /// Opens the next file where none is open; false where there is none, or only those behind the last step.
  private mutating func open() throws(ReplayError) -> Bool {
    if file != nil { return true }
    let part = nextPart
    guard part < chain.parts.count else { return false }
    let (before, later) = (chain.parts[part].stepsBefore, chain.times[part])
    if let last, part > 0, before >= last { return false }
    let run = ReplayRun(
      replayer, grading.graders[part],
      onStep.map { onStep in
        guard before > 0 || later > 0 else { return onStep }
        return { step, state, t in onStep(step.behind(before), state, t + later) }
      })
    do throws(LogReadError) {
      file = File(
        reader: try chain.files[part].reader(), last: last.map { $0 - before }, run: run)
    } catch {
      throw ReplayError.unreadable(error).placed(in: chain, part)
    }
    nextPart += 1
    return true
  }

  /// Counts what the open file had.
  private mutating func close() {
    guard let run = file.take()?.run else { return }
    steps += run.steps
    digests += run.digests
    if run.steps > 0 { time = run.time + chain.times[nextPart - 1] }
  }

  /// What was replayed by now, if no more is.
  mutating func summary(since start: ContinuousClock.Instant) -> ReplaySummary {
    close()
    return ReplaySummary(
      steps: steps, recordedTime: time, elapsed: ContinuousClock.now - start, digests: digests,
      warnings: grading.warnings, grade: grading.grade)
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
