import SwiftBoardBoard
import SwiftBoardDependencies

extension DatabaseCommand {
  /// A call of a service that answers a command.
  typealias Call = @Sendable (Dependencies) async throws -> DatabaseResult

  /// The call that answers the command.
  var call: Call {
    switch self {
    case .put(let collection, let id, let body): Self.put(body, collection, id)
    case .get(let collection, let id): Self.get(collection, id)
    case .remove(let collection, let id):
      Self.removal(of: .document(collection: collection, id: id)) {
        try await $0.persistence.removeDocument(collection: collection, id: id)
      }
    case .index(let index):
      { .indexed(index: index, isNew: try await $0.persistence.makeDocumentIndex(index)) }
    case .indexRemove(let index):
      Self.removal(of: .index(index: index)) {
        try await $0.persistence.removeDocumentIndex(index)
      }
    case .collections: Self.collections
    case .indexList: { .indexes(indexes: try await $0.persistence.documentIndexes()) }
    case .preferenceGet(let name): Self.preference(name)
    case .preferenceSet(let name, let json): Self.setPreference(name, json)
    case .preferenceUnset(let name):
      Self.removal(of: .preference(name: name)) { try await $0.persistence.unsetPreference(name) }
    case .preferenceList: { .preferences(preferences: try await $0.persistence.preferences()) }
    case .stats: Self.statistics
    case .path: { .paths(paths: $0.persistence.paths) }
    case .export(let path, let collection): Self.export(path, collection)
    case .backup(let path): Self.backup(path)
    case .recover(let path): Self.recover(path)
    case .check: Self.check
    // The reducer has other effects for these.
    case .list, .import: { _ in .healthy() }
    }
  }

  private static let statistics: Call = {
    // Records that are still to be written would be counted or not by chance.
    _ = await $0.logger.flush(within: .seconds(1))
    return .statistics(statistics: try await $0.persistence.statistics())
  }

  private static func put(_ body: DatabaseBody, _ collection: String, _ id: String) -> Call {
    switch body {
    case .json(let text):
      return {
        try await DatabaseTransfer($0).check(text, from: "the document")
        let document = Document(
          collection: collection, id: id, body: text, updated: $0.date.now)
        let isNew = try await $0.persistence.putDocument(document)
        return .put(collection: collection, id: id, isNew: isNew)
      }
    case .file(let path):
      return {
        let isNew = try await DatabaseTransfer($0).putFile(
          ItemPath.path(of: path), collection: collection, id: id, at: $0.date.now)
        return .put(collection: collection, id: id, isNew: isNew)
      }
    }
  }

  // What a command says of something that does not exist is decided with the command.

  private static func get(_ collection: String, _ id: String) -> Call {
    let missing = Failure.missing(.document(collection: collection, id: id))
    return {
      let document = try await $0.persistence.document(collection: collection, id: id)
      guard let document else { throw missing }
      return .document(document: document)
    }
  }

  /// - Parameter remove: Returns whether there was such an item.
  private static func removal(
    of item: DatabaseItem, _ remove: @escaping @Sendable (Dependencies) async throws -> Bool
  ) -> Call {
    let (missing, removed) = (Failure.missing(item), DatabaseResult.removed(item))
    return {
      guard try await remove($0) else { throw missing }
      return removed
    }
  }

  private static func preference(_ name: String) -> Call {
    let missing = Failure.missing(.preference(name: name))
    return {
      let json = try await $0.persistence.preference(name)
      guard let json else { throw missing }
      return .preference(preference: Preference(name: name, json: json))
    }
  }

  private static func setPreference(_ name: String, _ json: String) -> Call {
    {
      try await DatabaseTransfer($0).check(json, from: "the value")
      try await $0.persistence.setPreference(name, to: json)
      return .preferenceSaved(name: name)
    }
  }

  @Sendable
  private static func collections(_ dependencies: Dependencies) async throws -> DatabaseResult {
    let contents = try await dependencies.persistence.contents(limit: .max, countsAll: true)
    return .collections(collections: contents.collections)
  }

  @Sendable
  private static func check(_ dependencies: Dependencies) async throws -> DatabaseResult {
    let problems = try await dependencies.persistence.check()
    guard problems.isEmpty else { throw Failure.damaged(problems) }
    let path = try await dependencies.persistence.missingDatabase()
    return .healthy(triggers: try await dependencies.persistence.foreignTriggers(), missing: path)
  }

  private static func export(_ path: String, _ collection: String?) -> Call {
    {
      let count = try await DatabaseTransfer($0).export(to: path, collection: collection)
      return .exported(path: path, count: count)
    }
  }

  private static func backup(_ path: String) -> Call {
    {
      try $0.files.checkTarget(path, isRecording: false)
      try await DatabaseTransfer($0).checkDatabase()
      try await $0.persistence.backup(to: path)
      return .backedUp(path: path)
    }
  }

  private static func recover(_ path: String) -> Call {
    {
      try $0.files.checkTarget(path, isRecording: false)
      try await DatabaseTransfer($0).checkDatabase()
      return .recovered(
        path: path, recovery: try await $0.persistence.recover(to: path), failsIncomplete: true)
    }
  }
}

extension DatabaseResult {
  fileprivate static func removed(_ item: DatabaseItem) -> DatabaseResult {
    .removed(name: item.name, item: item)
  }
}

extension Failure {
  static func missing(_ item: DatabaseItem) -> Failure {
    switch item {
    case .document(let collection, let id):
      missing("document \(collection)/\(id)", "'db list \(collection)' shows what there is")
    case .preference(let name):
      missing("preference '\(name)'", "'db preference list' shows what there is")
    case .index(let index):
      missing("index of \(index.path) in \(index.collection)", "'db index' lists what there is")
    }
  }

  private static func missing(_ what: String, _ help: String) -> Failure {
    Failure(code: ExitCode.missing, error: "missing", message: "there is no \(what)", help: help)
  }

  fileprivate static func damaged(_ problems: [String]) -> Failure {
    Failure(
      code: ExitCode.data, error: "corrupted",
      message: "the database is damaged: " + problems.joined(separator: "; "), help: damageHelp)
  }

  private static let damageHelp =
    "put damaged entries again, or remove them; 'db recover' saves what can be read of a damaged "
    + "file, if there is no backup of it; an index that lacks values is made "
    + "again by 'db index', after 'db index COLLECTION PATH --remove'"
}
