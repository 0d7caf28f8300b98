#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Runs what blocks away from the threads that Swift's tasks share.
public enum OwnThread {
  /// Runs `body` on a thread of its own and returns its result; some 20 microseconds more than `body` itself.
  ///
  /// It cannot be cancelled: `body` must have a way to end. Where no thread can be started it runs at once, which is
  /// still right, only not polite.
  public static func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      start { continuation.resume(returning: body()) }
    }
  }

  /// Starts a thread that nobody waits for.
  static func start(_ body: @escaping @Sendable () -> Void) {
    let job = Unmanaged.passRetained(Job(body))
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    defer { pthread_attr_destroy(&attributes) }
    #if canImport(Darwin)
      var thread: pthread_t?
      let failed = pthread_create(&thread, &attributes, { Job.run($0) }, job.toOpaque())
    #else
      var thread = pthread_t()
      let failed = pthread_create(&thread, &attributes, { Job.run($0) }, job.toOpaque())
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
