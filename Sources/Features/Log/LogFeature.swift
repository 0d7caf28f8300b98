import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON

extension BoardFeature {
  /// What happened, for people.
  static let log = BoardFeature(
    name: "log", summary: "what happened, for people", commands: LogCommands.table,
    outcome: { action, _ in
      guard case .log(let action) = action else { return nil }
      return LogOutcomes.outcome(of: action)
    },
    link: { link in link.path.isEmpty || link.path == ["tail"] ? ["log", "tail"] : nil })
}

public struct LogState: Codable, Sendable, Equatable {
  /// Notes taken with `log note`.
  public var notes = 0
  /// The least level written; of every category without one of its own.
  public var level: LogLevel?

  public init() {}
}

public enum LogAction: Codable, Sendable, Equatable {
  case run(CommandContext, LogCommand)
  case succeeded(job: Int, LogResult)
  case failed(job: Int, Failure)
}

public enum LogCommand: Codable, Sendable, Equatable {
  case tail(LogQuery)
  case level(LogLevel, category: String?)
  case note(String)
  case stats
  case export(String)
  case redactTest(String)
  case clear
}

public struct LogQuery: Codable, Sendable, Equatable {
  public var limit = 10
  public var level: LogLevel?
  public var text: String?
  /// Microseconds back from now.
  public var since: Int64?

  public init() {}
}

public enum LogResult: Codable, Sendable, Equatable {
  case records([LogRecord])
  case level(LogLevel, category: String?)
  case noted
  case statistics(LogStatistics)
  case exported(count: Int, path: String)
  case redacted(String)
  case cleared
}

enum LogOutcomes {
  static func outcome(of action: LogAction) -> Outcome? {
    switch action {
    case .run: nil
    case .failed(let job, let failure): Outcome(job: job, failure: failure)
    case .succeeded(let job, let result): outcome(of: result, job)
    }
  }

  private static func outcome(of result: LogResult, _ job: Int) -> Outcome {
    switch result {
    case .records(let records):
      Outcome(
        job: job, value: .array(records.map(json)),
        presentation: .table(
          columns: [
            Column("time", priority: 2), Column("level"), Column("category", priority: 3),
            Column("message"), Column("fields", priority: 1),
          ], rows: records.map(row)))
    case .level(let level, let category):
      Outcome(
        job: job, value: .string(level.name),
        notes: ["\(category ?? "every category"): \(level.name) and above"])
    case .noted: Outcome(job: job, value: .bool(true))
    case .statistics(let statistics):
      Outcome(
        job: job,
        value: .object(
          statistics.counts.sorted { $0.key < $1.key }.map {
            .init($0.key, .number(String($0.value)))
          }
            + [.init("dropped", .number(String(statistics.dropped)))]),
        presentation: .fields(
          statistics.counts.sorted { $0.key < $1.key }.map { ($0.key, String($0.value)) }
            + [("dropped", String(statistics.dropped))]))
    case .exported(let count, let path):
      Outcome(
        job: job,
        value: .object([.init("records", .number(String(count))), .init("file", .string(path))]),
        notes: ["wrote \(count) records to \(path)"])
    case .redacted(let text):
      Outcome(job: job, value: .string(text), presentation: .text(text + "\n"))
    case .cleared: Outcome(job: job, value: .bool(true), notes: ["log cleared"])
    }
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
