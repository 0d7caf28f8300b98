/// Holds a state, reduces actions one at a time, and runs the effects that follow.
///
/// A store is no actor: `send` is synchronous and may be called from any thread, task or isolation. All that changes lives behind
/// one lock.
///
/// ## Rules
/// - **R1** A store reduces one action at a time, in one total order.
/// - **R2** First in, first out. What a step causes at once is queued behind what is queued already. When `send` returns, the action and
///   everything it caused at once have been reduced and observers have been told, with one exception: while an observer is being told
///   of an earlier step, by this thread or another, `send` only queues, and the telling thread goes on to reduce it.
/// - **R3** State is changed in place: a step costs the same beside 10 or 10 million untouched elements, and a `send` without effects
///   allocates nothing.
/// - **R4** Effects start in the order returned, after the step's state is visible; those of step n before those of n+1. A
///   start is the hand-over to the executor; on the concurrent pool what they do then overlaps, and an effect may go on in the task of the
///   one whose action it follows.
/// - **R5** Once `.cancel(id:)` is reduced, no action of a cancelled effect is reduced, whether it had started or not.
/// - **R6** Ids belong to one store and one place in the composition; a parent may cancel a child's.
/// - **R7** A child's effects, and what it declares, end in the step in which the child goes; `outlives()` opts out. The operators watch
///   the steps that go through them: who removes a child elsewhere ends its effects with `Effect.endChild(id:)`, or the child's next
///   action does.
/// - **R8** A child sees an action before what is attached to it. An action for a child that is not there is an issue at the composing
///   line.
/// - **R9** What an effect throws and nobody catches is an issue, told to `onIssue` and to hooks.
/// - **R10** `send` returns a handle that waits for its effects and what they cause, or cancels them.
/// - **R11** Dropping a store cancels its effects; `shutdown(deadline:)` lets them end first.
/// - **R12** Observers choose: every step in order (`observe`, `steps`, `actions`), or the latest state (`states`). A slow reader of a
///   sequence never slows the store.
/// - **R13** Effects can be looked at: `effects` lists what runs.
/// - **R14** Time is a dependency: what delays, limits, repeats or throttles effects does it on the clock that it is handed.
public final class Store<R: Reducer>: Sendable {
  /// The reducer's state.
  public typealias State = R.State
  /// The reducer's action.
  public typealias Action = R.Action

  @usableFromInline let core: StoreCore<R>

