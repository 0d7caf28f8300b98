import SwiftBoardDependencies
import SwiftBoardRecording

/// The board's state of recordings and navigation.
public struct SessionState: Codable, Sendable, Equatable {
  /// The file that is being recorded to, according to the steps.
  public var recording: String?
  /// The step of the recording that is shown, or `nil` for the present.
  public var position: SessionPosition?
  /// The running commands that begin, mark, end or write a recording, or `nil` in recordings in
  /// which they ended when they were cancelled.
  public var changes: RunningChanges? = []
}

/// A position in a recording.
public struct SessionPosition: Codable, Sendable, Equatable {
  /// The step, from 0, the beginning, to `last`.
  public var step: Int
  /// The recording's last step at the time of the jump.
  public var last: Int
}

/// The recording when a line was read. `end` and `-1` are relative to it.
public struct SessionMoment: Codable, Sendable, Equatable {
  /// The recording's file.
  public var path: String
  /// Its last step.
  public var step: Int
}

/// The actions of the feature `session`.
public enum SessionAction: Codable, Sendable, Equatable {
  /// Starts a command. `moment` is set if a recording is running and the command refers to it.
  case run(context: CommandContext, command: SessionCommand, moment: SessionMoment? = nil)
  /// A part of the command's output, in the output's format. `masked` counts the values that marks
  /// replace.
  case printed(job: Int, text: String, masked: MaskedValues? = nil)
  /// A part of the command's output that is not text, in base64.
  case printedBytes(job: Int, base64: String, masked: MaskedValues? = nil)
  /// The progress of a command, for standard error.
  case progress(job: Int, text: String)
  /// The command succeeded or gave a negative answer. `masked` counts the values that marks
  /// replace, and `warnings` are about the recording that it read, if there are some.
  case succeeded(
    job: Int, result: SessionResult, masked: MaskedValues? = nil, warnings: [String]? = nil)
  /// The command failed. `warnings` are about the recording that it read, if there are some.
  case failed(job: Int, failure: Failure, warnings: [String]? = nil)
}

/// The commands of the feature `session`.
public enum SessionCommand: Codable, Sendable, Equatable {
  /// Records from here on into a new file or into rotated files. Without `durability`, recorded
  /// steps survive the end of the process.
  case record(
    path: String, rotation: SessionRotation? = nil,
    durability: RecordingOptions.Durability? = nil)
  /// `stop` ends the recording. `status` prints whether and where a recording is running.
  case stop, status
  /// Names the present step.
  case mark(name: String)
  /// Shows the state after an earlier step of the running recording.
  case goto(target: SessionTarget)
  /// `undo` shows the state before the last line that changed something. `live` returns to the
  /// present.
  case undo, live
  /// `session live` when the present is already shown.
  case present
  /// Prints the state, or a part of it, at a step of the running recording or of a file.
  case state(path: String?, at: SessionTarget?, file: String?)
  /// `assert` while an earlier step is shown.
  case assert(condition: String)
  /// Prints everything that a recording contains about a step.
  case action(target: SessionTarget, file: String?)
  /// Prints the differences between two states, at most `limit`.
  case diff(from: SessionTarget, to: SessionTarget, path: String?, limit: Int, file: String?)
  /// Prints the entries of a recording as rows.
  case timeline(query: SessionTimelineQuery)
  /// Continues from an earlier step in a new recording.
  case fork(target: SessionTarget, file: String?, from: String?)
  /// Finds the first step after which an assertion fails. `linear` checks every step.
  case bisect(file: String?, assert: String, linear: Bool)
  /// Replays files and prints which agree. Replays a risky one only if `acceptsRisk`.
  case verify(files: [String], format: SessionReportFormat?, acceptsRisk: Bool)
  /// Prints the output of a recorded session, computed from its steps alone.
  case replay(query: SessionReplayQuery)
  /// Prints the states of a recording as a graph for Graphviz, or opens its picture if `opens`.
  case graph(file: String?, by: String?, opens: Bool? = nil)
  /// Prints which step caused which as a graph for Graphviz, or opens its picture if `opens`.
  case causes(file: String?, range: SessionRange?, opens: Bool? = nil)
  /// Prints an SVG image of the terminal at the end of a recorded session.
  case screenshot(file: String?)
  /// Prints figures about a recording.
  case stats(file: String?)
  /// Prints a Swift test that replays the recording up to a step.
  case test(file: String?, until: SessionTarget?)

