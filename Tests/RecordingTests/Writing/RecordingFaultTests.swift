import SwiftBoardStore
import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

@testable import SwiftBoardRecording

struct RecordingFaultTests {
  /// Text of 64 MiB. It is made of bytes, because `String(repeating:count:)` takes a second.
  private static let tooLong = String(
    decoding: [UInt8](repeating: UInt8(ascii: "x"), count: 64 << 20), as: UTF8.self)

  /// The same session on a disk of some size.
  private func run(
    _ faults: MemorySink.Faults, durability: RecordingOptions.Durability = .flush
  ) throws -> (sink: MemorySink, session: Session) {
    let sink = MemorySink(faults)
    let session = try Session(sink, options: RecordingOptions(durability: durability))
    for number in 0..<5 {
      session.send(.add(number))
      if number == 2 { session.recorder.mark("half") }
    }
    session.recorder.stop()
    return (sink, session)
  }

  @Test(
    "a full disk at any byte leaves a valid log",
    arguments: [RecordingOptions.Durability.flush, .none])
  func aFullDiskAtAnyByteLeavesAValidLog(durability: RecordingOptions.Durability) throws {
    let whole = try run(.init()).sink.bytes
    let ends = split(whole).map(\.endIndex)
    for capacity in ends[0]..<whole.count where durability == .flush || capacity % 7 == 0 {
      let (sink, session) = try run(.init(capacity: capacity), durability: durability)
      let lines = ends.filter { $0 <= capacity }.count
      #expect(sink.bytes == Array(whole[..<ends[lines - 1]]), "capacity \(capacity)")
      let (_, warnings, error) = read(sink.bytes)
      #expect(error == nil)
      let steps = read(sink.bytes).lines.compactMap(\.step).count
      #expect(warnings == [.cutShort(afterStep: steps)])
      // The first step that is missing: header, 1, 2, 3, mark, 4, 5, end.
      #expect(session.recorder.failure?.step == steps + 1)
      #expect(session.recorder.failure?.io?.code == ENOSPC)
      #expect(session.recorder.step == steps, "what was lost does not count")
      #expect(session.failures.now.count == 1)
      #expect(session.state.count == 10, "the store goes on")
    }
  }

  @Test("short and interrupted writes lose nothing", arguments: [1, 2, 7, 100])
  func shortAndInterruptedWritesLoseNothing(longest: Int) throws {
    let whole = try run(.init()).sink.bytes
    let (sink, session) = try run(.init(longestWrite: longest, interrupts: true))
    #expect(sink.bytes == whole)
    #expect(session.recorder.failure == nil)
  }

  @Test(
    "a recording in a file stops where a system call fails",
    arguments: [FileSystem.Call.write, .sync])
  func failingCalls(call: FileSystem.Call) throws {
    try withFolder { folder in
      let fails = Box(false)
      let system = FileSystem { made, _ in made == call && fails.now ? .error(EIO) : nil }
      let session = try Session(
        FileSink(creating: folder + "/a", system), options: RecordingOptions(durability: .sync))
      session.send(.add(1))
      fails.value.withLock { $0 = true }
      session.send(.add(2))
      #expect(session.recorder.failure?.io == LogIOError(code: EIO, operation: call.function))
      #expect(session.recorder.step == 1)
    }
  }

