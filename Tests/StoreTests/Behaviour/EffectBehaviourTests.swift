import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("Behaviour of effects")
struct EffectBehaviourTests {
  /// A task that takes as many seconds as it says, and says so.
  @Sendable
  static func seconds(_ count: Int, _ clock: TestClock) -> Effect<String> {
    .task {
      try await clock.sleep(for: .seconds(count))
      return "\(count)"
    }
  }

  @Test("R4 members of a sequence take their times one after the other, those of a merge together")
  func groups() {
    let stage = TimedStage { action, clock in
      let members = (1...3).map { Self.seconds($0, clock) }
      return switch action {
      case "sequence": [.concatenate(members)]
      case "merge": [.merge(members)]
      default: []
      }
    }
    stage.send("sequence")
    stage.clock.run()
    stage.send("merge")
    stage.clock.run()
    #expect(
      stage.timeline == [
        "0 sequence", "1000 1", "3000 2", "6000 3", "6000 merge", "7000 1", "8000 2", "9000 3",
      ])
    #expect(stage.isQuiet)
  }

  @Test("R4 a group of one is that one, and none leaves no trace in a group")
  func small() {
    let work = Effect<String>.task(name: "load") { "x" }
    let load = EffectDescriptor(kind: .task, name: "load")
    for group in [
      Effect.merge(work), .concatenate(work), .merge(.none, work, .none),
      .concatenate(.none, work), .merge([.merge(.none, .none), .concatenate(.none, work)]),
    ] {
      #expect([group].descriptors() == [load])
    }
    for group in [
      Effect<String>.merge(), .concatenate(), .merge(.none, .none), .concatenate(.none, .none),
    ] {
      #expect([group].descriptors() == [])
    }
    #expect(
      [Effect.merge(work, .none, work)].descriptors()
        == [EffectDescriptor(kind: .merge, parts: [load, load])])
  }

  @Test("R4 effects begin in the order of their steps, and within a step as returned")
  func order() {
    let begun = Journal<Int>()
    @Sendable func note(_ number: Int) -> Effect<String> { .fireAndForget { begun.note(number) } }
    let stage = TimedStage { action, _ in
      switch action {
      case "tap": [.send("next 1"), .send("next 2"), note(1)]
      case "next 1": [.send("end"), note(2)]
      case "next 2": [note(3)]
      case "end": [note(4)]
      default: []
      }
    }
    stage.send("tap")
    #expect(begun.entries == [1, 2, 3, 4])
    #expect(stage.seen == ["tap", "next 1", "next 2", "end"])
  }

  @Test("R2 a hundred thousand actions in a chain need no stack")
  func longChain() {
    struct CountDown: Reducer {
      func reduce(_ state: inout Int, _ action: Void, _ dependencies: Void) -> [Effect<Void>] {
        state += 1
        return state < 100_000 ? [.send(())] : []
      }
    }
    let store = Store(initialState: 0, reducer: CountDown(), dependencies: ())
    store.send(())
    #expect(store.state == 100_000)
    #expect(store.slotCount <= 2)
  }

  @Test("actions of an effect are embedded whatever its kind")
  func map() {
    let effects: [Effect<Int>] = [
      .send(1), .task { 2 },
      .run { send in
        send(3)
        _ = send.start(4)
      }, .merge(.send(5), .concatenate(.task { 6 }, .send(7))),
      .task { throw Broken() }.catch { _ in 8 },
    ]
    let stage = TimedStage { action, _ in
      action == "go" ? effects.map { $0.map { "\($0 * 10)" } } : []
    }
    stage.send("go")
    #expect(Set(stage.seen) == ["go", "10", "20", "30", "40", "50", "60", "70", "80"])
    #expect(stage.seen.count == 9)
  }

  @Test("an effect works with the dependencies that its reduction was given")
  func dependencies() async {
    struct Clocked: Reducer {
      func reduce(
        _ state: inout [Int], _ action: Int?, _ now: @escaping @Sendable () -> Int
      ) -> [Effect<Int?>] {
        guard let action else { return [.task { now() }, .run { $0(now() + 1) }] }
        state.append(action)
        return []
      }
    }
    let executor = ManualExecutor()
    for now in [1_234_567_890, 42] {
      let store = Store(
        initialState: [], reducer: Clocked(), dependencies: { now }, executor: executor)
      store.send(nil)
      executor.run()
      #expect(store.state == [now, now + 1])
    }
  }

  @Test("work of several threads inside one effect comes in the order of the clock")
  func groupInside() {
    let stage = TimedStage { action, clock in
      action == "go"
        ? [
          .run { send in
            try await withThrowingTaskGroup(of: Void.self) { group in
              for (wait, action) in [(2, "increment"), (1, "square"), (2, "square again")] {
                group.addTask {
                  try await clock.sleep(for: .seconds(wait))
                  send(action)
                }
              }
              try await group.waitForAll()
            }
          }
        ] : []
    }
    stage.send("go")
    stage.clock.run()
    #expect(
      stage.timeline == ["0 go", "1000 square", "2000 increment", "2000 square again"])
  }

  @Test("an effect lives as long as its source, and another step may end that")
  func longLiving() {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    let stage = TimedStage { action, _ in
      switch action {
      case "start": [.stream(stream) { _ in "increment" }]
      case "end": [.fireAndForget { continuation.finish() }]
      default: []
      }
    }
    let handle = stage.send("start")
    stage.send("increment")
    continuation.yield()
    stage.executor.run()
    #expect(stage.seen == ["start", "increment", "increment"])
    #expect(!handle.isFinished)
    stage.send("end")
    #expect(handle.isFinished && stage.isQuiet)
  }

  @Test("what is sent after its effect returned is dropped, and disturbs nothing")
  func escapedSend() {
    let escaped = Journal<Send<String>>()
    let stage = TimedStage { action, _ in
      action == "go" ? [.run { escaped.note($0) }] : []
    }
    let handle = stage.send("go")
    #expect(handle.isFinished)
    for send in escaped.entries {
      send("late")
      #expect(send.start("late").isFinished)
    }
    #expect(stage.seen == ["go"] && stage.isQuiet)
    stage.send("on")
    #expect(stage.seen == ["go", "on"])
  }

  @Test("reducers side by side have their effects side by side")
  func combined() {
    let log = Journal<String>()
    struct Wait: Reducer {
      let seconds: Int
      let log: Journal<String>
      let clock: TestClock

      func reduce(_ state: inout Int, _ action: Void, _ dependencies: Void) -> [Effect<Void>] {
        state += 1
        return [
          .fireAndForget {
            try await clock.sleep(for: .seconds(seconds))
            log.note("\(clock.milliseconds)")
          }
        ]
      }
    }
    let clock = TestClock()
    let store = Store(
      initialState: 0,
      reducer: CombineReducers {
        Wait(seconds: 1, log: log, clock: clock)
        Wait(seconds: 2, log: log, clock: clock)
      }, dependencies: (), executor: clock.executor)
    let handle = store.send(())
    #expect(store.state == 2)
    clock.run()
    #expect(log.entries == ["1000", "2000"])
    #expect(handle.isFinished)
  }

  @Test("through several scopes an effect comes back to where it was returned")
  func scopes() {
    struct Child: Reducer {
      let log: Journal<Bool>

      func reduce(_ state: inout Bool, _ action: String, _ dependencies: Void) -> [Effect<String>] {
        state = action == "response"
        return action == "tap"
          ? [.send("response")] : [.fireAndForget { [state] in log.note(state) }]
      }
    }
    struct Level<State: Sendable>: Sendable { var inner: State }
    let all = CasePath<String, String>(embed: { $0 }, extract: { $0 })
    let log = Journal<Bool>()
    let executor = ManualExecutor()
    let store = Store(
      initialState: Level(inner: Level(inner: false)),
      reducer: Scope(
        state: \Level<Level<Bool>>.inner, action: all,
        child: { Scope(state: \Level<Bool>.inner, action: all, child: { Child(log: log) }) }),
      dependencies: (), executor: executor)
    store.send("tap")
    executor.run()
    #expect(store.state.inner.inner)
    #expect(log.entries == [true])
  }
}
