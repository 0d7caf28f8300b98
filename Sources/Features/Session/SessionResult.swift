/// What a command of `session` found out: all that it prints, so that a replay prints it without the file.
public enum SessionResult: Codable, Sendable, Equatable {
  case recording(path: String)
  case stopped(path: String, steps: Int)
  case status(path: String?, steps: Int, problem: String?, position: SessionPosition? = nil)
  case marked(String)
  case travelled(SessionStep, of: Int)
  /// JSON text.
  case state(String, step: Int)
  case asserted(String, holds: Bool, step: Int)
  case step(SessionStep)
  case differences(SessionDiff)
  case timeline(SessionTimeline)
  case forked(SessionForked)
  case bisected(SessionBisected)
  case verified([SessionCheck], report: String? = nil)
  case replayed(SessionCheck)
  case graph(String)
  case test(String, steps: Int, of: Int)
  case stats([SessionFigure])
}

/// A step as its log has it.
public struct SessionStep: Codable, Sendable, Equatable {
  /// Who sent an action.
  public enum Origin: Codable, Sendable, Equatable {
    case user(line: String, at: String)
    case effect(name: String, id: String?, step: Int)
    case link(String)
    case program(String)
  }

  /// 0 is the beginning of the recording, where there is no action.
  public var step: Int
  /// Microseconds since the recording began.
  public var time: Int64
  public var origin: Origin?
  /// The action's name.
  public var name: String
  /// JSON text; left out where only the name is wanted.
  public var action: String?
  public var draws: [String]
  public var effects: [String]
  public var digest: String?
}

/// The places where two states differ.
public struct SessionDiff: Codable, Sendable, Equatable {
  public struct Change: Codable, Sendable, Equatable {
    public var path: String
    /// JSON texts; `nil` where there is nothing.
    public var old: String?
    public var new: String?
  }

  public var from: Int
  public var to: Int
  public var path: String?
  public var changes: [Change]
  /// Whether there are more.
  public var isTruncated: Bool
}

/// The entries of a timeline, and the effects that lived meanwhile.
public struct SessionTimeline: Codable, Sendable, Equatable {
  public struct Entry: Codable, Sendable, Equatable {
    public enum Kind: String, Codable, Sendable {
      case step, mark, issue, end
    }

    public var kind: Kind
    /// Of a step its number, of anything else the step before it.
    public var step: Int
    public var time: Int64
    public var origin: SessionStep.Origin?
    /// The action's name, the mark's, or the issue's message.
    public var text: String
  }

  /// An effect, from the step that returned it to the last that tells of it.
  public struct Span: Codable, Sendable, Equatable {
    public enum End: String, Codable, Sendable {
      case finished, cancelled, silent, open
    }

    public var name: String
    public var id: String?
    public var first: Int
    public var last: Int
    public var end: End
    /// How many actions it sent.
    public var actions: Int
  }

  public var entries: [Entry]
  public var spans: [Span]
  /// Whether there are more entries.
  public var isTruncated: Bool
}

/// A recording that begins like another one.
public struct SessionForked: Codable, Sendable, Equatable {
  public var path: String
  public var step: Int
  public var source: String
  /// Whether the board goes on there.
  public var isContinued: Bool
}

/// What a search over the states of a recording found.
public struct SessionBisected: Codable, Sendable, Equatable {
  public var path: String
  public var assertion: String
  /// The first step after which the assertion fails; `nil` where it never does.
  public var step: SessionStep?
  /// What that step changed.
  public var diff: SessionDiff?
  public var steps: Int
  public var evaluations: Int
}

/// What became of checking one recording.
public struct SessionCheck: Codable, Sendable, Equatable {
  public var path: String
  public var steps: Int
  /// 0, or the exit code of what was found.
  public var code: Int32
  public var message: String
  public var warnings: [String]
}

/// A figure of a recording: a number where it is one, for programs, and what people read.
public struct SessionFigure: Codable, Sendable, Equatable {
  public var name: String
  public var number: Int?
  public var text: String
}
