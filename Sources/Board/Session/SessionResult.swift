import SwiftBoardJSON
import SwiftBoardRecording

/// The result of a `session` command. It contains everything the command prints, so that a replay
/// needs no file.
public enum SessionResult: Codable, Sendable, Equatable {
  /// A recording has begun.
  case recording(path: String)
  /// The recording has ended after `steps` steps, or had ended before because of a problem.
  case stopped(path: String, steps: Int, problem: String? = nil)
  /// The path and length of the recording, the problem if it ended by itself, and the step that is
  /// shown.
  case status(path: String?, steps: Int, problem: String?, position: SessionPosition? = nil)
  /// The new name of the present step.
  case marked(name: String)
  /// The step that is now shown, and the number of steps.
  case travelled(step: SessionStep, of: Int)
  /// The state after a step, or a part of it.
  case state(value: JSON, step: Int)
  /// The condition, the step it was checked at, and whether it holds.
  case asserted(condition: String, holds: Bool, step: Int)
  /// A step of a log.
  case step(step: SessionStep)
  /// The differences between two states.
  case differences(diff: SessionDiff)
  /// The entries of a recording, row by row.
  case timeline(timeline: SessionTimeline)
  /// A new recording.
  case forked(fork: SessionForked)
  /// The first step after which an assertion fails.
  case bisected(bisection: SessionBisected)
  /// The check of each file, and a report if a format was requested.
  case verified(checks: [SessionCheck], report: String? = nil)
  /// The result of a replay: agreement, or the difference found.
  case replayed(check: SessionCheck)
  /// Text for Graphviz.
  case graph(text: String)
  /// The picture of a graph that was opened, or `nil` if the environment opens none.
  case opened(picture: String?)
  /// Swift source that tests the first `steps` of all steps.
  case test(source: String, steps: Int, of: Int)
  /// The SVG image of a session's terminal.
  case screenshot(svg: String)
  /// Figures in display order.
  case stats(figures: [SessionFigure])
}

/// A step of a log.
public struct SessionStep: Codable, Sendable, Equatable {
  /// The sender of an action.
  public enum Origin: Codable, Sendable, Equatable {
    /// A line typed by a user, and its location.
    case user(line: String, at: String)
    /// An effect, its id if any, and the step that returned it.
    case effect(name: String, id: String?, step: Int)
    /// A link that was opened.
    case link(link: String)
    /// The code that embeds the board.
    case program(name: String)
  }

  /// The number of the step. 0 is the beginning of the recording, which has no action.
  public var step: Int
  /// Microseconds since the recording began.
  public var time: Int64
  /// The sender, or `nil` at the beginning of the recording.
  public var origin: Origin?
  /// The action's name.
  public var name: String
  /// The action as logged, omitted if only the name is needed.
  public var action: JSON?
  /// The values that the reduction drew, each with its kind.
  public var draws: [String]
  /// The effects that the reducer returned, each on one line.
  public var effects: [String]
  /// The digest of the state after the step, or `nil` if the log has none.
  public var digest: String?
}

/// The differences between two states.
public struct SessionDiff: Codable, Sendable, Equatable {
  /// A difference at one path.
  public struct Change: Codable, Sendable, Equatable {
    /// The path, for example `shell.running[0].job`. `$` is the whole state.
    public var path: String
    /// The value before, or `nil` if there was none.
    public var old: JSON?
    /// The value after, or `nil` if there is none.
    public var new: JSON?
  }

  /// The step of the older state.
  public var from: Int
  /// The step of the newer state.
  public var to: Int
  /// The part that was compared, or `nil` for the whole state.
  public var path: String?
  /// The changes in the order of the older state.
  public var changes: [Change]
  /// Whether changes were left out.
  public var isTruncated: Bool
}

/// The entries of a timeline, and the effects that ran during them.
public struct SessionTimeline: Codable, Sendable, Equatable {
  /// A row.
  public struct Entry: Codable, Sendable, Equatable {
    /// The kind of an entry.
    public enum Kind: String, Codable, Sendable {
      /// A step, a named state, a problem, or a clean stop.
      case step, mark, issue, end
    }

    /// The kind of the entry.
    public var kind: Kind
    /// The number of the step. For any other entry, the step before it.
    public var step: Int
    /// Microseconds since the recording began.
    public var time: Int64
    /// The sender of the action; `nil` if the entry is not a step.
    public var origin: SessionStep.Origin?
    /// The action's name, the mark's, or the issue's message.
    public var text: String
  }

