import SwiftBoardRecording
import SwiftBoardStore
import SwiftBoardTestSupport
import Testing

/// A recording begins with the state and the step of its store, or it does not continue.
struct RecordingStartTests {
  struct Adding: Reducer {
    func reduce(_ state: inout Int, _ action: Int, _: Void) -> [Effect<Int>] {
      state += action
      return []
    }
  }

  private static func store(_ sent: Int...) -> Store<Adding> {
    let store = Store(initialState: 0, reducer: Adding())
    for action in sent { store.send(action) }
    return store
  }

  private static func recorder(
    _ sink: MemorySink, state: Int, baseStep: Int = 0,
    onFailure: @escaping @Sendable (StoreIssue) -> Void = { _ in }
  ) throws -> Recorder<Int, Int> {
    try Recorder(
      sink: sink, info: Session.info, state: state, options: RecordingOptions(baseStep: baseStep),
      journal: nil, clock: { 0 }, onFailure: onFailure)
  }

  /// The steps of a log that readers accept to its last line.
  private static func steps(_ sink: MemorySink) throws -> [Int] {
    let (lines, _, error) = read(sink.bytes)
    #expect(error == nil)
    return lines.compactMap { $0.step?.n }
  }

  @Test("a recorder that is attached late ends at the first step, and says how to attach it")
  func late() throws {
    let (sink, issues) = (MemorySink(), Box<[StoreIssue]>([]))
    let store = Self.store(1, 1, 1)
    let recorder = try Self.recorder(sink, state: store.state) { issue in
      issues.value.withLock { $0.append(issue) }
    }
    store.setHooks { _, _ in recorder.hooks }
    store.send(1)
    store.send(1)
    #expect(!recorder.isRecording)
    #expect(recorder.step == 0)
    let failure = try #require(recorder.failure)
    #expect(failure.step == 1)
    #expect(failure.reason.hasPrefix("step 4 of the store follows step 0"))
    #expect(failure.reason.contains("store.record(to:"))
    #expect(failure.reason.contains("baseStep"))
    #expect(issues.now.count == 1)
    recorder.stop()
    #expect(try Self.steps(sink) == [])
  }

  /// An action that cannot be encoded.
  struct Unencodable: Codable, Sendable {
    init() {}
    init(from decoder: any Decoder) throws { self.init() }
    func encode(to encoder: any Encoder) throws {
      throw EncodingError.invalidValue(0, .init(codingPath: [], debugDescription: "never"))
    }
  }

  struct Ignoring: Reducer {
    func reduce(_ state: inout Int, _ action: Unencodable, _: Void) -> [Effect<Unencodable>] { [] }
  }

  @Test("a failure has the location of the call that began the recording") func location() throws {
    let (folder, issues) = (try TemporaryFolder(), Box<[StoreIssue]>([]))
    let note: @Sendable (StoreIssue) -> Void = { issue in
      issues.value.withLock { $0.append(issue) }
    }
    let store = Store(initialState: 0, reducer: Ignoring())
    var line: UInt32 = #line + 1
    let recorder = try store.record(
      to: folder.path("1"), info: Session.info, journal: nil, onFailure: note)
    store.send(Unencodable())
    #expect(recorder.failure != nil)
    #expect(issues.now.last?.location == SourceLocation(line: line))

    line = #line + 1
    let other = try Recorder<Int, Unencodable>(
      sink: MemorySink(), info: Session.info, state: 0, journal: nil, clock: { 0 },
      onFailure: note)
    store.setHooks { _, _ in other.hooks }
    store.send(Unencodable())
    #expect(issues.now.count == 2)
    #expect(issues.now.last?.location == SourceLocation(line: line))
  }

  @Test("a recorder that misses a step ends before the next one") func missed() throws {
    let sink = MemorySink()
    let store = Self.store(1, 1)
    let recorder = try Self.recorder(sink, state: store.state, baseStep: 2)
    // The store does not know that these hooks are those of a recorder.
    let hooks = StepHooks(didReduce: recorder.hooks.didReduce)
    store.setHooks { _, _ in hooks }
    store.send(1)
    store.setHooks { _, _ in nil }
    store.send(1)
    store.setHooks { _, _ in hooks }
    store.send(1)
    #expect(recorder.failure?.step == 2)
    #expect(recorder.failure?.reason.hasPrefix("step 5 of the store follows step 3") == true)
    #expect(try Self.steps(sink) == [1])
  }

  @Test("hooks in place of a recorder's end the recording, which has no clean end") func replaced()
    throws
  {
    let (folder, issues) = (try TemporaryFolder(), Box<[StoreIssue]>([]))
    let store = Self.store(1)
    let recorder = try store.record(
      to: folder.path("log"), info: Session.info, journal: nil,
      onFailure: { issue in issues.value.withLock { $0.append(issue) } })
    store.send(1)
    store.setHooks { _, _ in nil }
    #expect(!recorder.isRecording)
    #expect(recorder.failure?.step == 2)
    #expect(recorder.failure?.reason.hasPrefix("the store's hooks were replaced") == true)
    #expect(issues.now.count == 1)
    store.send(1)
    recorder.stop()
    #expect(recorder.step == 1)
    let (lines, _, error) = read(try folder.read("log"))
    #expect(error == nil)
    #expect(lines.last?.step?.n == 1, "there is no end line")

    // A recorder that has been stopped does not fail.
    let next = try store.record(to: folder.path("next"), info: Session.info, journal: nil)
    next.stop()
    store.setHooks { _, _ in nil }
    #expect(next.failure == nil)
  }

