/// A reducer that is written as a `body` of others.
///
/// `body` is made anew for every action, so it should be a plain listing. A type with a `body` has
/// no `reduce` of its own: that does not compile, since it would be called in the body's place.
/// What it does belongs in a `Reduce` of the body.
public protocol ComposedReducer<State, Action, Dependencies>: Reducer, ReducerWithoutReduce {
  /// The type of the listing; inferred.
  associatedtype Body: Reducer<State, Action, Dependencies>

  /// The listing. Made for every action: keep work out of it.
  @ReducerBuilder<State, Action, Dependencies>
  var body: Body { get }
}

extension ComposedReducer {
  // Under another name, so that `ReducerWithoutReduce` finds only what the type itself has.
  /// Makes the body and hands it the action: what `reduce` does here. Costs no allocation where the
  /// body is a plain listing that the optimiser takes apart.
  @_implements(Reducer,reduce(_:_:_:))
  @inlinable
  public func reduceBody(
    _ state: inout State, _ action: Action, _ dependencies: Dependencies
  ) -> [Effect<Action>] {
    body.reduce(&state, action, dependencies)
  }

  /// Whether the body declares subscriptions. A feature that contains itself is asked once on the
  /// way down.
  @inlinable
  public func declaresSubscriptions(in path: CompositionPath) -> Bool {
    path.entering(Self.self).map { body.declaresSubscriptions(in: $0) } ?? false
  }

  /// The subscriptions of the body, which is made anew for them.
  @inlinable
  public func subscriptions(_ state: State, _ dependencies: Dependencies) -> [Effect<Action>] {
    body.subscriptions(state, dependencies)
  }

  /// Looks for the children of the body, which is made anew for it.
  @inlinable
  @inline(__always)
  public func findAbsentChildren(in state: State, _ search: inout ChildSearch) {
    body.findAbsentChildren(in: state, &search)
  }
}

/// Finds out at compile time whether a type has a `reduce` of its own: part of `ComposedReducer`,
/// and nothing to conform to.
///
/// The compiler infers the associated types from a `reduce` where the type has one, and else from
/// the default, which no call can reach. `hasBodyAlone` exists in the second case, and is
/// unavailable in the first: that is the error.
public protocol ReducerWithoutReduce {
  /// Of the type's own `reduce`; inferred.
  associatedtype OwnState = NeverWritten
  /// Of the type's own `reduce`; inferred.
  associatedtype OwnAction = NeverWritten
  /// Of the type's own `reduce`; inferred.
  associatedtype OwnDependencies = NeverWritten
  /// What the type's own `reduce` returns; inferred.
  associatedtype OwnEffects = NeverWritten

  /// The type's own `reduce`, if it has one.
  @_disfavoredOverload
  func reduce(
    _ state: inout OwnState, _ action: OwnAction, _ dependencies: OwnDependencies
  ) -> OwnEffects

  /// Whether it has none: true wherever this compiles.
  static var hasBodyAlone: Bool { get }
}

/// A type without values: stands for the parameters of a `reduce` that was not written.
public enum NeverWritten: Sendable {}

extension ReducerWithoutReduce {
  /// Stands for a `reduce` that was not written. Cannot be called: there is no value to call it
  /// with.
  @_disfavoredOverload
  public func reduce(
    _ state: inout NeverWritten, _ action: NeverWritten, _ dependencies: NeverWritten
  ) -> NeverWritten {}

  /// A type with both does not compile.
  @available(
    *, unavailable,
    message:
      "a type with a body has no reduce of its own: reduce would be called, and the body never. Move it into the body, as a Reduce, or conform to Reducer without a body"
  )
  public static var hasBodyAlone: Bool { false }
}

extension ReducerWithoutReduce where OwnEffects == NeverWritten {
  /// True.
  public static var hasBodyAlone: Bool { true }
}