  @Test("a failed synchronization stops the recording")
  func aFailedSynchronizationStopsTheRecording() throws {
    #expect(throws: RecordingError.self) {
      try self.run(.init(synchronizeFails: true), durability: .sync)
    }
  }

  @Test("a full disk while stopping keeps the last step")
  func aFullDiskWhileStoppingKeepsTheLastStep() throws {
    let options = RecordingOptions(digestEvery: 10)
    let whole = MemorySink()
    let first = try Session(whole, options: options)
    first.send(.add(1))
    let before = whole.bytes
    first.recorder.stop(state: first.state)

    for capacity in before.count..<whole.bytes.count {
      let sink = MemorySink(.init(capacity: capacity))
      let session = try Session(sink, options: options)
      session.send(.add(1))
      session.recorder.stop(state: session.state)
      #expect(sink.bytes == before)
      #expect(session.recorder.failure?.step == 2)
    }
  }

  @Test(
    "an error at any write stops the recording once",
    arguments: [RecordingOptions.Durability.flush, .none, .sync])
  func anErrorAtAnyWriteStopsTheRecordingOnce(durability: RecordingOptions.Durability) throws {
    let whole = try run(.init(), durability: durability).sink.bytes
    // The first write is the header's; shorter ones come in the middle of lines.
    for longest in [Int.max, 50] {
      let header =
        (split(whole)[0].count + min(longest, whole.count) - 1) / min(longest, whole.count)
      for failing in (header + 1)..<200 {
        let (sink, session) = try run(
          .init(longestWrite: longest, failingWrite: failing), durability: durability)
        guard let failure = session.recorder.failure else {
          #expect(sink.bytes == whole)
          #expect(sink.now.writes < failing, "all writes went well because there were no more")
          break
        }
        #expect(whole.starts(with: sink.bytes))
        #expect(sink.bytes.last == 0x0A)
        let (lines, warnings, error) = read(sink.bytes)
        #expect(error == nil)
        let steps = lines.compactMap(\.step).count
        #expect(warnings == [.cutShort(afterStep: steps)])
        // The end line and marks belong to the last step.
        #expect(failure.step == steps + 1 || failure.step == steps)
        #expect(failure.io == LogIOError(code: EIO, operation: "write"))
        #expect(session.failures.now.count == 1)
        #expect(session.failures.now.first?.message.contains("step \(failure.step)") == true)
        #expect(session.state.count == 10, "the store goes on")
        #expect(session.recorder.step == steps, "what was lost does not count")
        #expect(sink.now.closed)
      }
    }
  }

  @Test("what cannot be cut off is a torn line") func whatCannotBeCutOffIsATornLine() throws {
    let whole = try run(.init()).sink.bytes
    let (sink, _) = try run(.init(capacity: whole.count - 20, truncateFails: true))
    #expect(sink.bytes.count == whole.count - 20)
    let (lines, warnings, error) = read(sink.bytes)
    #expect(error == nil)
    #expect(lines.compactMap(\.step).count == 5)
    #expect(warnings.first == .tornTail(offset: split(whole).last?.startIndex ?? 0))
  }

  @Test("an error at any synchronization stops the recording once", arguments: 2...6)
  func anErrorAtAnySynchronizationStopsTheRecordingOnce(failing: Int) throws {
    let (sink, session) = try run(.init(failingSynchronization: failing), durability: .sync)
    #expect(session.failures.now.count == 1)
    #expect(session.recorder.failure?.io?.operation == "fsync")
    let (lines, _, error) = read(sink.bytes)
    #expect(error == nil)
    let failed = try #require(session.recorder.failure?.step)
    #expect(failed > 0)
    #expect(
      failed <= lines.compactMap(\.step).count + 1,
      "written, and perhaps not there after a loss of power")
    #expect(session.state.count == 10)
  }

  @Test("flushing writes what waits", arguments: [RecordingOptions.Durability.flush, .none, .sync])
  func flushingWritesWhatWaits(durability: RecordingOptions.Durability) throws {
    let sink = MemorySink()
    let session = try Session(sink, options: RecordingOptions(durability: durability))
    for _ in 0..<3 { session.send(.add(1)) }
    session.recorder.flush()
    #expect(read(sink.bytes).lines.compactMap(\.step).count == 3)
  }

  @Test("a recorder that is dropped writes what waits") func aRecorderThatIsDroppedWritesWhatWaits()
    throws
  {
    let sink = MemorySink()
    do {
      let session = try Session(sink, options: RecordingOptions(durability: .none))
      for _ in 0..<3 { session.send(.add(1)) }
    }
    let (lines, warnings, error) = read(sink.bytes)
    #expect(error == nil)
    #expect(lines.compactMap(\.step).count == 3)
    #expect(warnings == [.cutShort(afterStep: 3)])
  }

  @Test("a flood of lines does not wait in memory") func aFloodOfLinesDoesNotWaitInMemory() throws {
    let sink = MemorySink()
    let session = try Session(sink, options: RecordingOptions(durability: .none))
    let name = String(repeating: "x", count: 100_000)
    for _ in 0..<32 { session.recorder.mark(name) }
    // The background thread may have been quicker, never slower.
    #expect(sink.bytes.count > 2_500_000)
  }

  @Test("stopping synchronizes the last lines") func stoppingSynchronizesTheLastLines() throws {
    func stopped(_ faults: MemorySink.Faults) throws -> (sink: MemorySink, session: Session) {
      let sink = MemorySink(faults)
      let session = try Session(
        sink, options: RecordingOptions(durability: .sync, digestEvery: 10))
      session.send(.add(1))
      session.recorder.stop(state: session.state)
      return (sink, session)
    }
    let (sink, _) = try stopped(.init())
    #expect(sink.now.synchronizations == 3, "the header, the step, and the lines that end it")
    #expect(read(sink.bytes).lines.last?.kind == "end")
    let (_, failed) = try stopped(.init(failingSynchronization: 3))
    #expect(failed.recorder.failure?.io?.operation == "fsync")
    #expect(failed.recorder.step == 1)
  }

  @Test("a line that no reader takes is not written", arguments: ["step", "mark"])
  func aLineThatNoReaderTakesIsNotWritten(kind: String) throws {
    let sink = MemorySink()
    let session = try Session(sink, options: RecordingOptions())
    session.send(.add(1))
    let long = Self.tooLong
    if kind == "step" {
      session.send(.add(2), by: .program(long))
    } else {
      session.recorder.mark(long)
    }
    session.send(.add(3))
    session.recorder.stop()
    let failure = try #require(session.recorder.failure)
    #expect(failure.step == 2)
    #expect(failure.io == nil)
    #expect(failure.reason == "the line has more than 64 MiB")
    #expect(session.recorder.step == 1)
    let (lines, warnings, error) = read(sink.bytes)
    #expect(error == nil)
    #expect(lines.compactMap(\.step).count == 1)
    #expect(warnings == [.cutShort(afterStep: 1)])
  }

  @Test("an origin of another store's effect is not written, since no reader takes it")
  func aForeignOriginIsNotWritten() throws {
    let sink = MemorySink()
    let session = try Session(sink, options: RecordingOptions())
    session.send(.add(1))
    session.send(.add(2), by: .effect(name: "load", id: nil, step: 1))
    session.send(.add(3), by: .effect(name: "load", id: nil, step: 3))
    session.recorder.stop()
    let failure = try #require(session.recorder.failure)
    #expect(failure.step == 3)
    #expect(failure.reason.contains("an effect of step 3, which is not before it"), "\(failure)")
    let (lines, warnings, error) = read(sink.bytes)
    #expect(error == nil)
    #expect(lines.compactMap(\.step).count == 2)
    #expect(warnings == [.cutShort(afterStep: 2)])
  }

  /// Returns its action, which is a number, in so many groups.
  private struct Nesting: Reducer {
    func reduce(_ state: inout Int, _ groups: Int, _: Void) -> [Effect<Int>] {
      state += 1
      let leaf = Effect<Int>.run(name: "leaf") { _ in }.cancellable(id: "leaf")
      return [
        (0..<groups).reduce(leaf) { effect, level in
          let other = Effect<Int>.run(name: "other") { _ in }
          return level.isMultiple(of: 2) ? .merge(other, effect) : .concatenate(other, effect)
        }
      ]
    }
  }

  @Test("effects that are nested too deep for a reader are not written")
  func deepEffectsAreNotWritten() throws {
    let sink = MemorySink()
    let store = Store(initialState: 0) { Nesting() }
    let recorder = try Recorder<Int, Int>(
      sink: sink, info: Session.info, state: 0, journal: nil, clock: { 0 })
    store.setHooks { _, _ in recorder.hooks }
    store.send(254)
    #expect(recorder.failure == nil)
    store.send(255)
    #expect(recorder.failure?.step == 2)
    #expect(recorder.failure?.reason == "the effects are nested more than 255 deep")
    let (lines, _, error) = read(sink.bytes)
    #expect(error == nil)
    #expect(lines.compactMap(\.step).count == 1)
  }

  @Test("a header that no reader takes is an error") func aHeaderThatNoReaderTakesIsAnError() throws
  {
    let info = RecordingInfo(
      schema: Session.schema, created: 0, environment: Self.tooLong, seed: 1)
    let sink = MemorySink()
    let error = #expect(throws: RecordingError.self) {
      try Recorder<CounterState, CounterAction>(
        sink: sink, info: info, state: CounterState(), journal: nil, clock: { 0 })
    }
    #expect(error?.description == "the state cannot be recorded: the line has more than 64 MiB")
    #expect(sink.bytes.isEmpty)
  }

  @Test("the longest line is what a reader takes") func theLongestLineIsWhatAReaderTakes() {
    let tail = HashChain.tailLength
    #expect(obstacle(toBody: LogReader.Limits().line - tail) == nil)
    #expect(obstacle(toBody: LogReader.Limits().line - tail + 1) != nil)
  }

  @Test("a header that does not fit is an error") func aHeaderThatDoesNotFitIsAnError() throws {
    #expect(throws: RecordingError.self) { try Session(MemorySink(.init(capacity: 100))) }
  }
}

