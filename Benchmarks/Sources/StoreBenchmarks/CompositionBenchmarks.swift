import SwiftBoardStore

// A counter under 1, 5 and 10 parents, composed in three ways that do the same.

struct Parent<Inner: Sendable>: Sendable {
  var child: Inner
  var own = 0
}

enum Wrapped<Inner: Sendable>: Sendable {
  case child(Inner)
  case own

  static var child: CasePath<Self, Inner> {
    CasePath(embed: Wrapped.child) { if case .child(let action) = $0 { action } else { nil } }
  }
}

// Features are concrete types, as they are in a program: each level is written out.

struct Plain1: Reducer {
  let child = Counter()

  @inlinable
  func reduce(_ state: inout L1, _ action: A1, _ dependencies: Int) -> [Effect<A1>] {
    switch action {
    case .child(let action):
      return child.reduce(&state.child, action, dependencies).scoped(Wrapped.child, id: "child")
    case .own:
      state.own &+= 1
      return []
    }
  }
}

struct Plain2: Reducer {
  let child = Plain1()

  @inlinable
  func reduce(_ state: inout L2, _ action: A2, _ dependencies: Int) -> [Effect<A2>] {
    switch action {
    case .child(let action):
      return child.reduce(&state.child, action, dependencies).scoped(Wrapped.child, id: "child")
    case .own:
      state.own &+= 1
      return []
    }
  }
}

struct Plain3: Reducer {
  let child = Plain2()

  @inlinable
  func reduce(_ state: inout L3, _ action: A3, _ dependencies: Int) -> [Effect<A3>] {
    switch action {
    case .child(let action):
      return child.reduce(&state.child, action, dependencies).scoped(Wrapped.child, id: "child")
    case .own:
      state.own &+= 1
      return []
    }
  }
}

struct Plain4: Reducer {
  let child = Plain3()

  @inlinable
  func reduce(_ state: inout L4, _ action: A4, _ dependencies: Int) -> [Effect<A4>] {
    switch action {
    case .child(let action):
      return child.reduce(&state.child, action, dependencies).scoped(Wrapped.child, id: "child")
    case .own:
      state.own &+= 1
      return []
    }
  }
}

struct Plain5: Reducer {
  let child = Plain4()

  @inlinable
  func reduce(_ state: inout L5, _ action: A5, _ dependencies: Int) -> [Effect<A5>] {
    switch action {
    case .child(let action):
      return child.reduce(&state.child, action, dependencies).scoped(Wrapped.child, id: "child")
    case .own:
      state.own &+= 1
      return []
    }
  }
}

struct Plain6: Reducer {
  let child = Plain5()

  @inlinable
  func reduce(_ state: inout L6, _ action: A6, _ dependencies: Int) -> [Effect<A6>] {
    switch action {
    case .child(let action):
      return child.reduce(&state.child, action, dependencies).scoped(Wrapped.child, id: "child")
    case .own:
      state.own &+= 1
      return []
    }
  }
}

struct Plain7: Reducer {
  let child = Plain6()

  @inlinable
  func reduce(_ state: inout L7, _ action: A7, _ dependencies: Int) -> [Effect<A7>] {
    switch action {
    case .child(let action):
      return child.reduce(&state.child, action, dependencies).scoped(Wrapped.child, id: "child")
    case .own:
      state.own &+= 1
      return []
    }
  }
}

struct Plain8: Reducer {
  let child = Plain7()

  @inlinable
  func reduce(_ state: inout L8, _ action: A8, _ dependencies: Int) -> [Effect<A8>] {
    switch action {
    case .child(let action):
      return child.reduce(&state.child, action, dependencies).scoped(Wrapped.child, id: "child")
    case .own:
      state.own &+= 1
      return []
    }
  }
}

struct Plain9: Reducer {
  let child = Plain8()

  @inlinable
  func reduce(_ state: inout L9, _ action: A9, _ dependencies: Int) -> [Effect<A9>] {
    switch action {
    case .child(let action):
      return child.reduce(&state.child, action, dependencies).scoped(Wrapped.child, id: "child")
    case .own:
      state.own &+= 1
      return []
    }
  }
}

struct Plain10: Reducer {
  let child = Plain9()

  @inlinable
  func reduce(_ state: inout L10, _ action: A10, _ dependencies: Int) -> [Effect<A10>] {
    switch action {
    case .child(let action):
      return child.reduce(&state.child, action, dependencies).scoped(Wrapped.child, id: "child")
    case .own:
      state.own &+= 1
      return []
    }
  }
}

