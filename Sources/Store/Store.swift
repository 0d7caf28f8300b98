/// Holds a state, reduces actions one at a time, and runs the effects that follow.
///
/// A store is no actor: `send` is synchronous and may be called from any thread, task or isolation.
/// All that changes lives behind one lock.
///
/// ## Rules
///
/// The title of a test has the number of the rule that it shows.
///
/// - **R1** A store reduces one action at a time, in one total order.
/// - **R2** Turns. An action from outside a reduction, sent by a program, an effect or an observer,
///   opens a turn: it is reduced, then the actions of its `.send` effects and the actions that
///   these cause, first in, first out, with no other action in between. Turns run in the order in
///   which their actions arrived. Watching a store does not change the order. When `send` returns,
///   the turn is over and observers have been notified, with one exception: while an observer is
///   being notified of a step, by this thread or another, `send` only queues its action, and the
///   notifying thread then reduces it.
/// - **R3** State is changed in place: a step costs the same beside 10 or 10 million untouched
///   elements, and a `send` without effects allocates nothing.
/// - **R4** Effects start in the order returned, after the step's state is visible; the effects of
///   step n start before the effects of step n+1. A start is the creation of the task; what the
///   tasks do overlaps. An effect inherits the task-local values of the sender if the sending
///   thread reduces the action; if `send` only queued it, it inherits none. One that waited for a
///   permit inherits none either, unless a member of its own group gave it back.
/// - **R5** Once `.cancel(id:)` is reduced, no action of a cancelled effect is reduced, whether it
///   had started or not, and whether the action waits in the queue or not. It applies to what was
///   returned before it, and to what precedes it in the same list, `merge` or `concatenate`;
///   effects after it run. In a `concatenate` it acts when it is reached.
/// - **R6** Ids belong to one store and one position in the composition; a parent may cancel a
///   child's.
/// - **R7** A child's effects, and what it declares, end in the step in which the child goes,
///   whichever reducer removes it; `outlives()` opts out. Children that are composed by plain calls
///   end with `Effect.endChild(id:)`.
/// - **R8** A child sees an action before what is attached to it. An action for a child that does
///   not exist is an issue at the composing line.
/// - **R9** An error that an effect throws and does not catch is an issue, reported to `onIssue`
///   and to hooks.
/// - **R10** `send` returns a handle that waits for its effects and what they cause, or cancels
///   them.
/// - **R11** Dropping a store cancels its effects; `shutdown(deadline:)` lets running effects end
///   first.
/// - **R12** Observers choose: every step in order (`observe`, `steps`, `actions`), or the latest
///   state (`states`). A slow reader of a sequence never slows the store.
/// - **R13** Effects can be inspected: `effects` lists the running ones.
/// - **R14** Time is a dependency: what delays, limits, repeats or throttles effects does it on the
///   clock that it is handed.
/// - **R15** The same actions lead to the same states, descriptors and origins, so that a recording
///   replays.
public final class Store<R: Reducer>: Sendable {
  /// The reducer's state.
  public typealias State = R.State
  /// The reducer's action.
  public typealias Action = R.Action

  @usableFromInline let runtime: StoreRuntime<R>

  /// A store at its initial state. Nothing is reduced; what that state declares with
  /// `subscriptions` is started.
  ///
  /// - Parameters:
  ///   - dependencies: Handed to the reducer with every action; the store does not look at them.
  ///   - hooks: Called for every step, from the first one on.
  ///   - lastStep: The number of the last step that led to `initialState`; the first step of this
  ///     store has the number after it.
  ///   - startsSubscriptions: Whether the subscriptions of the initial state are started here. Else
  ///     they are held back until `startSubscriptions()`, for example until a recorder is in place.
  ///   - executor: Where effects run; `nil` is the concurrent pool. A serial one makes their order
  ///     exact. Its `enqueue` is called under the store's lock and must not run the job at once.
  ///   - onIssue: Receives misuse and uncaught errors, after the step and outside the lock, on the
  ///     thread where it came up. Writes to standard error by default.
  /// - Complexity: One object of less than 512 bytes beside the state. The graph of effects grows
  ///   with the most effects there ever were at once, and stays as large.
  @inlinable
  public init(
    initialState: State, reducer: R, dependencies: R.Dependencies,
    hooks: StepHooks<State, Action>? = nil, lastStep: Int = 0, startsSubscriptions: Bool = true,
    executor: (any TaskExecutor)? = nil, onIssue: (@Sendable (StoreIssue) -> Void)? = nil
  ) {
    runtime = StoreRuntime(
      StoreMachine(
        state: initialState, reducer: reducer, dependencies: dependencies, steps: lastStep),
      hooks: hooks, executor: executor, onIssue: onIssue ?? { writeToStandardError("issue: \($0)") }
    )
    if startsSubscriptions { startSubscriptions() }
  }

