import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardStore

struct DatabaseReducer: Reducer {
  func reduce(
    _ state: inout DatabaseState, _ action: DatabaseAction, _ dependencies: Dependencies
  ) -> [Effect<DatabaseAction>] {
    switch action {
    case .run(let context, let command):
      let job = context.job
      if let collection = command.collection { state.collection = collection }
      if case .list(let query) = command { return [list(query, job, dependencies)] }
      return [
        .task(name: "db.\(command.verb)") {
          do {
            let (result, masked) = try await masking(
              try await perform(command, dependencies), dependencies)
            return .succeeded(job: job, result: result, masked: masked)
          } catch let error where !(error is CancellationError) {
            return .failed(job: job, failure: Failure(error, dependencies))
          }
        }.cancellable(id: job)
      ]
    case .succeeded(_, let result, _):
      switch result {
      case .put, .removed, .imported: state.writes += 1
      default: break
      }
      return []
    case .listed(let job, let documents, _, let rest?):
      return [listRest(of: rest, after: documents.map(\.id), job, dependencies)]
    case .listed, .failed: return []
    }
  }

  /// The first page, which is the whole answer of most lists.
  private func list(
    _ query: DocumentQuery, _ job: Int, _ dependencies: Dependencies
  ) -> Effect<DatabaseAction> {
    .task(name: "db.list") {
      do {
        let page = try await dependencies.persistence.documents(query, from: nil)
        if page.next == nil {
          let (result, masked) = try await masking(
            DatabaseResult.documents(documents: page.documents), dependencies)
          return .succeeded(job: job, result: result, masked: masked)
        }
        let (documents, masked) = try await masking(page.documents, dependencies)
        return .listed(job: job, documents: documents, masked: masked, rest: query)
      } catch let error where !(error is CancellationError) {
        return .failed(job: job, failure: Failure(error, dependencies))
      }
    }.cancellable(id: job)
  }

  /// The other pages, each an action, so that a list of any length takes the memory of a page.
  private func listRest(
    of query: DocumentQuery, after shown: [String], _ job: Int, _ dependencies: Dependencies
  ) -> Effect<DatabaseAction> {
    .run(name: "db.list.rest") { send in
      do {
        // By their bytes; what was put or removed meanwhile moves others to other pages.
        var left = Set(shown.map { Array($0.utf8) })
        var count = shown.count
        var page = try await dependencies.persistence.documents(query, from: nil)
        while true {
          if !left.isEmpty { page.documents.removeAll { left.remove(Array($0.id.utf8)) != nil } }
          count += page.documents.count
          if !page.documents.isEmpty {
            let (documents, masked) = try await masking(page.documents, dependencies)
            await send.start(.listed(job: job, documents: documents, masked: masked)).finish()
          }
          guard let next = page.next else { break }
          page = try await dependencies.persistence.documents(query, from: next)
        }
        send(.succeeded(job: job, result: .listed(count: count)))
      } catch let error where !(error is CancellationError) {
        send(.failed(job: job, failure: Failure(error, dependencies)))
      }
    }.cancellable(id: job)
  }
}

extension DatabaseCommand {
  var verb: String {
    switch self {
    case .put: "put"
    case .get: "get"
    case .list: "list"
    case .remove: "remove"
    case .index, .indexRemove, .indexList: "index"
    case .preferenceGet: "preference.get"
    case .preferenceSet: "preference.set"
    case .preferenceUnset: "preference.unset"
    case .preferenceList: "preference.list"
    case .stats: "stats"
    case .check: "check"
    case .path: "path"
    case .backup: "backup"
    case .export: "export"
    case .import: "import"
    }
  }

  var collection: String? {
    switch self {
    case .put(let collection, _, _), .get(let collection, _), .remove(let collection, _): collection
    case .list(let query): query.collection
    case .index(let index), .indexRemove(let index): index.collection
    default: nil
    }
  }
}

