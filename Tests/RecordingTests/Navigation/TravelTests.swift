import SwiftBoardJSON
import SwiftBoardStore
import SwiftBoardSystem
import SwiftBoardTesting
import Testing

@testable import SwiftBoardRecording

struct TravelTests {
  /// Asked so many times, it says no; from then on yes.
  static func cancelled(after calls: Int) -> @Sendable () -> Bool {
    let left = Box(calls)
    return {
      left.value.withLock {
        $0 -= 1; return $0 < 0
      }
    }
  }

  /// A log of `add` 1, 2, 3 ... and the states it passed through.
  static func log(
    _ steps: Int, options: RecordingOptions = RecordingOptions(durability: .none)
  ) throws -> (bytes: [UInt8], states: [CounterState]) {
    let sink = MemorySink()
    let session = try Session(sink, options: options)
    var states = [session.state]
    for n in 0..<steps {
      switch n % 10 {
      case 3: session.send(.roll(times: 1))
      case 7: session.send(.stamp)
      default: session.send(.add(n % 7))
      }
      // The rolls would make the states as long as the log.
      states.append(session.state)
    }
    session.recorder.stop(state: session.state)
    return (sink.bytes, states)
  }

  static func navigator(
    _ bytes: [UInt8], _ options: LogNavigator<CounterReducer>.Options = .init(),
    _ replayer: Replayer<CounterReducer> = Session.replayer()
  ) throws -> LogNavigator<CounterReducer> {
    try LogNavigator(LogFile(bytes: bytes), replayer: replayer, options: options)
  }

