import SwiftBoardSystem
import Synchronization

/// Threads of their own, so that a test does not depend on which pool thread it gets.
enum Threads {
  private final class Job: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs `body` on `count` new threads and returns their results in order.
  static func run<Value: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) -> Value
  ) -> [Value] {
    let results = Results<Value>()
    #if canImport(Glibc) || canImport(Musl)
      var threads: [pthread_t] = []
    #else
      var threads: [pthread_t?] = []
    #endif
    for index in 0..<count {
      let job = Job { results.set(index, body(index)) }
      #if canImport(Glibc)
        var thread = pthread_t()
      #else
        var thread: pthread_t?
      #endif
      let status = pthread_create(
        &thread, nil,
        { argument in
          #if canImport(Glibc) || canImport(Musl)
            guard let argument else { return nil }
          #endif
          Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().body()
          return nil
        }, Unmanaged.passRetained(job).toOpaque())
      if status == 0 { threads.append(thread) }
    }
    for thread in threads {
      #if canImport(Glibc)
        pthread_join(thread, nil)
      #else
        if let thread { pthread_join(thread, nil) }
      #endif
    }
    return results.ordered
  }

  private final class Results<Value: Sendable>: Sendable {
    private let values = Mutex<[Int: Value]>([:])
    func set(_ index: Int, _ value: Value) { values.withLock { $0[index] = value } }
    var ordered: [Value] { values.withLock { $0.sorted { $0.key < $1.key }.map(\.value) } }
  }
}
