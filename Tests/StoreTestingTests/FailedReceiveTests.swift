import SwiftBoardStore
import SwiftBoardTestSupport
import SwiftBoardTesting
import Testing

@Suite("Lines behind a receive that failed")
struct FailedReceiveTests {
  enum Action: Sendable, Equatable {
    case go(Int), came(Int), kick, start, tick, stop, spin, other
  }

  struct State: Sendable, Equatable {
    var number = 0
    var ticks = 0
  }

  /// `go(n)` starts `n` effects, each of which sends `came`. `start` starts a timer, and `kick` an
  /// effect that sends `start`. `spin` starts an effect that sends it again.
  struct Feature: Reducer {
    func reduce(_ state: inout State, _ action: Action, _ clock: TestClock) -> [Effect<Action>] {
      switch action {
      case .go(let count): return (1...count).map { number in .task { .came(number) } }
      case .came(let number): state.number = number
      case .kick: return [.task { .start }]
      case .start:
        return .timer(every: .seconds(1), clock: clock) { _ in .tick }.cancellable(id: "timer")
      case .tick: state.ticks += 1
      case .stop: return .cancel(id: "timer")
      case .spin:
        state.ticks += 1
        return [.task { .spin }]
      case .other: break
      }
      return []
    }
  }

  let failures = Failures()

  private func store() -> TestStore<Feature> {
    let clock = TestClock()
    return TestStore(
      initialState: State(), reducer: Feature(), clock: clock, dependencies: clock,
      report: failures.report)
  }

  @Test("the correct lines behind two wrong ones do not fail")
  func twoWrongLines() {
    let store = store()
    store.send(.go(1))
    let line = #line + 1
    store.receive(.tick) { $0.ticks = 1 }
    store.receive(.other)
    store.receive(.came(1)) { $0.number = 1 }
    store.send(.go(2))
    store.receive(.came(3)) { $0.number = 3 }
    store.receive(.came(4)) { $0.number = 4 }
    store.receive(.came(1))
    store.receive(.came(2)) { $0.number = 2 }
    store.finish()
    #expect(failures.lines == [line, line + 1, line + 4, line + 5])
  }

  enum Between: CaseIterable {
    case advance, run, finishTask, cancelTask, assert, part, skipEffects
  }

  @Test(
    "the correct line behind a wrong one and another line does not fail",
    arguments: Between.allCases)
  func between(_ between: Between) {
    let store = store()
    let task = store.send(.go(1))
    let line = #line + 1
    store.receive(.other)
    switch between {
    case .advance: store.advance(by: .seconds(1))
    case .run: store.run()
    case .finishTask: task.finish()
    case .cancelTask: task.cancel()
    case .assert: store.assert { $0.number = 1 }
    case .part: store.nonExhaustively { $0.advance(by: .seconds(1)) }
    case .skipEffects: store.skipInFlightEffects(strict: false)
    }
    store.receive(.came(1)) { $0.number = 1 }
    store.assert { $0.number = 1 }
    store.finish()
    #expect(failures.lines == [line])
  }

  @Test("assert checks the state behind the reported action")
  func assertBetween() {
    let store = store()
    store.send(.go(1))
    store.receive(.came(9)) { $0.number = 9 }
    store.assert { $0.number = 1 }
    store.assert { $0.number = 0 }
    store.finish()
    #expect(failures.kinds == [.unexpectedAction, .stateDiffers])
  }

  @Test("of equal actions a line receives the first that was reduced before it")
  func equalActions() {
    let store = store()
    store.send(.start)
    store.advance(by: .seconds(3))
    store.receive(.tick) { $0.ticks = 1 }
    let line = #line + 1
    store.receive(.came(2)) { $0.number = 2 }
    store.receive(.came(3)) { $0.number = 3 }
    store.receive(.tick) { $0.ticks = 2 }
    store.receive(.tick) { $0.ticks = 3 }
    store.send(.stop)
    store.finish()
    #expect(failures.lines == [line, line + 1])
  }

  @Test("a line with another state fails with the difference, and the next ones do not")
  func wrongState() {
    let store = store()
    store.send(.start)
    store.advance(by: .seconds(3))
    store.receive(.other)
    store.receive(.tick) { $0.ticks = 9 }
    store.receive(.tick) { $0.ticks = 2 }
    store.receive(.tick) { $0.ticks = 3 }
    store.send(.stop)
    store.finish()
    #expect(failures.kinds == [.unexpectedAction, .stateDiffers])
    #expect(failures.messages.last?.contains("-   ticks: 9\n+   ticks: 1") == true)
  }

  @Test(
    "a line that states neither the reported action nor the next leaves the next to later lines")
  func wrongStateOfReported() {
    let store = store()
    store.send(.start)
    store.advance(by: .seconds(2))
    store.receive(.other)
    store.run()
    store.receive(.tick) { $0.ticks = 9 }
    #expect(store.received == [] && store.state.ticks == 2)
    store.receive(.tick) { $0.ticks = 2 }
    store.send(.stop)
    store.finish()
    #expect(failures.kinds == [.unexpectedAction, .stateDiffers])
  }

  @Test("receive(within:) fails at once if the reported action led to another state")
  func within() async {
    let store = store()
    store.send(.start)
    store.advance(by: .seconds(1))
    store.receive(.other)
    store.run()
    await store.receive(.tick, within: .seconds(3600)) { $0.ticks = 9 }
    store.send(.stop)
    store.finish()
    #expect(failures.kinds == [.unexpectedAction, .stateDiffers])
  }

