import SwiftBoardCommandLine

/// The board's state about recordings.
public struct SessionState: Codable, Sendable, Equatable {
  /// The file that is being recorded to, as far as the steps show.
  public var recording: String?
  /// The step of the recording that is shown; `nil` is the present.
  public var position: SessionPosition?

  /// Nothing recorded or visited.
  public init() {}
}

/// A position in a recording.
public struct SessionPosition: Codable, Sendable, Equatable {
  /// From 0, the beginning, to `last`.
  public var step: Int
  /// The recording's last step at the time of the jump.
  public var last: Int

  /// A position; that `step` is in the recording is not checked.
  public init(step: Int, last: Int) {
    self.step = step
    self.last = last
  }
}

/// The recording as it was when a line was read: what `end` and `-1` are counted from.
public struct SessionMoment: Codable, Sendable, Equatable {
  /// The recording's file.
  public var path: String
  /// Its last step.
  public var step: Int

  /// A recording at one moment.
  public init(path: String, step: Int) {
    self.path = path
    self.step = step
  }
}

/// The actions of the feature `session`.
public enum SessionAction: Codable, Sendable, Equatable {
  /// The last value is there where a recording ran and the command asks for it.
  case run(context: CommandContext, command: SessionCommand, moment: SessionMoment? = nil)
  /// A part of what a command prints, in the output's format.
  case printed(job: Int, text: String)
  /// A part of what a command prints that is no text, in base64.
  case printedBytes(job: Int, base64: String)
  /// How far a command is, for standard error.
  case progress(job: Int, text: String)
  /// The command ended well, or with an answer that is no; `masked` says in place of how many
  /// values there are marks.
  case succeeded(job: Int, result: SessionResult, masked: MaskedValues? = nil)
  /// The command failed.
  case failed(job: Int, failure: Failure)
}

/// The commands of the feature `session`.
public enum SessionCommand: Codable, Sendable, Equatable {
  /// Records from here on into a new file, or into one after the other.
  case record(path: String, rotation: SessionRotation? = nil)
  /// Ends the recording; says whether and where one runs.
  case stop, status
  /// Names the present step.
  case mark(name: String)
  /// Looks at the state after an earlier step of the running recording.
  case goto(target: SessionTarget)
  /// Looks at the state before the last line that did something; stops looking back.
  case undo, live
  /// `session live` where the present is shown already.
  case present
  /// The state, or a part of it, at a step of the running recording or of a file.
  case state(path: String?, at: SessionTarget?, file: String?)
  /// `assert` while the session shows an earlier step.
  case assert(condition: String)
  /// All that a recording has of a step.
  case action(target: SessionTarget, file: String?)
  /// What two states differ in; at most `limit` positions.
  case diff(from: SessionTarget, to: SessionTarget, path: String?, limit: Int, file: String?)
  /// What happened, row by row.
  case timeline(query: SessionTimelineQuery)
  /// Goes on from an earlier step, in a recording of its own.
  case fork(target: SessionTarget, file: String?, from: String?)
  /// The first step after which an assertion fails; `linear` asks after every step.
  case bisect(file: String, assert: String, linear: Bool)
  /// Replays files and says which agree; a risky one only where that is accepted.
  case verify(files: [String], format: SessionReportFormat?, acceptsRisk: Bool)
  /// Prints what a recorded session printed, from its steps alone.
  case replay(query: SessionReplayQuery)
  /// The states that a recording went through, for Graphviz.
  case graph(file: String, by: String?)
  /// Which step caused which, for Graphviz.
  case causes(file: String, range: SessionRange?)
  /// Figures of a recording.
  case stats(file: String)
  /// A Swift test that replays the recording up to a step.
  case test(file: String, until: SessionTarget?)

  /// Whether it is about the running recording unless it names a file, so that the step has to say
  /// which that is.
  var wantsMoment: Bool {
    switch self {
    case .goto, .undo, .assert: true
    case .state(_, _, let file), .action(_, let file), .diff(_, _, _, _, let file),
      .fork(_, _, let file):
      file == nil
    case .timeline(let query): query.file == nil
    case .record, .stop, .status, .mark, .live, .present, .bisect, .verify, .replay, .graph,
      .causes, .stats,
      .test:
      false
    }
  }
}

