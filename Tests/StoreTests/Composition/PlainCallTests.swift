import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("Plain calls")
struct PlainCallTests {
  struct Board: Reducer {
    enum Mode: Sendable, Equatable {
      case on(Ticker.State), off

      static let on = CasePath(embed: Mode.on) { if case .on(let s) = $0 { s } else { nil } }
    }

    struct State: Sendable, Equatable {
      var plain = Ticker.State()
      var detail: Ticker.State? = Ticker.State()
      var mode = Mode.on(Ticker.State())
      var rows: IdentifiedArrayOf<Ticker.State> = [Ticker.State(id: 1), Ticker.State(id: 2)]
    }

    enum Action: Sendable {
      case plain(Ticker.Action), detail(Ticker.Action), mode(Ticker.Action)
      case rows(ElementAction<Int, Ticker.Action>)
      case dismiss, switchOff, remove(Int), clean
    }

    func reduce(_ state: inout State, _ action: Action, _ dependencies: Ticker.Dependencies)
      -> [Effect<Action>]
    {
      switch action {
      case .plain(let action):
        return Ticker().reduce(&state.plain, action, dependencies).scoped(Action.plain, id: "plain")
      case .detail(let action):
        return Ticker()
          .reduce(ifLet: &state.detail, action, dependencies, fileID: "Board/B.swift", line: 1)
          .scoped(Action.detail, id: "detail")
      case .mode(let action):
        return Ticker()
          .reduce(
            ifCase: Mode.on, of: &state.mode, action, dependencies, fileID: "Board/B.swift", line: 2
          )
          .scoped(Action.mode, id: "mode")
      case .rows(let action):
        return Ticker()
          .reduce(forEach: &state.rows, action, dependencies, fileID: "Board/B.swift", line: 3)
          .scoped(Action.rows, id: "rows")
      case .dismiss:
        state.detail = nil
        return [.endChild(id: "detail")]
      case .switchOff:
        state.mode = .off
        return [.endChild(id: "mode")]
      case .remove(let id):
        state.rows.remove(id: id)
        return [.endElement(id, of: "rows")]
      case .clean:
        let before = state.rows.ids
        state.rows.removeAll { $0.count == 0 }
        return before.filter { !state.rows.contains(id: $0) }.map { .endElement($0, of: "rows") }
      }
    }
  }

  @Test("children reduce, and their effects come back to them")
  func effects() {
    let scene = Scene(Board.State(), Board())
    scene.send(
      .plain(.start), .detail(.start), .mode(.start), .rows(.element(id: 2, action: .start)))
    #expect(scene.running == ["plain/tick", "detail/tick", "mode/tick", "rows/2/tick"])
    scene.openGate()
    #expect(scene.state.plain.count == 1)
    #expect(scene.state.detail?.count == 1)
    #expect(scene.state.mode == .on(Ticker.State(count: 1)))
    #expect(scene.state.rows.map(\.count) == [0, 1])
  }

  @Test("R7 one word ends what a child has going")
  func ends() {
    let scene = Scene(Board.State(), Board())
    scene.send(
      .detail(.start), .mode(.start), .rows(.element(id: 1, action: .start)),
      .rows(.element(id: 2, action: .start)))
    scene.send(.dismiss)
    #expect(scene.running == ["mode/tick", "rows/1/tick", "rows/2/tick"])
    scene.send(.switchOff)
    scene.send(.remove(1))
    #expect(scene.running == ["rows/2/tick"])
    scene.send(.rows(.element(id: 2, action: .add(1))), .clean)
    #expect(scene.running == ["rows/2/tick"])
    scene.send(.rows(.element(id: 2, action: .add(-1))), .clean)
    #expect(scene.running == [])
    #expect(scene.state.rows.isEmpty)
  }

  @Test("R8 a child that is not there is an issue at the line of the call")
  func absent() {
    let scene = Scene(Board.State(), Board())
    scene.send(.dismiss, .switchOff, .remove(1), .remove(2))
    let before = scene.state
    scene.send(.detail(.add(1)), .mode(.add(1)), .rows(.element(id: 1, action: .add(1))))
    #expect(scene.state == before)
    #expect(
      scene.issues.entries.map(\.location.description)
        == ["Board/B.swift:1", "Board/B.swift:2", "Board/B.swift:3"])
    #expect(scene.issues.entries.last?.message.contains("there are none") == true)
  }

  @Test("without an id the line is the place; an id of any hashable type is one")
  func places() {
    let effects: [Effect<Int>] = [.task(name: "work") { 1 }.cancellable(id: 1)]
    #expect(effects.scoped({ $0 }).descriptors().map(\.id) == ["1"])
    #expect(effects.scoped({ $0 }, id: 7).descriptors().map(\.id) == ["7/1"])
    #expect(effects.scoped({ $0 }, id: Int?.none).descriptors().map(\.id) == ["nil/1"])
    let none: [Effect<Int>] = []
    func never() -> Int {
      Issue.record("the id is not needed without effects")
      return 0
    }
    #expect(none.scoped({ $0 }, id: never()).isEmpty)
  }

  @Test("R3 every form changes in place")
  func inPlace() {
    struct Setter: Reducer {
      func reduce(_ state: inout [Int], _ action: Int, _ dependencies: Void) -> [Effect<Int>] {
        state[action] = -1
        return []
      }
    }
    enum Mode: Sendable {
      case big([Int]), none
    }
    let big = CasePath(embed: Mode.big) { if case .big(let v) = $0 { v } else { nil } }
    var optional: [Int]? = Array(0..<1000)
    var mode = Mode.big(Array(0..<1000))
    var rows = IdentifiedArray<Int, [Int]>([Array(0..<1000)], id: { _ in 0 })
    let addresses = [
      optional.flatMap { address($0) }, big.extract(mode).flatMap { address($0) },
      address(rows[0]),
    ]
    _ = Setter().reduce(ifLet: &optional, 3, ())
    _ = Setter().reduce(ifCase: big, of: &mode, 3, ())
    _ = Setter().reduce(forEach: &rows, .element(id: 0, action: 3), ())
    #expect(
      addresses == [
        optional.flatMap { address($0) }, big.extract(mode).flatMap { address($0) },
        address(rows[0]),
      ])
    #expect(optional?[3] == -1 && big.extract(mode)?[3] == -1 && rows[0][3] == -1)
  }
}
