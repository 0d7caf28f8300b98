import Dispatch
import SwiftBoardSystem
import Synchronization

/// Verifies many recordings at once.
public struct LogVerification: Sendable {
  /// The result of one file.
  public struct Result: Sendable {
    /// The path of the file.
    public let path: String
    /// The summary, or the error.
    public let outcome: Swift.Result<ReplaySummary, ReplayError>
    /// The duration of the verification.
    public let elapsed: Duration

    /// Whether the replay matched the recording.
    public var isAgreed: Bool {
      if case .success = outcome { true } else { false }
    }
  }

  /// The progress of a run.
  public struct Progress: Sendable {
    /// The number of finished files.
    public let done: Int
    /// The number of files that failed.
    public let failed: Int
    /// The number of all files.
    public let total: Int
    /// The result of the last finished file.
    public let last: Result
  }

  /// The results of all files.
  public struct Report: Sendable {
    /// One result for each path, in the order of the paths.
    public let results: [Result]
    /// The duration of the whole run.
    public let elapsed: Duration

    /// The results of the files that failed.
    public var failures: [Result] { results.filter { !$0.isAgreed } }
  }

  private let workers: Int
  private let check: @Sendable (_ path: String) throws(ReplayError) -> ReplaySummary

  /// - Parameters:
  ///   - workers: The number of files to verify at once, each on its own thread. By default, the
  ///     number of processors.
  ///   - check: Verifies one file. Called from several threads at once.
  public init(
    workers: Int? = nil,
    check: @escaping @Sendable (_ path: String) throws(ReplayError) -> ReplaySummary
  ) {
    self.workers = max(1, workers ?? LogVerification.processors)
    self.check = check
  }

  /// Verifies the files and returns when all are done. Blocks the calling thread, which also
  /// verifies files.
  ///
  /// - Parameter progress: Called after every file, from one thread at a time. It should be fast,
  ///   since workers wait for it.
  public func run(
    _ paths: [String], progress: @escaping @Sendable (Progress) -> Void = { _ in }
  ) -> Report {
    struct Board {
      var next = 0
      var results: [Result?]
      var failed = 0
      var done = 0
    }
    let start = ContinuousClock.now
    let board = Mutex(Board(results: Array(repeating: nil, count: paths.count)))
    // A separate lock, so that a slow listener does not delay workers that take their next file.
    let listener = Mutex(())
    let check = check
    DispatchQueue.concurrentPerform(iterations: min(workers, max(1, paths.count))) { _ in
      while true {
        let taken = board.withLock { board -> Int? in
          guard board.next < paths.count else { return nil }
          defer { board.next += 1 }
          return board.next
        }
        guard let taken else { return }
        let began = ContinuousClock.now
        let outcome: Swift.Result<ReplaySummary, ReplayError>
        do throws(ReplayError) {
          outcome = .success(try check(paths[taken]))
        } catch {
          outcome = .failure(error)
        }
        let result = Result(
          path: paths[taken], outcome: outcome, elapsed: ContinuousClock.now - began)
        listener.withLock { _ in
          let now = board.withLock { board in
            board.results[taken] = result
            board.done += 1
            if !result.isAgreed { board.failed += 1 }
            return Progress(
              done: board.done, failed: board.failed, total: paths.count, last: result)
          }
          progress(now)
        }
      }
    }
    return Report(
      results: board.withLock { $0.results.compactMap { $0 } },
      elapsed: ContinuousClock.now - start)
  }

  private static var processors: Int { sysconf(Int32(_SC_NPROCESSORS_ONLN)) }
}
