import Synchronization
import Testing

@testable import SwiftBoardStore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The lock under every step: R1 (one total order) rests on it.
struct LockTests {
  /// Runs `body` on threads of its own, which may block, and returns when all have ended.
  private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
    await withTaskGroup { group in
      for index in 0..<count {
        group.addTask {
          await withUnsafeContinuation { continuation in
            OwnThread {
              body(index); continuation.resume()
            }.start()
          }
        }
      }
    }
  }

  private final class OwnThread: Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    func start() {
      #if canImport(Glibc)
        var thread = pthread_t()
      #else
        var thread: pthread_t?
      #endif
      let retained = Unmanaged.passRetained(self).toOpaque()
      pthread_create(
        &thread, nil,
        { retained in
          #if canImport(Darwin)
            Unmanaged<OwnThread>.fromOpaque(retained).takeRetainedValue().body()
          #else
            retained.map { Unmanaged<OwnThread>.fromOpaque($0).takeRetainedValue().body() }
          #endif
          return nil
        }, retained)
      #if canImport(Glibc)
        pthread_detach(thread)
      #else
        if let thread { pthread_detach(thread) }
      #endif
    }
  }

  private final class Guarded<Value: Sendable>: Sendable {
    let lock: Lock<Value>
    init(_ value: consuming sending Value) { lock = Lock(value) }
  }

  @Test("R1 a lock lets in one thread at a time", arguments: [1, 2, 3, 8])
  func onlyOne(threads: Int) async {
    let guarded = Guarded((count: 0, inside: 0, most: 0))
    let rounds = 5_000
    await onThreads(threads) { _ in
      for _ in 0..<rounds {
        guarded.lock.withLock { value in
          value.inside += 1
          value.most = max(value.most, value.inside)
          value.count += 1
          value.inside -= 1
        }
      }
    }
    let value = guarded.lock.withLock { $0 }
    #expect(value.count == threads * rounds)
    #expect(value.most == 1)
  }

  @Test("R1 tasks that change threads lose no action")
  func movingTasks() async {
    let store = Store(
      initialState: 0,
      reducer: Reduce<Int, Int, Void> { state, action, _ in
        state += action
        return []
      }, dependencies: ())
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<500 {
            store.send(1)
            // Real time: after a pause a task may continue on another thread.
            await Task.yield()
            _ = store.withState { $0 }
            await Task.yield()
          }
        }
      }
    }
    #expect(store.state == 4000)
  }

  @Test("a lock releases its value once")
  func releasesOnce() {
    final class Watched: Sendable {
      let ends = Atomic<Int>(0)
    }
    final class Value: Sendable {
      let watched: Watched
      init(_ watched: Watched) { self.watched = watched }
      deinit { watched.ends.add(1, ordering: .relaxed) }
    }
    let watched = Watched()
    do {
      let lock = Lock(Value(watched))
      #expect(lock.withLock { $0.watched.ends.load(ordering: .relaxed) } == 0)
    }
    #expect(watched.ends.load(ordering: .relaxed) == 1)
  }

  #if !canImport(Darwin)
    @Test("a reducer that calls its own store stops the process", arguments: [false, true])
    func recursionStopsTheProcess(inTask: Bool) async {
      let result =
        if inTask {
          await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            await Recursion().sendFromATask()
          }
        } else {
          await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Recursion().store.send(true)
          }
        }
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      // A debug build says it before the mutex does.
      #expect(
        text.contains("Recursive call to lock Mutex") || text.contains("deadlock: a store is used"),
        "\(text)")
    }

    /// Its reducer sends to the store where the action says so.
    private final class Recursion: Sendable {
      private final class Owner: Sendable {
        let store = Mutex<Store<Reduce<Int, Bool, Void>>?>(nil)
      }

      let store: Store<Reduce<Int, Bool, Void>>

      init() {
        let owner = Owner()
        store = Store(
          initialState: 0,
          reducer: Reduce { state, calls, _ in
            state += 1
            if calls { owner.store.withLock { $0 }?.send(false) }
            return []
          }, dependencies: ())
        owner.store.withLock { $0 = store }
      }

      /// Here the compiler may put what is on a stack elsewhere, because it must outlive a
      /// suspension.
      func sendFromATask() async {
        for turn in 0..<10 {
          // Real time: any suspension will do.
          await Task.yield()
          store.send(turn == 5)
        }
      }
    }
  #endif
}
