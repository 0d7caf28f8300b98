import Synchronization

/// Runs tasks only on request, one at a time, in the order in which they became ready:
/// deterministic concurrency.
///
/// Give it to a store, send, and call `run()`: when that returns, every effect has ended or waits
/// for something that the test controls. Nothing sleeps or yields.
///
/// With a seed, the next task is drawn from the ready tasks: another possible order, and the same
/// order for the same seed. See `explore`.
public final class ManualExecutor: TaskExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    /// Where the jobs begin that have not run; only without a seed.
    var head = 0
    var random: SeededRandom?
    /// Tells orders apart: mixed from every choice there was.
    var order: UInt64 = 0
    var nextWaiter = 0
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    /// Cancelled before their continuation was there.
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

  /// An executor with nothing to run.
  ///
  /// - Parameter seed: If given, selects the ready task that runs next; without one they run in the
  ///   order in which they became ready.
  public init(seed: UInt64? = nil) {
    state = Mutex(State(random: seed.map(SeededRandom.init)))
  }

  /// Takes a task that is ready: for the concurrency runtime, on any thread. O(1), amortized.
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

  /// How many tasks are ready to run. One lock.
  public var readyCount: Int {
    state.withLock { $0.count }
  }

  /// Two runs of one scenario in which this differs ran their tasks in different orders.
  var order: UInt64 {
    state.withLock { $0.order }
  }

  /// Runs one ready task until it suspends or ends. False if none was ready. Amortized O(1).
  @discardableResult
  public func step() -> Bool {
    guard let job = state.withLock({ $0.next() }) else { return false }
    job.runSynchronously(on: asUnownedTaskExecutor())
    return true
  }

  /// Runs ready tasks until none is left, including tasks that become ready meanwhile.
  ///
  /// - Returns: How many times a task was run.
  /// - Complexity: Amortized O(1) for each, beside what it does. Does not return while tasks make
  ///   each other ready forever.
  @discardableResult
  public func run() -> Int {
    var count = 0
    while step() { count += 1 }
    return count
  }

  /// Returns as soon as a task is ready, the waiting task is cancelled, or the patience of a test
  /// store on this executor is over: for tasks that wait for a thread or an actor which is not run
  /// from here. It does not poll, and has no time-out of its own.
  ///
  /// - Complexity: One lock and one suspension; none where a task is ready already.
  public func waitUntilReady() async {
    await waitUntilReady(unless: { false })
  }

  /// Resumes waiting tasks, so that they check their conditions again. Calls of the public function
  /// return as well.
  func wakeWaiters() {
    let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for continuation in waiting { continuation.resume() }
  }

  /// - Parameter isEnough: Asked under the lock, so that no `wakeWaiters()` falls between the
  ///   question and the waiting.
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