struct RecordingFileTests {
  private func recorder(
    _ path: String
  ) throws(RecordingError) -> Recorder<CounterState, CounterAction> {
    try Recorder(
      path: path, info: Session.info, state: CounterState(), journal: nil, clock: { 0 })
  }

  @Test("a new file is for its owner only") func aNewFileIsForItsOwnerOnly() throws {
    try withFolder { folder in
      let path = folder + "/a.actions.jsonl"
      let recorder = try recorder(path)
      recorder.stop()
      var status = stat()
      #expect(lstat(path, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600)
      let reader = try LogFile(path: path).reader()
      #expect(try reader.next()?.line.kind == "log")
      #expect(try reader.next()?.line.kind == "end")
      #expect(try reader.next() == nil)
    }
  }

  @Test("an existing file is refused and kept") func anExistingFileIsRefusedAndKept() throws {
    try withFolder { folder in
      let path = folder + "/a"
      try write("mine", to: path)
      do throws(RecordingError) {
        _ = try recorder(path)
        Issue.record("it was overwritten")
      } catch {
        #expect(error.kind == "exists")
        #expect(error.description.contains("exists"))
      }
      #expect(try contents(of: path) == Array("mine".utf8))
    }
  }

  @Test("a second recorder and a symbolic link are refused")
  func aSecondRecorderAndASymbolicLinkAreRefused() throws {
    try withFolder { folder in
      let path = folder + "/a"
      let first = try recorder(path)
      #expect(throws: RecordingError.self) { try recorder(path) }
      #expect(symlink(folder + "/nowhere", folder + "/link") == 0)
      #expect(throws: RecordingError.self) { try recorder(folder + "/link") }
      let second = open(path, O_RDWR)
      #expect(flock(second, LOCK_EX | LOCK_NB) != 0, "it is locked while it is written")
      first.stop()
      #expect(flock(second, LOCK_EX | LOCK_NB) == 0)
      close(second)
    }
  }

