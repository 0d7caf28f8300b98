/// A container that holds a state, reduces actions one at a time, and runs their effects.
///
/// A store is not an actor: `send` is synchronous and may be called from any thread, task or
/// isolation. All mutable data is protected by one lock.
///
/// ## Rules
///
/// The title of a test contains the number of the rule that it tests.
///
/// - **R1** A store reduces one action at a time, in one total order.
/// - **R2** Turns. An action from outside a reduction, sent by a program, an effect or an observer,
///   opens a turn: it is reduced, then the actions of its `.send` effects and the actions that
///   these cause, first in, first out, with no other action in between. Turns run in the order in
///   which their actions arrived. The end of an effect's work waits until no turn is open, like an
///   action. Watching a store does not change the order. When `send` returns, the turn is over and
///   observers have been notified, with one exception: while an observer is being notified of a
///   step, a task is being cancelled, or an issue is being reported, by this thread or another,
///   `send` only queues its action, and that thread then reduces it.
/// - **R3** State is changed in place: a step costs the same beside 10 or 10 million untouched
///   elements, and a `send` without effects allocates nothing.
/// - **R4** Effects start in the order returned, after the step's state is visible; the effects of
///   step n start before the effects of step n+1. An effect starts when its task is created; tasks
///   run concurrently. An effect inherits the task-local values of the sender if the sending thread
///   reduces the action; if `send` only queued it, it inherits none. An effect that waited for a
///   permit also inherits none, unless an effect of the same list returned the permit. In a test
///   store, all effects inherit those of the test.
/// - **R5** Once `.cancel(id:)` is reduced, no action of a cancelled effect is reduced, whether or
///   not the effect had started or had ended, and whether or not the action is queued. It cancels
///   effects that were returned earlier, and effects that precede it in the same list and in the
///   groups of that list; effects after it in the list run. In a `concatenate` it acts when it is
///   reached, and also cancels effects that later steps have returned by then. A cancelled task
///   sends nothing.
/// - **R6** Ids belong to one store and one place in the composition. A parent can cancel the
///   effects of a child by id. A limit counts in the whole store, or in each place if it says so.
/// - **R7** The step that removes a child ends its effects and its subscriptions, whichever reducer
///   removes it; but a stack must be replaced or restored only as `StackState` describes. Effects
///   with `outlives()` continue. Children that are composed by plain calls end with
///   `Effect.endChild(id:)`.
/// - **R8** A child sees an action before the reducer to which it is attached. An action for a
///   child that does not exist is an issue at the composing line.
/// - **R9** An error that an effect throws and does not catch is an issue, reported to `onIssue`
///   and to hooks.
/// - **R10** `send` returns a handle with which to wait for, or to cancel, the effects of the
///   action and everything that they cause, also in a turn that has begun.
/// - **R11** Releasing a store cancels its effects; `shutdown(deadline:)` lets running effects end
///   first.
/// - **R12** An observer receives every step in order (`observe`, `steps`, `actions`) or the latest
///   state (`states`). A slow consumer of a sequence never delays the store.
/// - **R13** Effects can be inspected: `effects` lists the running ones.
/// - **R14** Time is a dependency: operators that delay, limit, repeat or throttle effects use the
///   clock that is passed to them.
/// - **R15** The same actions lead to the same states, descriptors and origins, so that a recording
///   replays.
public final class Store<R: Reducer>: Sendable {
  /// The reducer's state.
  public typealias State = R.State
  /// The reducer's action.
  public typealias Action = R.Action

  @usableFromInline let runtime: StoreRuntime<R>

  /// Creates a store with an initial state. No action is reduced. The subscriptions that the
  /// initial state declares are started.
  ///
  /// - Parameters:
  ///   - dependencies: Passed to the reducer with every action. The store does not inspect them.
  ///   - hooks: Called for every step, from the first one on.
  ///   - lastStep: The number of the last step that led to `initialState`. The first step of this
  ///     store has the next number.
  ///   - startsSubscriptions: Whether to start the subscriptions of the initial state now.
  ///     Otherwise they start with `startSubscriptions()`, for example after a recorder is
  ///     attached.
  ///   - executor: The executor that runs effects, or `nil` for the concurrent pool. With a serial
  ///     executor, their order is exact. Its `enqueue` is called under the store's lock and must
  ///     not run the job at once.
  ///   - onIssue: Receives misuse and uncaught errors, after the step and outside the lock, on the
  ///     thread that detected the issue. Writes to standard error by default.
  /// - Complexity: One object of less than 512 bytes beside the state. The graph of effects grows
  ///   to the maximum number of simultaneous effects and does not shrink.
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