struct Paths1: ComposedReducer {
  var body: some Reducer<L1, A1, Int> {
    Scope(state: \.child, action: Wrapped.child, id: "child") { Counter() }
    Reduce { state, action, _ in
      if case .own = action { state.own &+= 1 }
      return []
    }
  }
}

struct Paths2: ComposedReducer {
  var body: some Reducer<L2, A2, Int> {
    Scope(state: \.child, action: Wrapped.child, id: "child") { Paths1() }
    Reduce { state, action, _ in
      if case .own = action { state.own &+= 1 }
      return []
    }
  }
}

struct Paths3: ComposedReducer {
  var body: some Reducer<L3, A3, Int> {
    Scope(state: \.child, action: Wrapped.child, id: "child") { Paths2() }
    Reduce { state, action, _ in
      if case .own = action { state.own &+= 1 }
      return []
    }
  }
}

struct Paths4: ComposedReducer {
  var body: some Reducer<L4, A4, Int> {
    Scope(state: \.child, action: Wrapped.child, id: "child") { Paths3() }
    Reduce { state, action, _ in
      if case .own = action { state.own &+= 1 }
      return []
    }
  }
}

struct Paths5: ComposedReducer {
  var body: some Reducer<L5, A5, Int> {
    Scope(state: \.child, action: Wrapped.child, id: "child") { Paths4() }
    Reduce { state, action, _ in
      if case .own = action { state.own &+= 1 }
      return []
    }
  }
}

struct Paths6: ComposedReducer {
  var body: some Reducer<L6, A6, Int> {
    Scope(state: \.child, action: Wrapped.child, id: "child") { Paths5() }
    Reduce { state, action, _ in
      if case .own = action { state.own &+= 1 }
      return []
    }
  }
}

struct Paths7: ComposedReducer {
  var body: some Reducer<L7, A7, Int> {
    Scope(state: \.child, action: Wrapped.child, id: "child") { Paths6() }
    Reduce { state, action, _ in
      if case .own = action { state.own &+= 1 }
      return []
    }
  }
}

struct Paths8: ComposedReducer {
  var body: some Reducer<L8, A8, Int> {
    Scope(state: \.child, action: Wrapped.child, id: "child") { Paths7() }
    Reduce { state, action, _ in
      if case .own = action { state.own &+= 1 }
      return []
    }
  }
}

struct Paths9: ComposedReducer {
  var body: some Reducer<L9, A9, Int> {
    Scope(state: \.child, action: Wrapped.child, id: "child") { Paths8() }
    Reduce { state, action, _ in
      if case .own = action { state.own &+= 1 }
      return []
    }
  }
}

struct Paths10: ComposedReducer {
  var body: some Reducer<L10, A10, Int> {
    Scope(state: \.child, action: Wrapped.child, id: "child") { Paths9() }
    Reduce { state, action, _ in
      if case .own = action { state.own &+= 1 }
      return []
    }
  }
}

typealias L1 = Parent<Counter.State>
typealias A1 = Wrapped<Counter.Action>
typealias L2 = Parent<L1>
typealias A2 = Wrapped<A1>
typealias L3 = Parent<L2>
typealias A3 = Wrapped<A2>
typealias L4 = Parent<L3>
typealias A4 = Wrapped<A3>
typealias L5 = Parent<L4>
typealias A5 = Wrapped<A4>
typealias L6 = Parent<L5>
typealias A6 = Wrapped<A5>
typealias L7 = Parent<L6>
typealias A7 = Wrapped<A6>
typealias L8 = Parent<L7>
typealias A8 = Wrapped<A7>
typealias L9 = Parent<L8>
typealias A9 = Wrapped<A8>
typealias L10 = Parent<L9>
typealias A10 = Wrapped<A9>

/// By a switch over all levels, written out.
struct Switch1: Reducer {
  @inlinable
  func reduce(
    _ state: inout Parent<Counter.State>, _ action: Wrapped<Counter.Action>, _ dependencies: Int
  ) -> [Effect<Wrapped<Counter.Action>>] {
    switch action {
    case .child(.add(let amount)):
      state.child.count &+= amount &* dependencies
      state.child.last = amount
    case .child(.reset): state.child.count = 0
    case .own: state.own &+= 1
    }
    return []
  }
}

