import SwiftBoardSystem
import Synchronization

/// A bounded queue with a thread of its own that empties it, so that adding an element never waits
/// for a disk or a provider.
///
/// The thread starts with the first element and ends, its queue emptied, after the last reference
/// to the worker goes.
final class BackgroundWorker<Element: Sendable>: Sendable {
  enum Overflow: Sendable {
    case dropOldest, dropNewest
  }

  struct Limits: Sendable {
    var elements = 8192
    /// The sum of the sizes that are passed to `add`.
    var bytes = 8 << 20
    /// The most that are handed over at once.
    var batch = 1024
    var overflow = Overflow.dropNewest
  }

  private let core: WorkerCore<Element>

  /// - Parameter process: Called on the thread, never concurrently. What it leaves at the array's
  ///   end goes back to the head of the queue and is tried again with the next element or flush.
  convenience init(
    limits: Limits = Limits(), process: @escaping @Sendable (inout [Element]) -> Void
  ) {
    self.init(retrying: limits) { elements in
      process(&elements)
      return nil
    }
  }

  /// - Parameter process: As in `init(limits:process:)`. What it leaves is tried again after the
  ///   duration that it returns, or with a flush, and not before.
  init(
    retrying limits: Limits, process: @escaping @Sendable (inout [Element]) -> Duration?
  ) {
    core = WorkerCore(limits: limits, process: process)
  }

  deinit {
    core.close()
  }

  /// Elements that did not fit.
  var dropped: Int { core.dropped }

  /// The number of queued elements, without those that are being delivered.
  var count: Int { core.count }

  /// - Returns: Whether it was accepted; an older element may have been dropped for it.
  @discardableResult
  func add(_ element: Element, bytes: Int = 0) -> Bool {
    core.add(element, bytes: bytes)
  }

  /// Forgets what waits, and what comes back from a failed attempt.
  func removeAll() {
    core.removeAll()
  }

  /// Returns when what was added so far was handed over once; false when the deadline came first.
  func flush(deadline: ContinuousClock.Instant) -> Bool {
    core.flush(deadline: deadline)
  }
}

/// The state that the worker and its thread share. The thread retains it instead of the worker, so
/// that the worker can be released.
///
/// `@unchecked Sendable`: `state` is touched under `mutex` only. A pthread mutex, since a condition
/// needs one.
private final class WorkerCore<Element: Sendable>: @unchecked Sendable {
  private struct Item {
    var element: Element
    var bytes: Int
    var number: UInt64
  }

  private struct State {
    /// By number.
    var queue: [Item] = []
    var bytes = 0
    var dropped = 0
    /// The last number given out, and the highest that an attempt is through with.
    var lastNumber: UInt64 = 0
    var attempted: UInt64 = 0
    var attemptsBegun: UInt64 = 0
    var attemptsEnded: UInt64 = 0
    var hasNew = false
    /// What came back from a failed attempt is tried again then, and nothing before.
    var retryTime: ContinuousClock.Instant?
    var flushRequested = false
    /// Raised by `removeAll`, so that what comes back from an attempt begun before it is forgotten
    /// too.
    var generation = 0
    var isStarted = false
    var isClosed = false
    var isWaiting = false
  }

  private let limits: BackgroundWorker<Element>.Limits
  private let process: @Sendable (inout [Element]) -> Duration?
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let wake: UnsafeMutablePointer<pthread_cond_t>
  private let done: UnsafeMutablePointer<pthread_cond_t>
  private var state = State()

  init(
    limits: BackgroundWorker<Element>.Limits,
    process: @escaping @Sendable (inout [Element]) -> Duration?
  ) {
    self.limits = limits
    self.process = process
    mutex = .allocate(capacity: 1)
    wake = .allocate(capacity: 1)
    done = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(wake, nil)
    pthread_cond_init(done, nil)
  }

  deinit {
    pthread_cond_destroy(done)
    pthread_cond_destroy(wake)
    pthread_mutex_destroy(mutex)
    done.deallocate()
    wake.deallocate()
    mutex.deallocate()
  }

