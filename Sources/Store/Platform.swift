import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

// The only file of this module that knows the C library: locks, where threads sleep, a cheap clock, and standard error.

#if SWIFTBOARD_PTHREAD_LOCK
  /// The thread sanitizer does not see `Synchronization.Mutex` on Linux; it does see this one.
  @usableFromInline
  final class Lock<Value: ~Copyable & Sendable>: @unchecked Sendable {
    // Unchecked: `value` is only touched between lock and unlock of `mutex`.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    @usableFromInline
    init(_ value: consuming Value) {
      mutex = .allocate(capacity: 1)
      pthread_mutex_init(mutex, nil)
      self.value = value
    }

    deinit {
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
    }

    @usableFromInline
    func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return body(&value)
    }
  }
#else
  /// The store's lock. The same name stands for a pthread lock where `SWIFTBOARD_PTHREAD_LOCK` is defined.
  @usableFromInline
  struct Lock<Value: ~Copyable & Sendable>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Value>

    @inlinable
    init(_ value: consuming sending Value) {
      mutex = Mutex(value)
    }

    @inlinable
    borrowing func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
      mutex.withLock { value in body(&value) }
    }
  }
#endif

#if !canImport(Darwin)
  /// Where threads sleep that wait for a lock.
  final class ParkingLot: @unchecked Sendable {
    // Unchecked: the pointers are constant, and made to be used by any thread.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    /// Guarded by the mutex.
    private var sleepers = 0

    init() {
      pthread_mutex_init(mutex, nil)
      var attributes = pthread_condattr_t()
      pthread_condattr_init(&attributes)
      pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
      pthread_cond_init(condition, &attributes)
      pthread_condattr_destroy(&attributes)
    }

    deinit {
      pthread_cond_destroy(condition)
      pthread_mutex_destroy(mutex)
      condition.deallocate()
      mutex.deallocate()
    }

    /// Returns once `isDone` is true, which is asked at once, when somebody calls `wake`, after 50 microseconds, and each millisecond
    /// then. It hears whether one has passed.
    ///
    /// - Parameter occupy: Hears, one call after the other, when the first one comes and when the last one has gone.
    func sleep(occupy: (Bool) -> Void, until isDone: (_ isLate: Bool) -> Bool) {
      pthread_mutex_lock(mutex)
      sleepers += 1
      if sleepers == 1 { occupy(true) }
      let begin = nanoseconds()
      var isLate = false
      // Whoever let go of the lock in the moment this one came may not have seen it: the first look is soon.
      var length: Int64 = 50_000
      while !isDone(isLate) {
        let end = nanoseconds() + length
        var time = timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
        pthread_cond_timedwait(condition, mutex, &time)
        length = 1_000_000
        isLate = nanoseconds() - begin >= 1_000_000
      }
      sleepers -= 1
      if sleepers == 0 { occupy(false) }
      pthread_mutex_unlock(mutex)
    }

    private func nanoseconds() -> Int64 {
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Wakes one that sleeps.
    func wake() {
      pthread_mutex_lock(mutex)
      pthread_cond_signal(condition)
      pthread_mutex_unlock(mutex)
    }
  }

  /// A number that no other running thread has, a multiple of 8. Not to be asked for where code may be inlined that suspends.
  func currentThread() -> UInt {
    #if canImport(Glibc)
      pthread_self()
    #else
      UInt(bitPattern: pthread_self())
    #endif
  }
#endif

/// Writes a line to standard error: what an issue does when nobody asked to hear of it.
@usableFromInline
func writeToStandardError(_ line: String) {
  var text = line + "\n"
  text.withUTF8 { bytes in
    _ = write(2, bytes.baseAddress, bytes.count)
  }
}

/// A monotonic clock that costs a few nanoseconds and moves every few milliseconds: good enough to say since when an effect runs, which
/// is written for each.
@usableFromInline
func coarseNanoseconds() -> Int64 {
  var time = timespec()
  #if canImport(Darwin)
    clock_gettime(CLOCK_MONOTONIC_RAW_APPROX, &time)
  #else
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
  #endif
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
