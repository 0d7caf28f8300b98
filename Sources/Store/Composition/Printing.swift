/// What `printing` writes of a step.
public enum PrintStyle: Sendable {
  /// The action whole, and the difference between the state before and after.
  case changes
  /// Which case the action is, and nothing of what it holds or of the state: fit for production.
  case actionLabels
}

extension Reducer {
  /// Writes what this reducer does, one write a step, after the step. What it writes depends on
  /// actions and states alone.
  ///
  /// ```swift
  /// Board().printing()             // rows(element(id: 3, action: tapped))
  ///                                //     State(
  ///                                //   -   count: 0
  /// ```
  ///
  /// - Parameters:
  ///   - style: `changes` uses reflection and keeps a copy of the state while this reducer runs, so
  ///     that a step copies what it changes: for development. `actionLabels` keeps nothing.
  ///   - name: A prefix for every action, to distinguish several printers.
  ///   - sink: Gets the lines of one step, without a line break at the end. It runs under the
  ///     store's lock and must not use the store. Standard error by default.
  /// - Complexity: `actionLabels`: O(depth of the action's cases), with reflection. `changes`:
  ///   O(size of action and state), with reflection, in every step and under the lock.
  @inlinable
  public consuming func printing(
    _ style: PrintStyle = .changes, name: String? = nil,
    to sink: @escaping @Sendable (String) -> Void = { writeToStandardError($0) }
  ) -> PrintingReducer<Self> {
    PrintingReducer(base: self, style: style, name: name, sink: sink)
  }
}

/// A reducer that says what it does. Made by `printing`.
public struct PrintingReducer<Base: Reducer>: Reducer {
  @usableFromInline let base: Base
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

  /// The base, and then one call of the sink. See `printing` for the cost.
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

/// An action, and below it, moved to the right, what it changed.
@usableFromInline
func changeText<State>(_ action: Any, _ before: State, _ after: State) -> String {
  let change = differenceText(of: before, and: after) ?? "(state unchanged)"
  let lines = change.split(separator: "\n", omittingEmptySubsequences: false)
  return ValueTree(action).oneLine + lines.map { "\n  " + $0 }.joined()
}

extension PrintingReducer: ReducerOfParts {
  @inlinable
  @inline(__always)
  func askParts<Question: PartQuestion>(
    _ question: Question, _ subject: Question.Subject, _ answer: inout Question.Answer
  )
  where
    Question.State == Base.State, Question.Action == Base.Action,
    Question.Dependencies == Base.Dependencies
  {
    question.ask(base, subject, &answer)
  }
}
