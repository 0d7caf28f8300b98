import SwiftBoardStore
import SwiftBoardTesting
import Testing

/// Generated tests that are right, then with one wrong line: that is their only failure.
@Suite("Generated tests with one wrong line")
struct OneMistakeTests {
  enum Action: Sendable, Equatable {
    case emit([Action]), chain(Int), set(Int), add, same, poll, stop
  }

  struct State: Sendable, Equatable {
    var number = 0
    var sum = 0
  }

  struct Feature: Reducer {
    func reduce(_ state: inout State, _ action: Action, _ clock: TestClock) -> [Effect<Action>] {
      switch action {
      case .emit(let actions): return [.run { send in for action in actions { send(action) } }]
      case .chain(let length):
        state.sum += 1
        return length > 0 ? [.task { .chain(length - 1) }] : []
      case .set(let number): state.number = number
      case .add: state.sum += 1
      case .same: break
      case .poll:
        return [.timer(every: .seconds(1), clock: clock) { _ in .add }.cancellable(id: "poll")]
      case .stop: return [.cancel(id: "poll")]
      }
      return []
    }
  }

  /// A line of a test, with the values that its closure sets.
  struct Line: Equatable, CustomStringConvertible {
    enum Kind: Equatable { case send(Action), receive(Action), advance, assert }
    var kind: Kind
    var number: Int?
    var sum: Int?

    init(_ kind: Kind, _ before: State, _ after: State) {
      self.kind = kind
      number = before.number == after.number ? nil : after.number
      sum = before.sum == after.sum ? nil : after.sum
    }

    var assertion: ((inout State) -> Void)? {
      if number == nil, sum == nil { return nil }
      return { state in
        state.number = number ?? state.number
        state.sum = sum ?? state.sum
      }
    }

    var description: String { "\(kind) \(number ?? -1) \(sum ?? -1)" }
  }

  private static func store(_ report: @escaping TestReporter) -> TestStore<Feature> {
    let clock = TestClock()
    return TestStore(
      initialState: State(), reducer: Feature(), clock: clock, dependencies: clock, report: report)
  }

  private static func correctLines(_ random: inout SeededRandom) -> [Line] {
    // Its failures, for changes that are not stated, do not matter.
    let store = store { _ in }
    var lines: [Line] = []
    func step(_ kind: Line.Kind, _ body: () -> Void) {
      let before = store.state
      body()
      lines.append(Line(kind, before, store.state))
    }
    func send(_ action: Action) { step(.send(action)) { store.send(action) } }
    func receiveAll() {
      while let next = store.received.first {
        step(.receive(next)) { store.receive(where: { _ in true }) }
        var line = Line(.assert, store.state, store.state)
        (line.number, line.sum) = (store.state.number, store.state.sum)
        lines.append(line)
      }
    }
    send(.poll)
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      if Bool.random(using: &random) {
        send(.emit((0..<4).map { _ in randomAction(&random) }))
      } else {
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          step(.advance) { store.advance(by: .seconds(1)) }
          if Bool.random(using: &random) { receiveAll() }
        }
      }
      receiveAll()
    }
    send(.stop)
    return lines
  }

  private static func randomAction(_ random: inout SeededRandom) -> Action {
    let actions: [Action] = [.set(0), .set(1), .set(2), .add, .same, .chain(2)]
    return actions.randomElement(using: &random) ?? .same
  }

  /// Returns the indices of the lines that fail.
  private static func failures(_ lines: [Line]) -> Set<Int> {
    let failures = Failures()
    let store = store(failures.report)
    for (index, line) in lines.enumerated() {
      switch line.kind {
      case .send(let action): store.send(action, line: index, assert: line.assertion)
      case .receive(let action): store.receive(action, line: index, assert: line.assertion)
      case .advance: store.advance(by: .seconds(1), line: index)
      case .assert: store.assert(line: index) { line.assertion?(&$0) }
      }
    }
    store.finish(line: lines.count)
    return Set(failures.lines)
  }

  enum Mistake: CaseIterable { case typo, extra, wrongState }

  @Test("only the wrong line fails", arguments: Mistake.allCases)
  func oneMistake(mistake: Mistake) {
    for seed: UInt64 in 1...20 {
      var random = SeededRandom(seed: seed)
      var lines = Self.correctLines(&random)
      #expect(Self.failures(lines) == [], "seed \(seed): \(lines)")
      let received = lines.indices.filter { index in
        // An equal line behind a typo receives the action of the line with the typo.
        if mistake == .typo, lines[(index + 1)...].contains(lines[index]) { return false }
        return if case .receive = lines[index].kind { true } else { false }
      }
      guard let index = received.randomElement(using: &random) else { continue }
      switch mistake {
      case .typo: lines[index].kind = .receive(.set(77))
      case .extra: lines.insert(Line(.receive(.set(77)), State(), State()), at: index)
      case .wrongState: lines[index].number = 77
      }
      #expect(Self.failures(lines) == [index], "seed \(seed): \(lines)")
    }
  }
}
