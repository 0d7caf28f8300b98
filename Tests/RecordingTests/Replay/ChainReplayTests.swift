import SwiftBoardJSON
import SwiftBoardStore
import SwiftBoardSystem
import Testing

@testable import SwiftBoardRecording

/// A recording of several files is replayed as one is that was never rotated.
struct ChainReplayTests {
  private static let steps = 120

  private static func session(_ path: String, size: Int?, keep: Int? = nil) throws -> Session {
    try Session(
      FileSink(creating: path),
      rotation: size == nil ? nil : FileRotation(path: path, keep: keep, synchronizes: false),
      options: RecordingOptions(rotation: size.map { .init(size: $0, keep: keep) }))
  }

  private static func run(_ session: Session, _ range: ClosedRange<Int> = 1...steps) {
    for n in range {
      switch n % 5 {
      case 1: session.send(.roll(times: 1), by: .user(line: "roll", at: "a:\(n)"))
      case 3: session.send(.add(1), by: .effect(name: "e", id: "e/\(n - 1)", step: n - 1))
      default: session.send(.add(n))
      }
    }
  }

  /// The same session in one file and in several.
  private static func both(_ body: (_ path: String, _ whole: LogFile) throws -> Void) throws {
    try withFolder { folder in
      for (name, size) in [("whole", nil), ("a", 2500)] as [(String, Int?)] {
        let session = try session(folder + "/" + name, size: size)
        run(session)
        session.recorder.stop()
      }
      try #require(RotatedLog.numbers(beside: folder + "/a").count > 4)
      try body(folder + "/a", LogFile(path: folder + "/whole"))
    }
  }

  private struct Told: Equatable {
    let number: Int
    let origin: StepOrigin
    let action: CounterAction
    let state: CounterState
  }

  private static func replay(
    _ chain: RotatedLog, until last: Int? = nil,
    _ replayer: Replayer<CounterReducer> = Session.replayer()
  ) throws -> (summary: ReplaySummary, told: [Told]) {
    var told: [Told] = []
    let summary = try replayer.replay(chain, until: last) { step, state, _ in
      told.append(
        Told(number: step.number, origin: step.origin, action: step.action, state: state))
    }
    return (summary, told)
  }

  @Test(
    "a chain of files tells what one file does",
    arguments: [nil, 1, 24, 25, 60, 119, 120, 500] as [Int?])
  func itTellsWhatOneFileDoes(until last: Int?) throws {
    try Self.both { path, whole in
      let one = try Self.replay(RotatedLog(whole), until: last)
      let all = try Self.replay(RotatedLog(path: path), until: last)
      #expect(all.told.map(\.number) == one.told.map(\.number))
      #expect(all.told.map(\.state) == one.told.map(\.state))
      #expect(all.told.map(\.action) == one.told.map(\.action))
      #expect(all.summary.steps == min(Self.steps, last ?? Self.steps))
      #expect(all.summary.steps == one.summary.steps)
      #expect(all.summary.digests == one.summary.digests)
      #expect(all.summary.warnings == [])
      // Where the step an effect belongs to lies in an earlier file, only that is told.
      for (told, expected) in zip(all.told, one.told) where told.origin != expected.origin {
        guard case .effect(_, _, 0) = told.origin else {
          Issue.record("\(told.origin) is not \(expected.origin)")
          continue
        }
      }
    }
  }

  @Test("times rise from file to file") func timesRiseFromFileToFile() throws {
    try Self.both { path, _ in
      var times: [Int64] = []
      let summary = try Session.replayer().replay(RotatedLog(path: path)) { _, _, t in
        times.append(t)
      }
      #expect(times == times.sorted() && Set(times).count == Self.steps)
      #expect(summary.recordedTime == times.last)
    }
  }

  @Test("a difference is named by the recording's step and the file's line")
  func aDifferenceIsTheRecordingsStepAndTheFilesLine() throws {
    try Self.both { path, whole in
      for step in [3, 50, 118] {
        func error(_ chain: RotatedLog) throws -> Divergence? {
          let replayer = Session.replayer(ambient: Self.wrong(at: step))
          let error = #expect(throws: ReplayError.self) { try Self.replay(chain, replayer) }
          guard case .diverged(let divergence)? = error else { return nil }
          return divergence
        }
        let one = try error(RotatedLog(whole))
        let chain = try RotatedLog(path: path)
        let all = try error(chain)
        #expect(one?.step == all?.step)
        #expect(all?.file == chain.segments[chain.segment(of: all?.step ?? 0)].path)
      }
    }
  }

  /// Something the recording has not: 1 at about the nth step.
  private static func wrong(at n: Int) -> @Sendable () -> Int {
    let count = Box(0)
    return {
      count.value.withLock { count in
        count += 1
        return count == n * 4 / 5 ? 1 : 0
      }
    }
  }