  /// Creates a store of a reducer without dependencies. Otherwise the same as
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

  /// Creates a store of the listed reducers, without dependencies. Otherwise the same as
  /// `init(initialState:reducer:dependencies:executor:onIssue:)`.
  ///
  /// ```swift
  /// let store = Store(initialState: Counter.State()) { Counter() }
  /// ```
  /// - Parameter reducer: Called once, by this initializer.
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

  /// Reduces `action` on the calling thread, with everything it causes at once. R2 describes the
  /// guarantees on return. After the store was shut down, the action is dropped and reported as an
  /// issue, once for each line that sends one.
  ///
  /// - Parameter origin: The sender, for hooks, observers and recordings. An `effect`, such as that
  ///   of a step of another store, becomes the `program` of its name: an action is one of an effect
  ///   only if an effect of this store sent it.
  /// - Returns: A handle to the effects that the action caused.
  /// - Complexity: The reducer's own cost and one lock. Allocates nothing if there are no effects
  ///   and no observers. Each returned `.task` or `.run` starts one task. Observers add one more
  ///   lock and their own cost.
  @inlinable
  @discardableResult
  public func send(
    _ action: Action, origin: StepOrigin = .program(""), fileID: StaticString = #fileID,
    line: UInt32 = #line
  ) -> StoreTask {
    runtime.send(action, origin: origin, location: SourceLocation(fileID: fileID, line: line))
  }

  /// Reduces `actions` in order, like one `send` after another: each opens a turn. While there are
  /// no hooks, observers or meter, the lock is acquired once for a run of actions without effects.
  /// Actions of other threads come before or after such a run.
  ///
  /// - Complexity: The reducer's own cost. Allocates nothing if `actions` is an array and there are
  ///   no effects and no observers. The lock is held during a run, so send a large number of
  ///   actions in portions if other threads use the store.
  @inlinable
  public func send(
    contentsOf actions: some Sequence<Action>, origin: StepOrigin = .program(""),
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) {
    runtime.send(
      all: Array(actions), origin: origin, location: SourceLocation(fileID: fileID, line: line))
  }

  /// A copy of the state. While the copy exists, the next step copies the shared parts that it
  /// changes.
  ///
  /// - Complexity: One lock and a copy of the value, which retains its shared parts. No allocation.
  @inlinable
  public var state: State {
    runtime.lock.withLock { $0.machine.state }
  }

  /// Reads the state in place. The closure runs under the store's lock. It must be quick and must
  /// not use the store.
  ///
  /// - Complexity: One lock, no copy and no allocation. Steps of other threads wait in the
  ///   meantime.
  @inlinable
  public func withState<Result: Sendable>(_ read: (borrowing State) -> Result) -> Result {
    runtime.lock.withLock { read($0.machine.state) }
  }

  /// The number of reduced actions, which is the number of the last step, or 0 before the first.
  /// Acquires the lock once.
  public var stepCount: Int {
    runtime.lock.withLock { $0.machine.steps }
  }

  /// The effects that run, that wait for their turn in a sequence or for a permit, or that were
  /// cancelled and have not ended. In no particular order.
  ///
  /// - Complexity: O(maximum number of simultaneous effects so far, and number of queued actions),
  ///   under the lock. Creates each effect's descriptor.
  public var effects: [RunningEffect<Action>] {
    runtime.lock.withLock { $0.machine.unendedEffects }
  }

  /// Starts the subscriptions that the state declares, if they were held back. From then on they
  /// start and end with the state. Does nothing if they were not held back. Acquires the lock once.
  @inlinable
  public func startSubscriptions() {
    runtime.handle { $0.startSubscriptions() }
  }

  // MARK: For tests

  /// The number of observers, including sequences and waits for a state.
  package var observerCount: Int { runtime.lock.withLock { $0.listeners.observers.count } }

  /// Whether the index finds any effect by an id or by its place.
  package var hasIndexedEffects: Bool {
    runtime.lock.withLock { !$0.machine.graph.index.root.isEmpty }
  }

  /// The number of slots in the graph of effects, including free ones.
  package var slotCount: Int { runtime.lock.withLock { $0.machine.graph.tree.nodes.count } }

  // MARK: Observing

