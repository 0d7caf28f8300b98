import SwiftBoardDependencies
import SwiftBoardRecording
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Keeps the recording that was visited last open, so that going from step to step does not read all of it each time.
final class SessionTravels: Sendable {
  typealias Travel = LogTravel<BoardReducer>

  /// Its travel is only used under the lock; before it is put there, only by the thread that opened it.
  private struct Kept: @unchecked Sendable {
    let travel: Travel
    let file: FileIdentity
  }

  private let kept = Mutex<Kept?>(nil)
  /// What a board needs to write on in a fork that was just made, by its path.
  private let continuations = Mutex<[String: (LogContinuation, BoardState)]>([:])

  /// Calls `body` with a recording; with one that is kept, one at a time.
  ///
  /// - Parameter reaching: The step that the recording has at least. One that has grown since it was opened serves as long as that
  ///   step was there; without it, only one that did not change.
  /// - Parameter progress: Hears of the steps that were read where the whole recording has to be.
  func visit<Result: Sendable>(
    _ path: String, reaching step: Int?, progress: @Sendable (_ step: Int) -> Void,
    _ body: (Travel) throws -> Result
  ) throws -> Result {
    let file = FileIdentity(path)
    let known = try kept.withLock { kept -> Result? in
      guard let known = kept, let file, known.file.isSame(as: file),
        known.file == file || step.map({ $0 <= known.travel.stepCount }) ?? false
      else { return nil }
      return try body(known.travel)
    }
    if let known { return known }
    // Not under the lock: opening a long one takes its time, and nobody else should wait for it.
    let travel = try withoutActuallyEscaping(progress) { progress in
      try Travel(
        LogFile(path: path), replayer: SessionReplay.replayer(), progress: { progress($0) })
    }
    let result = try body(travel)
    if let file {
      let new = Kept(travel: travel, file: file)
      kept.withLock { $0 = new }
    }
    return result
  }

  func keep(_ continuation: LogContinuation, _ state: BoardState, for path: String) {
    continuations.withLock { $0[path] = (continuation, state) }
  }

  func takeContinuation(for path: String) -> (LogContinuation, BoardState)? {
    continuations.withLock { $0.removeValue(forKey: path) }
  }
}

/// Which file it is, and which content it has, as far as the system tells.
private struct FileIdentity: Equatable {
  private let device: UInt64
  private let number: UInt64
  private let size: Int64
  private let seconds: Int
  private let nanoseconds: Int

  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
    size = Int64(status.st_size)
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    seconds = time.tv_sec
    nanoseconds = time.tv_nsec
  }

  /// The same file, perhaps longer now.
  func isSame(as later: FileIdentity) -> Bool {
    device == later.device && number == later.number && size <= later.size
  }
}
