import SwiftBoardJSON
import SwiftBoardStore

/// One line of a log, typed. Members that this program does not know are kept in `extra` and
/// otherwise ignored.
public enum LogLine: Sendable, Hashable {
  /// The first line of every file, and of no other place.
  case header(LogHeader)
  /// A reduction.
  case step(LogStep)
  /// An issue.
  case issue(LogIssue)
  /// A name for a step.
  case mark(LogMark)
  /// A whole state.
  case snapshot(LogSnapshot)
  /// A clean stop; the last line if there is one.
  case end(LogEnd)
  /// A kind of a later version: its members without `k` and `sum`.
  case unknown(kind: String, [JSON.Member])
}

/// The first line: the recording program, its environment, and the initial state.
public struct LogHeader: Sendable, Hashable {
  /// The version of the format; this module writes and reads 1.
  public var version = 1
  /// Whose actions these are, and of which version.
  public var schema: LogSchema
  /// Wall clock, microseconds since 1970.
  public var created: Int64
  /// In which environment it was recorded, for example `live`.
  public var environment: String
  /// The locale of the recording, for example `C`. A replay does not set it: reducers read none.
  public var locale: String
  /// The time zone of the recording, for example `UTC`. A replay does not set it: reducers read
  /// none.
  public var timeZone: String
  /// Decimal; a string because JSON numbers of that size lose digits elsewhere.
  public var seed: String
  /// The state the recording starts from.
  public var state: JSON
  /// The digest of `state`.
  public var digest: Digest
  /// Each how-many-th step has a digest; nil: each.
  public var digestEvery: Int?
  /// Paths or types whose values are tokens.
  public var redacted: [String]
  /// Which additions to the version the writer knew; 0 if the log does not say. From 1 on effects
  /// have all of their ids.
  public var minor = 0
  /// Members that this program does not know, in their order.
  public var extra: [JSON.Member] = []
}

extension LogHeader {
  /// The additions that this module writes.
  static let currentMinor = 1

  /// Whether every effect has all of its ids, not only the first.
  @usableFromInline var hasAllIDs: Bool { minor >= 1 }
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
  /// The values that the reduction drew, in order.
  public var draws: [LoggedDraw]
  /// The effects that it returned, in order.
  public var effects: [LogEffect]
  /// Of the state after the step; `nil` if this step has none.
  public var digest: Digest?
  /// Members that this program does not know, in their order.
  public var extra: [JSON.Member]

  /// A step as a log has it. Writes the action as text once: O(size of the action).
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
  /// The step after which it came up; 0 is before the first.
  public var n: Int
  /// What happened, and what to do, as the store said it.
  public var message: String
  /// Module and file of the line that is to blame, as `#fileID` gives them.
  public var file: String
  /// The line in that file, from 1.
  public var line: Int
  /// Members that this program does not know, in their order.
  public var extra: [JSON.Member] = []
}

/// A name for the state after step `n`.
public struct LogMark: Sendable, Hashable {
  /// The step whose state is named; 0 is the state in the header.
  public var n: Int
  /// The name; the same one may come several times.
  public var name: String
  /// Members that this program does not know, in their order.
  public var extra: [JSON.Member] = []
}

/// The whole state after step `n`, to seek without replaying from the start.
public struct LogSnapshot: Sendable, Hashable {
  /// The step whose state this is.
  public var n: Int
  /// The state, whole.
  public var state: JSON
  /// The digest of `state`.
  public var digest: Digest
  /// Members that this program does not know, in their order.
  public var extra: [JSON.Member] = []
}

/// A clean stop after step `n`.
public struct LogEnd: Sendable, Hashable {
  /// The last step.
  public var n: Int
  /// Of the state after it.
  public var digest: Digest
  /// Members that this program does not know, in their order.
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

  /// The versions of parts of the program that count by themselves, by their names; 1 where there
  /// is none.
  public var parts: [String: Int]

  /// What identifies the actions of a log: see the properties.
  public init(
    program: String, feature: String, name: String, version: Int, parts: [String: Int] = [:]
  ) {
    self.program = program
    self.feature = feature
    self.name = name
    self.version = version
    self.parts = parts
  }

  /// The version of a part; of the whole where none is named.
  func version(of part: String?) -> Int { part.map { parts[$0] ?? 1 } ?? version }

  /// Whether the forms of all parts are the same.
  func isSameForm(as other: LogSchema) -> Bool {
    version == other.version
      && Set(parts.keys).union(other.parts.keys).allSatisfy {
        version(of: $0) == other.version(of: $0)
      }
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
