import SwiftBoardJSON
import SwiftBoardStore

/// One line of a log, typed. Members that this program does not know are kept in `extra` and otherwise ignored.
public enum LogLine: Sendable, Hashable {
  case header(LogHeader)
  case step(LogStep)
  case issue(LogIssue)
  case mark(LogMark)
  case snapshot(LogSnapshot)
  case end(LogEnd)
  /// A kind of a later version: its members without `k` and `sum`.
  case unknown(kind: String, [JSON.Member])
}

/// The first line: who recorded, in which world, and from which state.
public struct LogHeader: Sendable, Hashable {
  /// The version of the format; this module writes and reads 1.
  public var version = 1
  public var schema: LogSchema
  /// Wall clock, microseconds since 1970.
  public var created: Int64
  public var environment: String
  public var locale: String
  public var timeZone: String
  /// Decimal; a string because JSON numbers of that size lose digits elsewhere.
  public var seed: String
  /// The state the recording starts from.
  public var state: JSON
  public var digest: Digest
  /// Each how-many-th step has a digest; nil: each.
  public var digestEvery: Int?
  /// Paths or types whose values are tokens.
  public var redacted: [String]
  public var extra: [JSON.Member] = []
}

/// One reduction.
public struct LogStep: Sendable, Hashable {
  /// 1, 2, 3 … in the recording.
  public var n: Int
  /// Microseconds since the recording began, from a monotonic clock.
  public var t: Int64
  /// The step of `.effect` counts in the recording; 0 is before it.
  public var origin: StepOrigin
  /// The action as JSON text, canonical where our own encoder wrote it.
  public private(set) var actionBytes: [UInt8]
  public var draws: [LoggedDraw]
  public var effects: [LogEffect]
  public var digest: Digest?
  public var extra: [JSON.Member]

  public init(
    n: Int, t: Int64, origin: StepOrigin, action: JSON, draws: [LoggedDraw] = [],
    effects: [LogEffect] = [], digest: Digest? = nil, extra: [JSON.Member] = []
  ) {
    self.init(
      n: n, t: t, origin: origin, actionBytes: plain(action), draws: draws, effects: effects,
      digest: digest, extra: extra)
  }

  /// `actionBytes` is a JSON text.
  init(
    n: Int, t: Int64, origin: StepOrigin, actionBytes: [UInt8], draws: [LoggedDraw],
    effects: [LogEffect], digest: Digest?, extra: [JSON.Member] = []
  ) {
    self.n = n
    self.t = t
    self.origin = origin
    self.actionBytes = actionBytes
    self.draws = draws
    self.effects = effects
    self.digest = digest
    self.extra = extra
  }

  /// The action, parsed at every call.
  public var action: JSON {
    get { (try? JSON(parsing: actionBytes)) ?? .null }
    set { actionBytes = plain(newValue) }
  }
}

/// Something that went wrong after step `n`.
public struct LogIssue: Sendable, Hashable {
  public var n: Int
  public var message: String
  public var file: String
  public var line: Int
  public var extra: [JSON.Member] = []
}

/// A name for the state after step `n`.
public struct LogMark: Sendable, Hashable {
  public var n: Int
  public var name: String
  public var extra: [JSON.Member] = []
}

/// The whole state after step `n`, to seek without replaying from the start.
public struct LogSnapshot: Sendable, Hashable {
  public var n: Int
  public var state: JSON
  public var digest: Digest
  public var extra: [JSON.Member] = []
}

/// A clean stop after step `n`.
public struct LogEnd: Sendable, Hashable {
  public var n: Int
  public var digest: Digest
  public var extra: [JSON.Member] = []
}

/// What a program declares about its actions, and a log about the program that wrote it.
public struct LogSchema: Sendable, Hashable, CustomStringConvertible {
  /// Name and version, for example `swiftboard 0.1.0`.
  public var program: String
  /// The feature that was recorded, for example `board`.
  public var feature: String
  /// The action type's name, for example `BoardAction`.
  public var name: String
  /// Raised when a case or a payload changes its form.
  public var version: Int

  public init(program: String, feature: String, name: String, version: Int) {
    self.program = program
    self.feature = feature
    self.name = name
    self.version = version
  }

  /// The program without its version: releases of one program read each other's logs.
  var programName: Substring {
    program.prefix { $0 != " " }
  }

  /// Whether logs of `other` are about the same actions, of whatever version.
  func isSameKind(as other: LogSchema) -> Bool {
    programName == other.programName && feature == other.feature && name == other.name
  }

  public var description: String { "\(program), \(feature), \(name) \(version)" }
}
