#if os(Linux)
  import CTasks
  import Dispatch
  import SwiftBoardSystem
  import Synchronization

  /// Runs tasks if `/proc` cannot be read.
  ///
  /// On Linux, Dispatch inspects the threads of its shared queues once per second in
  /// `/proc/THREAD/stat`, and ends the process if that file is missing. It does not inspect the
  /// threads of serial queues. This executor uses a few serial queues, each of which runs one job
  /// at a time.
  final class UnwatchedThreads: TaskExecutor {
    private struct State {
      var count = 0
      var idle: [DispatchQueue] = []
      var waiting: [UnownedJob] = []
    }

    private static let shared = UnwatchedThreads()
    /// The maximum number of queues. It exceeds the usual number of blocked jobs, each of which
    /// occupies a thread.
    private static let limit = 64
    private let state = Mutex(State())
    private let timer = DispatchQueue(label: "swiftboard.timer")

    /// Makes all tasks run on this executor if `/proc` cannot be read. Call this before the first
    /// task.
    static func useWhereNeeded() {
      guard access("/proc/self/stat", R_OK) != 0 else { return }
      swiftboard_set_executor(
        { job, _ in UnwatchedThreads.shared.add(job, after: 0) },
        { nanoseconds, job, _ in UnwatchedThreads.shared.add(job, after: nanoseconds) },
        { seconds, nanoseconds, _, _, clock, job, _ in
          // 1 is the continuous clock.
          var now = timespec()
          clock_gettime(clock == 1 ? CLOCK_BOOTTIME : CLOCK_MONOTONIC, &now)
          let (whole, part) = (seconds - Int64(now.tv_sec), nanoseconds - Int64(now.tv_nsec))
          let (product, isLong) = whole.multipliedReportingOverflow(by: 1_000_000_000)
          let rest = isLong ? (whole < 0 ? 0 : .max / 2) : max(0, product / 2 + part / 2)
          UnwatchedThreads.shared.add(job, after: UInt64(rest) * 2)
        })
    }

    func enqueue(_ job: consuming ExecutorJob) { add(UnownedJob(job)) }

    private func add(_ pointer: UnsafeMutableRawPointer?, after nanoseconds: UInt64) {
      guard let pointer else { return }
      // The runtime passes the job itself, which is one pointer.
      let job = unsafeBitCast(pointer, to: UnownedJob.self)
      guard nanoseconds > 0 else { return add(job) }
      let pause = DispatchTimeInterval.nanoseconds(Int(clamping: nanoseconds))
      timer.asyncAfter(deadline: .now() + pause) { self.add(job) }
    }

    private func add(_ job: UnownedJob) {
      let queue = state.withLock { state -> DispatchQueue? in
        if let queue = state.idle.popLast() { return queue }
        guard state.count < UnwatchedThreads.limit else {
          state.waiting.append(job)
          return nil
        }
        state.count += 1
        return DispatchQueue(label: "swiftboard.tasks")
      }
      if let queue { queue.async { self.run(job, on: queue) } }
    }

    /// Runs a job, then waiting jobs.
    private func run(_ job: UnownedJob, on queue: DispatchQueue) {
      var next: UnownedJob? = job
      while let job = next {
        job.runSynchronously(on: asUnownedTaskExecutor())
        next = state.withLock { state in
          guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
          state.idle.append(queue)
          return nil
        }
      }
    }
  }
#endif
