import SwiftBoardJSON

/// What a command of `session` found out: all that it prints, so that a replay prints it without
/// the file.
public enum SessionResult: Codable, Sendable, Equatable {
  /// A recording has begun.
  case recording(path: String)
  /// The recording has ended after so many steps, or did before because of a problem.
  case stopped(path: String, steps: Int, problem: String? = nil)
  /// Where a recording runs and how long it is; why it ended by itself; which step is shown.
  case status(path: String?, steps: Int, problem: String?, position: SessionPosition? = nil)
  /// The name that the present step has now.
  case marked(name: String)
  /// The step that is shown now, and the number of steps.
  case travelled(step: SessionStep, of: Int)
  /// The state after a step, or a part of it.
  case state(value: JSON, step: Int)
  /// The condition, the step it was checked at, and whether it holds.
  case asserted(condition: String, holds: Bool, step: Int)
  /// A step as its log has it.
  case step(step: SessionStep)
  /// What two states differ in.
  case differences(diff: SessionDiff)
  /// What happened, row by row.
  case timeline(timeline: SessionTimeline)
  /// A new recording.
  case forked(fork: SessionForked)
  /// The first step after which an assertion fails.
  case bisected(bisection: SessionBisected)
  /// A check for each file, and the whole as text for programs where a format was asked for.
  case verified(checks: [SessionCheck], report: String? = nil)
  /// The replay agreed, or what was found.
  case replayed(check: SessionCheck)
  /// Text for Graphviz.
  case graph(text: String)
  /// Swift source, of the first so many steps.
  case test(source: String, steps: Int, of: Int)
  /// Figures, in the order in which they are shown.
  case stats(figures: [SessionFigure])
}

/// A step as its log has it.
public struct SessionStep: Codable, Sendable, Equatable {
  /// The sender of an action.
  public enum Origin: Codable, Sendable, Equatable {
    /// A person's line as typed, and its position.
    case user(line: String, at: String)
    /// An effect, its id where it has one, and the step that returned it.
    case effect(name: String, id: String?, step: Int)
    /// A link that was opened.
    case link(link: String)
    /// Code that embeds the board.
    case program(name: String)
  }

  /// 0 is the beginning of the recording, if there is no action.
  public var step: Int
  /// Microseconds since the recording began.
  public var time: Int64
  /// `nil` at the beginning of the recording.
  public var origin: Origin?
  /// The action's name.
  public var name: String
  /// The action as the log has it; left out where only the name is wanted.
  public var action: JSON?
  /// Values that the reduction drew, each with its kind.
  public var draws: [String]
  /// The effects that it returned, each as one line.
  public var effects: [String]
  /// Of the state after it; `nil` if the log has none.
  public var digest: String?
}

/// The positions where two states differ.
public struct SessionDiff: Codable, Sendable, Equatable {
  /// One position.
  public struct Change: Codable, Sendable, Equatable {
    /// For example `shell.running[0].job`; `$` is the whole.
    public var path: String
    /// The value before; `nil` if there is nothing.
    public var old: JSON?
    /// The value after; `nil` if there is nothing.
    public var new: JSON?
  }

  /// The step of the older state.
  public var from: Int
  /// The step of the newer state.
  public var to: Int
  /// The part that was compared; `nil`: the whole.
  public var path: String?
  /// In the order of the older state.
  public var changes: [Change]
  /// Whether there are more.
  public var isTruncated: Bool
}

/// The entries of a timeline, and the effects that ran during them.
public struct SessionTimeline: Codable, Sendable, Equatable {
  /// A row.
  public struct Entry: Codable, Sendable, Equatable {
    /// What it describes.
    public enum Kind: String, Codable, Sendable {
      /// A step; a name for a state; something that went wrong; a clean stop.
      case step, mark, issue, end
    }

    /// What it describes.
    public var kind: Kind
    /// Of a step its number, of anything else the step before it.
    public var step: Int
    /// Microseconds since the recording began.
    public var time: Int64
    /// The sender of the action; `nil` if the entry is not a step.
    public var origin: SessionStep.Origin?
    /// The action's name, the mark's, or the issue's message.
    public var text: String
  }

  /// An effect, from the step that returned it to the last that reports it.
  public struct Span: Codable, Sendable, Equatable {
    /// How an effect ended.
    public enum End: String, Codable, Sendable {
      /// By itself; by a cancel; not known, since nothing more came of it; not within the
      /// recording.
      case finished, cancelled, silent, open
    }

    /// The effect's name.
    public var name: String
    /// Its first cancel id, where it has one.
    public var id: String?
    /// All of its cancel ids, where it has more than one.
    public var ids: [String]?
    /// The step that returned it.
    public var first: Int
    /// The last step that reports it.
    public var last: Int
    /// How it ended.
    public var end: End
    /// How many actions it sent.
    public var actions: Int
  }

  /// In the order of the recording.
  public var entries: [Entry]
  /// In the order in which they began.
  public var spans: [Span]
  /// Whether there are more entries.
  public var isTruncated: Bool
}

/// A recording that begins like another one.
public struct SessionForked: Codable, Sendable, Equatable {
  /// The new recording.
  public var path: String
  /// Its last step that comes from the old one.
  public var step: Int
  /// The old recording.
  public var source: String
  /// Whether the board continues there.
  public var isContinued: Bool
  /// The step with whose state it begins; nil is 0.
  public var first: Int? = nil
}

/// What a search over the states of a recording found.
public struct SessionBisected: Codable, Sendable, Equatable {
  /// The recording.
  public var path: String
  /// As it was typed.
  public var assertion: String
  /// The first step after which the assertion fails; `nil` if it never does.
  public var step: SessionStep?
  /// What that step changed.
  public var diff: SessionDiff?
  /// Of the recording.
  public var steps: Int
  /// How often the assertion was asked.
  public var evaluations: Int
}

/// What became of checking one recording.
public struct SessionCheck: Codable, Sendable, Equatable {
  /// The recording.
  public var path: String
  /// How many were replayed and agreed.
  public var steps: Int
  /// 0, or the exit code of what was found.
  public var code: Int32
  /// The finding, for people.
  public var message: String
  /// Warnings about the log.
  public var warnings: [String]
  /// Advice on what was found.
  public var help: String? = nil
}

/// A figure of a recording: a number where it is one, for programs, and what people read.
public struct SessionFigure: Codable, Sendable, Equatable {
  /// What it is a figure of.
  public var name: String
  /// `nil` if it is no number.
  public var number: Int?
  /// What people read, with its unit.
  public var text: String
}

extension SessionDiff.Change {
  /// Reads what `encode(to:)` writes: `null` is a value, and what is not there is none.
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
  /// The same with other values: those of states and of actions, which may have any form.
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
