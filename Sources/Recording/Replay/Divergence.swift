import SwiftBoardJSON
import SwiftBoardStore

/// The first step at which a replay differs from the recording.
public struct Divergence: Sendable, Hashable, CustomStringConvertible {
  /// A difference between a step and its replay.
  public enum Difference: Sendable, Hashable, CustomStringConvertible {
    /// The reducer drew other kinds of values, or more or fewer values than the log has.
    case draws(DrawJournal.Mismatch)
    /// The reducer returned other effects. Both lists are complete and in order.
    case effects(expected: [LogEffect], found: [LogEffect])
    /// The state has another digest. If the log has a snapshot of this step, `since` is `nil` and
    /// `changes` are the paths that differ from the recorded state. Otherwise `changes` are the
    /// paths that the steps after `since` changed in the replay. They include the wrong one, unless
    /// it is one that only the recorded steps changed.
    case digest(expected: Digest, found: Digest, changes: [StateDiff.Change], since: Int?)

    /// The recorded and the replayed value.
    public var description: String {
      switch self {
      case .draws(let mismatch): return "draws: \(mismatch)"
      case .effects(let expected, let found):
        let hint =
          Difference.haveSameCharacters(expected, found)
          ? ". Only the order of characters differs: does an id contain a set or a dictionary?"
          : ""
        return
          "effects: expected \(Difference.list(expected)), found \(Difference.list(found))\(hint)"
      case .digest(let expected, let found, let changes, let since):
        let digests = "digest of the state: expected \(expected), found \(found); "
        if changes.isEmpty, let since {
          return digests + "the replay changed nothing since step \(since)"
        }
        let title =
          since.map { "changed since step \($0), the difference is among these" }
          ?? "recorded -> replayed"
        return
          ([digests + "\(title):"] + changes.map { "  \($0)" }).joined(separator: "\n")
      }
    }

    /// Whether effects differ only in the order of characters in their ids, as ids do that contain
    /// a set.
    private static func haveSameCharacters(_ expected: [LogEffect], _ found: [LogEffect]) -> Bool {
      expected.count == found.count
        && zip(expected, found).allSatisfy { expected, found in
          expected == found
            || expected.description.contains("[")
              && expected.description.sorted() == found.description.sorted()
        }
    }

    private static func list(_ effects: [LogEffect]) -> String {
      effects.isEmpty ? "none" : effects.map(\.description).joined(separator: ", ")
    }
  }

  /// The number of the step in the recording.
  public internal(set) var step: Int
  /// The number of the line, from 1.
  public let line: Int
  /// The offset of the line, in bytes.
  public let offset: Int
  /// The sender of the action, as recorded.
  public let origin: StepOrigin
  /// The action as written in the log, before migrations, or `null` if a snapshot differs.
  public internal(set) var action: JSON
  /// All differences at this step, at least one.
  public internal(set) var differences: [Difference]
  /// The path of the line's file, if the recording has several files.
  public var file: String?

  /// The position of the step, its action, and a paragraph for each difference.
  public var description: String {
    let position = "step \(step), line \(line)\(file.map { " of \($0)" } ?? "")"
    return
      (["\(position), differs; action \(StateDiff.text(action))"]
      + differences.map(\.description)).joined(separator: "\n")
  }
}

/// The summary of a replay that matched its recording.
public struct ReplaySummary: Sendable, Hashable {
  /// The number of steps that were replayed.
  public let steps: Int
  /// The time from the beginning of the recording to its last step, in microseconds.
  public let recordedTime: Int64
  /// The duration of the replay, including grading.
  public let elapsed: Duration
  /// The number of steps whose digest was compared.
  public let digests: Int
  /// The warnings about the log, such as torn ends and unknown kinds of lines.
  public internal(set) var warnings: [LogWarning]
  /// The grade of the log. It is risky only if the caller accepted risk.
  public internal(set) var grade: LogGrade
}
