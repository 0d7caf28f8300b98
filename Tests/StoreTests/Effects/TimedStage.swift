import SwiftBoardStore
import SwiftBoardTesting
import Testing

/// A store over a script, on a clock that the test moves, with what was reduced and when.
struct TimedStage {
  let clock: TestClock
  let issues = Journal<StoreIssue>()
  let store: Store<Script>
  private let steps = Journal<String>()

  init(
    seed: UInt64? = nil,
    _ effects: @escaping @Sendable (_ action: String, _ clock: TestClock) -> [Effect<String>]
  ) {
    let clock = TestClock(executor: ManualExecutor(seed: seed))
    let issues = issues
    let steps = steps
    self.clock = clock
    store = Store(
      initialState: Script.State(), reducer: Script { effects($0, clock) }, dependencies: (),
      executor: clock.executor, onIssue: { issues.note($0) })
    store.observe { step, _ in steps.note("\(clock.milliseconds) \(step.action)") }
  }

  var executor: ManualExecutor { clock.executor }
  var seen: [String] { store.state.seen }
  /// Every action with the millisecond at which it was reduced.
  var timeline: [String] { steps.entries }
  /// Whether nothing sleeps, runs or could run.
  var isQuiet: Bool {
    clock.sleepers.isEmpty && store.effects.isEmpty && executor.readyCount == 0
  }

  /// Sends, and runs what is ready.
  @discardableResult
  func send(_ action: String) -> StoreTask {
    let task = store.send(action)
    executor.run()
    return task
  }

  func advance(_ milliseconds: Int) {
    clock.advance(by: .milliseconds(milliseconds))
  }
}

extension TestClock {
  var milliseconds: Int { Int(clamping: now.offset.attoseconds / 1_000_000_000_000_000) }
}

/// Starts an effect and cancels it at a moment that the seed draws, between any two suspensions,
/// two hundred times: nothing of it may be reduced afterwards, no sleeper may be left, and no issue
/// may come up.
///
/// - Parameter span: The last moment at which it is cancelled, in milliseconds.
/// - Returns: What had been reduced before, over all seeds; several where the moments differed in
///   more than name.
@discardableResult
func cancelAnywhere(
  within span: Int = 1000, sourceLocation: Testing.SourceLocation = #_sourceLocation,
  _ effect: @escaping @Sendable (_ clock: TestClock) -> Effect<String>
) -> Set<[String]> {
  var outcomes: Set<[String]> = []
  for seed in UInt64(0)..<200 {
    var generator = SeededRandom(seed: seed)
    let moment = Int.random(in: 0...(span / 50), using: &generator) * 50
    let pauses = Int.random(in: 0...6, using: &generator)
    let stage = TimedStage(seed: seed) { action, clock in
      switch action {
      case "go": [effect(clock).cancellable(id: "it")]
      case "cancel": [.cancel(id: "it")]
      default: []
      }
    }
    let handle = stage.store.send("go")
    let clock = stage.clock
    let store = stage.store
    Task.detached(executorPreference: stage.executor) {
      try? await clock.sleep(for: .milliseconds(moment))
      // Real time: none, since the test's executor runs one job after another.
      for _ in 0..<pauses { await Task.yield() }
      store.send("cancel")
    }
    stage.clock.run(limit: 500)
    let comment: Comment = "seed \(seed), \(stage.timeline)"
    #expect(stage.seen.last == "cancel", comment, sourceLocation: sourceLocation)
    #expect(
      stage.seen.filter { $0 == "cancel" }.count == 1, comment, sourceLocation: sourceLocation)
    #expect(stage.isQuiet, comment, sourceLocation: sourceLocation)
    #expect(handle.isFinished, comment, sourceLocation: sourceLocation)
    #expect(stage.issues.entries == [], comment, sourceLocation: sourceLocation)
    outcomes.insert(stage.seen)
  }
  return outcomes
}

/// A feature that may be there, whose one effect the test gives.
struct Host: ComposedReducer {
  struct State: Sendable, Equatable {
    var child: Script.State? = Script.State()
  }

  enum Action: Sendable, Equatable {
    case child(String)
    case dismiss
    case cancel
  }

  static let child = CasePath(embed: Action.child) { if case .child(let a) = $0 { a } else { nil } }

  let effects: @Sendable (String) -> [Effect<String>]

  var body: some Reducer<State, Action, Void> {
    Reduce { state, action, _ in
      switch action {
      case .dismiss: state.child = nil
      case .cancel: return [.cancel(id: "it")]
      case .child: break
      }
      return []
    }
    .ifLet(\.child, action: Self.child, id: "child") { Script(effects) }
  }
}

/// Runs an effect in a child two levels down: its name, id and actions have to come through, and
/// the child's end and a parent's cancel have to end it.
func checkInsideComposition(
  name: String, kind: EffectDescriptor.Kind, after milliseconds: Int, sends action: String,
  sourceLocation: Testing.SourceLocation = #_sourceLocation,
  _ effect: @escaping @Sendable (_ clock: TestClock) -> Effect<String>
) {
  enum End: CaseIterable { case none, dismiss, cancel }
  for end in End.allCases {
    let clock = TestClock()
    let issues = Journal<StoreIssue>()
    let reducer = Scope(
      state: \Box.host, action: Box.action, id: "host",
      child: { Host { $0 == "go" ? [effect(clock).cancellable(id: "it")] : [] } })
    let store = Store(
      initialState: Box(), reducer: reducer, dependencies: (), executor: clock.executor,
      onIssue: { issues.note($0) })
    var state = Box()
    let descriptors = reducer.reduce(&state, .child("go"), ()).descriptors()
    #expect(descriptors.map(\.name) == [name], sourceLocation: sourceLocation)
    #expect(descriptors.map(\.kind) == [kind], sourceLocation: sourceLocation)
    #expect(descriptors.map(\.id) == ["host/child/it"], sourceLocation: sourceLocation)

    let handle = store.send(.child("go"))
    clock.executor.run()
    switch end {
    case .none:
      clock.advance(by: .milliseconds(milliseconds))
      #expect(store.state.host.child?.seen == ["go", action], sourceLocation: sourceLocation)
      handle.cancel()
      clock.executor.run()
    case .dismiss, .cancel:
      clock.advance(by: .milliseconds(milliseconds - 1))
      store.send(end == .dismiss ? .dismiss : .cancel)
      clock.advance(by: .seconds(10))
      #expect(store.stepCount == 2, sourceLocation: sourceLocation)
    }
    #expect(handle.isFinished, sourceLocation: sourceLocation)
    #expect(clock.sleepers == [] && store.effects.isEmpty, sourceLocation: sourceLocation)
    #expect(issues.entries == [], sourceLocation: sourceLocation)
  }
}

struct Box: Sendable, Equatable {
  static let action = CasePath<Host.Action, Host.Action>(embed: { $0 }, extract: { $0 })
  var host = Host.State()
}

/// A clock that does not look whether its sleepers were cancelled.
struct DeafClock: Clock {
  let base: TestClock

  var now: TestClock.Instant { base.now }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: TestClock.Instant, tolerance: Duration?) async throws {
    let base = base
    await Task.detached(executorPreference: base.executor) {
      try? await base.sleep(until: deadline)
    }.value
  }
}
