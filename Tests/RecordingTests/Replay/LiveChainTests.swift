import SwiftBoardJSON
import SwiftBoardStore
import SwiftBoardSystem
import Testing

@testable import SwiftBoardRecording

/// A recording of several files is sent to a store as one is that was never rotated.
struct LiveChainTests {
  private typealias Loading = LiveReplayTests.Loading

  private static let loads = 20
  private static let schema = LogSchema(program: "loader 1", feature: "f", name: "A", version: 1)
  private static let live = LiveReplay<Loading>(schema: schema)

  private static func record(_ path: String, size: Int?, keep: Int? = nil) async throws {
    var info = Session.info
    info.schema = schema
    let store = Store(
      initialState: LiveReplayTests.State(), reducer: Loading(), dependencies: ())
    let recorder = try Recorder<LiveReplayTests.State, LiveReplayTests.Action>(
      sink: FileSink(creating: path),
      rotation: size == nil ? nil : FileRotation(path: path, keep: keep, synchronizes: false),
      info: info, state: LiveReplayTests.State(),
      options: RecordingOptions(rotation: size.map { .init(size: $0, keep: keep) }),
      journal: nil, clock: { 0 })
    store.setHooks { _, _ in recorder.hooks }
    for number in 1...loads {
      await store.send(.load(number), origin: .user(line: "load \(number)", at: "a:1")).finish()
    }
    recorder.stop()
  }

  private static func both(
    _ body: (_ path: String, _ whole: LogFile) async throws -> Void
  ) async throws {
    try await withFolder { folder in
      try await record(folder + "/whole", size: nil)
      try await record(folder + "/a", size: 2500)
      try #require(RotatedLog.numbers(beside: folder + "/a").count > 2)
      try await body(folder + "/a", LogFile(path: folder + "/whole"))
    }
  }

  private static func replay(
    _ chain: RotatedLog, _ reducer: Loading = Loading()
  ) async throws -> LiveReplay<Loading>.Report {
    let recording = try live.open(chain)
    return try await live.run(
      recording,
      on: Store(initialState: recording.initialState, reducer: reducer, dependencies: ()))
  }

  @Test("all files are sent as one is") func allFilesAreSentAsOneIs() async throws {
    try await Self.both { path, whole in
      let all = try await Self.replay(RotatedLog(path: path))
      #expect(all == .init(sent: Self.loads, agreed: 3 * Self.loads, difference: nil))
      #expect(all == (try await Self.replay(RotatedLog(whole))))
      let store = Store(
        initialState: LiveReplayTests.State(), reducer: Loading(), dependencies: ())
      #expect(try await Self.live.run(RotatedLog(path: path), on: store) == all)
      #expect(store.state.items == (1...Self.loads).map { $0 * 10 })
    }
  }

  @Test("a difference has the step's number in the recording", arguments: [1, 7, 13, 20])
  func differences(load: Int) async throws {
    let other = Loading(answer: { $0 == load ? 21 : $0 * 10 })
    let silent = Loading(answer: { $0 == load ? nil : $0 * 10 })
    try await Self.both { path, whole in
      let chain = try RotatedLog(path: path)
      let found = try await Self.replay(chain, other)
      let (old, new): (JSON, JSON) = (
        ["loaded": ["_0": .number("\(load * 10)")]], ["loaded": ["_0": 21]]
      )
      #expect(
        found.difference
          == .other(
            step: 3 * load - 1, expected: old, found: new, changes: StateDiff.changes(old, new)))
      #expect(found == (try await Self.replay(RotatedLog(whole), other)))
      let missing = try await Self.replay(chain, silent)
      #expect(
        missing.difference
          == .missing(step: 3 * load - 1, expected: ["loaded": ["_0": .number("\(load * 10)")]]))
      #expect(missing == (try await Self.replay(RotatedLog(whole), silent)))
    }
  }

  @Test("what is left of a recording begins with the state it has there")
  func withoutOldFiles() async throws {
    try await withFolder { folder in
      let path = folder + "/a"
      try await Self.record(path, size: 2500, keep: 1)
      let chain = try RotatedLog(path: path)
      try #require(chain.firstStep > 0 && chain.segments.count == 2)
      let recording = try Self.live.open(chain)
      #expect(recording.initialState.items.count >= chain.firstStep / 3)
      let silent = Loading(answer: { $0 == Self.loads ? nil : $0 * 10 })
      let report = try await Self.replay(chain, silent)
      // An effect that was under way when the file began belongs to no step any more.
      #expect((report.difference?.step ?? 0) > chain.firstStep)
    }
  }

  private static func error(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "none"
    } catch {
      return "\((error as? LogReadError).map { ReplayError.unreadable($0) } ?? error)"
    }
  }

  /// What a plain replay says, too; nothing is sent.
  private static func expectRefusal(
    _ path: String, _ text: String, _ sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) async throws {
    let journal = DrawJournal()
    let replayer = Replayer(
      reducer: Loading(), dependencies: (), journal: journal, schema: schema)
    let plain = error { _ = try replayer.replay(RotatedLog(path: path)) }
    let opened = error { _ = try live.open(RotatedLog(path: path)) }
    #expect(opened == plain, sourceLocation: sourceLocation)
    #expect(opened.contains(text), "\(opened)", sourceLocation: sourceLocation)
    let store = Store(
      initialState: LiveReplayTests.State(), reducer: Loading(), dependencies: ())
    var ran = "none"
    do {
      _ = try await live.run(RotatedLog(path: path), on: store)
    } catch {
      ran = "\((error as? LogReadError).map { ReplayError.unreadable($0) } ?? error)"
    }
    #expect(ran == plain, sourceLocation: sourceLocation)
    #expect(store.stepCount == 0, sourceLocation: sourceLocation)
  }

  @Test("files that are not one recording are not sent")
  func filesThatAreNotOneRecordingAreNotSent() async throws {
    try await Self.both { path, _ in
      let second = try contents(of: path + ".2")
      // Another one's place.
      unlink(path + ".3")
      try write(second, to: path + ".3")
      try await Self.expectRefusal(path, "\(path).3 does not go on where")
      // Damage in the middle of a file.
      var damaged = second
      damaged[damaged.count - 60] ^= 1
      unlink(path + ".2")
      try write(damaged, to: path + ".2")
      try await Self.expectRefusal(path, "\(path).2: ")
      // A gap.
      unlink(path + ".2")
      try await Self.expectRefusal(path, "\(path).2 is missing")
    }
  }

  @Test("before anything is sent, every line of every file is known to decode")
  func decodedFirst() async throws {
    try await Self.both { path, _ in
      var bodies = split(try contents(of: path)).map {
        Array($0.dropLast(HashChain.tailLength + 1))
      }
      let place = try #require(
        bodies.indices.last { String(decoding: bodies[$0], as: UTF8.self).contains("{\"loaded\"") })
      bodies[place] = Array(
        String(decoding: bodies[place], as: UTF8.self)
          .replacing("{\"loaded\"", with: "{\"lifted\"").utf8)
      unlink(path)
      try write(sealed(bodies), to: path)
      try await Self.expectRefusal(path, path)
    }
  }
}
