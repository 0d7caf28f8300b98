import SwiftBoardStore

// A feature under parents, composed in two ways that do the same.

public struct Parent<Inner: Sendable>: Sendable {
  public var child: Inner
  public var own = 0

  @inlinable
  public init(child: Inner) { self.child = child }
}

public enum Wrapped<Inner: Sendable>: Sendable {
  case child(Inner)
  case own

  @inlinable
  public static var child: CasePath<Self, Inner> {
    CasePath(embed: Wrapped.child) { if case .child(let action) = $0 { action } else { nil } }
  }
}

/// One level more around a feature, by a plain call.
public struct PlainLevel<Child: Reducer>: Reducer where Child.Dependencies == Int {
  @usableFromInline let child: Child

  @inlinable
  init(child: Child) { self.child = child }

  @inlinable
  public func reduce(
    _ state: inout Parent<Child.State>, _ action: Wrapped<Child.Action>, _ dependencies: Int
  ) -> [Effect<Wrapped<Child.Action>>] {
    switch action {
    case .child(let action):
      return child.reduce(&state.child, action, dependencies).scoped(Wrapped.child, id: "child")
    case .own:
      state.own &+= 1
      return []
    }
  }
}

/// One level more, by a key path.
public struct PathLevel<Child: Reducer>: ComposedReducer where Child.Dependencies == Int {
  @usableFromInline let child: Child

  @inlinable
  init(child: Child) { self.child = child }

  @inlinable
  public var body: some Reducer<Parent<Child.State>, Wrapped<Child.Action>, Int> {
    Scope(state: \.child, action: Wrapped.child, id: "child") { child }
    Reduce { state, action, _ in
      if case .own = action { state.own &+= 1 }
      return []
    }
  }
}

extension Reducer where Dependencies == Int {
  @inlinable
  public var plain: PlainLevel<Self> { PlainLevel(child: self) }
  @inlinable
  public var path: PathLevel<Self> { PathLevel(child: self) }
}

// MARK: Five levels around the counter

public let plain5 = Counter().plain.plain.plain.plain.plain
public let paths5 = Counter().path.path.path.path.path

public typealias L1 = Parent<Counter.State>
public typealias A1 = Wrapped<Counter.Action>
public typealias L2 = Parent<L1>
public typealias A2 = Wrapped<A1>
public typealias L3 = Parent<L2>
public typealias A3 = Wrapped<A2>
public typealias L4 = Parent<L3>
public typealias A4 = Wrapped<A3>
public typealias L5 = Parent<L4>
public typealias A5 = Wrapped<A4>

public func deep1() -> L1 { Parent(child: Counter.State()) }
public func deep5() -> L5 {
  Parent(child: Parent(child: Parent(child: Parent(child: deep1()))))
}

@inlinable @inline(__always)
public func add5(_ amount: Int) -> A5 { .child(.child(.child(.child(.child(.add(amount)))))) }
