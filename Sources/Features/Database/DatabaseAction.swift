import SwiftBoardBoard
import SwiftBoardDependencies

/// The actions of the feature `db`.
public enum DatabaseAction {
  /// Starts a command. `waits` is set in recordings up to schema 5, in which a command with a large
  /// text waited for the names as well.
  case run(context: CommandContext, command: DatabaseCommand, waits: Bool? = nil)
  /// Loads the names, so that the state has them.
  case bootstrap
  /// The names in the database, or `nil` if they could not be loaded. A command waited for them, or
  /// none (job 0).
  case contents(job: Int, contents: DatabaseContents?, failure: Failure? = nil)
  /// A part of the documents of a list, in order. The first part has the query, and the last one
  /// the number of all documents. A part with both is the whole list, which was `succeeded` in
  /// earlier recordings unless it was empty. The first part of several has no documents, but in
  /// earlier recordings those of the first page.
  case listed(
    job: Int, documents: [Document], masked: MaskedValues? = nil, rest: DocumentQuery? = nil,
    count: Int? = nil)
  /// The file of an import was read and has no mistake; `taken` is its first entry whose name is
  /// taken, if the command refuses such entries.
  case checked(request: ImportRequest, taken: ImportConflict?)
  /// The import is complete.
  case imported(request: ImportRequest, counts: DatabaseImport)
  /// In recordings made before `failed` followed at once: the command names something that does not
  /// exist.
  case missing(job: Int, item: DatabaseItem)
  /// The command succeeded. `masked` is the number of values that marks replace.
  case succeeded(job: Int, result: DatabaseResult, masked: MaskedValues? = nil)
  /// The command failed.
  case failed(job: Int, failure: Failure)
}

extension DatabaseAction: FeatureAction {
  /// The end of the loading, also of the one that a command waited for.
  public var loading: LoadingEnd? {
    if case .contents(_, _, let failure) = self { LoadingEnd(failure) } else { nil }
  }

  /// The command of `run`.
  public var started: CommandContext? {
    if case .run(let context, _, _) = self { context } else { nil }
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
  /// `db list`: the collections.
  case collections
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
  /// A new database, of what can be read of a damaged one.
  case recover(path: String)
  /// Documents, preferences and services as lines of JSON.
  case export(path: String, collection: String?)
  /// What an export has, back.
  case `import`(path: String, existing: ImportDuplicates)
}

/// An import, as its steps pass it on.
public struct ImportRequest: Codable, Sendable, Equatable {
  /// The job of the command.
  public var job: Int
  /// The file.
  public var path: String
  /// What happens to entries whose names are taken.
  public var existing: ImportDuplicates
  /// Whether features read again what the import replaces. It is `false` in recordings up to schema
  /// 5, and otherwise `nil`.
  package var isReread: Bool?
  /// Whether a cancelled import ends itself once it is known what it wrote. It is `nil` in earlier
  /// recordings, in which it ended at once.
  package var endsCancelled: Bool?

  /// Creates an import.
  public init(job: Int, path: String, existing: ImportDuplicates) {
    self.job = job
    self.path = path
    self.existing = existing
    endsCancelled = true
  }
}

/// The source of a document's body.
public enum DatabaseBody: Codable, Sendable, Equatable {
  /// JSON text of the line.
  case json(text: String)
  /// A file that is read when the command runs.
  case file(path: String)
}

/// Something in the database that a command names.
public enum DatabaseItem: Codable, Sendable, Equatable {
  /// A document.
  case document(collection: String, id: String)
  /// A preference.
  case preference(name: String)
  /// An index.
  case index(index: DocumentIndex)
}

/// The result of a `db` command that succeeded.
public enum DatabaseResult: Codable, Sendable, Equatable {
  /// The document was stored. `isNew` is false if it replaced another one; `nil` for a preference
  /// in earlier recordings.
  case put(collection: String, id: String, isNew: Bool? = nil)
  /// The document that was asked for.
  case document(document: Document)
  /// The documents that match, in order. `missing` is the collection, if there is none of its name.
  case documents(documents: [Document], missing: MissingCollection? = nil)
  /// The collections and the numbers of their documents, by name.
  case collections(collections: [DatabaseContents.Collection])
  /// The list that `listed` had the parts of has ended, after so many.
  case listed(count: Int)
  /// The index was made, or was there already.
  case indexed(index: DocumentIndex, isNew: Bool)
  /// The indexes, by collection and path.
  case indexes(indexes: [DocumentIndex])
  /// The name of the removed item. Earlier recordings have only the name.
  case removed(name: String, item: DatabaseItem? = nil)
  /// The preference that was asked for.
  case preference(preference: Preference)
  /// The preference was stored.
  case preferenceSaved(name: String)
  /// All preferences, by name.
  case preferences(preferences: [Preference])
  /// Figures of the files.
  case statistics(statistics: PersistenceStatistics)
  /// The check found nothing. `triggers` are those that another program has added; `nil` in earlier
  /// recordings. `missing` is the path of a database that does not exist yet, and `nil` if it does
  /// and in earlier recordings.
  case healthy(triggers: [String]? = nil, missing: String? = nil)
  /// The file of the copy.
  case backedUp(path: String)
  /// What the new database has of the damaged one. `failsIncomplete` says whether it is a failure
  /// if a part is missing or damaged; `nil` in earlier recordings, in which it was none.
  case recovered(path: String, recovery: DatabaseRecovery, failsIncomplete: Bool? = nil)
  /// The file of an export, and how many lines it has besides its first.
  case exported(path: String, count: Int)
  /// What an import did.
  case imported(path: String, counts: DatabaseImport)
  /// The files; none in a mock.
  case paths(paths: [String])
}

extension DatabaseCommand {
  /// The name of the command's effect, after `db.`.
  var verb: String {
    switch self {
    case .put: "put"
    case .get: "get"
    case .list: "list"
    case .collections: "collections"
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
    case .recover: "recover"
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

  /// Whether the command may change the database or another file. An import begins to do so after
  /// its file was checked.
  var changesFile: Bool {
    switch self {
    case .put, .remove, .index, .indexRemove, .preferenceSet, .preferenceUnset, .backup,
      .recover, .export:
      true
    default: false
    }
  }

  /// Whether the command's result adjusts the names that the state knows.
  var usesNames: Bool {
    switch self {
    case .put, .get, .list, .collections, .remove, .preferenceGet, .preferenceSet, .preferenceUnset,
      .preferenceList, .stats:
      true
    default: false
    }
  }

  /// Whether the command's result replaces names or a number that the state knows.
  var replacesNames: Bool {
    switch self {
    case .list, .collections, .preferenceList: true
    default: false
    }
  }
}

extension DatabaseItem {
  /// What the message of a removal calls it.
  var name: String {
    switch self {
    case .document(let collection, let id): "\(collection)/\(id)"
    case .preference(let name): "preference \(name)"
    case .index(let index): "index \(index.collection) \(index.path)"
    }
  }
}