  @Test("a line behind a wrong one ends, although each step causes the next")
  func endless() {
    let store = store()
    store.send(.spin) { $0.ticks = 1 }
    store.receive(.other)
    store.receive(.spin) { $0.ticks = -1 }
    store.run()
    #expect(store.received == [.spin] && store.state.ticks == 3)
    store.skipInFlightEffects(strict: false)
    store.finish()
    #expect(
      failures.kinds == [.unexpectedAction, .stateDiffers, .unreceivedActions])
  }

  @Test("a line whose action has been reported names it, with its difference")
  func wrongValue() {
    let store = store()
    store.send(.go(2))
    store.receive(.tick) { $0.ticks = 1 }
    store.receive(.other)
    store.receive(.came(6)) { $0.number = 6 }
    #expect(
      failures.kinds == [.unexpectedAction, .unexpectedAction, .nothingReceived])
    #expect(
      failures.messages.last == """
        Expected to receive `came(6)`, but only these came, which an earlier line reported or reduced:
          came(1)
          came(2)
        Received another action than expected (- expected, + received):

          came(
        -   6
        +   1
          )

        No effect is running: it never started, has ended, or was cancelled.
        """)
    store.finish()
    #expect(failures.all.count == 3, "what was reported is not reported again")
  }

  @Test("lines behind a send in the wrong place: a wrong one names the actions, and order is free")
  func misplacedSend() {
    let store = store()
    store.send(.go(2))
    let line = #line + 1
    store.send(.other)
    store.receive(.tick) { $0.ticks = 1 }
    store.receive(.came(2)) { $0.number = 2 }
    store.receive(.came(1)) { $0.number = 1 }
    store.finish()
    #expect(failures.lines == [line, line + 1])
    #expect(failures.messages.last?.contains("or reduced:\n  came(1)\n  came(2)\n") == true)
  }

  @Test("received actions can be skipped behind a wrong line")
  func skipped() {
    let store = store()
    store.send(.go(1))
    store.receive(.other)
    #expect(store.skipReceivedActions() == [])
    store.finish()
    #expect(failures.kinds == [.unexpectedAction])
  }

  @Test("an action that no line has reported is still reported at the end")
  func unreported() {
    let store = store()
    store.send(.go(3))
    store.receive(.other)
    store.receive(.came(1)) { $0.number = 1 }
    store.finish()
    #expect(failures.kinds == [.unexpectedAction, .unreceivedActions])
    #expect(failures.messages.last?.hasPrefix("2 actions came from effects") == true)
  }

  @Test("an action like a reported one, or that one causes, is reported by a send and at the end")
  func unreportedLater() {
    let store = store()
    store.send(.start)
    store.advance(by: .seconds(2))
    let line = #line + 1
    store.receive(.other)
    store.run()
    store.receive(.tick) { $0.ticks = 1 }
    store.send(.stop)
    store.send(.kick)
    store.receive(.other)
    store.advance(by: .seconds(2))
    store.receive(.start)
    store.finish()
    #expect(failures.lines == [line, line + 3, line + 5, line + 8, line + 7])
    #expect(failures.messages[1] == "1 action must be received before `stop` is sent:\n  tick")
    #expect(
      failures.kinds.suffix(2) == [.unreceivedActions, .effectRunning],
      "the effect is that of the line that received its cause")
  }

  @Test("in a part that is not exhaustive, and behind it, lines receive what was reported")
  func part() {
    let store = store()
    store.send(.go(2))
    store.receive(.other)
    store.nonExhaustively { part in
      part.advance(by: .seconds(1))
      part.receive(.came(1)) { $0.number = 1 }
      part.receive(.tick)
    }
    store.receive(.came(2)) { $0.number = 2 }
    store.finish()
    #expect(failures.kinds == [.unexpectedAction, .nothingReceived])
  }

  @Test("a store that is not exhaustive names what an earlier line has skipped")
  func nonExhaustive() {
    let clock = TestClock()
    let store = NonExhaustiveTestStore(
      initialState: State(), reducer: Feature(), clock: clock, dependencies: clock,
      report: failures.report)
    store.send(.go(2))
    store.receive(.tick)
    store.receive(.came(3))
    #expect(
      failures.messages.first?.contains("but only these came:\n  came(1)\n  came(2)\n") == true)
    #expect(
      failures.messages.last?.contains(
        "these came, which an earlier line reported or reduced:\n  came(1)\n  came(2)\n") == true)
    store.receive(.came(1)) { $0.number = 1 }
    store.receive(.came(2)) { $0.number = 2 }
    #expect(failures.kinds == [.nothingReceived, .nothingReceived])
  }

  /// An action that counts how often its text is made.
  struct Counted: Sendable, Equatable, CustomReflectable {
    let number: Int
    let texts: EventLog<Int>

    static func == (first: Counted, second: Counted) -> Bool { first.number == second.number }

    var customMirror: Mirror {
      texts.append(number)
      return Mirror(self, children: ["number": number])
    }
  }

  @Test("the line behind a wrong one makes a text of each reported action a few times, not of all")
  func manyReported() {
    let (count, texts) = (500, EventLog<Int>())
    let reducer = Reduce<Int, Counted, Void> { state, action, _ in
      state += 1
      guard action.number == 0 else { return [] }
      return [
        .run { send in
          for number in 1...count { send(Counted(number: number, texts: texts)) }
        }
      ]
    }
    let store = TestStore(initialState: 0, reducer: reducer, report: failures.report)
    store.send(Counted(number: 0, texts: texts)) { $0 = 1 }
    store.receive(Counted(number: count, texts: texts))
    store.send(Counted(number: -1, texts: texts)) { $0 += 1 }
    #expect(store.state == count + 2)
    store.finish()
    #expect(failures.kinds == [.unexpectedAction])
    #expect(texts.events.count < 20 * count)
  }
}
