import SwiftBoardJSON
import SwiftBoardStore

/// The second pass of a replay, which reduces and compares one file line by line.
struct ReplayRun<R: Reducer> where R.State: Codable, R.Action: Codable {
  private let replayer: Replayer<R>
  private let grader: Replayer<R>.Grader
  private let onStep: Replayer<R>.OnStep?

  /// The state after `steps`, or `nil` before the header.
  private(set) var state: R.State?
  private(set) var steps = 0
  private(set) var time: Int64 = 0
  private(set) var digests = 0
  /// Whether the run continues with the state of the previous file instead of the header's.
  private let continues: Bool
  private var hasAllIDs = false
  /// The canonical state and the step of the last digest comparison, and a buffer for the next one.
  private var known: [UInt8] = []
  private var knownStep = 0
  private var current: [UInt8] = []

  /// Creates the run of a file.
  ///
  /// It begins with the header's state, which is known to be the last state of `previous`. If this
  /// program derives other states than the recorded ones, because a migration has changed their
  /// form, the run continues with the state of `previous`, and compares no digests.
  ///
  /// - Parameter previous: The run of the previous file of a rotated recording, if there is one.
  init(
    _ replayer: Replayer<R>, _ grader: Replayer<R>.Grader, after previous: ReplayRun? = nil,
    _ onStep: Replayer<R>.OnStep?
  ) {
    self.replayer = replayer
    self.grader = grader
    self.onStep = onStep
    continues = previous.map { !($0.hasRecordedStates && grader.startsEqual) } ?? false
    if continues { state = previous?.state }
  }

  /// Whether all states of the file up to now are the recorded ones.
  private var hasRecordedStates: Bool { !continues && grader.digestsComparable }

  /// Returns whether the state after a step is the recorded one, whose digest can be compared.
  func comparesDigest(ofStep step: Int) -> Bool {
    !continues && grader.comparesDigest(ofStep: step)
  }

  /// Reads the lines of a file, up to its end or through step `last`.
  mutating func take(_ file: LogFile, until last: Int?) throws(ReplayError) {
    do {
      let reader = try file.reader()
      while let entry = try reader.next() {
        if let last, case .step(let step) = entry.line, step.n > last { return }
        try take(entry, reader)
      }
    } catch {
      throw ReplayError(error, at: steps)
    }
  }

  mutating func take(_ entry: LogReader.Entry, _ reader: LogReader) throws {
    switch entry.line {
    case .header(let header):
      hasAllIDs = header.hasAllIDs
      if !continues { state = try grader.state(header.state, entry, step: 0).value }
      if let state { try CanonicalEncoder.encode(state, into: &known) }
    case .step(let step): try reduce(step, entry, reader)
    case .snapshot(let snapshot):
      guard knownStep != snapshot.n, comparesDigest(ofStep: snapshot.n) else { return }
      guard let found = try encodeState(), found != snapshot.digest else {
        return keep(snapshot.n)
      }
      throw ReplayError.diverged(
        Divergence(
          step: snapshot.n, line: entry.number, offset: entry.offset,
          origin: .program("snapshot"), action: .null,
          differences: [
            .digest(
              expected: snapshot.digest, found: found,
              changes: try changes(from: snapshot.state), since: nil)
          ]))
    case .issue, .mark, .end, .unknown: break
    }
  }

  private mutating func reduce(
    _ logged: LogStep, _ entry: LogReader.Entry, _ reader: LogReader
  ) throws {
    let action = try grader.action(logged, entry)
    guard var next = state.take() else { return }
    let replayed = replayer.step.reduce(action, into: &next, serving: logged.draws)
    state = next
    let descriptors = replayed.descriptors
    var differences = replayed.differences(
      from: try grader.effects(logged, entry), descriptors: descriptors, hasAllIDs: hasAllIDs)
    if let digest = logged.digest, comparesDigest(ofStep: logged.n) {
      let found = try encodeState()
      if let found, found != digest {
        differences.append(try difference(digest, found, logged.n, reader))
      } else {
        keep(logged.n)
      }
    }
    guard differences.isEmpty else {
      throw ReplayError.diverged(
        Divergence(
          step: logged.n, line: entry.number, offset: entry.offset, origin: logged.origin,
          action: logged.action, differences: differences))
    }
    steps = logged.n
    time = logged.t
    onStep?(
      Step(number: logged.n, origin: logged.origin, action: action, effects: descriptors),
      next, logged.t)
  }

  private mutating func encodeState() throws -> Digest? {
    guard let state else { return nil }
    current.removeAll(keepingCapacity: true)
    try CanonicalEncoder.encode(state, into: &current)
    return Digest(of: current)
  }

  private mutating func keep(_ step: Int) {
    swap(&known, &current)
    knownStep = step
    digests += 1
  }

  private func difference(
    _ expected: Digest, _ found: Digest, _ step: Int, _ reader: LogReader
  ) throws -> Divergence.Difference {
    // A snapshot of this step, if there is one, precedes the next step.
    search: while let entry = try? reader.next() {
      switch entry.line {
      case .snapshot(let snapshot):
        return .digest(
          expected: expected, found: found, changes: try changes(from: snapshot.state), since: nil
        )
      case .issue, .mark, .unknown: continue
      case .header, .step, .end: break search
      }
    }
    return .digest(
      expected: expected, found: found, changes: try changes(from: try JSON(parsing: known)),
      since: knownStep)
  }

  private func changes(from before: JSON) throws -> [StateDiff.Change] {
    StateDiff.changedPaths(before, try JSON(parsing: current))
  }
}