  private func locked<Value>(_ body: (inout State) -> Value) -> Value {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&state)
  }

  var dropped: Int { locked { $0.dropped } }
  var count: Int { locked { $0.queue.count } }

  func add(_ element: Element, bytes: Int) -> Bool {
    // Dropped elements are freed after the lock.
    var leaving: [Element] = []
    var isAccepted = false
    let mustStart = locked { state -> Bool in
      guard !state.isClosed else { return false }
      while state.queue.count >= limits.elements || state.bytes + bytes > limits.bytes {
        state.dropped += 1
        guard limits.overflow == .dropOldest, !state.queue.isEmpty else { return false }
        let old = state.queue.removeFirst()
        state.bytes -= old.bytes
        leaving.append(old.element)
      }
      isAccepted = true
      state.lastNumber += 1
      state.queue.append(Item(element: element, bytes: bytes, number: state.lastNumber))
      state.bytes += bytes
      state.hasNew = true
      if state.isWaiting { pthread_cond_signal(wake) }
      defer { state.isStarted = true }
      return !state.isStarted
    }
    withExtendedLifetime(leaving) {}
    if mustStart { start() }
    return isAccepted
  }

  func removeAll() {
    let old = locked { state in
      defer {
        state.queue = []
        state.bytes = 0
        state.retryTime = nil
        state.generation += 1
      }
      return state.queue
    }
    withExtendedLifetime(old) {}
  }

  func close() {
    locked { state in
      state.isClosed = true
      pthread_cond_signal(wake)
    }
  }

  func flush(deadline: ContinuousClock.Instant) -> Bool {
    guard !LogRecursion.isInside else { return false }
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    let last = state.lastNumber
    // What came back from a failed attempt is tried once more.
    let attempt = state.attemptsBegun + (state.queue.isEmpty ? 0 : 1)
    while !state.queue.isEmpty || state.attemptsEnded < state.attemptsBegun {
      if state.attemptsEnded >= attempt && state.attempted >= last { break }
      state.flushRequested = true
      pthread_cond_signal(wake)
      guard wait(for: done, until: deadline) else { return false }
    }
    return true
  }

  private func wait(
    for condition: UnsafeMutablePointer<pthread_cond_t>, until deadline: ContinuousClock.Instant
  ) -> Bool {
    let left = ContinuousClock().now.duration(to: deadline).microseconds
    guard left > 0 else { return false }
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let (seconds, rest) = min(left, 3600 * 1_000_000).quotientAndRemainder(dividingBy: 1_000_000)
    let nanoseconds = Int(time.tv_nsec) + Int(rest) * 1000
    time.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
    time.tv_nsec = nanoseconds % 1_000_000_000
    // A wall clock that jumps ends or prolongs one wait; the caller's loop then checks the real
    // deadline.
    pthread_cond_timedwait(condition, mutex, &time)
    return true
  }

  private func start() {
    // If no thread can be created, the next element tries again.
    if !DetachedThread.start({ self.run() }) { locked { $0.isStarted = false } }
  }

  private func run() {
    // Prevents records that a sink or a provider logs from returning to it.
    LogRecursion.enter()
    pthread_mutex_lock(mutex)
    while true {
      while !state.isClosed && !state.flushRequested && (!state.hasNew || state.retryTime != nil) {
        state.isWaiting = true
        defer { state.isWaiting = false }
        guard let time = state.retryTime else {
          pthread_cond_wait(wake, mutex)
          continue
        }
        if !wait(for: wake, until: time) { break }
      }
      state.retryTime = nil
      if state.queue.isEmpty {
        if state.isClosed { break }
        state.hasNew = false
        state.flushRequested = false
        continue
      }
      let taken = take()
      let generation = state.generation
      pthread_mutex_unlock(mutex)

      var batch = taken.map(\.element)
      let delay = process(&batch)

      pthread_mutex_lock(mutex)
      putBack(batch, from: taken, generation: generation)
      if let delay, !state.queue.isEmpty, generation == state.generation {
        state.retryTime = .now.advanced(by: delay)
      }
      state.attempted = max(state.attempted, taken.last?.number ?? 0)
      state.attemptsEnded += 1
      pthread_cond_broadcast(done)
      if state.isClosed && !batch.isEmpty { break }
    }
    pthread_mutex_unlock(mutex)
  }

  private func take() -> [Item] {
    state.attemptsBegun += 1
    state.flushRequested = false
    if state.queue.count <= limits.batch {
      state.hasNew = false
      state.bytes = 0
      defer { state.queue = [] }
      return state.queue
    }
    let taken = Array(state.queue.prefix(limits.batch))
    state.queue.removeFirst(taken.count)
    state.bytes -= taken.reduce(0) { $0 + $1.bytes }
    state.hasNew = true
    return taken
  }

  private func putBack(_ elements: [Element], from taken: [Item], generation: Int) {
    guard !elements.isEmpty, generation == state.generation else { return }
    var back = Array(taken.suffix(elements.count))
    for (index, element) in elements.suffix(back.count).enumerated() {
      back[index].element = element
    }
    let free = max(0, limits.elements - state.queue.count)
    let kept = limits.overflow == .dropOldest ? back.suffix(free) : back.prefix(free)
    state.dropped += back.count - kept.count
    state.queue.insert(contentsOf: kept, at: 0)
    state.bytes += kept.reduce(0) { $0 + $1.bytes }
  }
}

/// Whether the current thread is inside a sink. What is logged there would come back to the sink
/// without end.
enum LogRecursion {
  /// A thread-local flag; the value is never dereferenced. A key per process, made at first use.
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  static var isInside: Bool { pthread_getspecific(key) != nil }

  static func enter() {
    pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1))
  }

  static func leave() {
    pthread_setspecific(key, nil)
  }
}
