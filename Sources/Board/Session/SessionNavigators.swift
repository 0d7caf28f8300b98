import SwiftBoardRecording
import SwiftBoardSystem
import Synchronization

/// A cache of the last visited recording, so that moving between steps does not read all of it
/// again.
final class SessionNavigators: Sendable {
  typealias Navigator = LogNavigator<BoardReducer>

  /// `navigator` is used only under the lock, or by the thread that opened it.
  private struct Kept: @unchecked Sendable {
    let navigator: Navigator
    let path: String
    let numbers: [Int]
    let file: FileIdentity
    let interest: Interest
  }

  /// The interest of a request in an open recording.
  private final class Interest: Sendable {
    private let flag = Mutex<CancelFlag?>(nil)

    var isLost: Bool { flag.withLock { $0?.isSet ?? false } }

    func belongs(to flag: CancelFlag?) { self.flag.withLock { $0 = flag } }
  }

  /// The features of the board whose recordings are visited.
  let features: FeatureList
  /// The work after which the board ends.
  let unfinishedWork = UnfinishedWork()
  private let kept = Mutex<Kept?>(nil)
  /// The state needed to continue writing in a new fork.
  struct Continuation: Sendable {
    let log: LogContinuation
    let state: BoardState
    let path: String
    /// The path of the recording that was forked.
    let source: String

    /// Ends a fork that nothing continues: it is complete. A state is needed only if the last step
    /// has no digest. Otherwise the digest of an older version's state is kept.
    ///
    /// - Throws: `RecordingError`, or `Failure` if the end cannot be written.
    func end() throws {
      let failure = Mutex<String?>(nil)
      let last = log.digest == nil ? state : nil
      let recorder = try BoardRecording.BoardRecorder(
        continuing: log, path: path, state: last, journal: nil, clock: { log.time },
        onFailure: { issue in failure.withLock { $0 = issue.message } })
      recorder.stop(state: last)
      if let message = failure.withLock({ $0 }) {
        throw Failure(code: ExitCode.io, error: "io", message: "\(path): \(message)")
      }
    }
  }

  /// The continuations, by the job that made the fork.
  private let continuations = Mutex<[Int: Continuation]>([:])

  init(_ features: FeatureList) {
    self.features = features
  }

  /// Calls `body` with a recording. Calls with a cached recording run one at a time.
  ///
  /// - Parameters:
  ///   - path: The recording.
  ///   - flag: Set when the result is no longer needed.
  ///   - progress: Receives the progress if the recording has to be read.
  func visit<Result: Sendable>(
    _ path: String, _ flag: CancelFlag, progress: @escaping @Sendable (LogProgress) -> Void,
    _ body: (Navigator) throws -> Result
  ) throws -> Result {
    let (file, numbers) = (FileIdentity(path), RotatedLog.numbers(beside: path))
    let known = try kept.withLock { kept -> Result? in
      guard let known = kept, known.path == path, known.file == file, known.numbers == numbers
      else { return nil }
      known.interest.belongs(to: flag)
      defer { known.interest.belongs(to: nil) }
      return try body(known.navigator)
    }
    if let known { return known }
    // Opening a long recording takes time, so it happens outside the lock.
    let interest = Interest()
    interest.belongs(to: flag)
    defer { interest.belongs(to: nil) }
    let rotatedLog = try RotatedLog(opening: path) { interest.isLost }
    let navigator = try Navigator(rotatedLog, replayer: Replayer(features), progress: progress)
    let result = try body(navigator)
    if let file {
      let new = Kept(
        navigator: navigator, path: path, numbers: numbers, file: file, interest: interest)
      kept.withLock { $0 = new }
    }
    return result
  }

  func keep(_ continuation: Continuation, of job: Int) {
    continuations.withLock { $0[job] = continuation }
  }

  func takeContinuation(of job: Int) -> Continuation? {
    continuations.withLock { $0.removeValue(forKey: job) }
  }

  /// Ends all forks that wait to be continued. Their recording, or the board, has ended.
  func endContinuations() {
    let all = continuations.withLock { all in
      defer { all = [:] }
      return all
    }
    for fork in all.values { try? fork.end() }
  }
}

/// The identity and content version of a file, as reported by the file system.
private struct FileIdentity: Equatable {
  private let id: FileID
  private let size: Int64
  private let modified: Duration

  init?(_ path: String) {
    guard let info = FileInfo(path) else { return nil }
    (id, size, modified) = (info.id, info.size, info.modified)
  }
}