/// When a recording continues in another file.
public struct SessionRotation: Codable, Sendable, Equatable {
  /// MiB after which a file is ended.
  public var size: Int
  /// How many ended files are kept; `nil` is all.
  public var keep: Int?

  /// A rotation by size in MiB; without `keep`, every file is kept.
  public init(size: Int, keep: Int? = nil) {
    self.size = size
    self.keep = keep
  }
}

/// The machine-readable format for the results of many files.
public enum SessionReportFormat: String, Codable, Sendable, CaseIterable {
  /// Test Anything Protocol, and the XML that JUnit made common.
  case tap, junit
}

/// Steps from one to another, both included.
public struct SessionRange: Codable, Sendable, Equatable {
  /// From 0.
  public var first: Int
  /// Not below `first`; `Int.max` is the end.
  public var last: Int

  /// A range; nothing is checked.
  public init(first: Int, last: Int) {
    self.first = first
    self.last = last
  }

  /// `3..9`, `3..`, `..9` or `3`.
  init?(parsing text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    if parts.count == 1, let step = Int(text), step >= 0 {
      self.init(first: step, last: step)
      return
    }
    guard parts.count == 3, parts[1].isEmpty else { return nil }
    let first = parts[0].isEmpty ? 0 : Int(parts[0])
    let last = parts[2].isEmpty ? Int.max : Int(parts[2])
    guard let first, let last, first >= 0, first <= last else { return nil }
    self.init(first: first, last: last)
  }
}

/// The selection for `session timeline`; everything by default.
public struct SessionTimelineQuery: Codable, Sendable, Equatable {
  /// The recording; `nil`: the running one.
  public var file: String?
  /// Only rows with this text.
  public var text: String?
  /// Only steps whose action has this name, or begins with it and a dot.
  public var action: String?
  /// Only steps of these: `user`, `effect`, `link`, `program`.
  public var sources: [String]?
  /// Only these steps.
  public var range: SessionRange?
  /// Rows at most.
  public var limit: Int

  /// A query; what is left out lets everything pass.
  public init(
    file: String? = nil, text: String? = nil, action: String? = nil, sources: [String]? = nil,
    range: SessionRange? = nil, limit: Int = 1000
  ) {
    self.file = file
    self.text = text
    self.action = action
    self.sources = sources
    self.range = range
    self.limit = limit
  }
}

/// What `session replay` prints, and how fast.
public struct SessionReplayQuery: Codable, Sendable, Equatable {
  /// The recording.
  public var file: String
  /// The first step that prints.
  public var from: Int?
  /// The last step; `nil`: all.
  public var until: SessionTarget?
  /// Times as fast as it was; `nil` is as fast as can be.
  public var speed: Double?
  /// Waits for a key before each part.
  public var isStepped: Bool
  /// Microseconds that a pause takes at most.
  public var idleLimit: Int64?
  /// Whether to continue where something was dropped or filled in while decoding.
  public var acceptsRisk: Bool
  /// Sends the lines to the services there are, and compares what follows.
  public var isLive: Bool
  /// With `isLive`, what is not compared besides what features declare: texts of `JSONPathPattern`.
  public var ignored: [String]?
  /// With `isLive`, whether documents, preferences, API services and secrets are this home's; else
  /// there are none at first.
  public var sharesHome: Bool?

  /// A query; what is left out plays the whole at once.
  public init(
    file: String, from: Int? = nil, until: SessionTarget? = nil, speed: Double? = nil,
    isStepped: Bool = false, idleLimit: Int64? = nil, acceptsRisk: Bool = false,
    isLive: Bool = false, ignored: [String]? = nil, sharesHome: Bool? = nil
  ) {
    self.file = file
    self.from = from
    self.until = until
    self.speed = speed
    self.isStepped = isStepped
    self.idleLimit = idleLimit
    self.acceptsRisk = acceptsRisk
    self.isLive = isLive
    self.ignored = ignored
    self.sharesHome = sharesHome
  }
}
