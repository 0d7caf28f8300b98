import SwiftBoardDependencies
import SwiftBoardRecording
import SwiftBoardSystem
import Synchronization

/// A cache of the last visited recording, so that moving between steps does not read all of it
/// again.
final class SessionNavigators: Sendable {
  typealias Navigator = LogNavigator<BoardReducer>

  /// `navigator` is used only under the lock, or by the thread that opened it or has taken it from
  /// the cache.
  private struct Kept: @unchecked Sendable {
    let navigator: Navigator
    let path: String
    var numbers: [Int]
    var file: FileIdentity
    let interest: Interest

    /// Returns whether the recording at `path` is still this one, perhaps with more steps.
    func isSame(as path: String, _ numbers: [Int], _ now: FileIdentity) -> Bool {
      guard path == self.path, Set(self.numbers).isSubset(of: numbers) else { return false }
      if numbers == self.numbers { return file.isSame(as: now) }
      // The file that was the newest at that time has a number now.
      guard let last = navigator.rotatedLog.segments.last,
        let ended = FileIdentity("\(path).\(last.number)")
      else { return false }
      return file.isSame(as: ended)
    }
  }

  /// The interest of a request in an open recording.
  private final class Interest: Sendable {
    private let flag = Mutex<CancelFlag?>(nil)

    var isLost: Bool { flag.withLock { $0?.isSet ?? false } }

    func belongs(to flag: CancelFlag?) { self.flag.withLock { $0 = flag } }
  }

  /// The features of the board whose recordings are visited.
  let features: FeatureList
  /// The live replays that run.
  let replays = RunningReplays()
  private let kept = Mutex<Kept?>(nil)
  /// The state needed to continue writing in a new fork.
  struct Continuation: Sendable {
    let log: LogContinuation
    let state: BoardState
    let path: String
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
  ///   - step: The step that must be in the recording, or `nil` for its last one. Of a cached
  ///     recording that has grown and does not contain it, only what was added is read.
  ///   - flag: Set when the result is no longer needed.
  ///   - progress: Receives the progress if the whole recording has to be read.
  func visit<Result: Sendable>(
    _ path: String, reaching step: Int?, _ flag: CancelFlag,
    progress: @escaping @Sendable (LogProgress) -> Void, _ body: (Navigator) throws -> Result
  ) throws -> Result {
    let (file, numbers) = (FileIdentity(path), RotatedLog.numbers(beside: path))
    let known = try kept.withLock { kept -> Result? in
      guard let known = kept, let file, known.isSame(as: path, numbers, file),
        known.file == file && known.numbers == numbers
          || step.map({ $0 <= known.navigator.stepCount }) ?? false
      else { return nil }
      known.interest.belongs(to: flag)
      defer { known.interest.belongs(to: nil) }
      return try body(known.navigator)
    }
    if let known { return known }
    if let file, let grown = extended(path, numbers, file, flag) {
      defer { kept.withLock { $0 = grown } }
      grown.interest.belongs(to: flag)
      defer { grown.interest.belongs(to: nil) }
      return try body(grown.navigator)
    }
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

  /// Takes the cached recording if it has grown, and reads what was added. Returns `nil` if that is
  /// impossible, and the whole recording has to be read.
  private func extended(
    _ path: String, _ numbers: [Int], _ file: FileIdentity, _ flag: CancelFlag
  ) -> Kept? {
    let taken = kept.withLock { kept -> Kept? in
      guard let known = kept, known.isSame(as: path, numbers, file),
        known.numbers != numbers || known.file.isShorter(than: file)
      else { return nil }
      kept = nil
      return known
    }
    guard var known = taken else { return nil }
    known.interest.belongs(to: flag)
    defer { known.interest.belongs(to: nil) }
    do {
      let newer = try RotatedLog(opening: path) { [interest = known.interest] in interest.isLost }
      guard try known.navigator.extend(to: newer) else { return nil }
    } catch {
      // Another recording may be in the same file. Reading all of it tells.
      return nil
    }
    (known.file, known.numbers) = (file, numbers)
    return known
  }

  func keep(_ continuation: Continuation, of job: Int) {
    continuations.withLock { $0[job] = continuation }
  }

  func takeContinuation(of job: Int) -> Continuation? {
    continuations.withLock { $0.removeValue(forKey: job) }
  }
}

/// The identity and content version of a file, as reported by the file system.
private struct FileIdentity: Equatable {
  private let id: FileID
  private let size: Int64
  private let modified: FileInfo.Time

  init?(_ path: String) {
    guard let info = FileInfo(path) else { return nil }
    (id, size, modified) = (info.id, info.size, info.modified)
  }

  func isShorter(than later: FileIdentity) -> Bool { size < later.size }

  /// Returns whether `later` is the same file, perhaps longer.
  func isSame(as later: FileIdentity) -> Bool {
    id == later.id && size <= later.size
  }
}