  /// A store of a reducer without dependencies. Else as
  /// `init(initialState:reducer:dependencies:executor:onIssue:)`.
  @inlinable
  public convenience init(
    initialState: State, reducer: R, executor: (any TaskExecutor)? = nil,
    onIssue: (@Sendable (StoreIssue) -> Void)? = nil
  ) where R.Dependencies == Void {
    self.init(
      initialState: initialState, reducer: reducer, dependencies: (), executor: executor,
      onIssue: onIssue)
  }

  /// A store of the reducers that are listed, without dependencies. Else as
  /// `init(initialState:reducer:dependencies:executor:onIssue:)`.
  ///
  /// ```swift
  /// let store = Store(initialState: Counter.State()) { Counter() }
  /// ```
  /// - Parameter reducer: Called once, here.
  @inlinable
  public convenience init<S, A>(
    initialState: S, executor: (any TaskExecutor)? = nil,
    onIssue: (@Sendable (StoreIssue) -> Void)? = nil,
    @ReducerBuilder<S, A, Void> reducer: () -> R
  ) where R: Reducer<S, A, Void> {
    self.init(
      initialState: initialState, reducer: reducer(), executor: executor, onIssue: onIssue)
  }

  init(runtime: StoreRuntime<R>) {
    self.runtime = runtime
  }

  deinit {
    runtime.handle { $0.close() }
  }

  /// Reduces `action` on the calling thread, with all that it causes at once. See R2 for what holds
  /// when it returns. After the store was shut down the action is dropped and is an issue.
  ///
  /// - Parameter origin: The sender, for hooks, observers and recordings.
  /// - Returns: A handle to what the action set going.
  /// - Complexity: The reducer's own cost plus one lock; no allocation if there are no effects and
  ///   no observers. Each `.task` or `.run` that is returned starts one task. With observers, one
  ///   lock more and their own cost.
  @inlinable
  @discardableResult
  public func send(
    _ action: Action, origin: StepOrigin = .program(""), fileID: StaticString = #fileID,
    line: UInt32 = #line
  ) -> StoreTask {
    runtime.send(action, origin: origin, location: SourceLocation(fileID: fileID, line: line))
  }

  /// Reduces `actions` in order, as one `send` after the other does: each opens a turn. The lock is
  /// acquired once for all that have no effects while nothing watches. Another thread's actions
  /// come before or after such a run.
  ///
  /// - Complexity: The reducer's own cost; no allocation where `actions` is an array and there are
  ///   no effects and no observers. The lock is held meanwhile: send very many in portions where
  ///   others should get their turn.
  @inlinable
  public func send(
    contentsOf actions: some Sequence<Action>, origin: StepOrigin = .program(""),
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) {
    runtime.send(
      all: Array(actions), origin: origin, location: SourceLocation(fileID: fileID, line: line))
  }

  /// A copy of the state: a retain for what is shared, and the next step copies what it changes of
  /// it while you keep it.
  ///
  /// - Complexity: One lock and a copy of the value; no allocation.
  @inlinable
  public var state: State {
    runtime.lock.withLock { $0.machine.state }
  }

  /// Reads the state in place. The closure runs under the store's lock: it must be quick and must
  /// not use the store.
  ///
  /// - Complexity: One lock, no copy and no allocation; a step of another thread waits meanwhile.
  @inlinable
  public func withState<Result: Sendable>(_ read: (borrowing State) -> Result) -> Result {
    runtime.lock.withLock { read($0.machine.state) }
  }

  /// How many actions have been reduced: the number of the last step, 0 before the first. One lock.
  public var stepCount: Int {
    runtime.lock.withLock { $0.machine.steps }
  }

  /// What runs, waits for its turn in a sequence or for a permit, or was cancelled and has not
  /// ended. In no particular order.
  ///
  /// - Complexity: O(most effects that there ever were at once), under the lock. Makes each one's
  ///   descriptor.
  public var effects: [RunningEffect<Action>] {
    runtime.lock.withLock { $0.machine.unendedEffects }
  }

