import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON

enum LogOutcomes {
  static func outcome(of action: LogAction, _ context: OutcomeContext) -> Outcome? {
    switch action {
    case .run, .listed, .bootstrap, .bootstrapped: nil
    case .failed(let job, let failure): Outcome(job: job, failure: failure)
    case .succeeded(let job, let result, _):
      outcome(of: result, job, context).withMarks
    }
  }

  private static func outcome(
    of result: LogResult, _ job: Int, _ context: OutcomeContext
  ) -> Outcome {
    switch result {
    case .records(let records, let unreadable):
      Outcome(
        job: job, value: .array(records.map(\.json)),
        presentation: .table(columns: columns, rows: records.map(row)), notes: notes(unreadable))
    case .listed(let count, let unreadable):
      Outcome(
        job: job, value: .object([.init("count", JSON(count))]), notes: notes(unreadable))
    case .level(let level, let category):
      Outcome(
        job: job, value: .string(level.name),
        notes: [
          "\(category ?? "every category"): \(level.name) and above, as long as the program runs"
        ])
    case .noted: Outcome(job: job, value: .bool(true))
    case .statistics(let statistics): figures(statistics, job, context)
    case .exported(let count, let path, let unreadable):
      Outcome(
        job: job,
        value: .object([.init("records", .number(String(count))), .init("file", .string(path))]),
        notes: ["wrote \(Counted.text(count, "record")) to \(path)"] + notes(unreadable))
    case .redacted(let text):
      Outcome(job: job, value: .string(text), presentation: .text(text + "\n"))
    case .cleared(let warning):
      Outcome(
        job: job, value: .bool(true),
        notes: ["log cleared"]
          + (warning.map { [.warning("\($0); 'log clear' erases it when that has ended")] } ?? []))
    }
  }

  private static let columns = [
    Column("time", priority: 2), Column("level", priority: 4), Column("category", priority: 3),
    Column("message", priority: 5, isFolded: true), Column("fields", priority: 1),
  ]

  /// Returns the rows of a part of the records.
  static func partialOutcome(of action: LogAction) -> PartialOutcome? {
    guard case .listed(let job, let records, _) = action, !records.isEmpty else { return nil }
    return PartialOutcome(
      job: job, columns: columns, rows: records.map(row), values: records.map(\.json), marks: .all)
  }

  private static func notes(_ unreadable: Int?) -> [Outcome.Note] {
    guard let unreadable else { return [] }
    return [
      unreadable == 1
        ? "1 line of the log is not a record" : "\(unreadable) lines of the log are not records"
    ]
  }

  private static func figures(
    _ statistics: LoggerStatistics, _ job: Int, _ context: OutcomeContext
  ) -> Outcome {
    let levels = statistics.counts.sorted { $0.key < $1.key }
    let categories = (statistics.categories ?? [:]).sorted { $0.key < $1.key }
    var members = levels.map { JSON.Member($0.key, JSON($0.value)) }
    func drawn(_ counts: [(key: String, value: Int)]) -> [String] {
      guard context.draws(job) else { return counts.map { String($0.value) } }
      let largest = counts.map(\.value).max() ?? 0
      let width = String(largest).count
      return counts.map { count in
        let number = String(count.value)
        let bar = Bar.text(
          count.value, of: largest, width: 30, ascii: context.settings.isASCII)
        let padding = String(repeating: " ", count: max(0, width - number.count))
        return padding + number + (bar.isEmpty ? "" : "  " + bar)
      }
    }
    var fields = zip(levels, drawn(levels)).map { ($0.key, $1) }
    members.append(.init("dropped", JSON(statistics.dropped)))
    fields.append(("dropped", String(statistics.dropped)))
    if statistics.categories != nil {
      members.append(
        .init("categories", .object(categories.map { .init($0.key, JSON($0.value)) })))
      fields += zip(categories, drawn(categories)).map { ("category \($0.key)", $1) }
    }
    return Outcome(
      job: job, value: .object(members), presentation: .fields(fields),
      notes: notes(statistics.unreadable))
  }

  private static func row(_ record: LogRecord) -> [String] {
    [
      Timestamp.format(record.time), record.level.name, record.category, record.message,
      record.fields.map { "\($0.key)=\($0.value)" }.joined(separator: " "),
    ]
  }
}

extension LogLevel {
  init?(name: String) {
    guard let level = LogLevel.allCases.first(where: { $0.name == name }) else { return nil }
    self = level
  }
}