  /// Calls `observer` after every step, in order, on the thread that reduced it and outside the
  /// lock, before the next step is reduced. The observer may send actions. It is part of the cost
  /// of `send`, so a slow observer should pass its work to a queue of its own. Does nothing if the
  /// store has ended.
  ///
  /// - Returns: An observation that ends when its `cancel()` is called. Releasing it does not end
  ///   it.
  /// - Complexity: O(1) amortized. Each later step costs one call for each observer, one copy of
  ///   the state, and a second lock.
  @discardableResult
  public func observe(
    _ observer: @escaping @Sendable (_ step: Step<Action>, _ state: borrowing State) -> Void
  ) -> ObservationToken {
    runtime.observe(observer, end: nil)
  }

  /// Replaces the hooks, from the next step on, or removes them if `make` returns `nil`.
  ///
  /// A recorder is attached by hooks, so this also detaches the recorder of `record(to:info:)`,
  /// which ends its recording with a failure. Set hooks before that call, which keeps them.
  ///
  /// - Parameter make: Receives the state and the number of the last step. Runs under the lock, so
  ///   that no step occurs between these values and the first call of the hooks.
  /// - Complexity: One lock. Without hooks, steps cost nothing more. With hooks, each step creates
  ///   a `Step` and the descriptors of its effects.
  public func setHooks(
    _ make: (_ state: borrowing State, _ lastStep: Int) -> StepHooks<State, Action>?
  ) {
    var detached: (any StepHooksAttachment)?
    replaceHooks { present, state, lastStep in
      let hooks = make(state, lastStep)
      if present?.attachment?.owner !== hooks?.attachment?.owner { detached = present?.attachment }
      return hooks
    }
    detached?.hooksWereReplaced()
  }

  /// Replaces the hooks like `setHooks`. `make` also receives the present hooks, which remain if it
  /// throws.
  package func replaceHooks<Failure: Error>(
    _ make: (
      _ present: StepHooks<State, Action>?, _ state: borrowing State, _ lastStep: Int
    ) throws(Failure) -> StepHooks<State, Action>?
  ) throws(Failure) {
    var failure: Failure?
    runtime.change { shared in
      let present = shared.listeners.hooks?.takeUnretainedValue().hooks
      do throws(Failure) {
        let hooks = try make(present, shared.machine.state, shared.machine.steps)
        return shared.listeners.setHooks(hooks)
      } catch {
        failure = error
        return nil
      }
    }
    if let failure { throw failure }
  }

  /// Waits until no effect runs or `deadline` passes, then cancels the remaining effects and
  /// accepts no more actions. Subscriptions, which run for as long as the state declares them, are
  /// cancelled first, and so is the work that `cancelling` names.
  ///
  /// Actions are accepted during the wait. Cancelling the calling task has the same effect as the
  /// end of the deadline. If two calls overlap, the shorter deadline ends both. If the store has
  /// ended, a call returns at once. Observers may still be about to receive the last step; see
  /// `waitUntilDelivered`.
  ///
  /// - Parameters:
  ///   - work: The work that is cancelled first. By default these are the effects that wait for a
  ///     permit of their limit. Running effects, and the members of sequences that have begun, run
  ///     to their end.
  ///   - clock: Measures the deadline.
  /// - Returns: The effects that were still running when the deadline passed, including those that
  ///   were cancelled before and have not returned. Empty if all ended in time.
  /// - Complexity: Two child tasks, the cost of `effects`, and O(number of effects and of queued
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
    // A sleep of zero would still suspend on a shared queue of Dispatch.
    guard deadline > .zero else { return close() }
    return await withTaskGroup(of: Void.self) { group in
      group.addTask {
        // A sequence, because its end does not wait for an observer when the deadline passes.
        let (idle, signal) = AsyncStream.makeStream(of: Void.self)
        var turns = idle.makeAsyncIterator()
        repeat {
          // An action may be accepted between the end of the last effect and the store's.
          let waits = runtime.addWaiter({ signal.yield() }) { $0.waitUntilIdle($1) }
          if waits { await turns.next() }
        } while !Task.isCancelled && !runtime.handle { $0.closeIfIdle() }
      }
      group.addTask { try? await clock.wait(for: deadline) }
      await group.next()
      let left = close()
      group.cancelAll()
      return left
    }
  }

  /// Waits until observers have been notified of the last step.
  ///
  /// `shutdown` does not wait for that, because an observer may take longer than its deadline. An
  /// observer must not wait for this method: it would wait for itself. Cancelling the calling task
  /// does not end the wait.
  public func waitUntilDelivered() async {
    await runtime.wait { $0.waitUntilDelivered($1) }
  }
}
