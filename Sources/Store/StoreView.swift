/// A view of a part of a store, which reads a part of the state and sends a part of the actions.
///
/// A view consists of three closures, 48 bytes. It stores no state and is not registered in the
/// store, so an unused view costs nothing. It keeps the store's core alive, but not the store.
/// After the store is released, a view reads the last state, and an action that it sends is an
/// issue.
public struct StoreView<State: Sendable, Action: Sendable>: Sendable {
  @usableFromInline let read: @Sendable (_ body: (borrowing State) -> Void) -> Void
  @usableFromInline let dispatch: @Sendable (Action, StepOrigin, SourceLocation) -> StoreTask
  @usableFromInline let watch:
    @Sendable (
      _ changed: @escaping @Sendable (borrowing State) -> Void, _ end: (@Sendable () -> Void)?
    ) -> ObservationToken

  @inlinable
  init(
    read: @escaping @Sendable (_ body: (borrowing State) -> Void) -> Void,
    dispatch: @escaping @Sendable (Action, StepOrigin, SourceLocation) -> StoreTask,
    watch:
      @escaping @Sendable (
        _ changed: @escaping @Sendable (borrowing State) -> Void, _ end: (@Sendable () -> Void)?
      ) -> ObservationToken
  ) {
    self.read = read
    self.dispatch = dispatch
    self.watch = watch
  }

  /// A copy of the part of the state. Reads through all levels of the view, under one lock.
  @inlinable
  public var state: State { withState { copy $0 } }

  /// Reads the part of the state in place, under the store's lock. The closure must be quick and
  /// must not use the store.
  ///
  /// - Complexity: The same as `Store.withState`, and one closure and one key path for each level.
  @inlinable
  public func withState<Result: Sendable>(_ body: (borrowing State) -> Result) -> Result {
    var result: Result?
    read { result = body($0) }
    // `read` calls its body exactly once, in every view.
    return result.unsafelyUnwrapped
  }

  /// Sends an action, like `Store.send`.
  ///
  /// - Complexity: The same as `Store.send`, and one closure for each level.
  @inlinable
  @discardableResult
  public func send(
    _ action: Action, origin: StepOrigin = .program(""), fileID: StaticString = #fileID,
    line: UInt32 = #line
  ) -> StoreTask {
    dispatch(action, origin, SourceLocation(fileID: fileID, line: line))
  }

  /// Calls `observer` with the part after every step of the store, like `Store.observe`, whether or
  /// not the part has changed.
  ///
  /// - Complexity: The same as `Store.observe`, and one key path for each level in every step.
  @discardableResult
  public func observe(_ observer: @escaping @Sendable (_ state: borrowing State) -> Void)
    -> ObservationToken
  {
    watch(observer, nil)
  }

  /// The latest values of the part, conflated like `Store.states`. O(1).
  public var states: StateSequence<State> {
    StateSequence(
      read: { state }, isEqual: nil, observe: { changed, end in watch({ _ in changed() }, end) })
  }

  /// The latest values of a property of the part, conflated and without repetitions, like
  /// `Store.states(_:)`. O(1).
  public func states<Value: Sendable & Equatable>(
    _ value: KeyPath<State, Value> & Sendable
  ) -> StateSequence<Value> {
    StateSequence(
      read: { withState { $0[keyPath: value] } }, isEqual: { $0 == $1 },
      observe: { changed, end in watch({ _ in changed() }, end) })
  }

  /// Returns a view of a part of this part.
  ///
  /// - Complexity: Creates three closures, which keep those of this view. Reading and sending go
  ///   through all levels, each with one key path and one closure.
  @inlinable
  public func scope<ChildState, ChildAction>(
    state: KeyPath<State, ChildState> & Sendable,
    action: @escaping @Sendable (ChildAction) -> Action
  ) -> StoreView<ChildState, ChildAction> {
    StoreView<ChildState, ChildAction>(
      read: { [read] body in read { body($0[keyPath: state]) } },
      dispatch: { [dispatch] in dispatch(action($0), $1, $2) },
      watch: { [watch] changed, end in watch({ changed($0[keyPath: state]) }, end) })
  }
}

extension Store {
  /// The whole store as a view, for functions that should not depend on the type of its reducer.
  /// O(1): three closures.
  @inlinable
  public var view: StoreView<State, Action> {
    let runtime = runtime
    return StoreView(
      read: { body in runtime.lock.withLock { body($0.machine.state) } },
      dispatch: { runtime.send($0, origin: $1, location: $2) },
      watch: { changed, end in runtime.observe({ _, state in changed(state) }, end: end) })
  }

  /// Returns a view of a part of the state that sends the actions that `action` embeds.
  ///
  /// ```swift
  /// let counter = store.scope(state: \.counter, action: BoardAction.counter)
  /// ```
  /// If the child may be absent, the part is an optional.
  @inlinable
  public func scope<ChildState, ChildAction>(
    state: KeyPath<State, ChildState> & Sendable,
    action: @escaping @Sendable (ChildAction) -> Action
  ) -> StoreView<ChildState, ChildAction> {
    view.scope(state: state, action: action)
  }
}
