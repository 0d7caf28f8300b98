import BenchmarkSupport

// Stores of other designs, written as their kind is and not as ours, for the same work.

// MARK: A class with subscribers

protocol PeerAction: Sendable {}

/// A store as ReSwift has it: an object for one thread, actions of any type, a chain of middleware,
/// a reducer that returns the next state, and subscribers that are told of both.
final class SubscriberStore<State> {
  typealias Dispatch = (any PeerAction) -> Void
  typealias Middleware = (@escaping Dispatch, @escaping () -> State) -> (@escaping Dispatch) ->
    Dispatch

  private(set) var state: State {
    didSet { for subscriber in subscribers { subscriber.new(oldValue, state) } }
  }
  private let reduce: (any PeerAction, State) -> State
  private var subscribers: [Subscriber] = []
  private var isDispatching = false
  private var chain: Dispatch = { _ in }

  final class Subscriber {
    let new: (State, State) -> Void

    init(_ new: @escaping (State, State) -> Void) { self.new = new }
  }

  init(
    _ state: State, middleware: [Middleware] = [passing],
    reduce: @escaping (any PeerAction, State) -> State
  ) {
    self.state = state
    self.reduce = reduce
    let last: Dispatch = { [unowned self] action in reduceNow(action) }
    chain = middleware.reversed().reduce(last) { next, middleware in
      middleware({ [unowned self] in dispatch($0) }, { [unowned self] in self.state })(next)
    }
  }

  func dispatch(_ action: any PeerAction) { chain(action) }

  func subscribe(_ new: @escaping (State, State) -> Void) {
    subscribers.append(Subscriber(new))
  }

  private func reduceNow(_ action: any PeerAction) {
    precondition(!isDispatching, "an action was dispatched by a reducer")
    isDispatching = true
    let next = reduce(action, state)
    isDispatching = false
    state = next
  }

  private static var passing: Middleware { { _, _ in { next in { next($0) } } } }
}

extension Counter.Action: PeerAction {}
extension Todos.Action: PeerAction {}
extension Wrapped: PeerAction {}
extension ListAction: PeerAction {}

/// The counter, as a function that returns the next state.
func counting(_ action: any PeerAction, _ state: Counter.State) -> Counter.State {
  guard let action = action as? Counter.Action else { return state }
  var next = state
  switch action {
  case .add(let amount):
    next.count &+= amount
    next.last = amount
  case .reset: next.count = 0
  }
  return next
}

/// The list of a program.
func listing(_ action: any PeerAction, _ state: Todos.State) -> Todos.State {
  guard let action = action as? Todos.Action else { return state }
  var next = state
  _ = Todos().reduce(&next, action, 1)
  return next
}

/// A level more around a function of this kind: its part of the state, and its actions.
func nesting<State, Action: PeerAction>(
  _: Action.Type, _ reduce: @escaping (any PeerAction, State) -> State
) -> (any PeerAction, Parent<State>) -> Parent<State> {
  { action, state in
    guard let action = action as? Wrapped<Action> else { return state }
    var next = state
    switch action {
    case .child(let action): next.child = reduce(action, state.child)
    case .own: next.own &+= 1
    }
    return next
  }
}

/// One of the rows of a list.
func rowing(_ action: any PeerAction, _ state: ListState) -> ListState {
  guard case .row(.element(let id, let action)) = action as? ListAction else { return state }
  var next = state
  _ = next.rows.update(id: id) { Row().reduce(&$0, action, 1) }
  return next
}

// MARK: An actor

/// A store as an actor, whose reducer returns asynchronous functions that give the next action.
actor ActorStore<State: Sendable, Action: Sendable> {
  typealias Work = @Sendable () async throws -> Action?

  private(set) var state: State
  private let reduce: @Sendable (inout State, Action) -> Work?
  private var tasks: [Int: Task<Void, Never>] = [:]
  private var lastTask = 0
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ state: State, reduce: @escaping @Sendable (inout State, Action) -> Work?) {
    self.state = state
    self.reduce = reduce
  }

  /// - Returns: The number of the task that the action has started, if it has.
  @discardableResult
  func send(_ action: Action) -> Int? {
    guard let work = reduce(&state, action) else { return nil }
    lastTask += 1
    let number = lastTask
    tasks[number] = Task {
      let next = try? await work()
      self.end(number, with: next ?? nil)
    }
    return number
  }

  func cancel(_ task: Int) { tasks[task]?.cancel() }

  /// Returns when no task runs.
  func finish() async {
    if tasks.isEmpty { return }
    await withCheckedContinuation { waiting.append($0) }
  }

  private func end(_ task: Int, with action: Action?) {
    if tasks.removeValue(forKey: task)?.isCancelled == false, let action { send(action) }
    guard tasks.isEmpty else { return }
    for continuation in waiting { continuation.resume() }
    waiting = []
  }
}