  @Test("before the first step runs, every line of every file is known to decode")
  func gradedFirst() throws {
    try Self.both { path, _ in
      var bodies = split(try contents(of: path)).map {
        Array($0.dropLast(HashChain.tailLength + 1))
      }
      let place = try #require(
        bodies.indices.last { String(decoding: bodies[$0], as: UTF8.self).contains("{\"add\"") })
      bodies[place] = Array(
        String(decoding: bodies[place], as: UTF8.self).replacing("{\"add\"", with: "{\"sub\"").utf8)
      unlink(path)
      try write(sealed(bodies), to: path)
      let chain = try RotatedLog(path: path)
      for last in [nil, 5] {
        let error = #expect(throws: ReplayError.self) {
          try Session.replayer().replay(chain, until: last) { step, _, _ in
            Issue.record("step \(step.number) ran")
          }
        }
        guard case .impossible(let obstacle)? = error else {
          Issue.record("\(String(describing: error))")
          continue
        }
        #expect(obstacle.step > chain.segments[chain.segments.count - 1].stepsBefore)
        #expect("\(obstacle)".contains(path))
      }
    }
  }

  @Test("files that are not one recording do not run") func filesThatAreNotOneRecordingDoNotRun()
    throws
  {
    try Self.both { path, _ in
      let chain = try RotatedLog(path: path)
      let bytes = try contents(of: path + ".3")
      unlink(path + ".3")
      try write(try contents(of: path + ".2"), to: path + ".3")
      let error = #expect(throws: ReplayError.self) {
        try Session.replayer().replay(RotatedLog(path: path)) { _, _, _ in Issue.record("it ran") }
      }
      #expect("\(try #require(error))".hasPrefix("\(path).3 does not go on where"))
      // The chain of before has another file there.
      #expect(throws: ReplayError.self) { try Session.replayer().replay(chain) }
      unlink(path + ".3")
      try write(bytes, to: path + ".3")
      #expect(try Self.replay(RotatedLog(path: path)).summary.steps == Self.steps)
    }
  }

  @Test("the end of the last file is counted through") func theEndOfTheLastFileIsCountedThrough()
    throws
  {
    try withFolder { folder in
      let path = folder + "/a"
      let session = try Self.session(path, size: 2500)
      Self.run(session)
      // Still being written.
      let summary = try Self.replay(RotatedLog(path: path)).summary
      #expect(summary.warnings == [.cutShort(afterStep: Self.steps)])
      session.recorder.stop()
    }
  }

  @Test("a file that was found is replayed although it is ended meanwhile, for the first time")
  func firstRotation() throws {
    try withFolder { folder in
      let path = folder + "/a"
      let session = try Self.session(path, size: 2500)
      Self.run(session, 1...5)
      let chain = try RotatedLog(path: path)
      Self.run(session, 6...60)
      #expect(RotatedLog.numbers(beside: path).count > 1)
      let numbers = try Self.replay(chain).told.map(\.number)
      #expect(numbers.first == 1)
      #expect(numbers == Array(1...numbers.count) && numbers.count >= 5)
      session.recorder.stop()
    }
  }

  @Test("what is left of a recording keeps its numbers, were it one file")
  func onlyTheNewest() throws {
    try withFolder { folder in
      let path = folder + "/a"
      let session = try Self.session(path, size: 2500, keep: 0)
      Self.run(session)
      session.recorder.stop()
      #expect(RotatedLog.numbers(beside: path) == [])
      let chain = try RotatedLog(path: path)
      #expect(chain.firstStep > 0)
      let told = try Self.replay(chain).told
      #expect(told.map(\.number) == Array(chain.firstStep + 1...Self.steps))
      #expect(try Self.replay(chain, until: chain.firstStep + 2).told.count == 2)
    }
  }

  @Test("a gap is seen before files are read") func aGapIsSeenBeforeFilesAreRead() throws {
    try Self.both { path, _ in
      unlink(path + ".3")
      unlink(path + ".1")
      try write("no log", to: path + ".1")
      let error = #expect(throws: LogReadError.self) { try RotatedLog(path: path) }
      guard case .gap(let missing)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(missing == path + ".3")
    }
  }

  @Test("a pipe, which can be read once, is read into memory")
  func pipe() throws {
    try Self.both { path, whole in
      let bytes = try contents(of: try #require(whole.path))
      let pipe = path + "-pipe"
      #expect(mkfifo(pipe, 0o600) == 0)
      let results = Threads.run(2) { index -> Int in
        if index == 0 {
          let descriptor = open(pipe, O_WRONLY)
          defer { close(descriptor) }
          var written = 0
          while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes {
              write(descriptor, $0.baseAddress, $0.count)
            }
            guard count > 0 else { return -1 }
            written += count
          }
          return written
        }
        guard let chain = try? RotatedLog(path: pipe), let first = try? Self.replay(chain),
          let second = try? LogNavigator(chain, replayer: Session.replayer())
        else { return -1 }
        return first.summary.steps == second.stepCount ? second.stepCount : -2
      }
      #expect(results == [bytes.count, Self.steps])
    }
  }

  @Test(
    "numbers that cannot be counted on are no link to a file before", arguments: ["part", "steps"])
  func greatNumbers(key: String) throws {
    try Self.both { path, _ in
      var bodies = split(try contents(of: path)).map {
        Array($0.dropLast(HashChain.tailLength + 1))
      }
      bodies[0] = Array(
        String(decoding: bodies[0], as: UTF8.self).replacing(
          try Regex("\"\(key)\":[0-9]+"), with: "\"\(key)\":\(Int.max)"
        ).utf8)
      unlink(path)
      try write(sealed(bodies), to: path)
      // By itself it is whole; it belongs to no other file.
      let chain = try RotatedLog(path: path)
      #expect(chain.segments.count == 1 && chain.firstStep == 0)
      #expect(try Self.replay(chain).summary.steps > 0)
    }
  }

  @Test("a line that is too long ends the reading of what would go on for ever")
  func endless() throws {
    let chain = try #require(try? RotatedLog(path: "/dev/zero"))
    #expect(throws: ReplayError.self) { try Session.replayer().replay(chain) }
  }
}
