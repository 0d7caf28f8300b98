import SwiftBoardCommandLine
import SwiftBoardRecording

/// Begins, marks and ends the recording of a board's steps, for the feature `session`.
protocol RecordingService: Sendable {
  /// Records into a new file from the next step on, and into others after it where `rotation` says
  /// so.
  ///
  /// - Throws: `FileError`, `RecordingError`, and `Failure` where a recording runs already.
  func begin(_ path: String, _ rotation: SessionRotation?) throws

  /// Ends the recording.
  ///
  /// - Throws: `Failure` if there is none.
  func end() throws -> EndedRecording

  /// The recording, where one runs, and why one ended by itself.
  func status() -> RecordingStatus

  /// Marks the state after the step in which a job ends well.
  ///
  /// - Throws: `Failure` where nothing is recorded, or where the recording has ended by itself.
  func mark(_ name: String, behindEndOf job: Int) throws

  /// Ends the recording, and begins again with a fork once the board has taken its state.
  ///
  /// - Parameter job: The one that made the fork.
  /// - Throws: `Failure` if the job made none.
  func resume(_ job: Int) throws -> ForkedState

  /// The recording once the board has taken the state of a fork. If it could not begin, a warning
  /// says why.
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
  /// Why it ended before; `nil` if all is well.
  let problem: String?
}

/// What there is to say of the running recording.
struct RecordingStatus: Sendable {
  /// `nil` if nothing is recorded.
  let path: String?
  let steps: Int
  /// Why a recording ended by itself; `nil` if all is well.
  let problem: String?
}

/// In place of a recording where steps are replayed: no effect runs there.
struct NoRecording: RecordingService {
  func begin(_ path: String, _ rotation: SessionRotation?) throws { throw Failure.noRecording }
  func end() throws -> EndedRecording { throw Failure.noRecording }
  func status() -> RecordingStatus { RecordingStatus(path: nil, steps: 0, problem: nil) }
  func mark(_ name: String, behindEndOf job: Int) throws { throw Failure.noRecording }
  func resume(_ job: Int) throws -> ForkedState { throw Failure.noRecording }
  func resumed() -> RecordingStatus { status() }
}
