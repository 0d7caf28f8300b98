import BenchmarkSupport
import SwiftBoardStore

// A counter under 1, 5 and 10 parents, composed in three ways that do the same.

let plain10 = plain5.plain.plain.plain.plain.plain
let paths10 = paths5.path.path.path.path.path

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

func deep10() -> L10 {
  Parent(child: Parent(child: Parent(child: Parent(child: Parent(child: deep5())))))
}

@inline(__always)
func add10(_ amount: Int) -> A10 { .child(.child(.child(.child(.child(add5(amount)))))) }

// MARK: Lists

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

// MARK: Measuring

/// Nanoseconds of one send to each of two stores, and to a peer if there is one: the best of many
/// short rounds in turn, so that a disturbance concerns all of them.
func sending<A: Reducer, B: Reducer>(
  _ ours: A, _ state: A.State, _ action: (Int) -> A.Action,
  against limit: B, _ limitState: B.State, _ limitAction: (Int) -> B.Action,
  peer: ((Int) -> Void)? = nil
) -> (ours: Double, limit: Double, peer: Double?)
where A.Dependencies == Int, B.Dependencies == Int {
  let sends = 20_000
  let first = Store(initialState: opaque(state), reducer: ours, dependencies: opaque(1))
  let second = Store(initialState: opaque(limitState), reducer: limit, dependencies: opaque(1))
  var best = (ours: Double.infinity, limit: Double.infinity, peer: Double?.none)
  for _ in 0..<60 {
    let a = nanoseconds(rounds: 1, operations: sends) {
      for index in 0..<sends { first.send(action(index)) }
    }
    let b = nanoseconds(rounds: 1, operations: sends) {
      for index in 0..<sends { second.send(limitAction(index)) }
    }
    best = (min(best.ours, a), min(best.limit, b), best.peer)
    if let peer {
      let c = nanoseconds(rounds: 1, operations: sends) {
        for index in 0..<sends { peer(index) }
      }
      best.peer = min(best.peer ?? c, c)
    }
  }
  return best
}

func compositionBenchmarks() -> [Measurement] {
  var table: [Measurement] = []

  func add(
    _ id: String, _ name: String, _ limit: String, goal: Double,
    _ costs: (ours: Double, limit: Double, peer: Double?)
  ) {
    table.append(
      Measurement(
        id: id, name: name, ours: costs.ours, limit: costs.limit, limitName: limit, goal: goal,
        peer: costs.peer, lead: 10))
  }

  // P2
  let peer1 = SubscriberStore(deep1(), reduce: nesting(Counter.Action.self, counting))
  let peer5 = SubscriberStore(
    deep5(),
    reduce: nesting(
      A4.self,
      nesting(
        A3.self,
        nesting(A2.self, nesting(A1.self, nesting(Counter.Action.self, counting))))))
  let byHand = "switch by hand"
  add(
    "P2", "1 scope, plain call", byHand, goal: 1.05,
    sending(
      Counter().plain, deep1(), { .child(.add($0)) }, against: Switch1(), deep1(),
      { .child(.add($0)) }, peer: { peer1.dispatch(A1.child(.add($0))) }))
  add(
    "P2", "1 scope, key path", byHand, goal: 2.5,
    sending(
      Counter().path, deep1(), { .child(.add($0)) }, against: Switch1(), deep1(),
      { .child(.add($0)) }))
  add(
    "P2", "5 scopes, plain call", byHand, goal: 1.05,
    sending(
      plain5, deep5(), { add5($0) }, against: Switch5(), deep5(), { add5($0) },
      peer: { peer5.dispatch(add5($0)) }))
  add(
    "P2", "5 scopes, key paths", byHand, goal: 2.5,
    sending(
      paths5, deep5(), { add5($0) }, against: Switch5(), deep5(), { add5($0) },
      peer: { peer5.dispatch(add5($0)) }))
  add(
    "P2", "10 scopes, plain call", byHand, goal: 1.05,
    sending(plain10, deep10(), { add10($0) }, against: Switch10(), deep10(), { add10($0) }))
  let deep = sending(
    paths10, deep10(), { add10($0) }, against: Switch10(), deep10(), { add10($0) })
  add(
    "P2", "10 scopes, key paths, each level", "7 ns", goal: 1,
    ((deep.ours - deep.limit) / 10, 7, nil))

  // P3
  let peerList = SubscriberStore(ListState(1000), reduce: rowing)
  func row(_ index: Int, of count: Int) -> ListAction {
    .row(.element(id: index % count, action: .add(index)))
  }
  add(
    "P3", "one of 1 000, forEach", "in place by hand", goal: 1.15,
    sending(
      ListByOperator(), ListState(1000), { row($0, of: 1000) },
      against: ListByHand(), ListState(1000), { row($0, of: 1000) },
      peer: { peerList.dispatch(row($0, of: 1000)) }))

  add(
    "P3", "one of 1 000, plain call", "in place by hand", goal: 1.15,
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
