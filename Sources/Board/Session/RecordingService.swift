import SwiftBoardRecording

/// A service that starts, marks and ends the recording of a board's steps, for the feature
/// `session`.
protocol RecordingService: Sendable {
  /// Records into a new file from the next step on. If `rotation` is given, the recording continues
  /// in further files. The default durability is `flush`. A recording that ended by itself is no
  /// running one: it is replaced.
  ///
  /// - Throws: `FileError`, `RecordingError`, or `Failure` if a recording is already running.
  func begin(
    _ path: String, _ rotation: SessionRotation?, _ durability: RecordingOptions.Durability?) throws

  /// Ends the recording.
  ///
  /// - Throws: `Failure` if there is none.
  func end() throws -> EndedRecording

  /// Returns the running recording, if any, and the problem if a recording ended by itself.
  func status() -> RecordingStatus

  /// The path of the running recording, or `nil` if nothing is recorded.
  var path: String? { get }

  /// Returns a navigator of the running recording, or `nil` if that is not the one at `path`. The
  /// recording is not read before a step is visited.
  ///
  /// - Throws: `ReplayError`.
  func navigator(
    of path: String, isCancelled: @escaping @Sendable () -> Bool
  ) throws -> SessionNavigators.Navigator?

  /// Marks the state after the step in which a job ends well.
  ///
  /// - Throws: `Failure` if nothing is being recorded or the recording ended by itself.
  func mark(_ name: String, behindEndOf job: Int) throws

  /// Checks that the recording can continue in a fork, before there is one.
  ///
  /// - Throws: `Failure` if the recording is rotated, and a file is in the way of that.
  func checkFork(at path: String) throws

  /// Ends the recording. A new one starts with the fork once the board has taken its state. It has
  /// the same durability and rotation.
  ///
  /// - Parameter job: The job that made the fork.
  /// - Throws: `Failure` if the job made none, or the recording that was forked has ended.
  func resume(_ job: Int) throws -> ForkedState

  /// Returns the recording after the board has taken the state of a fork. If it could not start,
  /// prints a warning with the reason.
  func resumed() -> RecordingStatus
}

/// The state that a fork ends with, and the fork's file.
struct ForkedState: Sendable {
  let state: BoardState
  let path: String
}

/// A recording that was ended.
struct EndedRecording: Sendable {
  let path: String
  let steps: Int
  /// The reason why it ended by itself, or `nil` if it did not.
  let problem: String?
}

/// The status of the running recording.
struct RecordingStatus: Sendable {
  /// The path of the recording, or `nil` if nothing is recorded.
  let path: String?
  let steps: Int
  /// The reason why a recording ended by itself, or `nil` if none did.
  let problem: String?

  /// Returns the last step of the recording at `path` if that is the running one, which grows while
  /// it is read, or `nil` for any other. Makes two system calls.
  func lastStep(ofRecordingAt path: String) -> Int? {
    guard problem == nil, SessionWarnings.isSame(path, self.path) else { return nil }
    return steps
  }
}

/// The recording service of a replay, where no effect runs.
struct NoRecording: RecordingService {
  func begin(
    _ path: String, _ rotation: SessionRotation?, _ durability: RecordingOptions.Durability?
  ) throws { throw Failure.noRecording }
  func end() throws -> EndedRecording { throw Failure.nothingToChange }
  func status() -> RecordingStatus { RecordingStatus(path: nil, steps: 0, problem: nil) }
  var path: String? { nil }
  func navigator(
    of path: String, isCancelled: @escaping @Sendable () -> Bool
  ) throws -> SessionNavigators.Navigator? { nil }
  func mark(_ name: String, behindEndOf job: Int) throws { throw Failure.nothingToChange }
  func checkFork(at path: String) throws {}
  func resume(_ job: Int) throws -> ForkedState { throw Failure.noRecording }
  func resumed() -> RecordingStatus { status() }
}
