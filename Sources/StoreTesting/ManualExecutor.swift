import Synchronization

/// Runs tasks only when told to, one at a time, in the order in which they became ready: concurrency without chance.
///
/// Give it to a store, send, and call `run()`: when that returns, every effect has ended or waits for something that the test
/// controls. Nothing sleeps or yields.
///
/// With a seed the next task is drawn from those that are ready: another order that is possible, and the same one for the same
/// seed. See `exploreInterleavings`.
public final class ManualExecutor: TaskExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    var random: UInt64?
    var nextWaiter = 0
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    /// Cancelled before their continuation was there.
    var cancelled: Set<Int> = []

    /// Which of the ready tasks comes next.
    mutating func nextIndex() -> Int {
      guard var word = random else { return 0 }
      // SplitMix64.
      word &+= 0x9E37_79B9_7F4A_7C15
      random = word
      word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
      word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
      return Int((word ^ (word >> 31)) % UInt64(jobs.count))
    }
  }

  private let state: Mutex<State>

  /// - Parameter seed: Where given, decides which of the ready tasks runs next.
  public init(seed: UInt64? = nil) {
    state = Mutex(State(random: seed))
  }

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      state.jobs.append(job)
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for continuation in waiting { continuation.resume() }
  }

  /// How many tasks are ready to run.
  public var readyCount: Int {
    state.withLock { $0.jobs.count }
  }

  /// Runs one ready task until it suspends or ends. False where none was ready.
  @discardableResult
  public func step() -> Bool {
    let job = state.withLock { state -> UnownedJob? in
      state.jobs.isEmpty ? nil : state.jobs.remove(at: state.nextIndex())
    }
    guard let job else { return false }
    job.runSynchronously(on: asUnownedTaskExecutor())
    return true
  }

  /// Runs ready tasks until none is left; those that become ready meanwhile too.
  ///
  /// - Returns: How many times a task was run.
  @discardableResult
  public func run() -> Int {
    var count = 0
    while step() { count += 1 }
    return count
  }

  /// Returns as soon as a task is ready, or the waiting task is cancelled: for tasks that wait for a thread or an actor which is
  /// not run from here. It does not poll, and has no time-out.
  public func waitUntilReady() async {
    let id = state.withLock { state -> Int in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let goesOn = state.withLock { state -> Bool in
          if !state.jobs.isEmpty || state.cancelled.contains(id) { return true }
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
