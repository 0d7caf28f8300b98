import SwiftBoardStore
import SwiftBoardTesting
import Synchronization
import Testing

@Suite("R14 Limits and queues")
struct LimitTests {
  @Test("R14 oldest n, drop: what comes while n run never starts")
  func drop() {
    let line = LimitedStage { work, _ in work.limited(id: "line", to: 2, whenFull: .drop) }
    line.send("a", "b", "c", "d")
    line.clock.advance(by: .seconds(1))
    line.send("e")
    line.clock.advance(by: .seconds(1))
    #expect(
      line.told == ["a begins", "b begins", "a ends", "b ends", "e begins", "e ends"])
    #expect(line.dropped.entries == ["c", "d"])
    #expect(line.store.effects.isEmpty)
  }

  @Test("R14 a limit counts what takes no time, in a list as in a group", arguments: [false, true])
  func atOnce(isGroup: Bool) {
    let running = ["x", "y"].map { id in
      Effect<String>.run { _ in try await Gate().wait() }.cancellable(id: id)
        .limited(id: "line \(id)", whenFull: .drop)
    }
    let atOnce: [Effect<String>] = [.cancel(id: "x"), .issue("dropped"), .send("dropped")]
    let limited = atOnce.map { effect -> Effect<String> in
      let effect = effect.limited(id: "line y", whenFull: .drop)
      return isGroup ? .merge([effect, .send("beside")]) : effect
    }
    let stage = Stage { action in
      switch action {
      case "full": running
      case "go": limited
      default: []
      }
    }
    stage.store.send("full")
    stage.executor.run()
    stage.store.send("go")
    #expect(stage.store.effects.count == 2)
    #expect(stage.issues.entries.isEmpty)
    #expect(!stage.seen.contains("dropped"))
  }

  @Test("R14 newest n: the one that has run longest is cancelled")
  func newest() {
    let line = LimitedStage { work, _ in work.limited(id: "line", to: 2, whenFull: .cancelOldest) }
    line.send("a")
    line.send("b")
    line.send("c")
    line.clock.advance(by: .seconds(1))
    #expect(line.told == ["a begins", "b begins", "c begins", "b ends", "c ends"])
    #expect(line.dropped.entries == [])
    #expect(line.store.effects.isEmpty)
  }

  @Test("R14 wait: each starts when a place is free, in the order in which they came")
  func wait() async {
    let line = LimitedStage { work, _ in work.limited(id: "line", whenFull: .wait) }
    let handles = ["a", "b", "c"].map { line.store.send($0) }
    line.clock.executor.run()
    #expect(line.store.effects.map(\.phase) == [.running, .pending, .pending])
    line.clock.advance(by: .seconds(1))
    #expect(line.told == ["a begins", "a ends", "b begins"])
    line.clock.advance(by: .seconds(2))
    #expect(
      line.told == ["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"])
    for handle in handles { #expect(handle.isFinished) }
  }

  @Test(
    "R14 a bounded queue drops the new one, or the one that has waited longest",
    arguments: [false, true])
  func bounded(dropsOldest: Bool) {
    let line = LimitedStage { work, _ in
      work.limited(id: "line", whenFull: .wait(capacity: 1, dropsOldest: dropsOldest))
    }
    line.send("a", "b", "c", "d")
    line.clock.advance(by: .seconds(9))
    let last = dropsOldest ? "d" : "b"
    #expect(line.told == ["a begins", "a ends", "\(last) begins", "\(last) ends"])
    #expect(line.dropped.entries == (dropsOldest ? ["b", "c"] : ["c", "d"]))
  }

  @Test("R5 the id cancels what runs and what waits, and nothing of it is reduced or started")
  func cancel() {
    let line = LimitedStage { work, _ in work.limited(id: "line", whenFull: .wait) }
    line.send("a", "b", "c")
    line.send("cancel")
    #expect(line.store.effects.isEmpty)
    line.clock.advance(by: .seconds(9))
    #expect(line.told == ["a begins"])
    line.send("d")
    #expect(line.told == ["a begins", "d begins"])
  }

  @Test("R14 a cancelled effect gives up its place at once, before its task has noticed")
  func cancelFreesPlace() {
    let line = LimitedStage { work, _ in work.limited(id: "line", whenFull: .drop) }
    line.send("a")
    line.store.send("cancel")
    line.store.send("b")
    line.clock.executor.run()
    #expect(line.told == ["a begins", "b begins"])
  }

  @Test("R14 an effect that is dropped leaves a finished handle")
  func droppedHandle() {
    let line = LimitedStage { work, _ in work.limited(id: "line", whenFull: .drop) }
    line.send("a")
    let dropped = line.store.send("b")
    #expect(dropped.isFinished)
    // The place in the table is used again: the handle must not take the new one for its own.
    let next = line.store.send("cancel")
    line.send("c")
    dropped.cancel()
    line.clock.advance(by: .seconds(1))
    #expect(next.isFinished)
    #expect(line.told == ["a begins", "c begins", "c ends"])
  }

  @Test("R14 the members of a concatenation wait for their places, and go on in order")
  func membersOfASequence() {
    let clock = TestClock()
    @Sendable func work(_ name: String) -> Effect<String> {
      .run { send in
        send("\(name) begins")
        try await clock.sleep(for: .seconds(1))
        send("\(name) ends")
      }.limited(id: "one", whenFull: .wait)
    }
    let store = Store(
      initialState: Script.State(),
      reducer: Script { action in
        action == "go" ? [work("x"), .concatenate(work("a"), work("b"), .send("done"))] : []
      }, dependencies: (), executor: clock.executor)
    store.send("go")
    clock.executor.run()
    clock.advance(by: .seconds(3))
    #expect(
      store.state.seen == [
        "go", "x begins", "x ends", "a begins", "a ends", "b begins", "b ends", "done",
      ])
    #expect(store.effects.isEmpty)
  }

  @Test(
    "R14 a limit counts in the whole store, or for each place where it says so",
    arguments: [LimitScope.store, .place])
  func scopes(scope: LimitScope) {
    let clock = TestClock()
    let store = Store(
      initialState: Script.State(),
      reducer: Script { action in
        guard action == "go" else { return [] }
        return ["a", "b"].flatMap { (row: String) -> [Effect<String>] in
          [
            Effect<String>.task {
              try await clock.sleep(for: .seconds(1))
              return row
            }.limited(id: "load", in: scope, whenFull: .drop)
          ].scoped({ (text: String) -> String in text }, id: row)
        }
      }, dependencies: (), executor: clock.executor)
    store.send("go")
    clock.executor.run()
    clock.advance(by: .seconds(1))
    #expect(store.state.seen == (scope == .store ? ["go", "a"] : ["go", "a", "b"]))
  }

  /// The rows of a list, each of which loads a second long.
  struct Row: Reducer {
    struct State: Sendable, Identifiable {
      let id: Int
      var isLoaded = false
    }

    let scope: LimitScope
    let clock: TestClock

    func reduce(_ state: inout State, _ action: Bool, _: Void) -> [Effect<Bool>] {
      state.isLoaded = action
      guard !action else { return [] }
      return .task { [clock] in
        try await clock.sleep(for: .seconds(1))
        return true
      }.limited(id: "load", to: 3, in: scope, whenFull: .wait)
    }
  }

  @Test(
    "R14 a limit of a child counts over all elements of a list, or for each where it says so",
    arguments: [LimitScope.store, .place])
  func elements(scope: LimitScope) {
    let clock = TestClock()
    let store = Store(
      initialState: IdentifiedArrayOf<Row.State>((0..<6).map { Row.State(id: $0) }),
      reducer: Reduce<IdentifiedArrayOf<Row.State>, ElementActionOf<Row>, Void> { _, _ in [] }
        .forEach(\.self, action: CasePath(embed: { $0 }, extract: { $0 })) {
          Row(scope: scope, clock: clock)
        }, dependencies: (), executor: clock.executor)
    for id in 0..<6 { store.send(.element(id: id, action: false)) }
    #expect(store.effects.filter { $0.phase == .running }.count == (scope == .store ? 3 : 6))
    clock.executor.run()
    clock.advance(by: .seconds(1))
    #expect(store.state.filter(\.isLoaded).count == (scope == .store ? 3 : 6))
    clock.advance(by: .seconds(1))
    #expect(store.state.filter(\.isLoaded).count == 6)
  }

  /// Work that does not heed cancellation: it ends when the test says so.
  private struct Deaf {
    final class Door: Sendable {
      private let waiting = Mutex<CheckedContinuation<Void, Never>?>(nil)

      func wait() async {
        await withCheckedContinuation { continuation in waiting.withLock { $0 = continuation } }
      }

      func open() { waiting.withLock { $0.take() }?.resume() }
    }

    let executor = ManualExecutor()
    let doors: [String: Door]
    let dropped = Journal<String>()
    let begun = Journal<String>()
    let store: Store<Script>

    init(to count: Int = 1, countsCancelled: Bool, whenFull policy: OverflowPolicy) {
      let doors = Dictionary(uniqueKeysWithValues: ["a", "b", "c", "d"].map { ($0, Door()) })
      self.doors = doors
      let (begun, dropped) = (begun, dropped)
      store = Store(
        initialState: Script.State(),
        reducer: Script { action in
          if action == "cancel" { return [.cancel(id: "pool")] }
          return [
            .run(name: action) { _ in
              begun.note(action)
              await doors[action]?.wait()
            }.limited(id: "pool", to: count, countsCancelled: countsCancelled, whenFull: policy)
          ]
        }, dependencies: (), executor: executor)
      store.setMeter {
        if case .effectDropped(let effect) = $0 { dropped.note(effect.descriptor.name) }
      }
    }

    func send(_ actions: String...) {
      for action in actions {
        store.send(action)
        executor.run()
      }
    }

    func open(_ name: String) {
      doors[name]?.open()
      executor.run()
    }
  }

  @Test(
    "R14 a cancelled effect gives its permit back at once, or when its task has ended",
    arguments: [false, true])
  func permitOfCancelled(countsCancelled: Bool) {
    let work = Deaf(countsCancelled: countsCancelled, whenFull: .wait)
    work.send("a", "cancel", "b")
    #expect(work.begun.entries == (countsCancelled ? ["a"] : ["a", "b"]))
    work.open("a")
    #expect(work.begun.entries == ["a", "b"])
    work.open("b")
    #expect(work.store.effects.isEmpty)
  }

  @Test("R14 where the limit counts the cancelled, an effect is dropped until the task has ended")
  func dropWhileCancelled() {
    let work = Deaf(countsCancelled: true, whenFull: .drop)
    work.send("a", "cancel", "b")
    #expect(work.dropped.entries == ["b"])
    work.open("a")
    work.send("c")
    #expect(work.begun.entries == ["a", "c"])
    work.open("c")
    #expect(work.store.effects.isEmpty)
  }

  @Test(
    "R14 where the limit counts the cancelled, the newest waits for the task of the oldest to end")
  func newestWhileCancelled() {
    let work = Deaf(countsCancelled: true, whenFull: .cancelOldest)
    work.send("a", "b")
    #expect(work.begun.entries == ["a"])
    #expect(work.store.effects.map(\.phase) == [.cancelled, .pending])
    work.send("c")
    #expect(work.dropped.entries == ["b"], "only the newest waits")
    work.open("a")
    #expect(work.begun.entries == ["a", "c"])
    work.open("c")
    #expect(work.store.effects.isEmpty)
  }

  @Test(
    "R14 never more tasks than the limit, however often its effects are cancelled", arguments: 1...3
  )
  func boundsWork(count: Int) {
    let work = Deaf(to: count, countsCancelled: true, whenFull: .wait)
    for name in ["a", "b", "c", "d"] {
      work.send(name, "cancel")
      #expect(work.begun.entries.count <= count)
    }
    for name in ["a", "b", "c", "d"] { work.open(name) }
    #expect(work.begun.entries == Array(["a", "b", "c", "d"].prefix(count)))
    #expect(work.store.effects.isEmpty)
  }

  @Test("R14 20 000 that wait start one after the other", .timeLimit(.minutes(20)))
  func many() {
    let executor = ManualExecutor()
    let store = Store(
      initialState: 0,
      reducer: Reduce { (state: inout Int, action: Bool, _: Void) in
        state += 1
        return action ? [.task { false }.limited(id: 1, whenFull: .wait)] : []
      }, dependencies: (), executor: executor)
    for _ in 0..<20_000 { store.send(true) }
    executor.run()
    #expect(store.state == 40_000)
    #expect(store.effects.isEmpty)
  }

  /// A limit of the whole store at the root, and one of the root's own place by the same id.
  @Test("R6 R14 what counts in its place does not count with the whole store, at the root either")
  func placeOfTheRoot() {
    let gate = Gate()
    @Sendable func work(_ name: String) -> Effect<String> {
      .run(name: name) { _ in try await gate.wait() }
    }
    let stage = Stage { action in
      switch action {
      case "store": [work("store").limited(id: "line", whenFull: .drop)]
      case "place": [work("place").limited(id: "line", in: .place, whenFull: .drop)]
      default: []
      }
    }
    func running() -> [String] {
      stage.store.effects.map(\.descriptor.name).filter { ["store", "place"].contains($0) }.sorted()
    }
    stage.store.send("store")
    stage.executor.run()
    stage.store.send("place")
    stage.executor.run()
    #expect(running() == ["place", "store"])
    stage.store.send("place")
    stage.store.send("store")
    stage.executor.run()
    #expect(running() == ["place", "store"], "each is full")
    gate.open()
    stage.executor.run()
    #expect(stage.store.effects.isEmpty)
  }

  @Test(
    "closing starts nothing that waited")
  func closing() {
    let told = Journal<String>()
    let gate = Gate()
    let executor = ManualExecutor()
    do {
      let store = Store(
        initialState: Script.State(),
        reducer: Script { action in
          [.run(name: action) { _ in try await gate.wait() }.limited(id: 1, whenFull: .wait)]
        }, dependencies: (), executor: executor, onIssue: { _ in })
      store.setMeter {
        if case .effectStarted(let effect) = $0 { told.note(effect.descriptor.name) }
      }
      store.send("a")
      store.send("b")
      store.send("c")
      executor.run()
    }
    executor.run()
    #expect(told.entries == ["a"])
  }
}