  /// Whether the command refers to the running recording unless it names a file. The step then has
  /// to say which recording that is.
  var wantsMoment: Bool {
    switch self {
    case .goto, .undo, .assert: true
    case .state(_, _, let file), .action(_, let file), .diff(_, _, _, _, let file),
      .fork(_, _, let file), .bisect(let file, _, _), .graph(let file, _, _),
      .causes(let file, _, _),
      .screenshot(let file), .stats(let file), .test(let file, _):
      file == nil
    case .timeline(let query): query.file == nil
    case .record, .stop, .status, .mark, .live, .present, .verify, .replay: false
    }
  }

  /// Whether the command starts, marks or ends the recording of this board.
  var changesRecording: Bool {
    switch self {
    case .record, .stop, .mark: true
    case .status, .goto, .undo, .assert, .state, .action, .diff, .fork, .bisect, .graph, .causes,
      .screenshot, .stats, .test, .timeline, .live, .present, .verify, .replay:
      false
    }
  }

  /// Whether the command changes the recording of this board, or writes another one.
  var changesFile: Bool { if case .fork = self { true } else { changesRecording } }

  /// Whether the command may run while the board shows an earlier step. A mark may not: it names
  /// the present, but would seem to name the shown step.
  var isAllowedAtEarlierStep: Bool {
    switch self {
    case .record, .mark: false
    case .stop, .status, .goto, .undo, .assert, .state, .action, .diff, .fork, .bisect, .graph,
      .causes, .screenshot, .stats, .test, .timeline, .live, .present, .verify, .replay:
      true
    }
  }
}

/// The rotation settings of a recording.
public struct SessionRotation: Codable, Sendable, Equatable {
  /// The size in MiB after which a file is ended.
  public var size: Int
  /// The number of ended files to keep, or `nil` for all.
  public var keep: Int?
}

/// A machine-readable format for the results of checking files.
public enum SessionReportFormat: String, Codable, Sendable, CaseIterable {
  /// The Test Anything Protocol, and JUnit XML.
  case tap, junit
}

/// A range of steps that includes both bounds.
public struct SessionRange: Codable, Sendable, Equatable {
  /// The first step, from 0.
  public var first: Int
  /// The last step, not below `first`. `Int.max` is the end of the recording.
  public var last: Int

  /// Creates a range. Does not check the bounds.
  public init(first: Int, last: Int) {
    self.first = first
    self.last = last
  }

  /// Parses `3..9`, `3..`, `..9` or `3`.
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
  /// The recording, or `nil` for the running one.
  public var file: String?
  /// Only entries that contain this text.
  public var text: String?
  /// Only steps whose action has this name, or a name that begins with it and a dot.
  public var action: String?
  /// Only steps from these sources: `user`, `effect`, `link`, `program`.
  public var sources: [String]?
  /// Only steps in this range.
  public var range: SessionRange?
  /// The maximum number of rows.
  public var limit = 1000
}

/// The part of a recording that `session replay` prints, and its pace.
public struct SessionReplayQuery: Codable, Sendable, Equatable {
  /// The recording.
  public var file: String
  /// The first step whose output is printed.
  public var from: Int?
  /// The last step, or `nil` for all steps.
  public var until: SessionTarget?
  /// The speed relative to the recording, or `nil` for as fast as possible.
  public var speed: Double?
  /// Whether to wait for a key before each part.
  public var isStepped = false
  /// The longest pause in microseconds.
  public var idleLimit: Int64?
  /// Whether to continue if decoding dropped or filled in values.
  public var acceptsRisk = false
  /// Whether to send the lines to the board's services and compare the actions that follow.
  public var isLive = false
  /// With `isLive`, further members that are not compared, as texts of `JSONPathPattern`.
  public var ignored: [String]?
  /// With `isLive`, whether to use this home's documents, preferences, API services and secrets.
  /// Otherwise there are none at first.
  public var sharesHome: Bool?
}
