import SwiftBoardBoard
import SwiftBoardDependencies

/// The actions of the feature `log`.
public enum LogAction {
  /// Starts a command.
  case run(context: CommandContext, command: LogCommand)
  /// A part of the records of a command that shows more than one action holds, in order. `end` is
  /// in the last one.
  case listed(job: Int, records: [LogRecord], end: LogListEnd? = nil)
  /// Asks for the level, so that the state has it.
  case bootstrap
  /// The minimum level of categories without their own.
  case bootstrapped(level: LogLevel)
  /// The command succeeded. `counts` are the numbers of records that this process has written.
  case succeeded(job: Int, result: LogResult, counts: [String: Int]? = nil)
  /// The command failed.
  case failed(job: Int, failure: Failure)
}

extension LogAction: FeatureAction {
  /// The command of `run`.
  public var started: CommandContext? {
    if case .run(let context, _) = self { context } else { nil }
  }
}

/// The end of the records of a command.
public struct LogListEnd: Codable, Sendable, Equatable {
  /// The number of all records.
  public var count: Int
  /// The number of lines of the log that are not records, or `nil` if there are none.
  public var unreadable: Int?
  /// The numbers of records that this process has written, by level.
  public var counts: [String: Int]
}

/// The commands of the feature `log`.
public enum LogCommand: Codable, Sendable, Equatable {
  /// Shows the newest records that match.
  case tail(query: LogQuery)
  /// Sets the minimum level of a category, or, if it is `nil`, of all categories without their own.
  case level(level: LogLevel, category: String?)
  /// Writes a record for the user.
  case note(text: String)
  /// Prints the number of records by level and category.
  case stats
  /// Writes the kept records to a file that does not exist yet.
  case export(path: String)
  /// Prints the text as a sink would write it.
  case redactTest(text: String)
  /// Removes the kept records, including those of other processes and those in the database.
  case clear
}

/// A selection of records; by default, it selects all levels and texts.
public struct LogQuery: Codable, Sendable, Equatable {
  /// The maximum number of records, the newest ones.
  public var limit = 10
  /// The minimum level.
  public var level: LogLevel?
  /// Only records that contain this text in message, category or fields.
  public var text: String?
  /// Only records from the last `since` microseconds.
  public var since: Int64?
  /// Only records caused by this step of the session or by its effects.
  public var step: Int?
  /// Whether later records follow, until the command is cancelled.
  public var follows: Bool?
}

/// The result of a `log` command that succeeded.
public enum LogResult: Codable, Sendable, Equatable {
  /// The records, oldest first. `unreadable` is the number of invalid lines in the log, if any.
  case records(records: [LogRecord], unreadable: Int? = nil)
  /// The end of the records sent as `listed` actions, with their number.
  case listed(count: Int, unreadable: Int? = nil)
  /// The level now in effect.
  case level(level: LogLevel, category: String?)
  /// The note was written.
  case noted
  /// Statistics about the kept records.
  case statistics(statistics: LoggerStatistics)
  /// The number of exported records and their file.
  case exported(count: Int, path: String, unreadable: Int? = nil)
  /// The text without secrets.
  case redacted(text: String)
  /// The records were removed. `warning` says where some are still on the disk, if they are.
  case cleared(warning: String? = nil)
}

extension LogCommand {
  /// The name of the command's effect, after `log.`.
  var verb: String {
    switch self {
    case .tail: "tail"
    case .level: "level"
    case .note: "note"
    case .stats: "stats"
    case .export: "export"
    case .redactTest: "redact.test"
    case .clear: "clear"
    }
  }

  /// Whether the command changes a level, the log or another file.
  var changesSomething: Bool {
    switch self {
    case .level, .note, .export, .clear: true
    case .tail, .stats, .redactTest: false
    }
  }
}

extension LogQuery {
  /// The most records of an action.
  static let page = 256

  /// Whether there may be more records than one action holds.
  var isInParts: Bool { follows == true || limit > Self.page }
}
