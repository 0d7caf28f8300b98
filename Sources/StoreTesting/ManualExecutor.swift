import Synchronization

/// Runs tasks only when told to, one at a time, in the order in which they became ready: concurrency without chance.
///
/// Give it to a store, send, and call `run()`: when that returns, every effect has ended or waits for something that the test
/// controls. Nothing sleeps or yields.
public final class ManualExecutor: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])

  public init() {}

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  /// How many tasks are ready to run.
  public var readyCount: Int {
    jobs.withLock { $0.count }
  }

  /// Runs one ready task until it suspends or ends. False where none was ready.
  @discardableResult
  public func step() -> Bool {
    let job = jobs.withLock { jobs -> UnownedJob? in
      jobs.isEmpty ? nil : jobs.removeFirst()
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
}
