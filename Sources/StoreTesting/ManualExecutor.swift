import Synchronization

/// An executor for deterministic concurrency. It runs tasks only on request, one at a time, in the
/// order in which they became ready.
///
/// Pass it to a store, send an action, and call `run()`. When that returns, every effect has ended
/// or waits for something that the test controls. Nothing sleeps or yields.
///
/// With a seed, the next task is chosen randomly from the ready ones. Equal seeds give equal
/// orders. See `explore`.
public final class ManualExecutor: TaskExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    /// The index of the first job that has not run. Only used without a seed.
    var head = 0
    var random: SeededRandom?
    /// A hash of all choices, which distinguishes orders.
    var order: UInt64 = 0
    var nextWaiter = 0
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    /// The ids of waiters that were cancelled before their continuation existed.
    var cancelled: Set<Int> = []

    var count: Int { jobs.count - head }

    mutating func next() -> UnownedJob? {
      guard count > 0 else { return nil }
      guard random != nil else { return first() }
      let index = jobs.count == 1 ? 0 : chosenIndex()
      jobs.swapAt(index, jobs.count - 1)
      return jobs.popLast()
    }

    private mutating func first() -> UnownedJob {
      let job = jobs[head]
      head += 1
      if head == jobs.count {
        jobs.removeAll(keepingCapacity: true)
        head = 0
      } else if head >= 1024, head * 2 >= jobs.count {
        jobs.removeFirst(head)
        head = 0
      }
      return job
    }

    private mutating func chosenIndex() -> Int {
      var generator = random ?? SeededRandom(seed: 0)
      let index = Int(generator.next() % UInt64(jobs.count))
      random = generator
      order = (order ^ UInt64(index) ^ UInt64(jobs.count) << 32) &* 0x9E37_79B9_7F4A_7C15
      order ^= order >> 29
      return index
    }
  }

  private let state: Mutex<State>

  /// Creates an executor without tasks.
  ///
  /// - Parameter seed: The seed of the order, or `nil` to run tasks in the order in which they
  ///   became ready.
  public init(seed: UInt64? = nil) {
    state = Mutex(State(random: seed.map(SeededRandom.init)))
  }

  /// Adds a ready task. The concurrency runtime calls this on any thread.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      state.jobs.append(job)
      guard !state.waiters.isEmpty else { return [] }
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for continuation in waiting { continuation.resume() }
  }

  /// The number of tasks that are ready to run.
  public var readyCount: Int {
    state.withLock { $0.count }
  }

  /// A hash of the order of tasks. If it differs between two runs of a scenario, they ran their
  /// tasks in different orders.
  var order: UInt64 {
    state.withLock { $0.order }
  }

  /// Runs one ready task until it suspends or ends. Returns `false` if none was ready.
  @discardableResult
  public func step() -> Bool {
    guard let job = state.withLock({ $0.next() }) else { return false }
    job.runSynchronously(on: asUnownedTaskExecutor())
    return true
  }

  /// Runs ready tasks until none is left, including tasks that become ready in the meantime.
  ///
  /// - Returns: The number of times a task was run.
  /// - Complexity: Amortized O(1) for each task, plus its own cost. Does not return if tasks make
  ///   each other ready forever.
  @discardableResult
  public func run() -> Int {
    var count = 0
    while step() { count += 1 }
    return count
  }

  /// Returns as soon as a task is ready, the waiting task is cancelled, or the patience of a test
  /// store on this executor ends. For tasks that wait for a thread or an actor outside of this
  /// executor. It does not poll, and has no timeout.
  ///
  /// - Complexity: One suspension, or none if a task is ready.
  public func waitUntilReady() async {
    await waitUntilReady(unless: { false })
  }

  /// Resumes waiting tasks, so that they check their conditions again. Calls of `waitUntilReady()`
  /// return as well.
  func wakeWaiters() {
    let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Waits like `waitUntilReady()`, and also returns if `isEnough` returns `true`.
  ///
  /// - Parameter isEnough: Called under the lock, so that no `wakeWaiters()` happens between the
  ///   check and the wait.
  func waitUntilReady(unless isEnough: @escaping @Sendable () -> Bool) async {
    let id = state.withLock { state -> Int in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let goesOn = state.withLock { state -> Bool in
          if state.count > 0 || state.cancelled.contains(id) || isEnough() { return true }
          state.waiters[id] = continuation
          return false
        }
        if goesOn { continuation.resume() }
      }
    } onCancel: {
      let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
        state.cancelled.insert(id)
        return state.waiters.removeValue(forKey: id)
      }
      continuation?.resume()
    }
    state.withLock { _ = $0.cancelled.remove(id) }
  }
}