private func perform(_ command: DatabaseCommand, _ dependencies: Dependencies) async throws
  -> DatabaseResult
{
  let store = dependencies.persistence
  switch command {
  case .put(let collection, let id, let body):
    let text =
      switch body {
      case .json(let text): try unmarked(text)
      case .file(let path): try await text(of: path, dependencies)
      }
    try await store.putDocument(
      Document(
        collection: collection, id: id, body: text, updated: dependencies.date.now))
    return .put(collection: collection, id: id)
  case .get(let collection, let id):
    guard let document = try await store.document(collection: collection, id: id) else {
      throw missing("document \(collection)/\(id)", "'db list \(collection)' shows what there is")
    }
    return .document(document: document)
  case .list(let query): return .documents(documents: try await store.documents(query))
  case .remove(let collection, let id):
    guard try await store.removeDocument(collection: collection, id: id) else {
      throw missing("document \(collection)/\(id)", "'db list \(collection)' shows what there is")
    }
    return .removed(name: "\(collection)/\(id)")
  case .index(let index):
    return .indexed(index: index, isNew: try await store.makeDocumentIndex(index))
  case .indexRemove(let index):
    guard try await store.removeDocumentIndex(index) else {
      throw missing(
        "index of \(index.path) in \(index.collection)", "'db index' lists what there is")
    }
    return .removed(name: "index \(index.collection) \(index.path)")
  case .indexList: return .indexes(indexes: try await store.documentIndexes())
  case .preferenceGet(let name):
    guard let json = try await store.preference(name) else {
      throw missing("preference '\(name)'", "'db preference list' shows what there is")
    }
    return .preference(preference: Preference(name: name, json: json))
  case .preferenceSet(let name, let json):
    try await store.setPreference(name, to: try unmarked(json))
    return .put(collection: "preference", id: name)
  case .preferenceUnset(let name):
    guard try await store.unsetPreference(name) else {
      throw missing("preference '\(name)'", "'db preference list' shows what there is")
    }
    return .removed(name: "preference \(name)")
  case .preferenceList: return .preferences(preferences: try await store.preferences())
  case .stats: return .statistics(statistics: try await store.statistics())
  case .check:
    let problems = try await store.check()
    guard problems.isEmpty else {
      throw Failure(
        code: ExitCode.data, error: "corrupted",
        message: "the database is damaged: " + problems.joined(separator: "; "),
        help: "restore a backup, or save what can be read with 'db backup'")
    }
    return .healthy
  case .path: return .paths(paths: try await store.statistics().paths)
  case .export(let path, let collection):
    return try await DatabaseExport(path, collection, dependencies).run()
  case .import(let path, let existing):
    return try await DatabaseImporter(path, existing, dependencies).run()
  case .backup(let path):
    try dependencies.files.checkTarget(path, isRecording: false)
    try await store.backup(to: path)
    return .backedUp(path: path)
  }
}

private func missing(_ what: String, _ help: String) -> Failure {
  Failure(code: ExitCode.missing, error: "missing", message: "there is no \(what)", help: help)
}

private func unmarked(_ text: String) throws -> String {
  try MarkedText.refuse(text, in: "the document")
  return text
}

private func text(of path: String, _ dependencies: Dependencies) async throws -> String {
  let data = try await dependencies.files.read(path, limit: 16 << 20)
  do throws(JSONError) {
    _ = try JSON(parsing: data, limits: .strict)
  } catch {
    throw Failure(
      code: ExitCode.data, error: "malformedData",
      message: "\(path):\(error.line):\(error.column): \(error.message)",
      help: "a document is one JSON value in UTF-8")
  }
  let text = String(decoding: data, as: UTF8.self)
  let redactor = dependencies.logger.redactor
  try MarkedText.refuse(text, in: path)
  if let name = redactor.mask(text).names.first {
    throw Failure(
      code: ExitCode.data, error: "holdsSecret",
      message: "\(path) holds the value of the secret '\(name)', which a document may not",
      help: "take the value out; a request takes {{secret:\(name)}}")
  }
  return text
}
