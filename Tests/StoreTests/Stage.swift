import SwiftBoardStore
import SwiftBoardTesting
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

#if canImport(Glibc)
  typealias ThreadID = pthread_t
#else
  typealias ThreadID = pthread_t?
#endif

/// Runs `body` on a thread of its own.
///
/// - Parameter stack: The bytes of its stack.
func startThread(stack: Int = 512 << 10, _ body: @escaping @Sendable () -> Void) -> ThreadID {
  final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  #if canImport(Glibc)
    var thread = pthread_t()
  #else
    var thread: pthread_t?
  #endif
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  defer { pthread_attr_destroy(&attributes) }
  pthread_attr_setstacksize(&attributes, stack)
  pthread_create(
    &thread, &attributes,
    { work in
      #if canImport(Darwin)
        Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
      #else
        work.map { Unmanaged<Work>.fromOpaque($0).takeRetainedValue().body() }
      #endif
      return nil
    }, Unmanaged.passRetained(Work(body)).toOpaque())
  return thread
}

/// Waits until a thread has ended, and releases it. Each thread has to be joined once.
func join(_ thread: ThreadID) {
  #if canImport(Glibc)
    pthread_join(thread, nil)
  #else
    if let thread { pthread_join(thread, nil) }
  #endif
}

/// Runs `body` on a thread of its own, and returns when it has ended. The calling thread waits,
/// which may be in an observer.
///
/// - Parameter stack: The bytes of its stack.
func onAnotherThread(stack: Int = 512 << 10, _ body: @escaping @Sendable () -> Void) {
  join(startThread(stack: stack, body))
}

/// A log that closures on any thread may write.
final class Journal<Entry: Sendable>: Sendable {
  private let storage = Mutex<[Entry]>([])

  func note(_ entry: Entry) {
    storage.withLock { $0.append(entry) }
  }

  var entries: [Entry] { storage.withLock { $0 } }
}

/// A door that effects wait at until the test opens it. Waiting ends when the task is cancelled.
final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]
    var next = 0
    var cancelled: Set<Int> = []
  }

  private let state = Mutex(State())

  var waiters: Int { state.withLock { $0.waiting.count } }

  func wait() async throws {
    let id = state.withLock { state -> Int in
      state.next += 1
      return state.next
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let now: Result<Void, any Error>? = state.withLock { state in
          if state.isOpen { return .success(()) }
          if state.cancelled.contains(id) { return .failure(CancellationError()) }
          state.waiting[id] = continuation
          return nil
        }
        if let now { continuation.resume(with: now) }
      }
    } onCancel: {
      let continuation = state.withLock { state -> CheckedContinuation<Void, any Error>? in
        state.cancelled.insert(id)
        return state.waiting.removeValue(forKey: id)
      }
      continuation?.resume(throwing: CancellationError())
    }
  }

  func open() {
    let waiting = state.withLock { state -> [CheckedContinuation<Void, any Error>] in
      state.isOpen = true
      defer { state.waiting = [:] }
      return state.waiting.sorted { $0.key < $1.key }.map(\.value)
    }
    for continuation in waiting { continuation.resume() }
  }
}

/// A reducer whose actions are scripted: it notes what it sees and returns what the test says.
struct Script: Reducer {
  struct State: Sendable, Equatable {
    var seen: [String] = []
  }

  let effects: @Sendable (String) -> [Effect<String>]

  init(_ effects: @escaping @Sendable (String) -> [Effect<String>] = { _ in [] }) {
    self.effects = effects
  }

  func reduce(_ state: inout State, _ action: String, _ dependencies: Void) -> [Effect<String>] {
    state.seen.append(action)
    return effects(action)
  }
}

/// A store over a script, with its executor and the issues it raised.
struct Stage {
  let executor = ManualExecutor()
  let issues = Journal<StoreIssue>()
  let store: Store<Script>

  init(_ effects: @escaping @Sendable (String) -> [Effect<String>] = { _ in [] }) {
    let issues = issues
    store = Store(
      initialState: Script.State(), reducer: Script(effects), dependencies: (),
      executor: executor, onIssue: { issues.note($0) })
  }

  var seen: [String] { store.state.seen }
}

/// A value that closures on any thread may put in place, and take away.
final class Holder<Value: Sendable>: Sendable {
  let value = Mutex<Value?>(nil)
}
