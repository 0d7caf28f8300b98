import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON

extension BoardFeatures {
  /// Documents and preferences in a database.
  public static let db = Feature(
    name: "db", summary: "documents and preferences in a database", state: DatabaseState(),
    reducer: DatabaseReducer(), commands: DatabaseCommands.table,
    outcome: { action, _, _ in DatabaseOutcomes.outcome(of: action) },
    partialOutcome: DatabaseOutcomes.partialOutcome,
    link: { link in
      switch link.path.count {
      case 1: ["db", "list", link.path[0]]
      case 2: ["db", "get", link.path[0], link.path[1]]
      default: nil
      }
    },
    volatile: [
      "succeeded.result.document.document.updated",
      "succeeded.result.documents.documents[*].updated", "listed.documents[*].updated",
      "succeeded.result.paths", "succeeded.result.statistics.statistics.paths",
      "succeeded.result.statistics.statistics.bytes",
    ],
    passesWordsOn: true,
    candidates: { kind, _, dependencies in
      guard kind == .collection else { return [] }
      return (try? await dependencies.persistence.collections()) ?? []
    }, version: nil, migrations: DatabaseMigrations.all)
}

/// The board's state about the database; documents are in the actions alone.
public struct DatabaseState: Codable, Sendable, Equatable {
  /// Writes that succeeded since the start.
  public var writes = 0
  /// The collection last used.
  public var collection: String?

  /// Nothing written yet.
  public init() {}
}

/// The actions of the feature `db`.
public enum DatabaseAction {
  /// A line asks for something.
  case run(context: CommandContext, command: DatabaseCommand)
  /// Some of the documents of a list that is too long for one answer, in order; `rest` with the
  /// first of them, for the others.
  case listed(
    job: Int, documents: [Document], masked: MaskedValues? = nil, rest: DocumentQuery? = nil)
  /// The command ended well; `masked` says in place of how many values there are marks.
  case succeeded(job: Int, result: DatabaseResult, masked: MaskedValues? = nil)
  /// The command failed.
  case failed(job: Int, failure: Failure)
}

extension DatabaseAction: FeatureAction {
  /// The command of `run`.
  public var started: CommandContext? {
    if case .run(let context, _) = self { context } else { nil }
  }
}

/// The commands of the feature `db`.
public enum DatabaseCommand: Codable, Sendable, Equatable {
  /// `db put COLLECTION ID`.
  case put(collection: String, id: String, body: DatabaseBody)
  /// `db get COLLECTION ID`.
  case get(collection: String, id: String)
  /// `db list COLLECTION`, with conditions, order and limit.
  case list(query: DocumentQuery)
  /// `db remove COLLECTION ID`.
  case remove(collection: String, id: String)
  /// `db index COLLECTION PATH`, and with `--remove`.
  case index(index: DocumentIndex), indexRemove(index: DocumentIndex)
  /// `db index`: those that there are.
  case indexList
  /// `db preference get NAME`.
  case preferenceGet(name: String)
  /// `db preference set NAME JSON`.
  case preferenceSet(name: String, json: String)
  /// `db preference unset NAME`.
  case preferenceUnset(name: String)
  /// `db preference list`.
  case preferenceList
  /// Figures of the files; their consistency check; their paths.
  case stats, check, path
  /// A copy of the main file under this name, which must not be taken.
  case backup(path: String)
  /// Documents, preferences and services as lines of JSON.
  case export(path: String, collection: String?)
  /// What an export has, back.
  case `import`(path: String, existing: ImportDuplicates)
}

/// The source of a document's body.
public enum DatabaseBody: Codable, Sendable, Equatable {
  /// JSON text of the line.
  case json(text: String)
  /// A file that is read when the command runs.
  case file(path: String)
}

/// How many entries an import added, put in the place of others, and left out because their names
/// were taken.
public struct DatabaseImport: Codable, Sendable, Equatable {
  /// Under names that were free.
  public var added = 0
  /// In the place of others.
  public var replaced = 0
  /// Left out.
  public var kept = 0

  /// Nothing imported yet.
  public init() {}
}