  @Test("new hooks that are still a recorder's continue its recording") func sameRecorder() throws {
    let (sink, steps) = (MemorySink(), Box<[Int]>([]))
    let store = Self.store()
    let recorder = try Self.recorder(sink, state: store.state)
    store.setHooks { _, _ in recorder.hooks }
    store.send(1)
    store.setHooks { _, _ in
      var hooks = recorder.hooks
      hooks.willReduce = { number in steps.value.withLock { $0.append(number) } }
      return hooks
    }
    store.send(1)
    recorder.stop()
    #expect(recorder.failure == nil)
    #expect(try Self.steps(sink) == [1, 2])
    #expect(steps.now == [2])
  }

  @Test("a recorder of two stores ends when their steps do not follow each other")
  func twoStores() throws {
    let sink = MemorySink()
    let recorder = try Self.recorder(sink, state: 0)
    let stores = [Self.store(), Self.store()]
    for store in stores { store.setHooks { _, _ in recorder.hooks } }
    for store in stores { store.send(1) }
    #expect(recorder.failure?.step == 2)
    #expect(recorder.failure?.reason.hasPrefix("step 1 of the store follows step 1") == true)
    #expect(try Self.steps(sink) == [1])
  }

  @Test(
    "a header that no reader accepts is refused",
    arguments: [
      LogSchema(program: "p 1", feature: "f", name: "A", version: -1),
      LogSchema(program: "p 1", feature: "f", name: "A", version: 1, parts: ["tea": -2]),
    ])
  func header(schema: LogSchema) throws {
    var info = Session.info
    info.schema = schema
    let folder = try TemporaryFolder()
    let path = folder.path("log")
    let error = #expect(throws: RecordingError.self) {
      _ = try Recorder<Int, Int>(path: path, info: info, state: 0, journal: nil, clock: { 0 })
    }
    let text = try #require(error?.description)
    #expect(text.contains("log.schema."))
    #expect(text.contains("expected a whole number from 0"))
    // The name is free again.
    info.schema = Session.schema
    _ = try Recorder<Int, Int>(path: path, info: info, state: 0, journal: nil, clock: { 0 })
  }

  @Test("an interval of digests below 1 counts as 1") func intervals() throws {
    var options = RecordingOptions()
    options.digestEvery = 0
    options.snapshotEvery = -1
    #expect(options == RecordingOptions(digestEvery: 1, snapshotEvery: 1))
  }

  @Test("record attaches to a store of any step, while other threads send") func record() throws {
    let folder = try TemporaryFolder()
    let store = Self.store(1, 1, 1)
    let results = Threads.run(3) { thread -> Recorder<Int, Int>? in
      if thread == 0 {
        return try? store.record(
          to: folder.path("log"), info: Session.info,
          options: RecordingOptions(durability: .none, baseStep: 99), journal: nil)
      }
      for _ in 0..<500 { store.send(1) }
      return nil
    }
    let recorder = try #require(results[0])
    store.send(1)
    #expect(recorder.failure == nil)
    recorder.stop()
    #expect(recorder.step > 0)
    let summary = try Replayer(
      reducer: Adding(), dependencies: (), journal: DrawJournal(), schema: Session.schema
    ).verify(path: folder.path("log"))
    #expect(summary.steps == recorder.step)
  }

  @Test("record keeps the hooks of the program, and one recorder at a time") func hooks() throws {
    let folder = try TemporaryFolder()
    let steps = Box<[Int]>([])
    let store = Self.store()
    store.setHooks { _, _ in
      StepHooks(
        willReduce: { number in steps.value.withLock { $0.append(-number) } },
        didReduce: { step, _ in steps.value.withLock { $0.append(step.number) } })
    }
    let journal = DrawJournal()
    let first = try store.record(to: folder.path("1"), info: Session.info, journal: journal)
    store.send(1)
    let error = #expect(throws: RecordingError.self) {
      try store.record(to: folder.path("2"), info: Session.info, journal: journal)
    }
    #expect(error == .attached)
    store.send(1)
    first.stop()
    let second = try store.record(to: folder.path("2"), info: Session.info, journal: journal)
    store.send(1)
    second.stop()
    #expect(steps.now == [-1, 1, -2, 2, -3, 3])
    #expect(first.step == 2)
    #expect(second.step == 1)
  }

  @Test("if record throws, the hooks remain") func refused() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("here", to: "log")
    let steps = Box<[Int]>([])
    let store = Self.store()
    store.setHooks { _, _ in
      StepHooks(didReduce: { step, _ in steps.value.withLock { $0.append(step.number) } })
    }
    #expect(throws: RecordingError.self) {
      try store.record(to: path, info: Session.info, journal: nil)
    }
    store.send(1)
    #expect(steps.now == [1])
  }
}
