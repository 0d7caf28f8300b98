import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardStore
import SwiftBoardSystem

struct LogReducer: Reducer {
  func reduce(
    _ state: inout LogState, _ action: LogAction, _ dependencies: Dependencies
  ) -> [Effect<LogAction>] {
    switch action {
    case .run(let context, let command):
      let job = context.job
      if case .tail(let query) = command, query.isInParts {
        return [show(query, job, dependencies)]
      }
      return [
        .task(name: "log.\(command.verb)") {
          do {
            return .succeeded(job: job, result: try await perform(command, dependencies))
          } catch let error where !(error is CancellationError) {
            return .failed(job: job, failure: Failure(error, dependencies))
          }
        }.cancellable(id: job)
      ]
    case .succeeded(_, let result):
      switch result {
      case .noted: state.notes += 1
      case .level(let level, category: nil): state.level = level
      default: break
      }
      return []
    case .failed, .listed: return []
    }
  }

  /// Sends records page by page, with one action per page, so that memory use is limited to a page.
  private func show(
    _ query: LogQuery, _ job: Int, _ dependencies: Dependencies
  ) -> Effect<LogAction> {
    .run(name: query.follows == true ? "log.follow" : "log.tail.parts") { send in
      do {
        let reader = try await dependencies.logger.archive.reader(query, dependencies)
        var count = 0
        while true {
          let records = try await reader.next(LogQuery.page)
          try Task.checkCancellation()
          if !records.isEmpty {
            count += records.count
            await send.start(.listed(job: job, records: records)).finish()
          } else if query.follows == true {
            try await dependencies.clock.sleep(for: .milliseconds(200))
          } else {
            break
          }
        }
        send(
          .succeeded(
            job: job, result: .listed(count: count, unreadable: reader.unreadable.orNone)))
      } catch let error where !(error is CancellationError) {
        send(.failed(job: job, failure: Failure(error, dependencies)))
      }
    }.cancellable(id: job)
  }
}

extension LogQuery {
  /// The maximum number of records per action.
  static let page = 256

  /// Whether there may be more records than one action holds.
  var isInParts: Bool { follows == true || limit > Self.page }
}

extension LogArchive {
  fileprivate func reader(
    _ query: LogQuery, _ dependencies: Dependencies
  ) async throws -> any LogReader {
    var filter = LogFilter()
    filter.level = query.level
    filter.text = query.text
    filter.step = query.step
    filter.since = query.since.map {
      let (time, overflow) = dependencies.date.now.subtractingReportingOverflow($0)
      return overflow ? .min : time
    }
    return try await reader(
      newest: max(0, query.limit), matching: filter, follows: query.follows == true)
  }

  /// Reads all records, page by page.
  fileprivate func readAll(
    _ body: ([LogRecord]) async throws -> Void
  ) async throws -> any LogReader {
    let reader = try await reader(newest: nil, matching: LogFilter(), follows: false)
    while true {
      let records = try await reader.next(LogQuery.page)
      try Task.checkCancellation()
      if records.isEmpty { return reader }
      try await body(records)
    }
  }
}

extension Int {
  fileprivate var orNone: Int? { self == 0 ? nil : self }
}

extension LogCommand {
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
}

private func perform(_ command: LogCommand, _ dependencies: Dependencies) async throws -> LogResult
{
  let logger = dependencies.logger
  switch command {
  case .tail(let query):
    let reader = try await logger.archive.reader(query, dependencies)
    var records: [LogRecord] = []
    while case let more = try await reader.next(LogQuery.page), !more.isEmpty { records += more }
    return .records(records: records, unreadable: reader.unreadable.orNone)
  case .level(let level, let category):
    logger.setLevel(level, category: category)
    return .level(level: level, category: category)
  case .note(let text):
    logger.log(text, level: .notice, category: "note")
    return .noted
  case .stats: return .statistics(statistics: try await statistics(logger))
  case .export(let path): return try await export(to: path, dependencies)
  case .redactTest(let text): return .redacted(text: logger.redact(text))
  case .clear:
    logger.clear()
    try await logger.archive.clear()
    return .cleared
  }
}

private func statistics(_ logger: any Logger) async throws -> LoggerStatistics {
  var byLevel = Array(repeating: 0, count: LogLevel.allCases.count)
  var categories: [String: Int] = [:]
  let reader = try await logger.archive.readAll { records in
    for record in records {
      byLevel[record.level.rawValue] += 1
      categories[record.category, default: 0] += 1
    }
  }
  var counts: [String: Int] = [:]
  for level in LogLevel.allCases { counts[level.name] = byLevel[level.rawValue] }
  return LoggerStatistics(
    counts: counts, dropped: logger.statistics().dropped, categories: categories,
    unreadable: reader.unreadable.orNone)
}

/// Writes the records page by page. An incomplete file is not kept.
private func export(to path: String, _ dependencies: Dependencies) async throws -> LogResult {
  let file = try await dependencies.files.newFile(path)
  try await file.begin(afterKept: false, tag: nil)
  do {
    var count = 0
    let reader = try await dependencies.logger.archive.readAll { records in
      count += records.count
      let lines = records.map { LogOutcomes.json($0).text + "\n" }.joined()
      try await file.write(Data(lines.utf8))
    }
    try await file.finish()
    return .exported(count: count, path: path, unreadable: reader.unreadable.orNone)
  } catch {
    await file.discard()
    throw error
  }
}
