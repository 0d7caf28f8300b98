import SwiftBoardRecording
import SwiftBoardStore

/// A recording of the counterexample of a model test, which a `Replayer` accepts.
public struct ModelRecording: Sendable {
  let schema: LogSchema
  let open: @Sendable () throws -> (sink: any LogSink, text: String)

  /// Returns a recording in a new file. If the file exists, appends `-2`, `-3`, … to the name,
  /// before its extension.
  ///
  /// - Parameter path: The path, which is opened only when a counterexample is found. An error, or
  ///   the existence of 999 files of that name, is part of the failure's text and is not thrown.
  /// - Complexity: O(1). A counterexample costs a check for each existing file of that name, and
  ///   writing its steps.
  public static func file(_ path: String, schema: LogSchema) -> Self {
    ModelRecording(schema: schema) {
      for number in 1...999 {
        let name = number == 1 ? path : numbered(path, number)
        do throws(RecordingError) {
          return (try FileSink(creating: name), "The recording of it: \(name)")
        } catch .exists {
          continue
        }
      }
      throw RecordingError.exists(path: path)
    }
  }

  /// Returns a recording in the sink that `open` returns.
  ///
  /// - Parameter open: Called once when a counterexample is found. An error that it throws is part
  ///   of the failure's text.
  public static func sink(
    schema: LogSchema, _ open: @escaping @Sendable () throws -> any LogSink
  ) -> Self {
    ModelRecording(schema: schema) { (try open(), "It was recorded.") }
  }

  static func numbered(_ path: String, _ number: Int) -> String {
    guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else {
      return "\(path)-\(number)"
    }
    return "\(path[..<dot])-\(number)\(path[dot...])"
  }
}

extension ModelTest where R.State: Codable, R.Action: Codable {
  /// Checks the model like `check` without a recording, and writes the minimal sequence as a
  /// recording.
  ///
  /// - Parameter recording: The destination. An error of writing it is part of the failure's text.
  /// - Complexity: That of `check` without a recording, and one more run.
  @discardableResult
  public func check(
    seeds: ClosedRange<UInt64> = 1...100, length: Int = 100, shrinkLimit: Int = 10_000,
    recording: ModelRecording, report: TestReporter, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
  ) -> ModelCheck<State, Action> {
    check(
      seeds, length, shrinkLimit, report,
      TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    ) { seed, moves in
      record(seed, moves, recording)
    }
  }

  private func record(
    _ seed: UInt64, _ moves: [ModelMove<Action>], _ recording: ModelRecording
  ) -> String {
    var text = ""
    _ = ModelPlayer(model: self, seed: seed).play(moves) { store, run in
      do {
        let (sink, position) = try recording.open()
        text = position
        let recorder = try Recorder<State, Action>(
          sink: sink,
          info: RecordingInfo(
            schema: recording.schema, created: 0, environment: "model", seed: seed),
          state: initialState, journal: run.journal,
          clock: { run.clock.now.offset.microseconds })
        store.setHooks { _, _ in recorder.hooks }
        return { state in
          recorder.stop(state: state)
          if let failure = recorder.failure { text = "It could not be recorded: \(failure)" }
        }
      } catch {
        text = "It could not be recorded: \(error)"
        return nil
      }
    }
    return text
  }
}

extension Duration {
  fileprivate var microseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds &* 1_000_000 &+ attoseconds / 1_000_000_000_000
  }
}
