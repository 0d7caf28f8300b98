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
    case .failed: return []
    }
  }
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
    let least = query.since.map { dependencies.date.now - $0 }
    let records = logger.recent(limit: .max).filter { record in
      if let level = query.level, record.level < level { return false }
      if let least, record.time < least { return false }
      if let text = query.text, !record.contains(text) { return false }
      return true
    }
    return .records(records: records.suffix(max(0, query.limit)))
  case .level(let level, let category):
    logger.setLevel(level, category: category)
    return .level(level: level, category: category)
  case .note(let text):
    logger.log(text, level: .notice, category: "note")
    return .noted
  case .stats: return .statistics(statistics: logger.statistics())
  case .export(let path):
    let records = logger.recent(limit: .max)
    let lines = records.map { LogOutcomes.json($0).text + "\n" }.joined()
    try await dependencies.files.write(Data(lines.utf8), to: path, mode: .create)
    return .exported(count: records.count, path: path)
  case .redactTest(let text): return .redacted(text: logger.redact(text))
  case .clear:
    logger.clear()
    return .cleared
  }
}

extension LogRecord {
  fileprivate func contains(_ text: String) -> Bool {
    message.contains(text) || category.contains(text)
      || fields.contains { $0.key.contains(text) || $0.value.contains(text) }
  }
}
