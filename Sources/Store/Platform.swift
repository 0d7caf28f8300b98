import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

// The only file of this module that knows the C library: the lock of sanitizer builds, a cheap clock, and standard error.

#if SWIFTBOARD_PTHREAD_LOCK
  /// The thread sanitizer does not see `Synchronization.Mutex` on Linux; it does see this one.
  @usableFromInline
  final class Lock<Value: Sendable>: @unchecked Sendable {
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
  struct Lock<Value: Sendable>: ~Copyable, Sendable {
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

/// A lock that lies with what it guards at the beginning of a cache line.
///
/// Between threads a step that touches two lines takes twice the time of one that touches one, and where an object of its own would lie is a
/// matter of chance.
@usableFromInline
struct LineLock<Value: Sendable>: ~Copyable, @unchecked Sendable {
  // Unchecked: the memory is this value's alone, and what is in it is Sendable.
  @usableFromInline let place: UnsafeMutablePointer<Lock<Value>>

  @inlinable
  init(_ value: consuming sending Value) {
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: MemoryLayout<Lock<Value>>.size, alignment: 64)
    place = memory.bindMemory(to: Lock<Value>.self, capacity: 1)
    place.initialize(to: Lock(value))
  }

  @inlinable
  deinit {
    place.deinitialize(count: 1)
    UnsafeMutableRawPointer(place).deallocate()
  }

  @inlinable
  @inline(__always)
  borrowing func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    place.pointee.withLock(body)
  }
}

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
