/// A reducer that does something around another one with the same state and actions, such as
/// logging.
///
/// Its subscriptions and children are those of `base`. A type that conforms to `Reducer` only, and
/// calls another reducer in `reduce`, has neither.
/// ```swift
/// struct Counted<Base: Reducer>: WrappingReducer {
///   let base: Base
///   let count: Counter
///
///   func reduce(
///     _ state: inout Base.State, _ action: Base.Action, _ dependencies: Base.Dependencies
///   ) -> [Effect<Base.Action>] {
///     count.increment()
///     return base.reduce(&state, action, dependencies)
///   }
/// }
/// ```
public protocol WrappingReducer: Reducer
where State == Base.State, Action == Base.Action, Dependencies == Base.Dependencies {
  /// The type of the other reducer.
  associatedtype Base: Reducer

  /// The other reducer.
  var base: Base { get }
}

extension WrappingReducer {
  /// Returns whether `base` declares subscriptions.
  @inlinable
  public func declaresSubscriptions(in path: CompositionPath) -> Bool {
    base.declaresSubscriptions(in: path)
  }

  /// Returns the subscriptions of `base`.
  @inlinable
  public func subscriptions(
    _ state: Base.State, _ dependencies: Base.Dependencies
  ) -> [Effect<Base.Action>] {
    base.subscriptions(state, dependencies)
  }

  /// Finds the absent children of `base`.
  @inlinable @inline(__always)
  public func findAbsentChildren(in state: Base.State, _ search: inout ChildSearch) {
    base.findAbsentChildren(in: state, &search)
  }
}
