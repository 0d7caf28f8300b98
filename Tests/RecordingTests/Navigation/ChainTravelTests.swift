import SwiftBoardJSON
import SwiftBoardStore
import SwiftBoardSystem
import SwiftBoardTesting
import Testing

@testable import SwiftBoardRecording

/// Travel over the files of a rotated recording. What one file says of the same session is the
/// measure.
struct ChainTravelTests {
  private static let steps = 120

  private static func session(_ path: String, keep: Int? = nil, size: Int? = 2500) throws -> Session
  {
    let rotation = FileRotation(path: path, keep: keep, synchronizes: false)
    return try Session(
      FileSink(creating: path), rotation: size == nil ? nil : rotation,
      options: RecordingOptions(rotation: size.map { .init(size: $0, keep: keep) }))
  }

  /// Sends steps of every kind and returns the states.
  ///
  /// - Parameter effects: Whether steps return effects, which live from one file to another. A
  ///   replay does not agree with such a log, since the counter returns none.
  @discardableResult
  private static func run(
    _ session: Session, _ range: ClosedRange<Int> = 1...steps, effects: Bool = false
  ) -> [CounterState] {
    range.map { n in
      switch n % 10 {
      case 1:
        session.send(
          .add(n), by: .user(line: "add \(n)", at: "a:\(n)"),
          effects: !effects
            ? []
            : [
              EffectDescriptor(kind: .task, name: "load", id: "load/\(n)"),
              EffectDescriptor(kind: .run, name: "watch", id: "watch/\(n)"),
            ])
      case 3: session.send(.roll(times: 1), by: .link("x://\(n)"))
      case 5:
        session.send(.stamp)
        session.recorder.mark("m\(n)")
        session.fail("i\(n)")
      case 7:
        let step = n / 10 * 10 + 1
        session.send(.add(1), by: .effect(name: "watch", id: "watch/\(step)", step: step))
      // The answer to a step of long ago, in another file.
      case 9 where n > 60:
        session.send(.add(2), by: .effect(name: "load", id: "load/\(n - 58)", step: n - 58))
      default: session.send(.add(n))
      }
      return session.state
    }
  }

  /// The same session in one file and in several.
  private static func both(
    keep: Int? = nil, effects: Bool = false,
    _ body: (_ path: String, _ whole: LogFile, _ states: [CounterState]) throws
      -> Void
  ) throws {
    try withFolder { folder in
      let whole = try session(folder + "/whole", size: nil)
      let states = [CounterState()] + run(whole, effects: effects)
      whole.recorder.stop()
      let path = folder + "/a"
      let rotated = try session(path, keep: keep)
      run(rotated, effects: effects)
      rotated.recorder.stop()
      try #require(rotated.recorder.failure == nil)
      try body(path, LogFile(path: folder + "/whole"), states)
    }
  }

  private static func navigator(
    _ path: String, _ options: LogNavigator<CounterReducer>.Options = .init(),
    _ replayer: Replayer<CounterReducer> = Session.replayer()
  ) throws -> LogNavigator<CounterReducer> {
    try LogNavigator(RotatedLog(path: path), replayer: replayer, options: options)
  }

  // MARK: States

