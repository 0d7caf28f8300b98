import SwiftBoardBoard
import SwiftBoardDependencies
import SwiftBoardStore

/// Decides what the commands of `log` do.
///
/// ```text
/// run ─► log.stats ─► succeeded                                 any command with one answer
/// run ─► log.note ─► log.note.end ─► succeeded                  one that changes something
/// run ─► log.tail.parts ─► listed ─► listed … ─► succeeded      a list of more than 256 records
/// run ─► log.follow ─► listed ─► listed …                       until it is cancelled
/// ```
struct LogReducer: Reducer {
  func reduce(
    _ state: inout LogState, _ action: LogAction, _ dependencies: Dependencies
  ) -> [Effect<LogAction>] {
    switch action {
    case .run(let context, .tail(let query)):
      if state.levels != nil { state.query = LogListing(job: context.job, query: query) }
      return query.isInParts
        ? pages(query, context.job, dependencies) : tail(query, context.job, dependencies)
    case .run(let context, let command):
      return command.changesSomething
        ? change(command, context.job, &state, dependencies)
        : call(command, context.job, dependencies)
    case .listed(let job, let records, let end):
      state.note(shown: records.count, of: job, isLast: end != nil)
      guard let end else { return [] }
      let result = LogResult.listed(count: end.count, unreadable: end.unreadable)
      return .send(.succeeded(job: job, result: result, counts: end.counts))
    case .succeeded(let job, let result, let counts):
      state.changes?.end(job)
      if let counts { state.counts = counts }
      switch result {
      case .noted: state.notes &+= 1
      case .level(let level, let category): state.note(level, of: category)
      case .records(let records, _): state.note(shown: records.count, of: job, isLast: true)
      default: break
      }
      return []
    case .bootstrap:
      return .task(name: "log.bootstrap") { [logger = dependencies.logger] in
        .bootstrapped(level: logger.level(category: nil))
      }
    case .bootstrapped(let level):
      state.note(level, of: nil)
      return []
    case .failed(let job, _):
      state.changes?.end(job)
      return []
    }
  }

  /// All records in one action.
  private func tail(
    _ query: LogQuery, _ job: Int, _ dependencies: Dependencies
  ) -> [Effect<LogAction>] {
    let (logger, filter) = (dependencies.logger, query.filter)
    return .task(name: "log.tail") {
      let found = try await logger.archive.newestRecords(
        max(0, query.limit),
        matching: filter.written(inLast: query.since, before: dependencies.date.now))
      return .succeeded(
        job: job, result: .records(records: found.records, unreadable: found.unreadable),
        counts: logger.statistics().counts)
    }
    .catchFailure(dependencies) { .failed(job: job, failure: $0) }
    .cancellable(id: job)
  }

  /// Pages of records, each an action, so that any number of them takes the memory of a page.
  private func pages(
    _ query: LogQuery, _ job: Int, _ dependencies: Dependencies
  ) -> [Effect<LogAction>] {
    let (logger, filter) = (dependencies.logger, query.filter)
    let clock = query.follows == true ? dependencies.clock : nil
    return .run(name: clock == nil ? "log.tail.parts" : "log.follow") { send in
      let pages = logger.archive.pages(
        newest: max(0, query.limit),
        matching: filter.written(inLast: query.since, before: dependencies.date.now),
        following: clock)
      for try await page in pages {
        let end = page.isLast ? LogListEnd(page, counts: logger.statistics().counts) : nil
        await send.start(.listed(job: job, records: page.records, end: end)).finish()
      }
    }
    .catchFailure(dependencies) { .failed(job: job, failure: $0) }
    .cancellable(id: job)
  }

  /// A command that changes something. If it is cancelled, it ends with what it has done.
  private func change(
    _ command: LogCommand, _ job: Int, _ state: inout LogState, _ dependencies: Dependencies
  ) -> [Effect<LogAction>] {
    let answer = command.call
    return .change(name: "log.\(command.verb)", job: job, in: &state.changes, dependencies) {
      try await answer(dependencies)
    } report: {
      .succeeded(job: job, result: $0, counts: dependencies.logger.statistics().counts)
    } failure: {
      .failed(job: job, failure: $0)
    }
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
    .catchFailure(dependencies) { .failed(job: job, failure: $0) }
    .cancellable(id: job)
  }
}

extension LogListEnd {
  fileprivate init(_ page: LogPageSequence.Element, counts: [String: Int]) {
    self.init(count: page.count, unreadable: page.unreadable, counts: counts)
  }
}

extension LogQuery {
  /// The filter of the query, but for `since`, which depends on the time when the effect starts.
  fileprivate var filter: LogFilter {
    var filter = LogFilter()
    (filter.level, filter.text, filter.step) = (level, text, step)
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
        try await $0.logger.write(note: text)
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
        return .exported(count: last.count, path: path, unreadable: last.unreadable)
      }
    case .redactTest(let text): { .redacted(text: $0.logger.redact(text)) }
    case .clear:
      {
        try await $0.logger.removeAll(in: $0.persistence)
        return .cleared(warning: await $0.persistence.takeWarning())
      }
    }
  }
}
