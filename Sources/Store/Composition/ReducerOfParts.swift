/// A reducer that is made of others. What it declares is what its parts declare, and its children
/// are theirs.
@usableFromInline
protocol ReducerOfParts: Reducer {
  /// Puts the question to the parts, in the order of their subscriptions.
  func askParts<Question: PartQuestion>(
    _ question: Question, _ subject: Question.Subject, _ answer: inout Question.Answer)
  where
    Question.State == State, Question.Action == Action, Question.Dependencies == Dependencies
}

/// What a reducer of parts asks its parts. A type for each question, so that the optimiser sees
/// through a whole composition.
@usableFromInline
protocol PartQuestion<State, Action, Dependencies> {
  /// Of the reducer that asks.
  associatedtype State: Sendable
  associatedtype Action: Sendable
  associatedtype Dependencies: Sendable
  /// What is asked about. Handed on, since a copy of a state in each question would cost more than
  /// the answer.
  associatedtype Subject
  associatedtype Answer

  /// Asks a part with the state and the actions of the whole.
  func ask(
    _ part: some Reducer<State, Action, Dependencies>, _ subject: Subject, _ answer: inout Answer)

  /// Asks a child.
  ///
  /// - Parameters:
  ///   - search: Looks for the child in the state.
  ///   - subscriptions: The child's, embedded in the actions of the whole.
  func ask(
    child: some Reducer, _ subject: Subject, _ answer: inout Answer,
    search: (State, inout ChildSearch) -> Void,
    subscriptions: (State, Dependencies) -> [Effect<Action>])

  /// Asks for what the reducer itself declares.
  func ask(
    declared subscriptions: (State, Dependencies) -> [Effect<Action>], _ subject: Subject,
    _ answer: inout Answer)
}

extension ReducerOfParts {
  /// Whether one of the parts declares subscriptions. O(number of parts).
  @inlinable
  public func declaresSubscriptions(in path: CompositionPath) -> Bool {
    var answer = false
    askParts(DeclaresQuestion<State, Action, Dependencies>(), path, &answer)
    return answer
  }

  /// The subscriptions of all parts. O(number of parts), and what these cost.
  @inlinable
  public func subscriptions(_ state: State, _ dependencies: Dependencies) -> [Effect<Action>] {
    var answer: [Effect<Action>] = []
    askParts(
      SubscriptionsQuestion<State, Action, Dependencies>(), (state, dependencies), &answer)
    return answer
  }

  /// Looks for the children of all parts. O(number of parts), and what these cost.
  @inlinable
  @inline(__always)
  public func findAbsentChildren(in state: State, _ search: inout ChildSearch) {
    askParts(ChildrenQuestion<State, Action, Dependencies>(), state, &search)
  }
}

@usableFromInline
struct DeclaresQuestion<State: Sendable, Action: Sendable, Dependencies: Sendable>: PartQuestion {
  @inlinable
  init() {}

  @inlinable
  func ask(
    _ part: some Reducer<State, Action, Dependencies>, _ path: CompositionPath,
    _ answer: inout Bool
  ) {
    answer = answer || part.declaresSubscriptions(in: path)
  }

  @inlinable
  func ask(
    child: some Reducer, _ path: CompositionPath, _ answer: inout Bool,
    search: (State, inout ChildSearch) -> Void,
    subscriptions: (State, Dependencies) -> [Effect<Action>]
  ) {
    answer = answer || child.declaresSubscriptions(in: path)
  }

  @inlinable
  func ask(
    declared subscriptions: (State, Dependencies) -> [Effect<Action>], _ path: CompositionPath,
    _ answer: inout Bool
  ) {
    answer = true
  }
}

@usableFromInline
struct SubscriptionsQuestion<State: Sendable, Action: Sendable, Dependencies: Sendable>:
  PartQuestion
{
  @usableFromInline typealias Subject = (state: State, dependencies: Dependencies)

  @inlinable
  init() {}

  @inlinable
  func ask(
    _ part: some Reducer<State, Action, Dependencies>, _ now: Subject,
    _ answer: inout [Effect<Action>]
  ) {
    answer += part.subscriptions(now.state, now.dependencies)
  }

  @inlinable
  func ask(
    child: some Reducer, _ now: Subject, _ answer: inout [Effect<Action>],
    search: (State, inout ChildSearch) -> Void,
    subscriptions: (State, Dependencies) -> [Effect<Action>]
  ) {
    answer += subscriptions(now.state, now.dependencies)
  }

  @inlinable
  func ask(
    declared subscriptions: (State, Dependencies) -> [Effect<Action>], _ now: Subject,
    _ answer: inout [Effect<Action>]
  ) {
    answer += subscriptions(now.state, now.dependencies)
  }
}

@usableFromInline
struct ChildrenQuestion<State: Sendable, Action: Sendable, Dependencies: Sendable>: PartQuestion {
  @inlinable
  init() {}

  @inlinable
  @inline(__always)
  func ask(
    _ part: some Reducer<State, Action, Dependencies>, _ state: State,
    _ search: inout ChildSearch
  ) {
    part.findAbsentChildren(in: state, &search)
  }

  @inlinable
  @inline(__always)
  func ask(
    child: some Reducer, _ state: State, _ answer: inout ChildSearch,
    search: (State, inout ChildSearch) -> Void,
    subscriptions: (State, Dependencies) -> [Effect<Action>]
  ) {
    search(state, &answer)
  }

  @inlinable
  @inline(__always)
  func ask(
    declared subscriptions: (State, Dependencies) -> [Effect<Action>], _ state: State,
    _ search: inout ChildSearch
  ) {}
}
