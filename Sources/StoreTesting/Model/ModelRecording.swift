import SwiftBoardRecording
import SwiftBoardStore

/// Where a model test writes its counterexample: an ordinary recording, which a `Replayer` accepts.
public struct ModelRecording: Sendable {
  let schema: LogSchema
  let open: @Sendable () throws -> (sink: any LogSink, text: String)

  /// A new file. If a file of that name exists, `-2`, `-3` … is put after the name, before its
  /// extension.
  ///
  /// - Parameter path: Opened when a counterexample has been found, not before. An error, or 999
  ///   files of that name, is said in the failure and not thrown.
  /// - Complexity: O(1) here; with a counterexample one look for each file of that name, and
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

  /// Whatever `open` gives.
  ///
  /// - Parameter open: Called once, when a counterexample has been found. What it throws is said in
  ///   the failure.
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
  /// As `check` without a recording; in addition the minimal sequence is written as a recording.
  ///
  /// - Parameter recording: Where to. That it could not be written is said in the failure.
  /// - Complexity: As `check` without a recording, and one run more.
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
            schema: recording.schema, created: 0, environment: "model", seed: String(seed)),
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
