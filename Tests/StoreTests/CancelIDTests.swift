import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("R6 No globals")
struct CancelIDTests {
  struct Child: Reducer {
    func reduce(_ state: inout [String], _ action: String, _ gate: Gate) -> [Effect<String>] {
      state.append(action)
      switch action {
      case "load":
        return [
          .task {
            try await gate.wait()
            return "loaded"
          }.cancellable(id: "load")
        ]
      case "cancel": return [.cancel(id: "load")]
      default: return []
      }
    }
  }

  struct Parent: ComposedReducer {
    struct State: Sendable {
      var left: [String] = []
      var right: [String] = []
    }

    enum Action: Sendable {
      case left(String), right(String), cancelBoth
    }

    static let left = CasePath(embed: Action.left) { if case .left(let a) = $0 { a } else { nil } }
    static let right = CasePath(embed: Action.right) {
      if case .right(let a) = $0 { a } else { nil }
    }

    var body: some Reducer<State, Action, Gate> {
      Scope(state: \.left, action: Self.left) { Child() }
      Scope(state: \.right, action: Self.right) { Child() }
      Reduce { _, action, _ in
        if case .cancelBoth = action { [.cancel(id: "load")] } else { [] }
      }
    }
  }

  @Test("R6 siblings with equal ids do not meet")
  func siblings() {
    let executor = ManualExecutor()
    let gate = Gate()
    let store = Store(
      initialState: Parent.State(), reducer: Parent(), dependencies: gate, executor: executor)
    store.send(.left("load"))
    store.send(.right("load"))
    executor.run()
    store.send(.left("cancel"))
    gate.open()
    executor.run()
    #expect(store.state.left == ["load", "cancel"])
    #expect(store.state.right == ["load", "loaded"])
  }

  @Test("R6 a parent cancels its children's by the same id")
  func parent() {
    let executor = ManualExecutor()
    let gate = Gate()
    let store = Store(
      initialState: Parent.State(), reducer: Parent(), dependencies: gate, executor: executor)
    store.send(.left("load"))
    store.send(.right("load"))
    executor.run()
    store.send(.cancelBoth)
    gate.open()
    executor.run()
    #expect(store.state.left == ["load"])
    #expect(store.state.right == ["load"])
    #expect(store.effects.isEmpty)
  }

  @Test("R6 two stores with equal ids do not meet")
  func stores() {
    let executor = ManualExecutor()
    let gate = Gate()
    let one = Store(initialState: [], reducer: Child(), dependencies: gate, executor: executor)
    let two = Store(initialState: [], reducer: Child(), dependencies: gate, executor: executor)
    one.send("load")
    two.send("load")
    executor.run()
    one.send("cancel")
    gate.open()
    executor.run()
    #expect(one.state == ["load", "cancel"])
    #expect(two.state == ["load", "loaded"])
  }

  @Test("R6 ids of equal text and different type are different ids")
  func types() {
    let stage = Stage { action in
      switch action {
      case "a": [.task { "done" }.cancellable(id: 1)]
      case "b": [.cancel(id: UInt8(1)), .cancel(id: "1")]
      default: []
      }
    }
    stage.store.send("a")
    stage.store.send("b")
    stage.executor.run()
    #expect(stage.seen == ["a", "b", "done"])
  }

  @Test("an id that is wrapped already is the id in it")
  func wrapped() {
    #expect(CancelID(CancelID("x")) == CancelID("x"))
  }
}

@Suite("What the registry keeps")
struct ManyCancelIDTests {
  @Test("ids of effects that have ended are swept out, however deep their place")
  func sweeps() {
    let executor = ManualExecutor()
    struct Deep: Reducer {
      func reduce(_ state: inout Int, _ action: Int, _ dependencies: Void) -> [Effect<Int>] {
        state += 1
        guard action > 0 else { return [] }
        var effects: [Effect<Int>] = [.task { 0 }.cancellable(id: action)]
        for level in 0..<5 {
          effects = effects.scoped({ (inner: Int) -> Int in inner }, id: level)
        }
        return effects
      }
    }
    let store = Store(
      initialState: 0, reducer: Deep(), dependencies: (), executor: executor)
    for round in 0..<100 {
      for id in 1...100 { store.send(round * 100 + id) }
      executor.run()
    }
    #expect(store.state == 20_000)
    #expect(!store.hasIndexedEffects)
    #expect(store.slotCount <= 100)
  }

  /// Whose effects end by adding their numbers to the state.
  private static func store(
    _ executor: ManualExecutor, start: @escaping @Sendable (Int) -> [Effect<Starting>],
    cancel: @escaping @Sendable (Int, Int?) -> [Effect<Starting>]
  ) -> Store<Reduce<[Int], Starting, Void>> {
    Store(
      initialState: [],
      reducer: Reduce { state, action, _ in
        switch action {
        case .start(let number): return start(number)
        case .cancel(let id, let place): return cancel(id, place)
        case .done(let number):
          state.append(number)
          return []
        }
      }, dependencies: (), executor: executor)
  }

  @Test("R5 ids of one hash are told apart")
  func clashes() {
    struct Clash: Hashable {
      let number: Int
      func hash(into hasher: inout Hasher) {}
    }
    let executor = ManualExecutor()
    let store = Self.store(executor) { number in
      [.task { .done(number) }.cancellable(id: Clash(number: number))]
    } cancel: { number, _ in
      [.cancel(id: Clash(number: number))]
    }
    for number in 0..<200 { store.send(.start(number)) }
    for number in stride(from: 0, to: 200, by: 2) { store.send(.cancel(number, place: nil)) }
    executor.run()
    #expect(store.state == Array(stride(from: 1, to: 200, by: 2)))
  }

  @Test(
    "R5 R6 an id finds its effects and no others, however many came and went",
    arguments: [1, 2, 3])
  func agreesWithModel(seed: UInt64) {
    // So few that most effects are cancelled: what is left of their ids has to be swept out again
    // and again.
    let ids = 30
    let executor = ManualExecutor()
    @Sendable func placed(_ effect: Effect<Starting>, _ place: Int?) -> [Effect<Starting>] {
      guard let place else { return [effect] }
      return [effect].scoped({ (inner: Starting) -> Starting in inner }, id: place)
    }
    // The number tells id and place.
    let store = Self.store(executor) { number in
      let effect = Effect<Starting>.task { .done(number) }.cancellable(id: number / 3 % ids)
      return placed(effect, number % 3 == 0 ? nil : number % 3)
    } cancel: { id, place in
      placed(.cancel(id: id), place)
    }
    var random = SeededRandom(seed: seed)
    var running: [Int] = []
    var done: [Int] = []
    for round in 0..<6000 {
      switch random.next() % 1000 {
      case 0:
        executor.run()
        done += running
        running = []
      case 1..<400:
        let id = Int(random.next() % UInt64(ids))
        let place = Int(random.next() % 3)
        store.send(.cancel(id, place: place == 0 ? nil : place))
        running.removeAll { $0 / 3 % ids == id && (place == 0 || $0 % 3 == place) }
      default:
        let number = (round * ids + Int(random.next() % UInt64(ids))) * 3 + Int(random.next() % 3)
        store.send(.start(number))
        running.append(number)
      }
    }
    executor.run()
    #expect(store.state == done + running)
    #expect(store.effects.isEmpty)
  }
}

private enum Starting: Sendable {
  case start(Int)
  case cancel(Int, place: Int?)
  case done(Int)
}
