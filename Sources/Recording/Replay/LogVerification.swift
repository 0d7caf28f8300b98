import Dispatch
import SwiftBoardStore
import SwiftBoardSystem
import Synchronization

/// Verifies many recordings at once.
public struct LogVerification: Sendable {
  /// One file's result.
  public struct Result: Sendable {
    /// The file.
    public let path: String
    /// The summary, or why the file does not agree.
    public let outcome: Swift.Result<ReplaySummary, ReplayError>
    /// The duration.
    public let elapsed: Duration

    /// Whether the file replays as it was recorded.
    public var isAgreed: Bool {
      if case .success = outcome { true } else { false }
    }
  }

  /// How far a run is.
  public struct Progress: Sendable {
    /// Files that are finished.
    public let done: Int
    /// The number of files that did not agree.
    public let failed: Int
    /// All files.
    public let total: Int
    /// The file that was finished last.
    public let last: Result
  }

  /// All results, in the order of the paths.
  public struct Report: Sendable {
    /// One a path, in their order.
    public let results: [Result]
    /// The duration of the whole run.
    public let elapsed: Duration

    /// The files that did not agree.
    public var failures: [Result] { results.filter { !$0.isAgreed } }
  }

  private let workers: Int
  private let check: @Sendable (_ path: String) throws(ReplayError) -> ReplaySummary

  /// - Parameters:
  ///   - workers: How many files are verified at once, each on a thread of its own; by default one
  ///     a processor.
  ///   - check: Verifies one file; called from several threads at once.
  public init(
    workers: Int? = nil,
    check: @escaping @Sendable (_ path: String) throws(ReplayError) -> ReplaySummary
  ) {
    self.workers = max(1, workers ?? LogVerification.processors)
    self.check = check
  }

  /// - Parameter makeReplayer: A program of its own for each file, with a journal of its own.
  public init<R: Reducer>(
    workers: Int? = nil, acceptRisk: Bool = false,
    makeReplayer: @escaping @Sendable () -> Replayer<R>
  ) where R.State: Codable, R.Action: Codable {
    self.init(workers: workers) { path throws(ReplayError) in
      try makeReplayer().verify(path: path, acceptRisk: acceptRisk)
    }
  }

  /// Verifies the files and returns when all are done. Blocks the calling thread, which works as
  /// well.
  ///
  /// - Parameter progress: Called after every file, from one thread at a time; slow ones slow the
  ///   run.
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
    // A separate lock, so that a slow listener does not delay the workers that take the next file.
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
