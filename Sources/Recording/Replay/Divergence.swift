import SwiftBoardJSON
import SwiftBoardStore

/// The first step at which a replay is not what was recorded.
public struct Divergence: Sendable, Hashable, CustomStringConvertible {
  /// In which of the three things that are compared a step differs.
  public enum Difference: Sendable, Hashable, CustomStringConvertible {
    /// The reducer drew other values, more or fewer than the log has.
    case draws(DrawJournal.Mismatch)
    /// The reducer returned other effects: both lists whole, in order.
    case effects(expected: [LogEffect], found: [LogEffect])
    /// `changes` are the paths that differ from the recorded state where the log has a snapshot of
    /// this step (`since` is nil); else the paths that the steps after `since` changed in the
    /// replay, among which the wrong one is.
    case digest(expected: Digest, found: Digest, changes: [StateDiff.Change], since: Int?)

    public var description: String {
      switch self {
      case .draws(let mismatch): return "draws: \(mismatch)"
      case .effects(let expected, let found):
        return "effects: expected \(Difference.list(expected)), found \(Difference.list(found))"
      case .digest(let expected, let found, let changes, let since):
        let title =
          since.map { "changed since step \($0), the difference is among these" }
          ?? "recorded → replayed"
        return
          (["digest of the state: expected \(expected), found \(found); \(title):"]
          + changes.map { "  \($0)" }).joined(separator: "\n")
      }
    }

    private static func list(_ effects: [LogEffect]) -> String {
      effects.isEmpty ? "none" : effects.map(\.description).joined(separator: ", ")
    }
  }

  /// The number in the recording.
  public let step: Int
  /// From 1.
  public let line: Int
  /// The offset at which the line begins, in bytes.
  public let offset: Int
  /// The sender of the action, as recorded.
  public let origin: StepOrigin
  /// The action as it is in the log, before migrations; `null` where the difference is found in a
  /// snapshot.
  public let action: JSON
  /// All that differs at this step, at least one.
  public let differences: [Difference]
  /// The file that the line is in, where a recording has several.
  public var file: String?

  public var description: String {
    let position = "step \(step), line \(line)\(file.map { " of \($0)" } ?? "")"
    return
      (["\(position), differs; action \(StateDiff.text(action))"]
      + differences.map(\.description)).joined(separator: "\n")
  }
}

/// A replay that agreed.
public struct ReplaySummary: Sendable, Hashable {
  /// How many steps were replayed, all of which agreed.
  public let steps: Int
  /// Microseconds from the recording's beginning to its last step.
  public let recordedTime: Int64
  /// The duration of the replay, including grading.
  public let elapsed: Duration
  /// Steps whose digest was compared.
  public let digests: Int
  /// Warnings about the log: torn ends, unknown kinds of lines.
  public let warnings: [LogWarning]
  /// How well the log decodes; risky only where that was accepted.
  public let grade: LogGrade
}
