import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("forEach")
struct ForEachTests {
  struct Timers: ComposedReducer {
    struct State: Sendable, Equatable {
      var rows: IdentifiedArrayOf<Ticker.State> = [
        Ticker.State(id: 1), Ticker.State(id: 2), Ticker.State(id: 3),
      ]
      var log: [String] = []
    }

    enum Action: Sendable, Equatable {
      case rows(ElementAction<Int, Ticker.Action>)
      case remove([Int])
      case replace([Int])
      case nothing

      static let row = CasePath(embed: Action.rows) { if case .rows(let a) = $0 { a } else { nil } }
    }

    var body: some Reducer<State, Action, Ticker.Dependencies> {
      Reduce { state, action, _ in
        switch action {
        case .rows(.element(let id, .add(let amount))):
          state.log.append("\(id) +\(amount) = \(state.rows[id: id]?.count ?? -1)")
          if amount == 99 { state.rows.remove(id: id) }
        case .rows: state.log.append("rows")
        case .remove(let ids): for id in ids { state.rows.remove(id: id) }
        case .replace(let ids): state.rows = IdentifiedArray(ids.map { Ticker.State(id: $0) })
        case .nothing: break
        }
        return []
      }
      .forEach(
        \.rows, action: Action.row, id: "rows", fileID: "Board/Timers.swift", line: 7
      ) { Ticker() }
    }
  }

  func row(_ id: Int, _ action: Ticker.Action) -> Timers.Action {
    .rows(.element(id: id, action: action))
  }

  @Test("R8 the element has seen the action when the base sees it")
  func order() {
    let scene = Scene(Timers.State(), Timers())
    scene.send(row(2, .add(5)), row(2, .add(1)), .nothing)
    #expect(scene.state.rows.map(\.count) == [0, 6, 0])
    #expect(scene.state.log == ["2 +5 = 5", "2 +1 = 6"])
  }

  @Test("an element's effects come back to it, whatever happened to its place")
  func effectsFindTheirElement() {
    let scene = Scene(Timers.State(), Timers())
    scene.send(row(3, .start), .remove([1]))
    scene.openGate()
    #expect(scene.state.rows.map(\.count) == [0, 1])
    #expect(scene.state.rows.ids == [2, 3])
  }

