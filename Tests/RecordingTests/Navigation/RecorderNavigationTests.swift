import SwiftBoardStore
import SwiftBoardSystem
import SwiftBoardTesting
import Testing

@testable import SwiftBoardRecording

/// Visits of the recording that is being written, by what its recorder knows. A navigator that has
/// read the whole recording is the measure.
struct RecorderNavigationTests {
  private static func session(_ path: String, _ options: RecordingOptions) throws -> Session {
    try Session(
      FileSink(creating: path),
      rotation: options.rotation.map {
        FileRotation(path: path, keep: $0.keep, synchronizes: false)
      }, options: options)
  }

  /// Sends random steps, marks and issues, and returns the states after the steps.
  @discardableResult
  private static func run(
    _ session: Session, _ count: Int, _ generator: inout SeededRandom
  ) -> [CounterState] {
    (0..<count).map { _ in
      let number = Int(generator.next() % 100)
      switch number {
      case 0..<2: session.send(.roll(times: 1), by: .link("x://\(number)"))
      case 2..<5: session.send(.stamp)
      default: session.send(.add(number), by: .user(line: "add", at: "a:\(number)"))
      }
      if number % 17 == 0 { session.recorder.mark("m\(session.recorder.step)") }
      if number % 23 == 0 { session.fail("i") }
      return session.state
    }
  }

  /// Counts the reductions of its navigators.
  private static func counting(_ box: Box<Int>) -> Replayer<CounterReducer> {
    Session.replayer(ambient: {
      box.value.withLock { $0 += 1 }
      return 0
    })
  }

  @Test(
    "it finds the states that a navigator finds which has read everything",
    arguments: [
      RecordingOptions(), RecordingOptions(durability: .none, digestEvery: 7),
      RecordingOptions(snapshotEvery: 90, rotation: .init(size: 9000)),
      RecordingOptions(digestEvery: 3, rotation: .init(size: 4000, keep: 3)),
      RecordingOptions(durability: .none, rotation: .init(size: 60_000, keep: 1)),
      RecordingOptions(digestEvery: 10_000),
    ])
  func sameStates(options: RecordingOptions) throws {
    try withFolder { folder in
      let path = folder + "/a"
      let session = try Self.session(path, options)
      var generator = SeededRandom(seed: 3)
      var states = [session.state]
      for count in [0, 1, 70, 300, 400, 0] {
        if states.count > 700 { session.recorder.stop(state: session.state) }
        states += Self.run(session, count, &generator)
        let known = try session.recorder.navigator(path: path, replayer: Session.replayer())
        let read = try LogNavigator(RotatedLog(path: path), replayer: Session.replayer())
        #expect(known.stepCount == read.stepCount && known.stepCount == states.count - 1)
        #expect(known.firstStep == read.firstStep)
        #expect(known.marks == read.marks)
        #expect(known.header == read.header)
        #expect(known.grade == .fine && known.warnings == [] && known.divergence == nil)
        let steps = known.firstStep...known.stepCount
        for n in [steps.lowerBound, steps.upperBound]
          + (0..<40).map({ _ in Int.random(in: steps, using: &generator) })
        {
          #expect(try known.state(at: n) == states[n])
          if n > steps.lowerBound { #expect(try known.step(n) == read.step(n)) }
        }
        #expect(throws: ReplayError.self) { try known.state(at: steps.upperBound + 1) }
        #expect(throws: ReplayError.self) { try known.state(at: steps.lowerBound - 1) }
        let last = steps.dropFirst().last { states[$0].rolls != states[$0 - 1].rolls }
        #expect(
          try known.lastStep(through: .max) { !$0.draws.isEmpty && $0.action["roll"] != nil }?.n
            == last)
      }
      #expect(session.failures.now.isEmpty)
    }
  }

  @Test("the first visit reads only what follows the nearest state")
  func firstVisit() throws {
    try withFolder { folder in
      let path = folder + "/a"
      let session = try Self.session(path, RecordingOptions(durability: .none))
      var generator = SeededRandom(seed: 4)
      let states = [session.state] + Self.run(session, 5000, &generator)
      for n in [4999, 63, 2500, 1] {
        // One for a line, and one for 256 KiB.
        let (reductions, reads) = (Box(0), Box(0))
        let navigator = try session.recorder.navigator(
          path: path, replayer: Self.counting(reductions),
          isCancelled: {
            reads.value.withLock { $0 += 1 }
            return false
          })
        #expect(try navigator.state(at: n) == states[n])
        #expect(reductions.now <= 64)
        #expect(reads.now < 100)
      }
      session.recorder.stop()
    }
  }

