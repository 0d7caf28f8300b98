#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Runs a call that blocks on a thread of its own. Queues of Dispatch share a bounded number of threads, and pipes could take
/// them all.
enum FileThread {
  /// Some 20 microseconds more than `body`, which cannot be cancelled. Where no thread can be started it runs at once.
  static func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      start { continuation.resume(returning: body()) }
    }
  }

  private static func start(_ body: @escaping @Sendable () -> Void) {
    let job = Unmanaged.passRetained(Job(body))
    #if canImport(Darwin)
      var thread: pthread_t?
      let failed = pthread_create(&thread, nil, { Job.run($0) }, job.toOpaque())
      if failed == 0, let thread { pthread_detach(thread) }
    #else
      var thread = pthread_t()
      let failed = pthread_create(&thread, nil, { Job.run($0) }, job.toOpaque())
      if failed == 0 { pthread_detach(thread) }
    #endif
    if failed != 0 { job.takeRetainedValue().body() }
  }

  private final class Job: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    static func run(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
      guard let pointer else { return nil }
      Unmanaged<Job>.fromOpaque(pointer).takeRetainedValue().body()
      return nil
    }
  }
}
