import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardStore

/// Decides what the commands of `log` do.
///
/// A command has one effect: one call of the logger or its archive, which ends the command. A list
/// of more records than an action holds, or one that follows, is a stream of pages. The last page
/// ends the command.
struct LogReducer: Reducer {
  func reduce(
    _ state: inout LogState, _ action: LogAction, _ dependencies: Dependencies
  ) -> [Effect<LogAction>] {
    switch action {
    case .run(let context, .tail(let query)):
      if state.levels != nil { state.query = LogListing(job: context.job, query: query) }
      return query.isInParts
        ? pages(query, context.job, dependencies) : tail(query, context.job, dependencies)
    case .run(let context, let command): return call(command, context.job, dependencies)
    case .listed(let job, let records, let end):
      state.note(shown: records.count, of: job, isLast: end != nil)
      guard let end else { return [] }
      let result = LogResult.listed(count: end.count, unreadable: end.unreadable)
      return .send(.succeeded(job: job, result: result, counts: end.counts))
    case .succeeded(let job, let result, let counts):
      if let counts { state.counts = counts }
      switch result {
      case .noted: state.notes += 1
      case .level(let level, let category): state.note(level, of: category)
      case .records(let records, _): state.note(shown: records.count, of: job, isLast: true)
      default: break
      }
      return []
    case .failed: return []
    }
  }

  /// All records in one action.
  private func tail(
    _ query: LogQuery, _ job: Int, _ dependencies: Dependencies
  ) -> [Effect<LogAction>] {
    .task(name: "log.tail") {
      let found = try await dependencies.logger.archive.newestRecords(
        max(0, query.limit), matching: query.filter(at: dependencies.date.now))
      return .succeeded(
        job: job, result: .records(records: found.records, unreadable: found.unreadable.orNone),
        counts: dependencies.logger.statistics().counts)
    }
    .catch { .failed(job: job, failure: Failure($0, dependencies)) }
    .cancellable(id: job)
  }

  /// Pages of records, each an action, so that any number of them takes the memory of a page.
  private func pages(
    _ query: LogQuery, _ job: Int, _ dependencies: Dependencies
  ) -> [Effect<LogAction>] {
    let follows = query.follows == true
    return .run(name: follows ? "log.follow" : "log.tail.parts") { send in
      let pages = dependencies.logger.archive.pages(
        newest: max(0, query.limit), matching: query.filter(at: dependencies.date.now),
        following: follows ? dependencies.clock : nil)
      for try await page in pages {
        await send.start(.found(page, job, dependencies.logger)).finish()
      }
    }
    .catch { .failed(job: job, failure: Failure($0, dependencies)) }
    .cancellable(id: job)
  }

  /// Any other command.
  private func call(
    _ command: LogCommand, _ job: Int, _ dependencies: Dependencies
  ) -> [Effect<LogAction>] {
    let answer = command.call
    return .task(name: "log.\(command.verb)") {
      let result = try await answer(dependencies)
      return .succeeded(
        job: job, result: result, counts: dependencies.logger.statistics().counts)
    }
    .catch { .failed(job: job, failure: Failure($0, dependencies)) }
    .cancellable(id: job)
  }
}

extension LogAction {
  /// A page of a list.
  fileprivate static func found(
    _ page: LogPageSequence.Element, _ job: Int, _ logger: any Logger
  ) -> LogAction {
    guard page.isLast else { return .listed(job: job, records: page.records) }
    let end = LogListEnd(
      count: page.count, unreadable: page.unreadable.orNone, counts: logger.statistics().counts)
    return .listed(job: job, records: page.records, end: end)
  }
}

extension LogQuery {
  /// The filter of the query for a reader that starts at this time, in microseconds since 1970.
  fileprivate func filter(at now: Int64) -> LogFilter {
    var filter = LogFilter()
    (filter.level, filter.text, filter.step) = (level, text, step)
    filter.since = since.map {
      let (time, overflow) = now.subtractingReportingOverflow($0)
      return overflow ? .min : time
    }
    return filter
  }
}

extension LogCommand {
  /// The call of a service that answers the command. `log tail` has effects of its own.
  fileprivate var call: @Sendable (Dependencies) async throws -> LogResult {
    switch self {
    case .tail: { _ in .records(records: []) }
    case .level(let level, let category):
      {
        $0.logger.setLevel(level, category: category)
        return .level(level: level, category: category)
      }
    case .note(let text):
      {
        $0.logger.log(text, level: .notice, category: "note")
        return .noted
      }
    case .stats:
      {
        var statistics = try await $0.logger.archive.statistics()
        statistics.dropped = $0.logger.statistics().dropped
        return .statistics(statistics: statistics)
      }
    case .export(let path):
      {
        let last = try await LogExport($0).write(to: path)
        return .exported(count: last.count, path: path, unreadable: last.unreadable.orNone)
      }
    case .redactTest(let text): { .redacted(text: $0.logger.redact(text)) }
    case .clear:
      {
        try await $0.logger.removeAll()
        return .cleared
      }
    }
  }
}

extension Int {
  fileprivate var orNone: Int? { self == 0 ? nil : self }
}