/// How a command of `db` ended well.
public enum DatabaseResult: Codable, Sendable, Equatable {
  /// The document was stored.
  case put(collection: String, id: String)
  /// The document that was asked for.
  case document(document: Document)
  /// The documents that match, in order.
  case documents(documents: [Document])
  /// The list that `listed` had the parts of has ended, after so many.
  case listed(count: Int)
  /// The index was made, or was there already.
  case indexed(index: DocumentIndex, isNew: Bool)
  /// The indexes, by collection and path.
  case indexes(indexes: [DocumentIndex])
  /// The name of the removed item.
  case removed(name: String)
  /// The preference that was asked for, or set.
  case preference(preference: Preference)
  /// All preferences, by name.
  case preferences(preferences: [Preference])
  /// Figures of the files.
  case statistics(statistics: PersistenceStatistics)
  /// The check found nothing.
  case healthy
  /// The file of the copy.
  case backedUp(path: String)
  /// The file of an export, and how many lines it has besides its first.
  case exported(path: String, count: Int)
  /// What an import did.
  case imported(path: String, counts: DatabaseImport)
  /// The files; none in a mock.
  case paths(paths: [String])
}

enum DatabaseOutcomes {
  static func outcome(of action: DatabaseAction) -> Outcome? {
    switch action {
    case .run, .listed: nil
    case .failed(let job, let failure): Outcome(job: job, failure: failure)
    case .succeeded(let job, let result, let masked):
      outcome(of: result, job).masked(masked)
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
        job: job, value: .array(documents.map(value)),
        presentation: .table(columns: columns, rows: documents.map(row)))
    case .listed(let count): return Outcome(job: job, value: .object([.init("count", JSON(count))]))
    case .indexed(let index, let isNew):
      return Outcome(
        job: job, value: value(index),
        notes: [
          isNew
            ? "made an index of \(index.path) in \(index.collection)"
            : "there is an index of \(index.path) in \(index.collection) already"
        ])
    case .indexes(let indexes):
      return Outcome(
        job: job, value: .array(indexes.map(value)),
        presentation: .table(
          columns: [Column("collection"), Column("path")],
          rows: indexes.map { [$0.collection, $0.path] }))
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
    case .exported(let path, let count):
      return Outcome(
        job: job, value: .object([.init("file", .string(path)), .init("count", JSON(count))]),
        notes: ["exported \(count) \(count == 1 ? "entry" : "entries") to \(path)"])
    case .imported(let path, let counts):
      return Outcome(
        job: job,
        value: .object([
          .init("file", .string(path)), .init("added", JSON(counts.added)),
          .init("replaced", JSON(counts.replaced)), .init("kept", JSON(counts.kept)),
        ]),
        notes: [
          "imported \(path): \(counts.added) added, \(counts.replaced) replaced, "
            + "\(counts.kept) kept"
        ])
    case .paths(let paths):
      return Outcome(
        job: job, value: .array(paths.map(JSON.string)),
        presentation: .text(paths.map { $0 + "\n" }.joined()))
    }
  }

  private static let columns = [
    Column("id"), Column("updated", priority: 2), Column("body", priority: 1),
  ]

  /// Rows of a list that goes on.
  static func partialOutcome(of action: DatabaseAction) -> PartialOutcome? {
    guard case .listed(let job, let documents, let masked, _) = action else { return nil }
    return PartialOutcome(
      job: job, columns: columns, rows: documents.map(row), values: documents.map(value),
      masked: masked)
  }

  private static func value(_ document: Document) -> JSON {
    .object([
      .init("id", .string(document.id)),
      .init("updated", .string(Timestamp.format(document.updated))),
      .init("body", parsed(document.body)),
    ])
  }

  private static func row(_ document: Document) -> [String] {
    [
      document.id, Timestamp.format(document.updated),
      JSON.compactText(of: document.body) ?? JSON.string(document.body).text,
    ]
  }

  private static func value(_ index: DocumentIndex) -> JSON {
    .object([.init("collection", .string(index.collection)), .init("path", .string(index.path))])
  }

  /// A stored body as a value; what is somehow no JSON is shown as the text it is.
  private static func parsed(_ text: String) -> JSON {
    (try? JSON(parsing: text)) ?? .string(text)
  }
}