struct Switch5: Reducer {
  @inlinable
  func reduce(
    _ state: inout L5, _ action: A5, _ dependencies: Int
  ) -> [Effect<A5>] {
    switch action {
    case .child(.child(.child(.child(.child(.add(let amount)))))):
      state.child.child.child.child.child.count &+= amount &* dependencies
      state.child.child.child.child.child.last = amount
    case .child(.child(.child(.child(.child(.reset))))):
      state.child.child.child.child.child.count = 0
    case .child(.child(.child(.child(.own)))): state.child.child.child.child.own &+= 1
    case .child(.child(.child(.own))): state.child.child.child.own &+= 1
    case .child(.child(.own)): state.child.child.own &+= 1
    case .child(.own): state.child.own &+= 1
    case .own: state.own &+= 1
    }
    return []
  }
}

struct Switch10: Reducer {
  @inlinable
  func reduce(
    _ state: inout L10, _ action: A10, _ dependencies: Int
  ) -> [Effect<A10>] {
    switch action {
    case .child(.child(.child(.child(.child(let inner))))):
      switch inner {
      case .child(.child(.child(.child(.child(.add(let amount)))))):
        state.child.child.child.child.child.child.child.child.child.child.count &+=
          amount &* dependencies
        state.child.child.child.child.child.child.child.child.child.child.last = amount
      case .child(.child(.child(.child(.child(.reset))))):
        state.child.child.child.child.child.child.child.child.child.child.count = 0
      case .child(.child(.child(.child(.own)))):
        state.child.child.child.child.child.child.child.child.child.own &+= 1
      case .child(.child(.child(.own))):
        state.child.child.child.child.child.child.child.child.own &+= 1
      case .child(.child(.own)): state.child.child.child.child.child.child.child.own &+= 1
      case .child(.own): state.child.child.child.child.child.child.own &+= 1
      case .own: state.child.child.child.child.child.own &+= 1
      }
    case .child(.child(.child(.child(.own)))): state.child.child.child.child.own &+= 1
    case .child(.child(.child(.own))): state.child.child.child.own &+= 1
    case .child(.child(.own)): state.child.child.own &+= 1
    case .child(.own): state.child.own &+= 1
    case .own: state.own &+= 1
    }
    return []
  }
}

func deep1() -> L1 { Parent(child: Counter.State()) }
func deep5() -> L5 { Parent(child: Parent(child: Parent(child: Parent(child: deep1())))) }
func deep10() -> L10 {
  Parent(child: Parent(child: Parent(child: Parent(child: Parent(child: deep5())))))
}

@inline(__always)
func add5(_ amount: Int) -> A5 { .child(.child(.child(.child(.child(.add(amount)))))) }
@inline(__always)
func add10(_ amount: Int) -> A10 { .child(.child(.child(.child(.child(add5(amount)))))) }

// MARK: Lists

struct Row: Reducer {
  struct State: Sendable, Identifiable {
    let id: Int
    var count = 0
    var title = "a row with a title that is too long to be stored in place"
  }

  enum Action: Sendable {
    case add(Int)
  }

  @inlinable
  func reduce(_ state: inout State, _ action: Action, _ dependencies: Int) -> [Effect<Action>] {
    switch action {
    case .add(let amount): state.count &+= amount &* dependencies
    }
    return []
  }
}

struct ListState: Sendable {
  var rows: IdentifiedArrayOf<Row.State>
  var own = 0

  init(_ count: Int) {
    rows = IdentifiedArray((0..<count).map { Row.State(id: $0) })
  }
}

enum ListAction: Sendable {
  case row(ElementAction<Int, Row.Action>)
  case remove(Int)
  case own

  static var row: CasePath<Self, ElementAction<Int, Row.Action>> {
    CasePath(embed: ListAction.row) { if case .row(let action) = $0 { action } else { nil } }
  }
}

/// By the plain call.
struct ListByCall: Reducer {
  @inlinable
  func reduce(_ state: inout ListState, _ action: ListAction, _ dependencies: Int)
    -> [Effect<ListAction>]
  {
    switch action {
    case .row(let action):
      return Row().reduce(forEach: &state.rows, action, dependencies)
        .scoped(ListAction.row, id: "rows")
    case .remove(let id):
      state.rows.remove(id: id)
      return [.endElement(id, of: "rows")]
    case .own:
      state.own &+= 1
      return []
    }
  }
}

/// The in-place call by hand: it ends no effects and reports no missing row.
struct ListByHand: Reducer {
  @inlinable
  func reduce(_ state: inout ListState, _ action: ListAction, _ dependencies: Int)
    -> [Effect<ListAction>]
  {
    switch action {
    case .row(.element(let id, let action)):
      let effects = state.rows.update(id: id) { Row().reduce(&$0, action, dependencies) }
      return effects?.map { effect in
        effect.map { .row(.element(id: id, action: $0)) }
      } ?? []
    case .remove(let id): state.rows.remove(id: id)
    case .own: state.own &+= 1
    }
    return []
  }
}

