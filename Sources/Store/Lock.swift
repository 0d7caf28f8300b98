import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A value protected by a lock: the standard library's mutex, or with `SWIFTBOARD_PTHREAD_LOCK` a
/// pthread mutex, because the thread sanitizer does not support the former on Linux.
///
/// The lock is not recursive. If code uses a store under its lock, a debug build stops with a
/// message that lists the possible code. In a release build the mutex stops the process.
@usableFromInline
package struct Lock<Value: ~Copyable & Sendable>: ~Copyable, Sendable {
  @usableFromInline let mutex: Mutex<Value>
  #if DEBUG
    @usableFromInline let holder = Atomic<UInt>(0)
  #endif

  /// Creates a lock that protects `value`.
  @inlinable
  package init(_ value: consuming sending Value) {
    mutex = Mutex(value)
  }

  /// Calls `body` while the calling thread holds the lock.
  @inlinable @inline(__always)
  package borrowing func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    #if DEBUG
      // No input leads here: the program used the store in code that runs under its lock.
      if isCurrentThread(holder) { fatalError(reentrantUse) }
    #endif
    return mutex.withLock { value in
      #if DEBUG
        storeCurrentThread(in: holder)
        defer { holder.store(0, ordering: .relaxed) }
      #endif
      return body(&value)
    }
  }
}

#if DEBUG
  // These functions are never inlined, and each accesses memory. The compiler assumes that a
  // function stays on its thread, and would otherwise keep the number across an `await`.

  /// Returns whether the calling thread was the last to store its number.
  @usableFromInline @inline(never)
  func isCurrentThread(_ holder: borrowing Atomic<UInt>) -> Bool {
    holder.load(ordering: .relaxed) == currentThread
  }

  @usableFromInline @inline(never)
  func storeCurrentThread(in holder: borrowing Atomic<UInt>) {
    holder.store(currentThread, ordering: .relaxed)
  }

  /// A number that no other running thread has.
  private var currentThread: UInt {
    #if canImport(Glibc)
      pthread_self()
    #else
      UInt(bitPattern: pthread_self())
    #endif
  }
#endif

#if SWIFTBOARD_PTHREAD_LOCK
  /// In place of the standard library's.
  @usableFromInline
  final class Mutex<Value: ~Copyable & Sendable>: @unchecked Sendable {
    // Unchecked: `value` is accessed only while `mutex` is held.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    @usableFromInline
    init(_ value: consuming sending Value) {
      mutex = .allocate(capacity: 1)
      pthread_mutex_init(mutex, nil)
      self.value = value
    }

    deinit {
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
    }

    @usableFromInline
    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return body(&value)
    }
  }
#endif
