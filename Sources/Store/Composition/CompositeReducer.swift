/// A reducer that is made of others. Its subscriptions and its children are those of its parts.
@usableFromInline
protocol CompositeReducer: Reducer {
  /// Visits the child reducers, in the order of their subscriptions.
  func visitChildren<Question: ChildVisitor<State, Action, Dependencies>>(
    _ question: Question, _ subject: Question.Subject, _ answer: inout Question.Answer)
}

/// A visitor of child reducers. Each visitor is a type of its own, so that the optimizer can inline
/// a whole composition.
@usableFromInline
protocol ChildVisitor<State, Action, Dependencies> {
  /// The state of the reducer that asks.
  associatedtype State: Sendable
  associatedtype Action: Sendable
  associatedtype Dependencies: Sendable
  /// The subject of the question. It is passed as an argument, because a copy of a state in each
  /// question would cost more than the answer.
  associatedtype Subject
  associatedtype Answer

  /// Asks a child.
  ///
  /// - Parameters:
  ///   - search: Searches for the child in the state.
  ///   - subscriptions: Returns the child's subscriptions, embedded in the actions of the whole.
  func ask(
    child: some Reducer, _ subject: Subject, _ answer: inout Answer,
    search: (State, inout ChildSearch) -> Void,
    subscriptions: (State, Dependencies) -> [Effect<Action>])
}

extension ChildVisitor {
  /// Asks a part with the state and the actions of the whole.
  @inlinable @inline(__always)
  func ask(
    _ part: some Reducer<State, Action, Dependencies>, _ subject: Subject, _ answer: inout Answer
  ) {
    ask(child: part, subject, &answer) {
      part.findAbsentChildren(in: $0, &$1)
    } subscriptions: {
      part.subscriptions($0, $1)
    }
  }
}

extension CompositeReducer {
  /// Returns whether one of the parts declares subscriptions. O(number of parts).
  @inlinable
  public func declaresSubscriptions(in path: CompositionPath) -> Bool {
    var answer = false
    visitChildren(SubscriptionDeclarations<State, Action, Dependencies>(), path, &answer)
    return answer
  }

  /// Returns the subscriptions of all parts. O(number of parts), and the cost of the parts.
  @inlinable
  public func subscriptions(_ state: State, _ dependencies: Dependencies) -> [Effect<Action>] {
    var answer: [Effect<Action>] = []
    visitChildren(
      SubscriptionCollector<State, Action, Dependencies>(), (state, dependencies), &answer)
    return answer
  }

  /// Searches for the children of all parts. O(number of parts), and the cost of the parts.
  @inlinable @inline(__always)
  public func findAbsentChildren(in state: State, _ search: inout ChildSearch) {
    visitChildren(AbsentChildrenSearch<State, Action, Dependencies>(), state, &search)
  }
}

@usableFromInline
struct SubscriptionDeclarations<State: Sendable, Action: Sendable, Dependencies: Sendable>:
  ChildVisitor
{
  @inlinable
  init() {}

  @inlinable
  func ask(
    child: some Reducer, _ path: CompositionPath, _ answer: inout Bool,
    search: (State, inout ChildSearch) -> Void,
    subscriptions: (State, Dependencies) -> [Effect<Action>]
  ) {
    answer = answer || child.declaresSubscriptions(in: path)
  }
}

@usableFromInline
struct SubscriptionCollector<State: Sendable, Action: Sendable, Dependencies: Sendable>:
  ChildVisitor
{
  @usableFromInline typealias Subject = (state: State, dependencies: Dependencies)

  @inlinable
  init() {}

  @inlinable
  func ask(
    child: some Reducer, _ now: Subject, _ answer: inout [Effect<Action>],
    search: (State, inout ChildSearch) -> Void,
    subscriptions: (State, Dependencies) -> [Effect<Action>]
  ) {
    answer += subscriptions(now.state, now.dependencies)
  }
}

@usableFromInline
struct AbsentChildrenSearch<State: Sendable, Action: Sendable, Dependencies: Sendable>: ChildVisitor
{
  @inlinable
  init() {}

  @inlinable @inline(__always)
  func ask(
    child: some Reducer, _ state: State, _ answer: inout ChildSearch,
    search: (State, inout ChildSearch) -> Void,
    subscriptions: (State, Dependencies) -> [Effect<Action>]
  ) {
    search(state, &answer)
  }
}
