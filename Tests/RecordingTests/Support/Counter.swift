import SwiftBoardJSON
import SwiftBoardRecording
import SwiftBoardStore
import Synchronization

/// A feature small enough to see through: it counts, and draws random numbers and dates.
struct CounterState: Codable, Sendable, Equatable {
  var count = 0
  var rolls: [UInt64] = []
  var since: String?
}

enum CounterAction: Codable, Sendable, Equatable {
  case add(Int)
  case roll(times: Int)
  case stamp
  case stop
}

struct CounterWorld: Sendable {
  let journal: DrawJournal
  let next: @Sendable () -> UInt64
  /// What a reducer must not do: read something that is not drawn through the journal.
  let ambient: @Sendable () -> Int

  init(
    _ journal: DrawJournal, next: @escaping @Sendable () -> UInt64 = CounterWorld.counting(),
    ambient: @escaping @Sendable () -> Int = { 0 }
  ) {
    self.journal = journal
    self.next = next
    self.ambient = ambient
  }

  func random() -> UInt64 {
    UInt64(journal.draw(.random) { .random(next()) }.value) ?? 0
  }

  func date() -> String {
    journal.draw(.date) { LoggedDraw(kind: .date, value: "2026-11-20T22:45:01.250331Z") }.value
  }

  /// 1, 2, 3 …
  static func counting(from first: UInt64 = 1) -> @Sendable () -> UInt64 {
    let box = Box(first - 1)
    return {
      box.value.withLock {
        $0 += 1; return $0
      }
    }
  }
}

final class Box<Value: Sendable>: Sendable {
  let value: Mutex<Value>
  init(_ value: Value) { self.value = Mutex(value) }
  var now: Value { value.withLock { $0 } }
}

struct CounterReducer: Reducer {
  func reduce(
    _ state: inout CounterState, _ action: CounterAction, _ world: CounterWorld
  ) -> [Effect<CounterAction>] {
    switch action {
    case .add(let number): state.count += number + world.ambient()
    case .roll(let times): for _ in 0..<times { state.rolls.append(world.random()) }
    case .stamp: state.since = world.date()
    case .stop: break
    }
    return []
  }
}

/// A store reduced to what a recorder sees of it.
final class Session {
  static let schema = LogSchema(
    program: "counter 1.0", feature: "counter", name: "CounterAction", version: 1)
  static let info = RecordingInfo(
    schema: schema, created: 1_795_214_700_000_000, environment: "mock", seed: 9_007_199_254_740_993
  )

  let journal = DrawJournal()
  let recorder: Recorder<CounterState, CounterAction>
  let failures = Box<[StoreIssue]>([])
  private(set) var state: CounterState
  private let world: CounterWorld
  private var step: Int

  init(
    _ sink: any LogSink, rotation: (any LogRotation)? = nil, state: CounterState = CounterState(),
    options: RecordingOptions = .init(),
    next: @escaping @Sendable () -> UInt64 = CounterWorld.counting(from: 100),
    ambient: @escaping @Sendable () -> Int = { 0 }
  ) throws {
    self.state = state
    let time = Box<Int64>(1_000_000)
    let failures = failures
    recorder = try Recorder(
      sink: sink, rotation: rotation, info: Session.info, state: state, options: options,
      journal: journal,
      clock: {
        time.value.withLock {
          $0 += 250; return $0
        }
      },
      endsRecording: { $0 == .stop },
      onFailure: { issue in failures.value.withLock { $0.append(issue) } })
    world = CounterWorld(journal, next: next, ambient: ambient)
    step = options.baseStep
  }

  func send(
    _ action: CounterAction, by origin: StepOrigin = .program("test"),
    effects: [EffectDescriptor] = []
  ) {
    step += 1
    let hooks = recorder.hooks
    hooks.willReduce?(step)
    _ = CounterReducer().reduce(&state, action, world)
    hooks.didReduce?(Step(number: step, origin: origin, action: action, effects: effects), state)
  }

  func fail(_ message: String) {
    recorder.hooks.issue?(
      StoreIssue(message: message, location: SourceLocation(fileID: "A/B.swift", line: 7), step: 1))
  }

  /// A log as a program writes it: steps of every sender, a mark, an issue, snapshots and the end.
  /// `LogDamageTests.everything` has every kind of line and member.
  static func example(options: RecordingOptions = RecordingOptions(snapshotEvery: 4)) throws
    -> [UInt8]
  {
    let sink = MemorySink()
    let session = try Session(sink, options: options)
    session.send(.add(2), by: .user(line: "add \"2\"\tπ", at: "demo.sb:7"))
    session.send(.roll(times: 2), by: .link("swiftboard://counter/roll"))
    session.recorder.mark("before-login")
    session.send(.stamp)
    session.fail("it broke")
    session.send(.add(-1), by: .effect(name: "task", id: "a/1", step: 1))
    session.send(.add(7), by: .effect(name: "task", id: nil, step: 2))
    session.send(.roll(times: 1))
    session.send(.stop)
    session.recorder.stop()
    return sink.bytes
  }

  static func replayer(
    next: @escaping @Sendable () -> UInt64 = { 0 }, ambient: @escaping @Sendable () -> Int = { 0 },
    schema: LogSchema = Session.schema, migrations: [LogMigration] = []
  ) -> Replayer<CounterReducer> {
    let journal = DrawJournal()
    return Replayer(
      reducer: CounterReducer(),
      dependencies: CounterWorld(journal, next: next, ambient: ambient), journal: journal,
      schema: schema, migrations: migrations)
  }
}

/// All lines of a log, or the first error, and the warnings.
func read(_ bytes: [UInt8], chunk: Int = 4096) -> (
  lines: [LogLine], warnings: [LogWarning], error: LogReadError?
) {
  var limits = LogReader.Limits()
  limits.chunk = chunk
  let reader = LogReader(BytesSource(bytes), limits: limits)
  var lines: [LogLine] = []
  do throws(LogReadError) {
    while let entry = try reader.next() { lines.append(entry.line) }
    return (lines, reader.warnings, nil)
  } catch {
    return (lines, reader.warnings, error)
  }
}

func damage(_ bytes: [UInt8]) -> LogDamage? {
  if case .damage(let damage)? = read(bytes).error { damage } else { nil }
}

/// The lines of a log as text, each with its line feed.
func split(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
  var lines: [ArraySlice<UInt8>] = []
  var start = 0
  for (index, byte) in bytes.enumerated() where byte == 0x0A {
    lines.append(bytes[start...index])
    start = index + 1
  }
  return lines
}
