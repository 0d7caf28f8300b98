import Dispatch

/// An executor that runs the jobs of an actor one after another on its own dispatch queue.
///
/// Waiting five seconds for a lock or an fsync would otherwise block one of the few threads of the
/// shared pool. The change of threads takes some microseconds per call.
final class SQLiteQueue: SerialExecutor {
  private let queue: DispatchQueue

  init(_ label: String) { queue = DispatchQueue(label: label) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
