import SwiftBoardRecording

extension Board {
  /// The running recording with its last step, or `nil` if there is none.
  public var recording: SessionMoment? { recordings.moment }

  /// The names of the marks that were set in the running recording.
  var marks: [String] { recordings.marks }

  /// The reason why the recording ended by itself, or `nil` if it did not.
  var recordingProblem: String? { recordings.problem }

  /// Whether a recording of this board ended by itself, the present one or an earlier one. Final
  /// once the board is closed.
  var hasLostRecording: Bool { recordings.hasLostRecording }

  /// Records all further steps into a new file and, with `rotation`, into more files after it. A
  /// running recording ends once the new one has started.
  ///
  /// - Parameter durability: The faults that a recorded step survives. `sync` adds 0.2 ms to 10 ms
  ///   to each step.
  /// - Throws: `RecordingError` if the file cannot be created, or if the board is being closed. A
  ///   running recording then continues.
  public func record(
    to path: String, rotation: RecordingOptions.Rotation? = nil,
    durability: RecordingOptions.Durability = .flush
  ) throws(RecordingError) {
    try recordings.record(to: path, rotation, durability)
  }

  /// Ends the recording. Returns `nil` if there is none or if another call has ended it. The file
  /// is complete in both cases.
  @discardableResult
  public func stopRecording() -> (path: String, steps: Int)? {
    recordings.stop().map { ($0.path, $0.steps) }
  }
}
