import SwiftBoardCommandLine

public struct SessionState: Codable, Sendable, Equatable {
  /// The file that is being recorded to, as far as steps have told.
  public var recording: String?
  /// The step of the recording that is looked at; `nil` is now.
  public var position: SessionPosition?

  public init() {}
}

/// A place in a recording.
public struct SessionPosition: Codable, Sendable, Equatable {
  public var step: Int
  /// The recording's last step when somebody went there.
  public var last: Int

  public init(step: Int, last: Int) {
    self.step = step
    self.last = last
  }
}

/// The recording as it was when a line was read: what `end` and `-1` are counted from.
public struct SessionMoment: Codable, Sendable, Equatable {
  public var path: String
  /// Its last step.
  public var step: Int

  public init(path: String, step: Int) {
    self.path = path
    self.step = step
  }
}

public enum SessionAction: Codable, Sendable, Equatable {
  /// The last value is there where a recording ran and the command asks for it.
  case run(CommandContext, SessionCommand, SessionMoment? = nil)
  /// A part of what a command prints, in the output's format.
  case printed(job: Int, String)
  /// How far a command is, for standard error.
  case progress(job: Int, String)
  case succeeded(job: Int, SessionResult)
  case failed(job: Int, Failure)
}

public enum SessionCommand: Codable, Sendable, Equatable {
  case record(String, rotation: SessionRotation? = nil)
  case stop, status
  case mark(String)
  case goto(SessionTarget)
  case undo, live
  case state(path: String?, at: SessionTarget?, file: String?)
  /// `assert` while somebody looks at an earlier step.
  case assert(String)
  case action(SessionTarget, file: String?)
  case diff(SessionTarget, SessionTarget, path: String?, limit: Int, file: String?)
  case timeline(SessionTimelineQuery)
  case fork(SessionTarget, file: String?, from: String?)
  case bisect(String, assert: String, linear: Bool)
  case verify([String], format: SessionReportFormat?, acceptsRisk: Bool)
  case replay(SessionReplayQuery)
  case graph(String, by: String?)
  case causes(String, range: SessionRange?)
  case stats(String)
  case test(String, until: SessionTarget?)

  /// Whether it is about the running recording unless it names a file, so that the step has to say which that is.
  var wantsMoment: Bool {
    switch self {
    case .goto, .undo, .assert: true
    case .state(_, _, let file), .action(_, let file), .diff(_, _, _, _, let file),
      .fork(_, _, let file):
      file == nil
    case .timeline(let query): query.file == nil
    case .record, .stop, .status, .mark, .live, .bisect, .verify, .replay, .graph, .causes, .stats,
      .test:
      false
    }
  }
}

/// When a recording goes on in another file.
public struct SessionRotation: Codable, Sendable, Equatable {
  /// MiB after which a file is ended.
  public var size: Int
  /// How many ended files are kept; `nil` is all.
  public var keep: Int?

  public init(size: Int, keep: Int? = nil) {
    self.size = size
    self.keep = keep
  }
}

/// How the results of many files are told to programs.
public enum SessionReportFormat: String, Codable, Sendable, CaseIterable {
  case tap, junit
}

/// Steps from one to another, both included.
public struct SessionRange: Codable, Sendable, Equatable {
  public var first: Int
  public var last: Int

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

/// What `session timeline` shows; everything unless it says so.
public struct SessionTimelineQuery: Codable, Sendable, Equatable {
  public var file: String?
  public var text: String?
  public var action: String?
  public var sources: [String]?
  public var range: SessionRange?
  /// Rows at most.
  public var limit: Int

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
  public var file: String
  /// The first step that prints.
  public var from: Int?
  public var until: SessionTarget?
  /// Times as fast as it was; `nil` is as fast as can be.
  public var speed: Double?
  /// Waits for a key before each part.
  public var isStepped: Bool
  /// Microseconds that a pause takes at most.
  public var idleLimit: Int64?
  public var acceptsRisk: Bool
  /// Sends the lines to the services there are, and compares what follows.
  public var isLive: Bool

  public init(
    file: String, from: Int? = nil, until: SessionTarget? = nil, speed: Double? = nil,
    isStepped: Bool = false, idleLimit: Int64? = nil, acceptsRisk: Bool = false,
    isLive: Bool = false
  ) {
    self.file = file
    self.from = from
    self.until = until
    self.speed = speed
    self.isStepped = isStepped
    self.idleLimit = idleLimit
    self.acceptsRisk = acceptsRisk
    self.isLive = isLive
  }
}
