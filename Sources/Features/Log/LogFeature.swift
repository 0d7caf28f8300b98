import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON

extension BoardFeatures {
  /// What happened, for people.
  public static let log = Feature(
    name: "log", summary: "what happened, for people", state: LogState(), reducer: LogReducer(),
    commands: LogCommands.table,
    outcome: { action, _, _ in LogOutcomes.outcome(of: action) },
    partialOutcome: LogOutcomes.partialOutcome,
    link: { link in link.path.isEmpty || link.path == ["tail"] ? ["log", "tail"] : nil },
    // A live replay has a log of its own, without the records of earlier sessions.
    volatile: [
      "succeeded.result.records.records", "succeeded.result.records.unreadable", "listed.records",
      "succeeded.result.statistics.statistics", "succeeded.result.exported.count",
      "succeeded.result.exported.unreadable",
    ], version: nil, migrations: LogMigrations.all)
}

/// The state of the board's log; records are in the actions alone.
public struct LogState: Codable, Sendable, Equatable {
  /// Notes taken with `log note`.
  public var notes = 0
  /// The least level written; of every category without one of its own.
  public var level: LogLevel?

  /// Nothing noted, no level set.
  public init() {}
}

/// The actions of the feature `log`.
public enum LogAction {
  /// A line asks for something.
  case run(context: CommandContext, command: LogCommand)
  /// Some of the records of a command that shows more of them than one answer holds, in order.
  case listed(job: Int, records: [LogRecord])
  /// The command ended well.
  case succeeded(job: Int, result: LogResult)
  /// The command failed.
  case failed(job: Int, failure: Failure)
}

extension LogAction: FeatureAction {
  /// The command of `run`.
  public var started: CommandContext? {
    if case .run(let context, _) = self { context } else { nil }
  }
}

/// The commands of the feature `log`.
public enum LogCommand: Codable, Sendable, Equatable {
  /// The newest records that match.
  case tail(query: LogQuery)
  /// From now on at least this level; of every category without one of its own where none is named.
  case level(level: LogLevel, category: String?)
  /// Writes a record of the person's own.
  case note(text: String)
  /// How many records are kept, by level and category.
  case stats
  /// Writes the kept records to a file that does not exist yet.
  case export(path: String)
  /// What a sink would write in place of the text.
  case redactTest(text: String)
  /// Removes the kept records, those of other processes too; the database keeps its own.
  case clear
}

/// Which records; everything unless it says so.
public struct LogQuery: Codable, Sendable, Equatable {
  /// The newest so many.
  public var limit = 10
  /// At least this level.
  public var level: LogLevel?
  /// With this text in message, category or fields.
  public var text: String?
  /// Microseconds back from now.
  public var since: Int64?
  /// That this step of the session, or an effect of it, caused.
  public var step: Int?
  /// Records that are written later follow, until the command is cancelled.
  public var follows: Bool?

  /// The newest ten.
  public init() {}
}

/// How a command of `log` ended well.
public enum LogResult: Codable, Sendable, Equatable {
  /// Oldest first; `unreadable` is how many lines of the log are no records, where there are such.
  case records(records: [LogRecord], unreadable: Int? = nil)
  /// The records that `listed` had the parts of have ended, after so many.
  case listed(count: Int, unreadable: Int? = nil)
  /// The level that counts now.
  case level(level: LogLevel, category: String?)
  /// The note is written.
  case noted
  /// Of the records that are kept.
  case statistics(statistics: LoggerStatistics)
  /// How many records, and where they are.
  case exported(count: Int, path: String, unreadable: Int? = nil)
  /// The text without secrets.
  case redacted(text: String)
  /// Nothing is kept any more.
  case cleared
}

enum LogOutcomes {
  static func outcome(of action: LogAction) -> Outcome? {
    switch action {
    case .run, .listed: nil
    case .failed(let job, let failure): Outcome(job: job, failure: failure)
    case .succeeded(let job, let result):
      outcome(of: result, job).withMarks
    }
  }

  private static func outcome(of result: LogResult, _ job: Int) -> Outcome {
    switch result {
    case .records(let records, let unreadable):
      Outcome(
        job: job, value: .array(records.map(json)),
        presentation: .table(columns: columns, rows: records.map(row)), notes: notes(unreadable))
    case .listed(let count, let unreadable):
      Outcome(
        job: job, value: .object([.init("count", JSON(count))]), notes: notes(unreadable))
    case .level(let level, let category):
      Outcome(
        job: job, value: .string(level.name),
        notes: ["\(category ?? "every category"): \(level.name) and above"])
    case .noted: Outcome(job: job, value: .bool(true))
    case .statistics(let statistics): figures(statistics, job)
    case .exported(let count, let path, let unreadable):
      Outcome(
        job: job,
        value: .object([.init("records", .number(String(count))), .init("file", .string(path))]),
        notes: ["wrote \(count) records to \(path)"] + notes(unreadable))
    case .redacted(let text):
      Outcome(job: job, value: .string(text), presentation: .text(text + "\n"))
    case .cleared: Outcome(job: job, value: .bool(true), notes: ["log cleared"])
    }
  }

  private static let columns = [
    Column("time", priority: 2), Column("level"), Column("category", priority: 3),
    Column("message"), Column("fields", priority: 1),
  ]

  /// Rows of records that go on.
  static func partialOutcome(of action: LogAction) -> PartialOutcome? {
    guard case .listed(let job, let records) = action else { return nil }
    return PartialOutcome(
      job: job, columns: columns, rows: records.map(row), values: records.map(json), marks: .all)
  }

  private static func notes(_ unreadable: Int?) -> [String] {
    guard let unreadable else { return [] }
    return [
      unreadable == 1
        ? "1 line of the log is no record" : "\(unreadable) lines of the log are no records"
    ]
  }

  private static func figures(_ statistics: LoggerStatistics, _ job: Int) -> Outcome {
    let levels = statistics.counts.sorted { $0.key < $1.key }
    let categories = (statistics.categories ?? [:]).sorted { $0.key < $1.key }
    var members = levels.map { JSON.Member($0.key, JSON($0.value)) }
    var fields = levels.map { ($0.key, String($0.value)) }
    members.append(.init("dropped", JSON(statistics.dropped)))
    fields.append(("dropped", String(statistics.dropped)))
    if statistics.categories != nil {
      members.append(
        .init("categories", .object(categories.map { .init($0.key, JSON($0.value)) })))
      fields += categories.map { ("category \($0.key)", String($0.value)) }
    }
    return Outcome(
      job: job, value: .object(members), presentation: .fields(fields),
      notes: notes(statistics.unreadable))
  }

  static func json(_ record: LogRecord) -> JSON {
    .object([
      .init("time", .string(Timestamp.format(record.time))),
      .init("level", .string(record.level.name)), .init("category", .string(record.category)),
      .init("message", .string(record.message)),
      .init("fields", .object(record.fields.map { .init($0.key, .string($0.value)) })),
    ])
  }

  private static func row(_ record: LogRecord) -> [String] {
    [
      Timestamp.format(record.time), record.level.name, record.category, record.message,
      record.fields.map { "\($0.key)=\($0.value)" }.joined(separator: " "),
    ]
  }
}

extension LogLevel {
  var name: String { String(describing: self) }

  init?(name: String) {
    guard let level = LogLevel.allCases.first(where: { $0.name == name }) else { return nil }
    self = level
  }
}