  /// Starts the subscriptions that the state declares, if they were held back. From here on they
  /// start and end with the state. Does nothing where they were not held back. One lock.
  @inlinable
  public func startSubscriptions() {
    runtime.handle { $0.startSubscriptions() }
  }

  /// How many observe, sequences and waits for a state included.
  package var observerCount: Int { runtime.lock.withLock { $0.observers.count } }

  /// Whether any effect is found by an id or by its place.
  package var hasIndexedEffects: Bool {
    runtime.lock.withLock { !$0.machine.graph.index.root.isEmpty }
  }

  /// How many slots the graph of effects has, free ones included.
  package var slotCount: Int { runtime.lock.withLock { $0.machine.graph.tree.nodes.count } }

  /// Calls `observer` after every step, in order, on the thread that reduced it and outside the
  /// lock, before the next step is reduced. It may send. It is part of the cost of `send`, so a
  /// slow one belongs behind a queue of its own.
  ///
  /// - Returns: Ends the observation when `cancel()` is called; dropping it changes nothing.
  /// - Complexity: O(1) amortised here. A step then costs one call for each observer, a copy of the
  ///   state as it is handed on, and a second lock. Observing a store that has ended does nothing.
  @discardableResult
  public func observe(
    _ observer: @escaping @Sendable (_ step: Step<Action>, _ state: borrowing State) -> Void
  ) -> Observation {
    observe(observer, end: nil)
  }

  /// Replaces the hooks, from the next step on; `nil` removes them.
  ///
  /// - Parameter make: Gets the state and the number of the last step; runs under the lock, so that
  ///   no step falls between what it sees and what the hooks see.
  /// - Complexity: One lock. Without hooks steps cost nothing more; with them each makes a `Step`
  ///   and the descriptors of its effects.
  public func setHooks(
    _ make: (_ state: borrowing State, _ lastStep: Int) -> StepHooks<State, Action>?
  ) {
    runtime.change { shared in
      shared.setHooks(make(shared.machine.state, shared.machine.steps))
    }
  }

  /// Waits until nothing runs, at most for `deadline`; then cancels what is left and takes no more
  /// actions. Subscriptions, which run for as long as the state declares them, are cancelled first,
  /// and so is the work that `cancelling` names.
  ///
  /// Actions are still taken while it waits. Cancelling the calling task is as if the deadline had
  /// passed. Of two calls at once the shorter deadline ends both; where the store has ended a call
  /// returns at once.
  ///
  /// - Parameters:
  ///   - work: What does not run to its end. By default that is what waits for a permit of its
  ///     limit; effects that run, and the members of sequences that have begun, run to their end.
  ///   - clock: Measures the deadline.
  /// - Returns: What was still running when the deadline passed, including what was cancelled
  ///   before and has not returned; empty if all ended in time.
  /// - Complexity: Two child tasks; then as `effects`, and O(number of effects and of queued
  ///   actions) to end them.
  @discardableResult
  public func shutdown(
    cancelling work: ShutdownWork = .queued, deadline: Duration,
    clock: any Clock<Duration> = ContinuousClock()
  ) async -> [RunningEffect<Action>] {
    let runtime = runtime
    runtime.handle { $0.drain(cancelling: work) }
    @Sendable func close() -> [RunningEffect<Action>] {
      runtime.handle { machine in
        let left = machine.unendedEffects
        machine.close()
        return left
      }
    }
    // No sleep that has ended before it begins: it would be one on a shared queue of Dispatch.
    guard deadline > .zero else { return close() }
    return await withTaskGroup(of: Void.self) { group in
      group.addTask { await runtime.waitUntilIdle() }
      group.addTask { try? await clock.sleep(for: deadline) }
      await group.next()
      let left = close()
      group.cancelAll()
      return left
    }
  }
}

/// What `Store.shutdown` does not let run to its end.
public enum ShutdownWork: Sendable, Hashable {
  /// Effects that have not started because their limit is reached.
  case queued
  /// Every effect.
  case all
}

/// The end of an observation. Keeping one keeps the state of its store.
public struct Observation: Sendable {
  @usableFromInline let runtime: AnyStoreRuntime?
  @usableFromInline let id: Int

  /// Steps that are reduced after this call are not delivered. A step that is being delivered may
  /// still arrive. O(number of observers). One lock.
  public func cancel() {
    runtime?.ask(.removeObserver(id))
  }
}