  @Test(
    "every state is reached from every other",
    arguments: [
      RecordingOptions(durability: .none), RecordingOptions(durability: .none, snapshotEvery: 9),
      RecordingOptions(durability: .none, digestEvery: 5, snapshotEvery: 50),
    ])
  func everyStateIsReachedFromEveryOther(options: RecordingOptions) throws {
    let (bytes, states) = try Self.log(300, options: options)
    var keep = LogNavigator<CounterReducer>.Options()
    keep.snapshots = 4
    let navigator = try Self.navigator(bytes, keep)
    #expect(navigator.stepCount == 300)
    #expect(navigator.divergence == nil)
    #expect(navigator.index.entries.count <= 4)
    for n in 0...300 { #expect(try navigator.state(at: n) == states[n]) }
    for n in (0...300).reversed() { #expect(try navigator.state(at: n) == states[n]) }
    var generator = SeededRandom(seed: 7)
    for _ in 0..<300 {
      let n = Int(generator.next() % 301)
      #expect(try navigator.state(at: n) == states[n])
    }
  }

  @Test("what is kept is bounded in number and bytes") func whatIsKeptIsBoundedInNumberAndBytes()
    throws
  {
    var index = SnapshotIndex(capacity: 10, byteLimit: 1000, stride: 1)
    let position = RotatedLogPosition(segment: 0, inFile: nil)
    for step in 0..<10_000 where index.wantsState(after: step) {
      index.add(.init(step: step, position: position, state: [UInt8](repeating: 0, count: 300)))
    }
    #expect(index.entries.count <= 4)
    #expect(index.entries.first?.step == 0)
    #expect(index.stride >= 2048)
    for step in stride(from: 0, to: 10_000, by: 97) {
      let found = try #require(index.nearest(to: step))
      #expect(found.step <= step)
      #expect(step - found.step <= 2 * index.stride)
    }
  }

  @Test("the log's own snapshots take no memory") func theLogsOwnSnapshotsTakeNoMemory() throws {
    let (bytes, _) = try Self.log(
      400, options: RecordingOptions(durability: .none, snapshotEvery: 40))
    let navigator = try Self.navigator(bytes)
    // Every 40 from 40 to 400, and the beginning.
    #expect(navigator.index.entries.count == 11)
  }

  @Test("a visit behind the nearest state replays from there")
  func aVisitBehindTheNearestStateReplaysFromThere() throws {
    let (bytes, states) = try Self.log(500)
    let reductions = Box(0)
    let replayer = Session.replayer(ambient: {
      reductions.value.withLock { $0 += 1 }
      return 0
    })
    let navigator = try Self.navigator(bytes, .init(), replayer)
    #expect(navigator.index.stride == 64)
    reductions.value.withLock { $0 = 0 }
    #expect(try navigator.state(at: 499) == states[499])
    #expect(reductions.now < 64)
    let first = reductions.now
    #expect(try navigator.state(at: 500) == states[500])
    #expect(reductions.now <= first + 1, "one step further is one reduction")
  }

  @Test("steps outside are refused") func stepsOutsideAreRefused() throws {
    let (bytes, _) = try Self.log(5)
    let navigator = try Self.navigator(bytes)
    for n in [-1, 6, Int.max, Int.min] {
      let error = #expect(throws: ReplayError.self) { try navigator.state(at: n) }
      #expect(error?.kind == "noStep")
    }
    let error = #expect(throws: ReplayError.self) { try navigator.step(0) }
    #expect(error?.description == "there is no step 0; the recording has the steps 0 to 5")
    #expect(try navigator.step(5).n == 5)
    #expect(try navigator.state(at: 5).count == 7, "a refused visit spoils nothing")
  }

  @Test("a recording without steps has one state") func aRecordingWithoutStepsHasOneState() throws {
    for bytes in [try Self.log(0).bytes, Array(split(try Self.log(0).bytes)[0])] {
      let navigator = try Self.navigator(bytes)
      #expect(navigator.stepCount == 0)
      #expect(try navigator.state(at: 0) == CounterState())
      #expect(try navigator.bisect { _ in true } == LogBisection(step: nil, evaluations: 0))
    }
  }

  @Test("steps and marks are found") func stepsAndMarksAreFound() throws {
    let navigator = try Self.navigator(try Session.example())
    #expect(try navigator.step(2).origin == .link("swiftboard://counter/roll"))
    #expect(try navigator.step(7).action == ["stop": [:]])
    #expect(navigator.marks.map(\.name) == ["before-login"])
    #expect(try navigator.step(ofMark: "before-login") == 2)
    #expect(throws: ReplayError.self) { try navigator.step(ofMark: "none") }
  }

  @Test("differences name the paths only") func differencesNameThePathsOnly() throws {
    let navigator = try Self.navigator(try Session.example())
    let there = try navigator.diff(2, 5)
    #expect(
      there.entries == [
        StateDiff.Change(path: "count", old: 2, new: 8),
        StateDiff.Change(path: "since", old: nil, new: "2026-11-20T22:45:01.250331Z"),
      ])
    #expect(!there.isTruncated)
    #expect(try navigator.diff(5, 2).entries.map(\.new) == [2, nil])
    #expect(try navigator.diff(5, 5).isEmpty)
    let short = try navigator.diff(0, 7, limit: 1)
    #expect(short.entries.count == 1)
    #expect(short.isTruncated)
    #expect(short.description.hasSuffix("... and more"))
  }

  @Test("an element put in or taken out is one place") func anElementPutInOrTakenOutIsOnePlace() {
    let old: JSON = ["rows": [1, 2, 3, 4]]
    #expect(
      StateDiff.changes(old, ["rows": [1, 3, 4]]).entries.map(\.description)
        == ["rows[1]: 2 -> nothing"])
    #expect(
      StateDiff.changes(old, ["rows": [0, 1, 2, 3, 4]]).entries.map(\.description)
        == ["rows[0]: nothing -> 0"])
    #expect(
      StateDiff.changes(["rows": [1, 1]], ["rows": [1, 1, 1]]).entries.map(\.path) == ["rows[2]"])
  }

  @Test("a diverging log is visited up to there") func aDivergingLogIsVisitedUpToThere() throws {
    let (bytes, states) = try Self.log(100)
    let seen = Box(0)
    let replayer = Session.replayer(ambient: {
      seen.value.withLock {
        $0 += 1; return $0 == 50 ? 1 : 0
      }
    })
    let navigator = try Self.navigator(bytes, .init(), replayer)
    let divergence = try #require(navigator.divergence)
    #expect(navigator.stepCount == divergence.step - 1)
    #expect(try navigator.state(at: navigator.stepCount) == states[navigator.stepCount])
    #expect(try navigator.step(divergence.step).n == divergence.step)
    let error = #expect(throws: ReplayError.self) { try navigator.state(at: divergence.step) }
    #expect(error?.kind == "unreachable")
  }

  @Test("a file that changes underneath is an error and no crash")
  func aFileThatChangesUnderneathIsAnErrorAndNoCrash() throws {
    try withFolder { folder in
      let (bytes, states) = try Self.log(500)
      let path = folder + "/a"
      try write(bytes, to: path)
      let navigator = try LogNavigator(LogFile(path: path), replayer: Session.replayer())
      #expect(try navigator.state(at: 3) == states[3])
      try cut(path, to: bytes.count / 2)
      #expect(throws: ReplayError.self) { try navigator.state(at: 499) }
      #expect(try navigator.state(at: 4) == states[4])
    }
  }

  @Test("a reader goes on from any place as from the front")
  func aReaderGoesOnFromAnyPlaceAsFromTheFront() throws {
    let bytes = try Session.example()
    let whole = read(bytes).lines
    let file = LogFile(bytes: bytes)
    let front = try file.reader()
    for index in 0...whole.count {
      let reader = try file.reader(at: front.position)
      var rest: [LogLine] = []
      while let entry = try reader.next() {
        #expect(entry.number == index + rest.count + 1)
        rest.append(entry.line)
      }
      #expect(rest == Array(whole[index...]))
      #expect(reader.warnings == [])
      _ = try front.next()
    }
    // And judges as one that came from the front: the sums of what follows depend on what was
    // before.
    let other = try file.reader()
    _ = try other.next()
    var broken = bytes
    broken.removeSubrange(split(bytes)[1].indices)
    let reader = try LogFile(bytes: broken).reader(at: other.position)
    #expect(throws: LogReadError.self) { try reader.next() }
  }

  // MARK: Taking its time

  @Test("opening stops soon after its task is cancelled")
  func openingStopsSoonAfterItsTaskIsCancelled() async throws {
    let (bytes, _) = try Self.log(100)
    let error = await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return #expect(throws: ReplayError.self) { try Self.navigator(bytes) }
    }.value
    #expect(error?.kind == "cancelled")
    guard case .unreadable(.cancelled)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("opening is cancelled at every point") func openingIsCancelledAtEveryPoint() throws {
    let (bytes, _) = try Self.log(40)
    var limits = LogReader.Limits()
    limits.chunk = 500
    var points = 0
    while true {
      let file = LogFile(
        bytes: bytes, limits: limits, isCancelled: Self.cancelled(after: points))
      do throws(ReplayError) {
        let navigator = try LogNavigator(file, replayer: Session.replayer())
        #expect(navigator.stepCount == 40)
        break
      } catch {
        #expect(error.kind == "cancelled", "at \(points): \(error)")
        points += 1
      }
    }
    // Every chunk of both passes, and every line of the second.
    #expect(points >= 2 * (bytes.count / 500) + 41)
  }

  @Test("a visit is cancelled and the next one is right")
  func aVisitIsCancelledAndTheNextOneIsRight() throws {
    let (bytes, states) = try Self.log(60)
    let isCancelled = Box(false)
    let navigator = try LogNavigator(
      LogFile(bytes: bytes, isCancelled: { isCancelled.now }), replayer: Session.replayer())
    isCancelled.value.withLock { $0 = true }
    let error = #expect(throws: ReplayError.self) { try navigator.state(at: 50) }
    #expect(error?.kind == "cancelled")
    #expect(throws: ReplayError.self) { try navigator.bisect { $0.count > 5 } }
    isCancelled.value.withLock { $0 = false }
    #expect(try navigator.state(at: 50) == states[50])
  }

  @Test("every tool is cancelled") func everyToolIsCancelled() throws {
    let (bytes, _) = try Self.log(40)
    let file = LogFile(bytes: bytes, isCancelled: { true })
    #expect(throws: LogReadError.cancelled) { try LogTimeline(file) }
    #expect(throws: LogReadError.cancelled) { try LogStatistics(RotatedLog(file)) }
    #expect(throws: LogReadError.cancelled) { try CausalTree(RotatedLog(file)) }
    let error = #expect(throws: RecordingError.self) {
      try LogFork.copy(file, steps: 3, to: "/nowhere/at/all")
    }
    #expect(error?.kind == "cancelled")
  }

  @Test("progress goes from nothing to all") func progressGoesFromNothingToAll() throws {
    let (bytes, _) = try Self.log(100)
    var limits = LogReader.Limits()
    limits.chunk = 1000
    let heard = Box<[LogProgress]>([])
    _ = try LogNavigator(
      LogFile(bytes: bytes, limits: limits), replayer: Session.replayer(),
      progress: { now in heard.value.withLock { $0.append(now) } })
    #expect(heard.now.count >= 2 * (bytes.count / 1000))
    #expect(heard.now.map(\.fraction) == heard.now.map(\.fraction).sorted())
    #expect(heard.now.allSatisfy { $0.total == 2 * bytes.count })
    #expect(heard.now.first.map { $0.fraction < 0.1 } == true)
    #expect(heard.now.last?.fraction == 1)
  }
}

func cut(_ path: String, to size: Int) throws {
  let result = truncate(path, off_t(size))
  try #require(result == 0)
}