  @Test("what a recorder keeps is bounded, and without what rotation removes")
  func bounded() throws {
    try withFolder { folder in
      let path = folder + "/a"
      let session = try Self.session(
        path, RecordingOptions(durability: .none, rotation: .init(size: 20_000, keep: 2)))
      var generator = SeededRandom(seed: 5)
      Self.run(session, 5000, &generator)
      let index = session.recorder.core.writer.written.index
      let first = try RotatedLog(path: path).firstStep
      #expect(first > 3000)
      #expect(index.snapshots.stride == 64)
      #expect(index.snapshots.entries.allSatisfy { $0.step >= first })
      #expect(index.marks.allSatisfy { $0.n >= first } && !index.marks.isEmpty)
      session.recorder.stop()

      let long = try Self.session(folder + "/b", RecordingOptions(durability: .none))
      Self.run(long, 34_000, &generator)
      let entries = long.recorder.core.writer.written.index.snapshots.entries
      #expect(entries.count > 250 && entries.count <= SnapshotIndex.defaultCapacity)
      long.recorder.stop()
    }
  }

  @Test("a file that is gone although rotation keeps it, or kept although it should be gone")
  func otherFiles() throws {
    try withFolder { folder in
      let path = folder + "/a"
      let session = try Self.session(path, RecordingOptions(rotation: .init(size: 9000)))
      var generator = SeededRandom(seed: 6)
      let states = [session.state] + Self.run(session, 300, &generator)
      try #require(unlink(path + ".1") == 0)
      let later = try session.recorder.navigator(path: path, replayer: Session.replayer())
      #expect(later.firstStep > 0 && later.marks.allSatisfy { $0.n >= later.firstStep })
      for n in later.firstStep...300 { #expect(try later.state(at: n) == states[n]) }
      session.recorder.stop()

      // The recorder removes nothing.
      let kept = try Session(
        FileSink(creating: folder + "/b"),
        rotation: FileRotation(path: folder + "/b", keep: nil, synchronizes: false),
        options: RecordingOptions(rotation: .init(size: 9000, keep: 1)))
      let all = [kept.state] + Self.run(kept, 300, &generator)
      let whole = try kept.recorder.navigator(path: folder + "/b", replayer: Session.replayer())
      #expect(whole.firstStep == 0)
      for n in (0...300).reversed() { #expect(try whole.state(at: n) == all[n]) }
      kept.recorder.stop()
    }
  }

  @Test("a visit goes on while the recording is rotated, and has no later steps")
  func rotatedMeanwhile() throws {
    try withFolder { folder in
      let path = folder + "/a"
      let session = try Self.session(path, RecordingOptions(rotation: .init(size: 9000)))
      var generator = SeededRandom(seed: 7)
      var states = [session.state] + Self.run(session, 150, &generator)
      let navigator = try session.recorder.navigator(path: path, replayer: Session.replayer())
      states += Self.run(session, 300, &generator)
      for n in (0...150).reversed() { #expect(try navigator.state(at: n) == states[n]) }
      #expect(navigator.stepCount == 150)
      #expect(throws: ReplayError.self) { try navigator.state(at: 151) }
      session.recorder.stop()
    }
  }

  @Test("a changed byte of what is read is reported, and of other lines is not met")
  func overwritten() throws {
    try withFolder { folder in
      let path = folder + "/a"
      let session = try Self.session(path, RecordingOptions())
      var generator = SeededRandom(seed: 8)
      let states = [session.state] + Self.run(session, 200, &generator)
      var bytes = try contents(of: path)
      let line = try #require(
        split(bytes).first { String(decoding: $0, as: UTF8.self).contains(#""n":100,"#) })
      bytes[line.startIndex + 20] ^= 1
      let file = try FileSystem().open(path, O_WRONLY)
      _ = pwrite(file.number, bytes, bytes.count, 0)
      let navigator = try session.recorder.navigator(path: path, replayer: Session.replayer())
      let error = #expect(throws: ReplayError.self) { try navigator.state(at: 101) }
      #expect(error?.kind == "damage", "\(String(describing: error))")
      #expect(try navigator.state(at: 199) == states[199])
      #expect(try navigator.state(at: 63) == states[63])
      session.recorder.stop()
    }
  }

  @Test("another state than the recorded one is reported with what the steps changed")
  func diverged() throws {
    try withFolder { folder in
      let path = folder + "/a"
      let session = try Self.session(path, RecordingOptions(digestEvery: 2))
      for n in 1...200 { session.send(.add(n)) }
      // As if the reducer read the time.
      let other = Session.replayer(ambient: { 1 })
      let navigator = try session.recorder.navigator(path: path, replayer: other)
      let error = #expect(throws: ReplayError.self) { try navigator.state(at: 70) }
      guard case .diverged(let divergence)? = error,
        case .digest(_, _, let changes, let since)? = divergence.differences.first
      else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(divergence.step == 70 && divergence.file == nil && since == 64)
      #expect(changes.map(\.path) == ["count"])
      #expect(try navigator.state(at: 64).count == 64 * 65 / 2, "the recorded one")
      session.recorder.stop()
    }
  }

  @Test("a lost file, one of another schema, and a recording that has ended")
  func notRunning() throws {
    try withFolder { folder in
      let path = folder + "/a"
      let session = try Self.session(path, RecordingOptions())
      for n in 1...100 { session.send(.add(n)) }
      let foreign = LogSchema(program: "p", feature: "f", name: "n", version: 1)
      let error = #expect(throws: ReplayError.self) {
        try session.recorder.navigator(path: path, replayer: Session.replayer(schema: foreign))
      }
      #expect(error?.kind == "foreign")
      session.recorder.stop()
      let ended = try session.recorder.navigator(path: path, replayer: Session.replayer())
      #expect(try ended.state(at: 100) == session.state)

      let lost = try Self.session(folder + "/b", RecordingOptions())
      lost.send(.add(1))
      try #require(rename(path, folder + "/b") == 0)
      let missing = #expect(throws: ReplayError.self) {
        try lost.recorder.navigator(path: folder + "/b", replayer: Session.replayer())
      }
      #expect(missing?.kind == "missing")
      #expect(lost.recorder.failure?.isFileLost == true)
    }
  }

  @Test("a fork that goes on knows the states of what was copied", arguments: [nil, 30_000])
  func continued(size: Int?) throws {
    try withFolder { folder in
      let path = folder + "/a"
      let options = RecordingOptions(snapshotEvery: 150, rotation: size.map { .init(size: $0) })
      let session = try Self.session(path, options)
      var generator = SeededRandom(seed: 9)
      let states = [session.state] + Self.run(session, 1000, &generator)
      let known = try session.recorder.navigator(path: path, replayer: Session.replayer())
      let read = try LogNavigator(RotatedLog(path: path), replayer: Session.replayer())
      for (name, navigator) in [("b", known), ("c", read)] {
        let fork = "\(folder)/\(name)"
        let (log, state) = try navigator.fork(at: 900, to: fork)
        let recorder = try Recorder<CounterState, CounterAction>(
          continuing: log, path: fork, state: state, options: options, journal: nil, clock: { 0 })
        var all = Array(states[...900])
        for n in 1...300 {
          var next = all[all.count - 1]
          next.count += n
          recorder.hooks.didReduce?(
            Step(number: n, origin: .program("p"), action: .add(n), effects: []), next)
          all.append(next)
        }
        recorder.mark("end")
        let reductions = Box(0)
        let known = try recorder.navigator(path: fork, replayer: Self.counting(reductions))
        let read = try LogNavigator(RotatedLog(path: fork), replayer: Session.replayer())
        #expect(known.stepCount == 1200 && known.firstStep == read.firstStep)
        #expect(known.firstStep == 0 || size != nil)
        #expect(known.marks == read.marks && known.marks.last?.name == "end")
        for n in stride(from: 1200, through: known.firstStep, by: -7) {
          reductions.value.withLock { $0 = 0 }
          #expect(try known.state(at: n) == all[n])
          #expect(reductions.now <= 150)
        }
        recorder.stop()
      }
      session.recorder.stop()
    }
  }
}
