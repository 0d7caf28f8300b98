import Dispatch

/// Runs an actor's jobs one after another on a dispatch queue of its own.
///
/// A lock wait of five seconds or an fsync would otherwise hold one of the few threads on which
/// every task runs. The price is a change of threads, some microseconds a call.
final class SQLiteQueue: SerialExecutor {
  private let queue: DispatchQueue

  init(_ label: String) { queue = DispatchQueue(label: label) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
