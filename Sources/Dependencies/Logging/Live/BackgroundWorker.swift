import SwiftBoardSystem

/// A bounded queue with its own thread that processes it, so that `add` never blocks on a disk or a
/// provider.
///
/// The thread starts with the first element. After the last reference to the worker is released,
/// the thread empties the queue and ends.
final class BackgroundWorker<Element: Sendable>: Sendable {
  enum Overflow: Sendable {
    case dropOldest, dropNewest
  }

  struct Limits: Sendable {
    var elements = 8192
    /// The limit for the sum of the sizes passed to `add`.
    var bytes = 8 << 20
    /// The maximum number of elements processed at once.
    var batch = 1024
    /// The pause after each batch, in which elements gather without waking the thread. The first
    /// element after a pause is processed at once; a flush and the end do not wait.
    var pause = Duration.zero
    var overflow = Overflow.dropNewest
  }

  private let core: WorkerCore<Element>

  /// - Parameter process: Called on the thread, never concurrently. Elements that it leaves at the
  ///   end of the array return to the head of the queue and are processed again with the next
  ///   element or flush.
  convenience init(
    limits: Limits = Limits(), process: @escaping @Sendable (inout [Element]) -> Void
  ) {
    self.init(retrying: limits) { elements in
      process(&elements)
      return nil
    }
  }

  /// - Parameter process: Called as in `init(limits:process:)`. Elements that it leaves are
  ///   processed again after the returned duration or with a flush, and not before.
  init(
    retrying limits: Limits, process: @escaping @Sendable (inout [Element]) -> Duration?
  ) {
    core = WorkerCore(limits: limits, process: process)
  }

  deinit {
    core.close()
  }

  /// The number of elements that did not fit.
  var dropped: Int { core.dropped }

  /// The number of queued elements, without those being processed.
  var count: Int { core.count }

  /// Adds an element.
  ///
  /// - Parameter isUrgent: Whether it ends a pause, as a queue does that is half full.
  /// - Returns: Whether it was accepted. An older element may have been dropped for it.
  @discardableResult
  func add(_ element: Element, bytes: Int = 0, isUrgent: Bool = false) -> Bool {
    core.add(element, bytes: bytes, isUrgent: isUrgent)
  }

  /// Removes all waiting elements, including those that return from a failed attempt.
  func removeAll() {
    core.removeAll()
  }

  /// Waits until each element added so far was processed once. Returns false if the deadline is
  /// reached first. A process that was stopped past the deadline gets five seconds more, for its
  /// threads begin to run again at the same time.
  func flush(deadline: ContinuousClock.Instant) -> Bool {
    core.flush(deadline: deadline)
  }
}

/// The shared state of the worker and its thread. The thread retains this state and not the worker,
/// so that the worker can be released.
///
/// `@unchecked Sendable`: `state` is only used under `mutex`. It is a pthread mutex, because a
/// condition variable needs one.
private final class WorkerCore<Element: Sendable>: @unchecked Sendable {
  private struct Item {
    var element: Element
    var bytes: Int
    var number: UInt64
  }

  /// The calls of `process`.
  private struct Attempts {
    var begun: UInt64 = 0
    var ended: UInt64 = 0
    /// The highest number of an element that was processed.
    var lastNumber: UInt64 = 0

    var isRunning: Bool { ended < begun }

    mutating func end(lastNumber number: UInt64?) {
      lastNumber = max(lastNumber, number ?? 0)
      ended += 1
    }
  }

  /// The time in which no element is processed: the pause after a batch, or the time before the
  /// next attempt after a failed one.
  private struct Pause {
    var end: ContinuousClock.Instant?
    /// Whether an element ends the pause. It does not end the time before another attempt.
    var isOver = false
    var isBeforeRetry = false
  }

  private struct State {
    /// The queued items in the order of their numbers.
    var queue: [Item] = []
    var bytes = 0
    var dropped = 0
    /// The last assigned number.
    var lastNumber: UInt64 = 0
    var attempts = Attempts()
    var hasNew = false
    var pause = Pause()
    var flushRequested = false
    /// Incremented by `removeAll`, so that elements of an attempt that began before it are removed
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

  func add(_ element: Element, bytes: Int, isUrgent: Bool) -> Bool {
    // Dropped elements are released after the lock.
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
      if isUrgent || state.queue.count >= limits.elements / 2 || state.bytes >= limits.bytes / 2 {
        state.pause.isOver = true
      }
      if state.isWaiting, state.pause.end == nil || state.pause.isOver { pthread_cond_signal(wake) }
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
        state.pause.end = nil
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
    // Elements of a failed attempt are processed once more.
    let attempt = state.attempts.begun + (state.queue.isEmpty ? 0 : 1)
    var (deadline, hasMore) = (deadline, false)
    while !state.queue.isEmpty || state.attempts.isRunning {
      if state.attempts.ended >= attempt && state.attempts.lastNumber >= last { break }
      state.flushRequested = true
      pthread_cond_signal(wake)
      if wait(for: done, until: deadline) { continue }
      guard !hasMore, deadline.duration(to: .now) > .seconds(1) else { return false }
      (deadline, hasMore) = (.now.advanced(by: .seconds(5)), true)
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
    // If the wall clock jumps, a wait becomes shorter or longer. The caller's loop then checks the
    // actual deadline.
    pthread_cond_timedwait(condition, mutex, &time)
    return true
  }

  private func start() {
    // If no thread can be created, the next element tries again.
    if !DetachedThread.start({ self.run() }) { locked { $0.isStarted = false } }
  }

  private func run() {
    // Prevents a sink or a provider from receiving its own log records.
    LogRecursion.enter()
    pthread_mutex_lock(mutex)
    while true {
      while !state.isClosed && !state.flushRequested && (!state.hasNew || state.pause.end != nil)
        && (state.pause.isBeforeRetry || !state.pause.isOver)
      {
        state.isWaiting = true
        defer { state.isWaiting = false }
        guard let time = state.pause.end else {
          pthread_cond_wait(wake, mutex)
          continue
        }
        if !wait(for: wake, until: time) { break }
      }
      state.pause = Pause()
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
        (state.pause.end, state.pause.isBeforeRetry) = (.now.advanced(by: delay), true)
      } else if limits.pause > .zero {
        state.pause.end = .now.advanced(by: limits.pause)
      }
      state.attempts.end(lastNumber: taken.last?.number)
      pthread_cond_broadcast(done)
      if state.isClosed && !batch.isEmpty { break }
    }
    pthread_mutex_unlock(mutex)
  }

  private func take() -> [Item] {
    state.attempts.begun += 1
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

/// Whether the current thread is inside a sink. Records logged there would return to the sink
/// endlessly.
enum LogRecursion {
  /// A key for a thread-local flag. The value is never dereferenced. Each process creates one key
  /// on first use.
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
