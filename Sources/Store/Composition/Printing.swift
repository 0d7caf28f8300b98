/// The content that `printing` writes for a step.
public enum PrintStyle: Sendable {
  /// The whole action, and the difference between the state before and after.
  case changes
  /// The case of the action, without its values and without the state. Suitable for production.
  case actionLabels
}

extension Reducer {
  /// Writes the steps of this reducer, with one write after each step. The text depends on actions
  /// and states only.
  ///
  /// ```swift
  /// Board().printing()             // rows(element(id: 3, action: tapped))
  ///                                //     State(
  ///                                //   -   count: 0
  /// ```
  ///
  /// - Parameters:
  ///   - style: `changes` is for development. It uses reflection and keeps a copy of the state
  ///     while this reducer runs, so that a step copies the parts that it changes. `actionLabels`
  ///     keeps nothing.
  ///   - name: A prefix for every action, to distinguish several printers.
  ///   - sink: Receives the lines of one step, without a line break at the end. It runs under the
  ///     store's lock and must not use the store. Writes to standard error by default.
  /// - Complexity: With `actionLabels`, O(depth of the action's cases), with reflection. With
  ///   `changes`, O(size of action and state), with reflection, in every step and under the lock.
  @inlinable
  public consuming func printing(
    _ style: PrintStyle = .changes, name: String? = nil,
    to sink: @escaping @Sendable (String) -> Void = { writeToStandardError($0) }
  ) -> PrintingReducer<Self> {
    PrintingReducer(base: self, style: style, name: name, sink: sink)
  }
}

/// A reducer that prints its steps. Created by `printing`.
public struct PrintingReducer<Base: Reducer>: WrappingReducer {
  /// The reducer whose actions are printed.
  public let base: Base
  @usableFromInline let style: PrintStyle
  @usableFromInline let name: String?
  @usableFromInline let sink: @Sendable (String) -> Void

  @inlinable
  init(
    base: Base, style: PrintStyle, name: String?, sink: @escaping @Sendable (String) -> Void
  ) {
    self.base = base
    self.style = style
    self.name = name
    self.sink = sink
  }

  /// Reduces with the base, then calls the sink once. See `printing` for the cost.
  @inlinable
  public func reduce(
    _ state: inout Base.State, _ action: Base.Action, _ dependencies: Base.Dependencies
  ) -> [Effect<Base.Action>] {
    switch style {
    case .actionLabels:
      let effects = base.reduce(&state, action, dependencies)
      sink(titled(actionLabel(action)))
      return effects
    case .changes:
      let before = state
      let effects = base.reduce(&state, action, dependencies)
      sink(titled(changeText(action, before, state)))
      return effects
    }
  }

  @usableFromInline
  func titled(_ text: String) -> String { name.map { "\($0): \(text)" } ?? text }
}

/// Returns an action, and below it, indented, its changes to the state.
@usableFromInline
func changeText<State>(_ action: Any, _ before: State, _ after: State) -> String {
  let change = differenceText(of: before, and: after) ?? "(state unchanged)"
  let lines = change.split(separator: "\n", omittingEmptySubsequences: false)
  return ValueTree(action).oneLine + lines.map { "\n  " + $0 }.joined()
}
