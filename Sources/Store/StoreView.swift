/// A part of a store, for code that should know no more: reads a part of the state, sends a part of
/// the actions.
///
/// A value of three closures, 48 bytes. It stores no state and is not registered in the store, so
/// an unused view costs nothing. It keeps the store's core alive, but not the store: once that is
/// dropped, a view reads the last state, and what it sends is an issue.
public struct StoreView<State: Sendable, Action: Sendable>: Sendable {
  @usableFromInline let read: @Sendable (_ body: (borrowing State) -> Void) -> Void
  @usableFromInline let dispatch: @Sendable (Action, StepOrigin, SourceLocation) -> StoreTask
  @usableFromInline let watch:
    @Sendable (
      _ changed: @escaping @Sendable (borrowing State) -> Void, _ end: (@Sendable () -> Void)?
    ) -> Observation

  @inlinable
  init(
    read: @escaping @Sendable (_ body: (borrowing State) -> Void) -> Void,
    dispatch: @escaping @Sendable (Action, StepOrigin, SourceLocation) -> StoreTask,
    watch:
      @escaping @Sendable (
        _ changed: @escaping @Sendable (borrowing State) -> Void, _ end: (@Sendable () -> Void)?
      ) -> Observation
  ) {
    self.read = read
    self.dispatch = dispatch
    self.watch = watch
  }

  /// A copy of the part of the state. Goes through all levels of the view, under one lock.
  @inlinable
  public var state: State { withState { copy $0 } }

  /// Reads the part of the state in place, under the store's lock: be quick, and do not use the
  /// store.
  ///
  /// - Complexity: As `Store.withState`, and one closure and one key path for each level.
  @inlinable
  public func withState<Result: Sendable>(_ body: (borrowing State) -> Result) -> Result {
    var result: Result?
    read { result = body($0) }
    // `read` calls its body once, whatever the view: assigned above.
    return result.unsafelyUnwrapped
  }

  /// Sends as `Store.send` does.
  ///
  /// - Complexity: As `Store.send`, and one closure for each level.
  @inlinable
  @discardableResult
  public func send(
    _ action: Action, origin: StepOrigin = .program(""), fileID: StaticString = #fileID,
    line: UInt32 = #line
  ) -> StoreTask {
    dispatch(action, origin, SourceLocation(fileID: fileID, line: line))
  }

  /// Calls `observer` with the part after every step of the store, as `Store.observe` does, whether
  /// the part has changed or not.
  ///
  /// - Complexity: As `Store.observe`; the part is found by one key path for each level in every
  ///   step.
  @discardableResult
  public func observe(_ observer: @escaping @Sendable (_ state: borrowing State) -> Void)
    -> Observation
  {
    watch(observer, nil)
  }

  /// The latest of the part, conflated: see `Store.states`. O(1) to make; then as `Store.states`.
  public var states: StateSequence<State> {
    StateSequence(
      read: { state }, isEqual: nil, observe: { changed, end in watch({ _ in changed() }, end) })
  }

  /// The latest of a part of the part, only where it differs from the one before: see
  /// `Store.states(_:)`. O(1) to make.
  public func states<Value: Sendable & Equatable>(
    _ value: KeyPath<State, Value> & Sendable
  ) -> StateSequence<Value> {
    StateSequence(
      read: { withState { $0[keyPath: value] } }, isEqual: { $0 == $1 },
      observe: { changed, end in watch({ _ in changed() }, end) })
  }

  /// A part of this part.
  ///
  /// - Complexity: Reading and sending go through all levels; each is a key path and a closure. The
  ///   closures of this view are kept, and three more made.
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
  /// The whole store as a view: for functions that should not depend on its reducer's type. O(1):
  /// three closures.
  @inlinable
  public var view: StoreView<State, Action> {
    let runtime = runtime
    return StoreView(
      read: { body in runtime.lock.withLock { body($0.machine.state) } },
      dispatch: { runtime.send($0, origin: $1, location: $2) },
      watch: { changed, end in runtime.observe({ _, state in changed(state) }, end: end) })
  }

  /// A part of the store: a part of the state, and the actions that `action` embeds.
  ///
  /// ```swift
  /// let counter = store.scope(state: \.counter, action: BoardAction.counter)
  /// ```
  /// A child that may be absent is a part that is optional.
  @inlinable
  public func scope<ChildState, ChildAction>(
    state: KeyPath<State, ChildState> & Sendable,
    action: @escaping @Sendable (ChildAction) -> Action
  ) -> StoreView<ChildState, ChildAction> {
    view.scope(state: state, action: action)
  }
}