  @Test("a folder that is not there is an error") func aFolderThatIsNotThereIsAnError() throws {
    try withFolder { folder in
      do throws(RecordingError) {
        _ = try recorder(folder + "/no/a")
        Issue.record("it was created")
      } catch {
        #expect(error.kind == "failed")
      }
    }
  }

  @Test("a missing log is not found") func aMissingLogIsNotFound() throws {
    try withFolder { folder in
      #expect(throws: LogReadError.missing(path: folder + "/no")) {
        try LogFile(path: folder + "/no").reader()
      }
      let reader = try LogFile(path: folder).reader()
      #expect(throws: LogReadError.self) { try reader.next() }
    }
  }
}

/// A folder that is gone afterwards.
func withFolder(_ body: (String) throws -> Void) throws {
  let folder = try TemporaryFolder()
  defer { withExtendedLifetime(folder) {} }
  try body(folder.path)
}

/// A folder that is gone afterwards.
func withFolder(_ body: (String) async throws -> Void) async throws {
  let folder = try TemporaryFolder()
  defer { withExtendedLifetime(folder) {} }
  try await body(folder.path)
}

func write(_ text: String, to path: String) throws {
  let sink = try FileSink(creating: path)
  defer { sink.close() }
  let bytes = Array(text.utf8)
  try bytes.withUnsafeBytes { _ = try sink.write($0, at: 0) }
}

func write(_ bytes: [UInt8], to path: String) throws {
  let sink = try FileSink(creating: path)
  defer { sink.close() }
  try bytes.withUnsafeBytes { _ = try sink.write($0, at: 0) }
}

func contents(of path: String) throws -> [UInt8] {
  let source = try FileSource(path: path)
  var all: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 65536)
  while true {
    let count = try buffer.withUnsafeMutableBytes { try source.read(into: $0) }
    if count == 0 { return all }
    all += buffer[..<count]
  }
}