  @Test("R8 an id that is not there is an issue at the composing line; nothing else happens")
  func missing() throws {
    let scene = Scene(Timers.State(), Timers())
    scene.send(row(9, .add(1)))
    #expect(scene.state == Timers.State())
    let issue = try #require(scene.issues.entries.first)
    #expect(scene.issues.entries.count == 1)
    #expect(issue.location.description == "Board/Timers.swift:7")
    #expect(issue.message.contains("Its id is 9; there are 3: 1, 2, 3."))
    #expect(
      issue.message.contains(
        "Likely causes: a reducer that runs before this line removed the element"))
  }

  @Test("R7 the effects of an element end in the step that removes it, and only they")
  func removal() {
    let scene = Scene(Timers.State(), Timers())
    scene.send(row(1, .start), row(2, .start), row(3, .start))
    #expect(scene.running == ["rows/1/tick", "rows/2/tick", "rows/3/tick"])
    scene.store.send(.remove([1, 3]))
    #expect(scene.running == ["rows/2/tick"])
    scene.openGate()
    #expect(scene.state.rows.map(\.count) == [1])
    #expect(scene.issues.entries == [])
  }

  @Test("R7 an element that the base removes when it hears of its action leaves nothing behind")
  func removalInItsOwnStep() {
    let scene = Scene(Timers.State(), Timers())
    scene.send(row(1, .start), row(1, .add(99)))
    #expect(scene.running == [])
    scene.openGate()
    #expect(scene.state.rows.ids == [2, 3])
    #expect(scene.issues.entries == [])
  }

  @Test("R7 a new list ends the effects of those that are not in it")
  func replacement() {
    let scene = Scene(Timers.State(), Timers())
    scene.send(row(1, .start), row(2, .start), .replace([2, 7]))
    #expect(scene.running == ["rows/2/tick"])
    scene.send(.replace([]))
    #expect(scene.running == [])
    // The same id later is another element.
    scene.send(.replace([2]), row(2, .start))
    #expect(scene.running == ["rows/2/tick"])
  }

  @Test("what ends is told as a value: each element that went, or all at once")
  func descriptors() {
    var state = Timers.State()
    let dependencies = Ticker.Dependencies()
    let one = Timers().reduce(&state, .remove([2]), dependencies)
    #expect(one.descriptors() == [EffectDescriptor(kind: .cancel, id: "rows/2")])
    let all = Timers().reduce(&state, .remove([1, 3]), dependencies)
    #expect(all.descriptors() == [EffectDescriptor(kind: .cancel, id: "rows")])
    #expect(Timers().reduce(&state, .nothing, dependencies).isEmpty)
    #expect(Timers().reduce(&state, .replace([]), dependencies).isEmpty)
  }

  /// An id that notes each time it is hashed.
  struct NotedID: Hashable, Sendable, CustomStringConvertible {
    let number: Int
    let hashed: Journal<Int>
    var description: String { "\(number)" }

    static func == (a: Self, b: Self) -> Bool { a.number == b.number }

    func hash(into hasher: inout Hasher) {
      hashed.note(number)
      hasher.combine(number)
    }
  }

  @Test("an element added or removed at the end of a long list costs no look-up of the others")
  func changesAtTheEnd() {
    let hashed = Journal<Int>()
    let reducer = Reduce<IdentifiedArray<NotedID, Int>, Bool, Void> { list, adds, _ in
      if adds {
        list.append(0, id: NotedID(number: list.count, hashed: hashed))
      } else {
        list.popLast()
      }
      return []
    }
    .forEach(
      \.self,
      action: CasePath<Bool, ElementAction<NotedID, Bool>>(embed: { _ in true }) { _ in nil },
      id: "list"
    ) { EmptyReducer() }
    var list = IdentifiedArray(0..<1000, id: { NotedID(number: $0, hashed: hashed) })
    list.reserveCapacity(2000)
    let before = hashed.entries.count
    #expect(reducer.reduce(&list, true, ()).isEmpty)
    #expect(list.count == 1001)
    let removed = reducer.reduce(&list, false, ())
    #expect(removed.descriptors() == [EffectDescriptor(kind: .cancel, id: "list/1000")])
    #expect(hashed.entries.count - before < 100)
  }

  @Test("R6 equal ids in two elements never meet; in one they do")
  func ids() {
    let scene = Scene(Timers.State(), Timers())
    scene.send(row(1, .start), row(2, .start), row(1, .start), row(1, .stop))
    #expect(scene.running == ["rows/2/tick"])
  }

  @Test("R3 an action for one element copies neither the elements nor the ids")
  func inPlace() {
    var state = Timers.State()
    state.rows = IdentifiedArray((0..<1000).map { Ticker.State(id: $0) })
    let dependencies = Ticker.Dependencies()
    let elements = address(state.rows.elements)
    let ids = address(state.rows.ids)
    _ = Timers().reduce(&state, row(500, .add(1)), dependencies)
    _ = Timers().reduce(&state, row(501, .start), dependencies)
    _ = Timers().reduce(&state, .nothing, dependencies)
    #expect(address(state.rows.elements) == elements)
    #expect(address(state.rows.ids) == ids)
  }

  @Test("an element that changes its own id stays what it is called: actions and effects find it")
  func changedID() {
    let scene = Scene(Timers.State(), Timers())
    scene.send(row(2, .become(3)), row(2, .add(1)))
    #expect(scene.state.rows.ids == [1, 2, 3])
    #expect(scene.state.rows.map(\.id) == [1, 3, 3])
    scene.openGate()
    #expect(scene.state.rows.map(\.count) == [0, 2, 0])
    #expect(scene.issues.entries == [])
  }

  struct Pairs: ComposedReducer {
    struct State: Sendable, Equatable {
      var numbers = IdentifiedArray<String, Int>([1, 2], id: { "n\($0)" })
    }

    enum Action: Sendable, Equatable {
      case number(String, Int)

      static let number = CasePath<Action, (String, Int)>(embed: { .number($0.0, $0.1) }) {
        if case .number(let id, let amount) = $0 { (id, amount) } else { nil }
      }
    }

    var body: some Reducer<State, Action, Int> {
      EmptyReducer()
        .forEach(\.numbers, action: Action.number) {
          Reduce { state, action, factor in
            state += action * factor
            return action == 1 ? [.send(10)] : []
          }
        }
    }
  }

  @Test("elements of any type, an action with id and child action side by side")
  func otherForms() {
    let store = Store(initialState: Pairs.State(), reducer: Pairs(), dependencies: 3)
    store.send(.number("n2", 1))
    #expect(Array(store.state.numbers) == [1, 35])
  }

  @Test("element actions are encoded by id and action")
  func coding() throws {
    let action = ElementAction.element(id: 3, action: Ticker.Action.add(2))
    #expect(action.id == 3 && action.action == .add(2))
    #expect(try decoded(encoded(action)) == action)
    let plain = ElementAction.element(id: 3, action: "x")
    #expect(try encoded(plain) == #"{"action":"x","id":3}"#)
  }

  @Test("a snapshot of the state, kept while rows come and go, stays what it was")
  func valueSemantics() {
    let scene = Scene(Timers.State(), Timers())
    let before = scene.state
    scene.send(row(1, .add(1)), .remove([2]))
    #expect(before == Timers.State())
    #expect(scene.state.rows.ids == [1, 3])
  }
}
