import SwiftBoardJSON
import SwiftBoardStore

/// A typed line of a log. Unknown members are kept in `extra` and otherwise ignored.
public enum LogLine: Sendable, Hashable {
  /// The first line of every file, and of no other position.
  case header(LogHeader)
  /// A reduction.
  case step(LogStep)
  /// An issue.
  case issue(LogIssue)
  /// A name for a step.
  case mark(LogMark)
  /// A whole state.
  case snapshot(LogSnapshot)
  /// A clean stop. If there is one, it is the last line.
  case end(LogEnd)
  /// A line of a later version's kind, with its members except `k` and `sum`.
  case unknown(kind: String, [JSON.Member])
}

/// The first line: the recording program, its environment, and the initial state.
public struct LogHeader: Sendable, Hashable {
  /// The version of the format. This module writes and reads 1.
  public var version = 1
  /// The actions of the recording and their version.
  public var schema: LogSchema
  /// The wall clock time of the beginning, in microseconds since 1970.
  public var created: Int64
  /// The environment of the recording, for example `live`.
  public var environment: String
  /// The locale of the recording, for example `C`. A replay does not set it, since reducers do not
  /// read it.
  public var locale: String
  /// The time zone of the recording, for example `UTC`. A replay does not set it, since reducers do
  /// not read it.
  public var timeZone: String
  /// The seed of the random source. A string in the line, because other JSON readers would lose
  /// digits of such numbers.
  public var seed: UInt64
  /// The state the recording starts from.
  public var state: JSON
  /// The digest of `state`.
  public var digest: Digest
  /// The interval of steps with a digest; `nil` means that every step has one.
  public var digestEvery: Int?
  /// The paths or types whose values the program replaces by tokens before they enter an action or
  /// a state, as it declares. A recorder replaces nothing.
  public var redacted: [String]
  /// The additions to the version that the writer knew, or 0 if the log does not say. From 1 on,
  /// effects have all of their ids.
  public var minor = 0
  /// The unknown members, in their order.
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
  /// The number of the step, from 1.
  public var n: Int
  /// The time since the recording began, in microseconds from a monotonic clock.
  public var t: Int64
  /// The sender of the action. The step of `.effect` is that of the recording, or 0 if it precedes
  /// the recording.
  public var origin: StepOrigin
  /// The action as JSON text. It is canonical if this module wrote it.
  public private(set) var actionBytes: [UInt8]
  /// The values that the reduction drew, in order.
  public var draws: [LoggedDraw]
  /// The effects that it returned, in order.
  public var effects: [LogEffect]
  /// The digest of the state after the step, or `nil` if the step has none.
  public var digest: Digest?
  /// The unknown members, in their order.
  public var extra: [JSON.Member]

  /// Creates a step.
  ///
  /// - Complexity: O(size of the action).
  public init(
    n: Int, t: Int64, origin: StepOrigin, action: JSON, draws: [LoggedDraw] = [],
    effects: [LogEffect] = [], digest: Digest? = nil, extra: [JSON.Member] = []
  ) {
    self.init(
      n: n, t: t, origin: origin, actionBytes: plain(action), draws: draws, effects: effects,
      digest: digest, extra: extra)
  }

  /// Creates a step. `actionBytes` must be JSON text.
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

  /// The action, parsed at every access.
  public var action: JSON {
    get { (try? JSON(parsing: actionBytes)) ?? .null }
    set { actionBytes = plain(newValue) }
  }
}

/// An issue after step `n`.
public struct LogIssue: Sendable, Hashable {
  /// The step after which the issue occurred, or 0 before the first step.
  public var n: Int
  /// The message of the store: what happened, and what to do.
  public var message: String
  /// The module and file of the responsible line, as in `#fileID`.
  public var file: String
  /// The line number in that file, from 1.
  public var line: Int
  /// The unknown members, in their order.
  public var extra: [JSON.Member] = []
}

/// A name for the state after step `n`.
public struct LogMark: Sendable, Hashable {
  /// The step whose state is named, or 0 for the state in the header.
  public var n: Int
  /// The name. Names need not be unique.
  public var name: String
  /// The unknown members, in their order.
  public var extra: [JSON.Member] = []
}

/// The whole state after step `n`. A reader can start there instead of replaying from the
/// beginning.
public struct LogSnapshot: Sendable, Hashable {
  /// The step after which the state was taken.
  public var n: Int
  /// The whole state.
  public var state: JSON
  /// The digest of `state`.
  public var digest: Digest
  /// The unknown members, in their order.
  public var extra: [JSON.Member] = []
}

/// A clean stop after step `n`.
public struct LogEnd: Sendable, Hashable {
  /// The last step.
  public var n: Int
  /// The digest of the state after the last step.
  public var digest: Digest
  /// The unknown members, in their order.
  public var extra: [JSON.Member] = []
}

/// A program's declaration of its actions, which is also in the logs that it writes.
public struct LogSchema: Sendable, Hashable, CustomStringConvertible {
  /// The name and version of the program, for example `swiftboard 0.1.0`.
  public var program: String
  /// The feature that was recorded, for example `board`.
  public var feature: String
  /// The name of the action type, for example `BoardAction`.
  public var name: String
  /// The version of the actions. Increase it when the form of a case or payload changes.
  public var version: Int

  /// The versions of separately versioned parts of the program, by name. A missing version is 1.
  public var parts: [String: Int]

  /// Creates a schema.
  public init(
    program: String, feature: String, name: String, version: Int, parts: [String: Int] = [:]
  ) {
    self.program = program
    self.feature = feature
    self.name = name
    self.version = version
    self.parts = parts
  }

  /// Returns the version of a part, or of the whole program if `part` is `nil`.
  func version(of part: String?) -> Int { part.map { parts[$0] ?? 1 } ?? version }

  /// Returns whether all parts have the same versions.
  func isSameForm(as other: LogSchema) -> Bool {
    version == other.version
      && Set(parts.keys).union(other.parts.keys).allSatisfy {
        version(of: $0) == other.version(of: $0)
      }
  }

  /// The name of the program without its version, since releases of one program read each other's
  /// logs.
  var programName: Substring {
    program.prefix { $0 != " " }
  }

  /// Returns whether logs of `other` have the same actions, in any version.
  func isSameKind(as other: LogSchema) -> Bool {
    programName == other.programName && feature == other.feature && name == other.name
  }

  /// The program, the feature, and the name and version of the schema.
  public var description: String { "\(program), \(feature), \(name) \(version)" }
}