  /// A store at its initial state. Nothing is reduced; what that state declares with `subscriptions` is started.
  ///
  /// - Parameters:
  ///   - dependencies: Handed to the reducer with every action; the store does not look at them.
  ///   - executor: Where effects run; `nil` is the concurrent pool. A serial one makes their order exact. Its `enqueue` is called under the
  ///     store's lock and must not run the job at once.
  ///   - onIssue: Hears of misuse and of errors that nobody caught, after the step and outside the lock, on the thread where it came up.
  ///     Writes to standard error by default.
  /// - Complexity: Two objects and the memory of the lock, together less than 400 bytes beside what the state refers to. The table of effects
  ///   comes with the first effect that needs a place in it, grows by blocks of 64 places, and stays as large as it once was.
  @inlinable
  public init(
    initialState: State, reducer: R, dependencies: R.Dependencies,
    executor: (any TaskExecutor)? = nil, onIssue: (@Sendable (StoreIssue) -> Void)? = nil
  ) {
    core = StoreCore(
      state: initialState, reducer: reducer, dependencies: dependencies, executor: executor,
      onIssue: onIssue ?? { writeToStandardError("issue: \($0)") })
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

  init(core: StoreCore<R>) {
    self.core = core
  }

  deinit {
    core.cancelAll(closing: true)
  }

  /// Reduces `action` on the calling thread. See R2 for what holds when it returns. After the store was shut down the action is dropped and
  /// is an issue.
  ///
  /// - Parameter origin: Who sends, for hooks, observers and recordings.
  /// - Returns: A handle to what the action set going.
  /// - Complexity: The reducer's own cost plus one lock; no allocation where there are no effects and no observers. Each `.task` or `.run`
  ///   that is returned starts one task. With observers, one lock more and their own cost.
  @inlinable
  @discardableResult
  public func send(
    _ action: Action, origin: StepOrigin = .program(""), fileID: StaticString = #fileID,
    line: UInt32 = #line
  ) -> StoreTask {
    core.send(action, origin: origin, location: SourceLocation(fileID: fileID, line: line))
  }

  /// Reduces `actions` in order, as one `send` after the other does, but takes the lock once for all that have no effects while nobody
  /// watches: for bulk work. Another thread's actions come before or after such a run.
  ///
  /// - Complexity: The reducer's own cost; no allocation where `actions` is an array and there are no effects and no observers. The lock
  ///   is held meanwhile: send very many in portions where others should get their turn.
  @inlinable
  public func send(
    contentsOf actions: some Sequence<Action>, origin: StepOrigin = .program(""),
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) {
    core.send(
      all: Array(actions), origin: origin, location: SourceLocation(fileID: fileID, line: line))
  }

  /// A copy of the state: a retain for what is shared, and the next step copies what it changes of it while you keep it.
  ///
  /// - Complexity: One lock and a copy of the value; no allocation.
  @inlinable
  public var state: State {
    core.lock.withLock { $0.state }
  }

  /// Reads the state in place. The closure runs under the store's lock: it must be quick and must not use the store.
  ///
  /// - Complexity: One lock, no copy and no allocation; a step of another thread waits meanwhile.
  @inlinable
  public func withState<Result: Sendable>(_ read: (borrowing State) -> Result) -> Result {
    core.lock.withLock { read($0.state) }
  }

  /// How many actions have been reduced: the number of the last step, 0 before the first. One lock.
  public var stepCount: Int {
    core.lock.withLock { $0.steps }
  }

  /// What runs, is waiting for its turn in a sequence, or was cancelled and has not ended. In no particular order.
  ///
  /// - Complexity: O(most effects that there ever were at once), under the lock: the table keeps its places. Makes each one's descriptor.
  public var effects: [RunningEffect<Action>] {
    core.lock.withLock { machine in
      machine.table.running
    }
  }

  /// How many observe, sequences and those who wait for a state included.
  package var observerCount: Int {
    core.lock.withLock { $0.observerCount }
  }

  /// How many keys the registry of ids has, those of ended effects included that have not been swept out.
  package var registeredKeyCount: Int {
    core.lock.withLock { $0.table.registry.records.count }
  }

  /// How many places the effect table has, free ones included.
  package var entryCapacity: Int {
    core.lock.withLock { Int($0.table.places.count) }
  }

  /// Calls `observer` after every step, in order, on the thread that reduced it and outside the lock, before the next step is
  /// reduced. It may send. It is part of the cost of `send`, so a slow one belongs behind a queue of its own.
  ///
  /// - Returns: Ends the observation when `cancel()` is called; dropping it changes nothing.
  /// - Complexity: O(1) amortised here. A step then costs one call for each observer, a copy of the state as it is handed on, and a second
  ///   lock. Observing a store that has ended does nothing.
  @discardableResult
  public func observe(
    _ observer: @escaping @Sendable (_ step: Step<Action>, _ state: borrowing State) -> Void
  ) -> Observation {
    observe(observer, end: nil)
  }

  /// Puts hooks on the reductions from the next step on, in place of those before; `nil` takes them off.
  ///
  /// - Parameter make: Gets the state and the number of the last step; runs under the lock, so that no step falls between what it sees
  ///   and what the hooks see.
  /// - Complexity: One lock. Without hooks steps cost nothing more; with them each makes a `Step` and the descriptors of its effects.
  public func setHooks(
    _ make: (_ state: borrowing State, _ lastStep: Int) -> StepHooks<State, Action>?
  ) {
    let old = core.lock.withLock { machine -> HookBox<State, Action>? in
      let old = machine.hooks?.takeRetainedValue()
      machine.hooks = make(machine.state, machine.steps).map { .passRetained(HookBox($0)) }
      machine.noteAudience()
      return old
    }
    // What they hold ends here, and not under the lock.
    _ = old
  }

  /// Waits until nothing runs, at most for `deadline`; then cancels what is left and takes no more actions. Subscriptions, which run for as
  /// long as the state declares them, are cancelled first.
  ///
  /// Actions are still taken while it waits. Cancelling the calling task is as if the deadline had passed. A second call returns at once.
  ///
  /// - Parameter clock: Measures the deadline.
  /// - Returns: What was still running when the deadline passed, those included that were cancelled before and have not returned; empty
  ///   where all ended in time.
  /// - Complexity: Two child tasks; then as `effects`, and O(number of effects and of queued actions) to end them.
  @discardableResult
  public func shutdown(
    deadline: Duration, clock: any Clock<Duration> = ContinuousClock()
  ) async -> [RunningEffect<Action>] {
    let core = core
    core.leave { machine in
      machine.isDraining = true
      core.endSubscriptions(&machine)
    }
    return await withTaskGroup(of: Void.self) { group in
      group.addTask { await core.waitUntilIdle() }
      group.addTask { try? await clock.sleep(for: deadline) }
      await group.next()
      let left = core.lock.withLock { machine in
        machine.table.running
      }
      core.cancelAll(closing: true)
      group.cancelAll()
      return left
    }
  }
}

/// The end of an observation. Keeping one keeps the state of its store.
public struct Observation: Sendable {
  @usableFromInline let host: EffectHost?
  @usableFromInline let id: Int

  /// No step that is reduced after this is told. One that is being told now may still arrive. O(number of observers). One lock.
  public func cancel() {
    host?.ask(.removeObserver(id))
  }
}

/// An effect of a store, as it is now.
public struct RunningEffect<Action: Sendable>: Sendable {
  /// How far an effect is.
  public enum Phase: Sendable, Equatable {
    /// Waiting for its turn in a sequence.
    case pending
    /// Its task was made, or its members are being run.
    case running
    /// Nothing of it is reduced any more; its task has not returned yet.
    case cancelled
  }

  /// Name, kind, id and place of the effect.
  public let descriptor: EffectDescriptor
  /// How far it is.
  public let phase: Phase
  /// When the reduction returned it; exact to a few milliseconds.
  public let since: ContinuousClock.Instant
  /// The step that returned it.
  public let step: Int
  /// The action of that step.
  ///
  /// `nil` for a subscription that the initial state declares, and for those that a state declares whatever the action was.
  public let cause: Action?

  init?(_ entry: EffectEntry, _ work: EffectWork<Action>) {
    switch entry.phase {
    case .pending: phase = .pending
    case .running: phase = .running
    case .cancelled: phase = .cancelled
    case .free, .finished: return nil
    }
    guard entry.shape == .leaf, let effect = work.effect
    else { return nil }
    descriptor = effect.descriptor
    let age = max(0, coarseNanoseconds() - entry.since)
    since = .now - .nanoseconds(age)
    step = entry.step
    cause = work.cause
  }
}

extension EffectTable {
  /// O(number of places).
  var running: [RunningEffect<Action>] {
    (0..<places.count).compactMap { RunningEffect(places[$0], places[work: $0]) }
  }
}
