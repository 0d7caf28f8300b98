import SwiftBoardDependencies
import SwiftBoardRecording
import SwiftBoardSystem
import Synchronization

/// Keeps the recording that was visited last open, so that going from step to step does not read
/// all of it each time.
final class SessionNavigators: Sendable {
  typealias Navigator = LogNavigator<BoardReducer>

  /// `navigator` is used only under the lock; before it is stored there, only by the thread that
  /// opened it.
  private struct Kept: @unchecked Sendable {
    let navigator: Navigator
    let path: String
    let numbers: [Int]
    let file: FileIdentity
    let interest: Interest

    /// Whether it still is the recording of that name, perhaps with more steps.
    func isSame(as path: String, _ numbers: [Int], _ now: FileIdentity) -> Bool {
      guard path == self.path, Set(self.numbers).isSubset(of: numbers) else { return false }
      if numbers == self.numbers { return file.isSame(as: now) }
      // The file that was the newest then has a number now.
      guard let last = navigator.rotatedLog.segments.last,
        let ended = FileIdentity("\(path).\(last.number)")
      else { return false }
      return file.isSame(as: ended)
    }
  }

  /// A request for a recording that stays open.
  private final class Interest: Sendable {
    private let flag = Mutex<CancelFlag?>(nil)

    var isLost: Bool { flag.withLock { $0?.isSet ?? false } }

    func belongs(to flag: CancelFlag?) { self.flag.withLock { $0 = flag } }
  }

  /// The features of the board whose recordings are visited.
  let features: FeatureList
  private let kept = Mutex<Kept?>(nil)
  /// What a board needs to write on in a fork that was just made.
  struct Continuation: Sendable {
    let log: LogContinuation
    let state: BoardState
    let path: String
  }

  /// By the jobs that made the forks.
  private let continuations = Mutex<[Int: Continuation]>([:])

  init(_ features: FeatureList) {
    self.features = features
  }

  /// Calls `body` with a recording; with one that is kept, one at a time.
  ///
  /// - Parameters:
  ///   - step: The step that the recording has at least. One that has grown since it was opened
  ///     serves as long as that step was there; without it, only one that did not change.
  ///   - flag: Set when the result is no longer needed.
  ///   - progress: Receives how far the opening is where the whole recording has to be read.
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
}

/// Which file it is, and which content it has, as far as the system reports it.
private struct FileIdentity: Equatable {
  private let id: FileID
  private let size: Int64
  private let modified: FileInfo.Time

  init?(_ path: String) {
    guard let info = FileInfo(path) else { return nil }
    (id, size, modified) = (info.id, info.size, info.modified)
  }

  /// The same file, perhaps longer now.
  func isSame(as later: FileIdentity) -> Bool {
    id == later.id && size <= later.size
  }
}
