/// A reducer that is written as a `body` of other reducers.
///
/// `body` is created for every action, so it should only list reducers. A type with a `body` must
/// not have a `reduce` method, because that method would be called instead of the body. It does not
/// compile. Move the code into a `Reduce` in the body.
public protocol ComposedReducer<State, Action, Dependencies>: Reducer, ReducerWithoutReduce {
  /// The inferred type of the body.
  associatedtype Body: Reducer<State, Action, Dependencies>

  /// The reducers that the type consists of. Created for every action, so it must not do any work.
  @ReducerBuilder<State, Action, Dependencies>
  var body: Body { get }
}

extension ComposedReducer {
  // Under another name, so that `ReducerWithoutReduce` finds only a method of the type itself.
  /// Creates the body and reduces with it. This method implements `reduce`. Allocates nothing if
  /// the body only lists reducers, so that the optimizer can inline it.
  @_implements(Reducer,reduce(_:_:_:))
  @inlinable
  public func reduceBody(
    _ state: inout State, _ action: Action, _ dependencies: Dependencies
  ) -> [Effect<Action>] {
    body.reduce(&state, action, dependencies)
  }

  /// Returns whether the body declares subscriptions. A feature that contains itself is asked once
  /// on each path.
  @inlinable
  public func declaresSubscriptions(in path: CompositionPath) -> Bool {
    path.entering(Self.self).map { body.declaresSubscriptions(in: $0) } ?? false
  }

  /// Returns the subscriptions of a newly created body.
  @inlinable
  public func subscriptions(_ state: State, _ dependencies: Dependencies) -> [Effect<Action>] {
    body.subscriptions(state, dependencies)
  }

  /// Searches for the children of a newly created body.
  @inlinable @inline(__always)
  public func findAbsentChildren(in state: State, _ search: inout ChildSearch) {
    body.findAbsentChildren(in: state, &search)
  }
}

/// A compile-time check that a type has no `reduce` method of its own. It is part of
/// `ComposedReducer`; do not conform to it directly.
///
/// The compiler infers the associated types from the type's own `reduce` if there is one, and
/// otherwise from the default, which cannot be called. `hasBodyAlone` is available in the second
/// case only, so that the first case is an error.
public protocol ReducerWithoutReduce {
  /// The state of the type's own `reduce`, inferred.
  associatedtype OwnState = NeverWritten
  /// The action of the type's own `reduce`, inferred.
  associatedtype OwnAction = NeverWritten
  /// The dependencies of the type's own `reduce`, inferred.
  associatedtype OwnDependencies = NeverWritten
  /// The result of the type's own `reduce`, inferred.
  associatedtype OwnEffects = NeverWritten

  /// Reduces an action, if the type has a `reduce` method of its own.
  @_disfavoredOverload
  func reduce(
    _ state: inout OwnState, _ action: OwnAction, _ dependencies: OwnDependencies
  ) -> OwnEffects

  /// Whether the type has no `reduce` method of its own. Always `true` in code that compiles.
  static var hasBodyAlone: Bool { get }
}

/// A type without values, for the parameters of a `reduce` method that does not exist.
public enum NeverWritten: Sendable {}

extension ReducerWithoutReduce {
  /// Replaces a `reduce` method that does not exist. It cannot be called, because its parameters
  /// have no values.
  @_disfavoredOverload
  public func reduce(
    _ state: inout NeverWritten, _ action: NeverWritten, _ dependencies: NeverWritten
  ) -> NeverWritten {}

  /// Unavailable, so that a type with both `body` and `reduce` does not compile.
  @available(
    *, unavailable,
    message:
      "a type with a body has no reduce of its own: reduce would be called, and the body never. Move it into the body, as a Reduce, or conform to Reducer without a body"
  )
  public static var hasBodyAlone: Bool { false }
}

extension ReducerWithoutReduce where OwnEffects == NeverWritten {
  /// Always `true`.
  public static var hasBodyAlone: Bool { true }
}