  /// An effect, from the step that returned it to the last step that mentions it.
  public struct Span: Codable, Sendable, Equatable {
    /// The way an effect ended.
    public typealias End = EffectSpan.End

    /// The effect's name.
    public var name: String
    /// Its first cancel id, if any.
    public var id: String?
    /// All of its cancel ids, if there are several.
    public var ids: [String]?
    /// The step that returned it.
    public var first: Int
    /// The last step that mentions it.
    public var last: Int
    /// The way it ended.
    public var end: End
    /// The number of actions it sent.
    public var actions: Int
  }

  /// The entries in the order of the recording.
  public var entries: [Entry]
  /// The effects in the order in which they began.
  public var spans: [Span]
  /// Whether entries were left out.
  public var isTruncated: Bool
}

/// A new recording that starts from a step of another one.
public struct SessionForked: Codable, Sendable, Equatable {
  /// The new recording.
  public var path: String
  /// Its last step that was copied from the old recording.
  public var step: Int
  /// The old recording.
  public var source: String
  /// Whether the board continues there.
  public var isContinued: Bool
  /// The step with whose state it begins, or `nil` for 0.
  public var first: Int? = nil
}

/// The result of a search over the states of a recording.
public struct SessionBisected: Codable, Sendable, Equatable {
  /// The recording.
  public var path: String
  /// The assertion as typed.
  public var assertion: String
  /// The first step after which the assertion fails, or `nil` if it never fails. If `failsFirst` is
  /// true, the first step after which it holds, or `nil` if it never holds.
  public var step: SessionStep?
  /// The changes made by that step.
  public var diff: SessionDiff?
  /// The number of steps of the recording.
  public var steps: Int
  /// The number of times the assertion was evaluated.
  public var evaluations: Int
  /// Whether the assertion fails before the first step; otherwise `nil`.
  public var failsFirst: Bool? = nil
  /// The number of states that the recording still has, if its first files are gone; otherwise
  /// `nil`, and in earlier recordings.
  public var states: Int? = nil
}

/// The result of checking one recording.
public struct SessionCheck: Codable, Sendable, Equatable {
  /// The recording.
  public var path: String
  /// The number of steps that were replayed and agreed.
  public var steps: Int
  /// 0, or the exit code of the finding.
  public var code: Int32
  /// The finding as a text for the user.
  public var message: String
  /// Warnings about the log.
  public var warnings: [String]
  /// Advice about the finding.
  public var help: String? = nil
  /// The environment of a recording from which a live replay differs; otherwise `nil`, and in
  /// earlier recordings.
  public var environment: BoardSettings.Environment? = nil
}

/// A figure about a recording, as a number for programs and as text for users.
public struct SessionFigure: Codable, Sendable, Equatable {
  /// The name of the figure.
  public var name: String
  /// The number, or `nil` if the figure is not a number.
  public var number: Int?
  /// The text with its unit, for users.
  public var text: String
}

extension SessionDiff.Change {
  /// Decodes a result of `encode(to:)`. A `null` is a value, and a missing member is `nil`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func value(_ key: CodingKeys) throws -> JSON? {
      guard container.contains(key) else { return nil }
      return try container.decode(JSON.self, forKey: key)
    }
    path = try container.decode(String.self, forKey: .path)
    (old, new) = (try value(.old), try value(.new))
  }
}

extension SessionResult {
  /// Returns the result with transformed values of states and actions, which may have any form.
  func mapValues(_ transform: (JSON) -> JSON) -> SessionResult {
    switch self {
    case .state(let value, let step): return .state(value: transform(value), step: step)
    case .step(var step):
      step.action = step.action.map(transform)
      return .step(step: step)
    case .differences(let diff): return .differences(diff: diff.mapValues(transform))
    case .bisected(var found):
      found.diff = found.diff?.mapValues(transform)
      return .bisected(bisection: found)
    default: return self
    }
  }
}

extension SessionDiff {
  fileprivate func mapValues(_ transform: (JSON) -> JSON) -> SessionDiff {
    var diff = self
    diff.changes = changes.map {
      Change(path: $0.path, old: $0.old.map(transform), new: $0.new.map(transform))
    }
    return diff
  }
}