struct ListByOperator: ComposedReducer {
  var body: some Reducer<ListState, ListAction, Int> {
    Reduce<ListState, ListAction, Int> { state, action, _ in
      switch action {
      case .row: break
      case .remove(let id): state.rows.remove(id: id)
      case .own: state.own &+= 1
      }
      return []
    }
    .forEach(\.rows, action: ListAction.row, id: "rows") { Row() }
  }
}

// MARK: Measuring

/// Nanoseconds of one send to each of two stores, the best of many short rounds in turn: what disturbs one disturbs the other, too.
func sending<A: Reducer, B: Reducer>(
  _ ours: A, _ state: A.State, _ action: (Int) -> A.Action,
  against limit: B, _ limitState: B.State, _ limitAction: (Int) -> B.Action
) -> (ours: Double, limit: Double) where A.Dependencies == Int, B.Dependencies == Int {
  let sends = 20_000
  let first = Store(initialState: opaque(state), reducer: ours, dependencies: opaque(1))
  let second = Store(initialState: opaque(limitState), reducer: limit, dependencies: opaque(1))
  var best = (ours: Double.infinity, limit: Double.infinity)
  for _ in 0..<60 {
    let a = nanoseconds(rounds: 1, operations: sends) {
      for index in 0..<sends { first.send(action(index)) }
    }
    let b = nanoseconds(rounds: 1, operations: sends) {
      for index in 0..<sends { second.send(limitAction(index)) }
    }
    best = (min(best.ours, a), min(best.limit, b))
  }
  return best
}

func compositionBenchmarks() -> [Measurement] {
  var table: [Measurement] = []

  func add(_ id: String, _ name: String, _ limit: String, goal: Double, _ pair: (Double, Double)) {
    table.append(
      Measurement(
        id: id, name: name, ours: pair.0, limit: pair.1, limitName: limit, goal: goal))
  }

  // P2
  let byHand = "switch by hand"
  add(
    "P2", "1 scope, plain call", byHand, goal: 1.0,
    sending(
      Plain1(), deep1(), { .child(.add($0)) }, against: Switch1(), deep1(), { .child(.add($0)) }))
  add(
    "P2", "1 scope, key path", byHand, goal: 2.5,
    sending(
      Paths1(), deep1(), { .child(.add($0)) }, against: Switch1(), deep1(), { .child(.add($0)) }))
  add(
    "P2", "5 scopes, plain call", byHand, goal: 1.0,
    sending(Plain5(), deep5(), { add5($0) }, against: Switch5(), deep5(), { add5($0) }))
  add(
    "P2", "5 scopes, key paths", byHand, goal: 2.5,
    sending(Paths5(), deep5(), { add5($0) }, against: Switch5(), deep5(), { add5($0) }))
  add(
    "P2", "10 scopes, plain call", byHand, goal: 1.0,
    sending(Plain10(), deep10(), { add10($0) }, against: Switch10(), deep10(), { add10($0) }))
  add(
    "P2", "10 scopes, key paths", byHand, goal: 2.5,
    sending(Paths10(), deep10(), { add10($0) }, against: Switch10(), deep10(), { add10($0) }))

  // P3
  func row(_ index: Int, of count: Int) -> ListAction {
    .row(.element(id: index % count, action: .add(index)))
  }
  add(
    "P3", "one of 1 000, forEach", "in place by hand", goal: 1.1,
    sending(
      ListByOperator(), ListState(1000), { row($0, of: 1000) },
      against: ListByHand(), ListState(1000), { row($0, of: 1000) }))

  add(
    "P3", "one of 1 000, plain call", "in place by hand", goal: 1.1,
    sending(
      ListByCall(), ListState(1000), { row($0, of: 1000) },
      against: ListByHand(), ListState(1000), { row($0, of: 1000) }))

  // P10: the same ten rows, so that the processor's caches do not count.
  add(
    "P10", "one of 100 000, forEach", "one of 10", goal: 1.1,
    sending(
      ListByOperator(), ListState(100_000), { row($0, of: 10) },
      against: ListByOperator(), ListState(10), { row($0, of: 10) }))
  add(
    "P10", "one of 100 000, in place", "one of 10", goal: 1.1,
    sending(
      ListByHand(), ListState(100_000), { row($0, of: 10) },
      against: ListByHand(), ListState(10), { row($0, of: 10) }))
  return table
}
