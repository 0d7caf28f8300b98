import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON

extension BoardFeature {
  /// Documents and preferences in a database.
  static let db = BoardFeature(
    name: "db", summary: "documents and preferences in a database",
    commands: DatabaseCommands.table,
    outcome: { action, _ in
      guard case .db(let action) = action else { return nil }
      return DatabaseOutcomes.outcome(of: action)
    },
    link: { link in
      switch link.path.count {
      case 1: ["db", "list", link.path[0]]
      case 2: ["db", "get", link.path[0], link.path[1]]
      default: nil
      }
    })
}

public struct DatabaseState: Codable, Sendable, Equatable {
  /// Writes that succeeded since the start.
  public var writes = 0
  /// The collection last used.
  public var collection: String?

  public init() {}
}

public enum DatabaseAction: Codable, Sendable, Equatable {
  case run(CommandContext, DatabaseCommand)
  case succeeded(job: Int, DatabaseResult)
  case failed(job: Int, Failure)
}

public enum DatabaseCommand: Codable, Sendable, Equatable {
  case put(collection: String, id: String, DatabaseBody)
  case get(collection: String, id: String)
  case list(DocumentQuery)
  case remove(collection: String, id: String)
  case preferenceGet(String)
  case preferenceSet(name: String, json: String)
  case preferenceUnset(String)
  case preferenceList
  case stats, check, path
  case backup(String)
}

public enum DatabaseBody: Codable, Sendable, Equatable {
  case json(String)
  case file(String)
}

public enum DatabaseResult: Codable, Sendable, Equatable {
  case put(collection: String, id: String)
  case document(Document)
  case documents([Document])
  case removed(String)
  case preference(Preference)
  case preferences([Preference])
  case statistics(PersistenceStatistics)
  case healthy
  case backedUp(String)
  case paths([String])
}

enum DatabaseOutcomes {
  static func outcome(of action: DatabaseAction) -> Outcome? {
    switch action {
    case .run: nil
    case .failed(let job, let failure): Outcome(job: job, failure: failure)
    case .succeeded(let job, let result): outcome(of: result, job)
    }
  }

  private static func outcome(of result: DatabaseResult, _ job: Int) -> Outcome {
    switch result {
    case .put(let collection, let id):
      return Outcome(
        job: job,
        value: .object([.init("collection", .string(collection)), .init("id", .string(id))]),
        notes: ["saved \(collection)/\(id)"])
    case .document(let document):
      let json = parsed(document.body)
      return Outcome(job: job, value: json, presentation: .json(json))
    case .documents(let documents):
      return Outcome(
        job: job,
        value: .array(
          documents.map {
            .object([
              .init("id", .string($0.id)),
              .init("updated", .string(Timestamp.format($0.updated))),
              .init("body", parsed($0.body)),
            ])
          }),
        presentation: .table(
          columns: [Column("id"), Column("updated", priority: 2), Column("body", priority: 1)],
          rows: documents.map { [$0.id, Timestamp.format($0.updated), parsed($0.body).text] }))
    case .removed(let what):
      return Outcome(
        job: job, value: .object([.init("removed", .string(what))]), notes: ["removed \(what)"])
    case .preference(let preference):
      let json = parsed(preference.json)
      return Outcome(job: job, value: json, presentation: .json(json))
    case .preferences(let preferences):
      return Outcome(
        job: job,
        value: .object(preferences.map { .init($0.name, parsed($0.json)) }),
        presentation: .table(
          columns: [Column("name"), Column("value")],
          rows: preferences.map { [$0.name, $0.json] }))
    case .statistics(let statistics):
      return Outcome(
        job: job,
        value: .object(
          [
            .init("bytes", .number(String(statistics.bytes))),
            .init("schemaVersion", .number(String(statistics.schemaVersion))),
          ] + statistics.tables.map { .init($0.name, .number(String($0.rows))) }),
        presentation: .fields(
          [
            ("bytes", String(statistics.bytes)), ("schema", String(statistics.schemaVersion)),
          ] + statistics.tables.map { ($0.name, String($0.rows)) }))
    case .healthy:
      return Outcome(job: job, value: .bool(true), notes: ["the database is whole"])
    case .backedUp(let path):
      return Outcome(
        job: job, value: .object([.init("backup", .string(path))]),
        notes: ["copied to \(path)"])
    case .paths(let paths):
      return Outcome(
        job: job, value: .array(paths.map(JSON.string)),
        presentation: .text(paths.map { $0 + "\n" }.joined()))
    }
  }

  /// A stored body as a value; what is somehow no JSON is shown as the text it is.
  private static func parsed(_ text: String) -> JSON {
    (try? JSON(parsing: text)) ?? .string(text)
  }
}