  @Test("every state is reached from every other", arguments: [2, 4, 256])
  func everyStateIsReachedFromEveryOther(snapshots: Int) throws {
    try Self.both { path, _, states in
      var options = LogNavigator<CounterReducer>.Options()
      options.snapshots = snapshots
      let navigator = try Self.navigator(path, options)
      #expect(navigator.rotatedLog.segments.count > 4)
      #expect(navigator.firstStep == 0)
      #expect(navigator.stepCount == Self.steps)
      #expect(navigator.divergence == nil)
      #expect(navigator.warnings == [])
      for n in 0...Self.steps { #expect(try navigator.state(at: n) == states[n]) }
      for n in (0...Self.steps).reversed() { #expect(try navigator.state(at: n) == states[n]) }
      var generator = SeededRandom(seed: 5)
      for _ in 0..<300 {
        let n = Int(generator.next() % UInt64(Self.steps + 1))
        #expect(try navigator.state(at: n) == states[n])
        if n > 0 { #expect(try navigator.step(n).n == n) }
      }
    }
  }

  @Test("a seek opens the file that has the step") func aSeekOpensTheFileThatHasTheStep() throws {
    try Self.both { path, _, states in
      let navigator = try Self.navigator(path)
      let part = navigator.rotatedLog.segments[3]
      // Only that file is left.
      for other in navigator.rotatedLog.segments where other != part { unlink(other.path) }
      let next = navigator.rotatedLog.segments[4].stepsBefore
      for n in part.stepsBefore...next {
        #expect(try navigator.state(at: n) == states[n])
      }
      let error = #expect(throws: ReplayError.self) { try navigator.state(at: next + 1) }
      #expect(error?.kind == "missing")
      #expect(error?.description.contains("\(path).5") == true, "\(String(describing: error))")
    }
  }

  @Test("a recording is travelled while it is written and rotated")
  func aRecordingIsTravelledWhileItIsWrittenAndRotated() throws {
    try withFolder { folder in
      let path = folder + "/a"
      let session = try Self.session(path)
      var states = [CounterState()] + Self.run(session, 1...30)
      let navigator = try Self.navigator(path)
      #expect(navigator.stepCount == 30)
      let files = navigator.rotatedLog.segments.count
      states += Self.run(session, 31...100)
      #expect(
        try RotatedLog(path: path).segments.count > files + 2,
        "the newest file has another name now")
      for n in (0...30).reversed() { #expect(try navigator.state(at: n) == states[n]) }
      #expect(try navigator.step(30).n == 30)
      #expect(try Self.navigator(path).state(at: 100) == states[100])
      session.recorder.stop()
    }
  }

  @Test("a chain begins where old files were removed") func aChainBeginsWhereOldFilesWereRemoved()
    throws
  {
    try Self.both(keep: 2) { path, whole, states in
      let navigator = try Self.navigator(path)
      let first = navigator.firstStep
      #expect(first > 20)
      #expect(navigator.stepCount == Self.steps)
      for n in (first...Self.steps).reversed() { #expect(try navigator.state(at: n) == states[n]) }
      let error = #expect(throws: ReplayError.self) { try navigator.state(at: first - 1) }
      #expect(
        error?.description
          == "there is no step \(first - 1); the recording has the steps \(first) to 120, "
          + "and the files before them were removed")
      #expect(throws: ReplayError.self) { try navigator.step(first) }
      #expect(try navigator.step(first + 1).n == first + 1)
      #expect(try navigator.bisect { _ in true }.step == first + 1)
      let found = try navigator.bisect(.linear) { $0.rolls.count > 9 }
      #expect(found.step == 93 && found.evaluations == 93 - first)
      let graph = try navigator.stateGraph { "\($0.rolls.count)" }
      #expect(graph.first == "\(states[first].rolls.count)")
      #expect(graph.nodes.values.reduce(0, +) == Self.steps - first + 1)
      #expect(try CausalTree(navigator.rotatedLog).rootSteps.first == first + 1)
      #expect(try LogStatistics(navigator.rotatedLog).steps == Self.steps - first)
    }
  }

  @Test("one of the files by itself is a recording of its own")
  func oneOfTheFilesByItselfIsARecordingOfItsOwn() throws {
    try Self.both { path, _, states in
      let part = try RotatedLog(path: path).segments[2]
      for chain in [try RotatedLog(path: part.path), RotatedLog(LogFile(path: part.path))] {
        #expect(chain.segments.count == 1)
        let navigator = try LogNavigator(chain, replayer: Session.replayer())
        #expect(navigator.firstStep == 0)
        let count = navigator.stepCount
        #expect(try navigator.state(at: 0) == states[part.stepsBefore])
        #expect(try navigator.state(at: count) == states[part.stepsBefore + count])
        #expect(try navigator.step(1).n == 1)
        #expect(try LogTimeline(chain, effects: false).next()?.number == 1)
      }
    }
  }

  @Test("what is left over from another recording is no part of it")
  func whatIsLeftOverFromAnotherRecordingIsNoPartOfIt() throws {
    try Self.both { path, _, states in
      unlink(path)
      let session = try Self.session(path, size: nil)
      Self.run(session, 1...5)
      session.recorder.stop()
      let navigator = try Self.navigator(path)
      #expect(navigator.rotatedLog.segments.map(\.path) == [path])
      #expect(navigator.stepCount == 5)
      try write("no log", to: path + ".99")
      defer { unlink(path + ".99") }
      #expect(try Self.navigator(path).stepCount == 5)
      // Not even when it gets the name that a second file would get.
      let alone = path + "-alone"
      try write(try contents(of: path), to: alone)
      defer { unlink(alone) }
      let other = try Self.navigator(alone)
      try write(try contents(of: path + ".3"), to: alone + ".1")
      defer { unlink(alone + ".1") }
      for n in (0...5).reversed() { #expect(try other.state(at: n) == states[n]) }
    }
  }

  // MARK: Everything else

  @Test("every tool says what it says of one file") func everyToolSaysWhatItSaysOfOneFile() throws {
    try Self.both(effects: true) { path, whole, _ in
      let chain = try RotatedLog(path: path)
      func entries(_ timeline: LogTimeline) throws -> [LogTimeline.Entry] {
        var entries: [LogTimeline.Entry] = []
        while let entry = try timeline.next() { entries.append(entry.plain) }
        return entries
      }
      for filter in [
        LogTimeline.Filter(), .init(sources: [.user]), .init(text: "load"), .init(steps: 40...70),
        .init(time: 5000...9000),
      ] {
        let one = try entries(LogTimeline(whole, filter: filter))
        #expect(try entries(LogTimeline(chain, filter: filter)) == one)
        #expect(one.count > 10)
      }
      let (one, many) = (try LogStatistics(RotatedLog(whole)), try LogStatistics(chain))
      #expect(many.steps == one.steps && many.microseconds == one.microseconds)
      #expect(many.actions == one.actions && many.origins == one.origins)
      #expect(many.effects == one.effects && many.gaps == one.gaps)
      #expect(many.marks == one.marks && many.issues == one.issues)
      #expect(many.bytes > one.bytes && many.lines == one.lines + 2 * (chain.segments.count - 1))
      #expect(many.warnings == [])

    }
    try Self.both { path, whole, _ in
      let navigator = try Self.navigator(path)
      let single = try LogNavigator(whole, replayer: Session.replayer())
      #expect(navigator.marks == single.marks && navigator.marks.count == 12)
      #expect(try navigator.step(ofMark: "m75") == 75)
      #expect(try navigator.diff(3, 119) == single.diff(3, 119))
      #expect(
        try navigator.bisect { $0.count > 3000 } == single.bisect { $0.count > 3000 })
      #expect(
        try navigator.stateGraph { "\($0.rolls.count)" }
          == single.stateGraph { "\($0.rolls.count)" })
      let export = LogTestExport(.init(reducer: "R()", dependencies: "D()"))
      let texts = try [navigator, single].map { try export.text(of: $0, steps: 30) }
      #expect(texts[0].split(separator: "\n").count == texts[1].split(separator: "\n").count)
      #expect(texts[0].contains("// 30: "))
    }
  }

  @Test("an effect that sent from another file is followed")
  func anEffectThatSentFromAnotherFileIsFollowed() throws {
    try Self.both(effects: true) { path, _, _ in
      let timeline = try LogTimeline(RotatedLog(path: path))
      var ends: [Int: Int] = [:]
      while let entry = try timeline.next() {
        guard case .effect(let span) = entry, span.effect.name == "load", span.end == .finished
        else { continue }
        ends[span.first] = span.last
      }
      #expect(ends == [11: 69, 21: 79, 31: 89, 41: 99, 51: 109, 61: 119])
      // What no line connects is no child.
      #expect(try CausalTree(RotatedLog(path: path)).rootSteps.contains(69))
    }
  }

  @Test("a fork of a chain goes on with the numbers of the whole")
  func aForkOfAChainGoesOnWithTheNumbersOfTheWhole() throws {
    try Self.both { path, _, states in
      let navigator = try Self.navigator(path)
      for n in [
        0, 1, 17, navigator.rotatedLog.segments[2].stepsBefore,
        navigator.rotatedLog.segments[2].stepsBefore + 1, 120,
      ] {
        let to = path + "-fork"
        let (log, state) = try navigator.fork(at: n, to: to)
        defer { unlink(to) }
        #expect(state == states[n])
        let recorder = try Recorder<CounterState, CounterAction>(
          continuing: log, path: to, state: state, journal: nil, clock: { 0 })
        #expect(recorder.step == n)
        var next = state
        next.count += 1
        recorder.hooks.didReduce?(
          Step(number: 1, origin: .program("p"), action: .add(1), effects: []), next)
        recorder.stop()
        let fork = try Self.navigator(to)
        #expect(fork.stepCount == n + 1)
        #expect(
          fork.firstStep
            == navigator.rotatedLog.segments[navigator.rotatedLog.segment(of: n)].stepsBefore)
        for step in fork.firstStep...n { #expect(try fork.state(at: step) == states[step]) }
        #expect(try fork.state(at: n + 1) == next)
      }
      let error = #expect(throws: RecordingError.self) {
        try LogFork.copy(navigator.rotatedLog, steps: 121, to: path + "-fork")
      }
      #expect(error?.description == "there is no step 121; the recording has the steps 0 to 120")
    }
  }

  // MARK: What is wrong with it

  @Test("a divergence is named with its file") func aDivergenceIsNamedWithItsFile() throws {
    try Self.both { path, _, _ in
      let reductions = Box(0)
      let replayer = Session.replayer(ambient: {
        reductions.value.withLock {
          $0 += 1; return $0 == 50 ? 1 : 0
        }
      })
      let navigator = try Self.navigator(path, .init(), replayer)
      let divergence = try #require(navigator.divergence)
      #expect(navigator.stepCount == divergence.step - 1)
      let part = navigator.rotatedLog.segment(of: divergence.step)
      #expect(part > 0)
      #expect(divergence.file == navigator.rotatedLog.segments[part].path)
      #expect(divergence.description.hasPrefix("step \(divergence.step), line "))
      #expect(try navigator.step(divergence.step).n == divergence.step)
      #expect(throws: ReplayError.self) { try navigator.state(at: divergence.step) }
    }
  }

  @Test("a missing file is named with what to do") func aMissingFileIsNamedWithWhatToDo() throws {
    try Self.both { path, _, states in
      unlink(path + ".2")
      let error = #expect(throws: LogReadError.self) { try RotatedLog(path: path) }
      #expect(error?.description == "\(path).2 is missing: the files before and after it are there")
      #expect(error == .gap(path: path + ".2"))
      // Without the files before it the recording begins behind it.
      unlink(path + ".1")
      let navigator = try Self.navigator(path)
      #expect(try navigator.state(at: navigator.firstStep) == states[navigator.firstStep])
    }
  }

  @Test("a file that is there twice is named, and so is a newest one out of its place")
  func aDoubledFileIsNamed() throws {
    try Self.both { path, _, _ in
      let last = try #require(RotatedLog.numbers(beside: path).last)
      try FileManager.default.copyItem(
        atPath: "\(path).\(last)", toPath: "\(path).\(last + 1)")
      #expect(
        throws: LogReadError.broken(
          path: "\(path).\(last + 1)", expected: "a file behind number \(last)",
          found: "one behind number \(last - 1)")
      ) { try RotatedLog(path: path) }
      unlink("\(path).\(last + 1)")
      unlink(path)
      try FileManager.default.copyItem(atPath: "\(path).\(last - 1)", toPath: path)
      #expect(
        throws: LogReadError.broken(
          path: path, expected: "a file behind number \(last)",
          found: "one behind number \(last - 2)")
      ) { try RotatedLog(path: path) }
    }
  }

  @Test("a damaged file is named") func aDamagedFileIsNamed() throws {
    try Self.both { path, _, _ in
      let bytes = try contents(of: path + ".3")
      unlink(path + ".3")
      var broken = bytes
      broken[bytes.count / 2] ^= 1
      try write(broken, to: path + ".3")
      for body in [
        { _ = try Self.navigator(path) }, { _ = try LogStatistics(RotatedLog(path: path)) },
      ] as [() throws -> Void] {
        let error = #expect(throws: (any Error).self) { try body() }
        #expect("\(try #require(error))".hasPrefix("\(path).3: line "))
      }
    }
  }

  /// A file whose own lines are all right, and which begins with another state than the one before
  /// it ended with.
  @Test("a file that does not go on is named with what to do")
  func aFileThatDoesNotGoOnIsNamedWithWhatToDo() throws {
    try Self.both { path, _, _ in
      let digest = try LogFile(path: path).reader().header().digest
      let other = Digest(of: try CanonicalEncoder.encode(CounterState()))
      var bodies = split(try contents(of: path)).map {
        Array($0.dropLast(HashChain.tailLength + 1))
      }
      let state = String(
        decoding: canonical(try LogFile(path: path).reader().header().state), as: UTF8.self)
      let changed = String(decoding: bodies[0], as: UTF8.self)
        .replacing(state, with: #"{"count":0,"rolls":[]}"#)
        .replacing("\(digest)", with: "\(other)")
      bodies[0] = Array(changed.utf8)
      unlink(path)
      try write(sealed(bodies), to: path)
      #expect(read(try contents(of: path)).error == nil, "by itself it is whole")
      let error = #expect(throws: ReplayError.self) { try Self.navigator(path) }
      #expect(
        error?.description
          == "\(path) does not go on where the file before it ends (expected the state \(digest), "
          + "found \(other))")
      #expect(error?.kind == "broken")
      guard case .unreadable(let reason)? = error else { return }
      #expect(
        reason == .broken(path: path, expected: "the state \(digest)", found: "\(other)"))
      #expect(throws: LogReadError.self) { try RotatedLog(path: path).check() }
      #expect(throws: ReplayError.self) { try Session.replayer().replay(RotatedLog(path: path)) }
    }
  }

  @Test("swapped files do not join") func swappedFilesDoNotJoin() throws {
    try Self.both { path, _, _ in
      rename(path + ".2", path + ".x")
      rename(path + ".3", path + ".2")
      rename(path + ".x", path + ".3")
      let error = #expect(throws: ReplayError.self) { try Self.navigator(path) }
      #expect(error?.description.hasPrefix("\(path).2 does not go on") == true)
      #expect(throws: LogReadError.self) { try LogStatistics(RotatedLog(path: path)) }
    }
  }
}

extension LogTimeline.Entry {
  /// Without what a file boundary takes away: which step an effect's action came from, and where a
  /// digest stands.
  fileprivate var plain: LogTimeline.Entry {
    guard case .step(var step, let name) = self else { return self }
    if case .effect(let effect, let id, _) = step.origin {
      step.origin = .effect(name: effect, id: id, step: 0)
    }
    return .step(step, action: name)
  }

  fileprivate var number: Int? {
    if case .step(let step, _) = self { step.n } else { nil }
  }
}
