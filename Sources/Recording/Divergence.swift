import SwiftBoardJSON
import SwiftBoardStore

/// The first step at which a replay is not what was recorded.
public struct Divergence: Error, Sendable, Hashable, CustomStringConvertible {
  /// In which of the three things that are compared a step differs.
  public enum Difference: Sendable, Hashable, CustomStringConvertible {
    /// The reducer drew other values, more or fewer than the log has.
    case draws(DrawJournal.Mismatch)
    /// The reducer returned other effects: both lists whole, in order.
    case effects(expected: [LogEffect], found: [LogEffect])
    /// `changes` are the paths that differ from the recorded state where the log has a snapshot of this step (`since` is nil);
    /// else the paths that the steps after `since` changed in the replay, among which the wrong one is.
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
  /// Where the line begins, in bytes.
  public let offset: Int
  /// Who sent the action, as the log has it.
  public let origin: StepOrigin
  /// The action as it stands in the log, before migrations; `null` where the difference is found in a snapshot.
  public let action: JSON
  /// All that differs at this step, at least one.
  public let differences: [Difference]
  /// The file that the line is in, where a recording has several.
  public var file: String?

  /// The exit status of a command that ends with this.
  public var exitCode: Int32 { 1 }

  public var description: String {
    let place = "step \(step), line \(line)\(file.map { " of \($0)" } ?? "")"
    return
      (["\(place), differs; action \(StateDiff.text(action))"]
      + differences.map(\.description)).joined(separator: "\n")
  }
}

/// Why a replay did not agree.
public enum ReplayError: Error, Sendable, CustomStringConvertible {
  /// The log is damaged, missing or unreadable; exit status as that error says.
  case unreadable(LogReadError)
  /// The log is about other actions.
  case foreign(log: LogSchema, program: LogSchema)
  /// A line does not decode. Nothing was run. Exit status 65.
  case impossible(LogObstacle)
  /// The grade is risky, and that was not accepted. Nothing was run.
  case risky(LogGrade)
  /// The first step that is not as recorded; what comes after it was not run. Exit status 1.
  case diverged(Divergence)
  /// A state that was replayed has no canonical JSON.
  case encoding(step: Int, String)

  /// The exit status of a command that ends with this.
  public var exitCode: Int32 {
    switch self {
    case .unreadable(let error): error.exitCode
    case .foreign, .impossible: 65
    case .risky, .diverged: 1
    case .encoding: 70
    }
  }

  public var description: String {
    switch self {
    case .unreadable(let error): error.description
    case .foreign(let log, let program):
      "the log is of another program or schema: it has (\(log)), this program has (\(program))"
    case .impossible(let obstacle): obstacle.description
    case .risky(let grade): grade.description
    case .diverged(let divergence): divergence.description
    case .encoding(let step, let reason):
      "the state after step \(step) cannot be encoded: \(reason)"
    }
  }
}

/// A replay that agreed.
public struct ReplaySummary: Sendable, Hashable {
  /// How many steps were replayed, all of which agreed.
  public let steps: Int
  /// Microseconds from the recording's beginning to its last step.
  public let recordedTime: Int64
  /// What the replay took, grading included.
  public let elapsed: Duration
  /// Steps whose digest was compared.
  public let digests: Int
  /// What a person should know of the log: torn ends, unknown kinds of lines.
  public let warnings: [LogWarning]
  /// How well the log decodes; risky only where that was accepted.
  public let grade: LogGrade
}
