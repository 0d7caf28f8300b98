import SwiftBoardBoard
import SwiftBoardDependencies
import SwiftBoardJSON

/// The state of the feature `db`: what the database contains, and what was shown of it.
///
/// It contains names and numbers, and at most one document. `db.contents` loads the names before
/// the first command that needs them; later commands adjust them by their results.
public struct DatabaseState: Codable, Sendable, Equatable {
  /// The most collections, and preferences, that are known by name.
  static let known = 100
  /// The most bytes of a document that is kept.
  static let largestDocument = 64 << 10
  /// The most levels of a document that is kept. A line of a recording, which has the document four
  /// levels down, has at most 512.
  static let deepestDocument = 508

  /// The number of writes that succeeded since the start.
  public var writes = 0
  /// The collection that was used last.
  public var collection: String?
  /// The collections and the numbers of their documents, or `nil` before they were loaded. A number
  /// that takes long to count is `nil`, until a command has listed the collection.
  public var collections: [ByteText: Int?]?
  /// The names of the preferences, sorted, or `nil` before they were loaded.
  public var preferences: [String]?
  /// The last list.
  public var query: DatabaseQuery?
  /// The document that was shown last.
  public var document: ShownDocument?
  /// Whether the names were loaded. It is `nil` in recordings made before this member existed, in
  /// which nothing is known but `writes` and `collection`.
  public var isLoaded: Bool? = false
  /// The commands that wait for the names, in the order of their lines, or `nil` if there are none.
  public var pending: [PendingDatabaseCommand]?
  /// The running commands that may change a file. It is `nil` in recordings in which only imports
  /// ended themselves when they were cancelled.
  public var changes: RunningChanges? = []
  /// Whether collections are told apart by the bytes of their names. It is `nil` in earlier
  /// recordings, in which one of two was known whose names differ only in their Unicode form.
  public var tellsFormsApart: Bool? = true
  /// The imports that write, in recordings without `changes`; `nil` if there are none.
  public var imports: RunningChanges?
  /// The jobs that read names or numbers, and beside which nothing has changed; 0 is that of a
  /// `bootstrap`. Only their answers replace what is known. It is `nil` in earlier recordings, in
  /// which every answer did.
  public var reads: [Int]? = []
}

/// A list of documents, and how many were found.
public struct DatabaseQuery: Codable, Sendable, Equatable {
  /// The job that lists.
  public var job: Int
  /// The collection, conditions, order and limit.
  public var query: DocumentQuery
  /// The number of documents found so far.
  public var found = 0
  /// Whether the list is complete.
  public var isComplete = false
}

/// A document as the state keeps it.
public struct ShownDocument: Codable, Sendable, Equatable {
  /// The collection.
  public var collection: String
  /// The ID.
  public var id: String
  /// The body, or `nil` if it has more than 64 KiB or 508 levels.
  public var body: JSON?
  /// The number of bytes of the body.
  public var bytes: Int
  /// The BLAKE2b-256 digest of a body that is not kept.
  public var digest: String?

  /// Creates the kept form of a document.
  public init(_ document: Document) {
    collection = document.collection
    id = document.id
    bytes = document.body.utf8.count
    let limits = JSONLimits(depth: DatabaseState.deepestDocument)
    if bytes <= DatabaseState.largestDocument {
      body = try? JSON(parsing: document.body, limits: limits)
    }
    if body == nil {
      digest = contentDigest(of: document.body)
    }
  }
}

extension DatabaseCommand {
  /// Whether the command has more text than the state may keep. It does not wait for the names,
  /// which a later command loads.
  var isLarge: Bool {
    switch self {
    case .put(_, _, .json(let text)), .preferenceSet(_, let text):
      text.utf8.count > DatabaseState.largestDocument
    default: false
    }
  }
}

/// A command that waits for the names.
public enum PendingDatabaseCommand: Codable, Sendable, Equatable {
  /// It begins afterwards.
  case begins(job: Int, command: DatabaseCommand)
  /// It ends afterwards.
  case ends(job: Int, result: DatabaseResult)

  /// The job of the command, which is the cancel ID of its effects.
  public var job: Int {
    switch self {
    case .begins(let job, _), .ends(let job, _): job
    }
  }

  /// Whether the names are loaded again although they are known.
  var asksAgain: Bool {
    switch self {
    case .begins(_, let command): command == .stats
    case .ends: true
    }
  }
}

// MARK: Changes

extension DatabaseState {
  /// Takes what was loaded. If it could not be loaded, nothing is known, and it is not tried again.
  ///
  /// - Parameter isCurrent: Whether nothing changed while it was loaded. Otherwise it replaces
  ///   nothing that is known, and is loaded again when it is needed.
  mutating func show(_ contents: DatabaseContents?, isCurrent: Bool = true) {
    if isCurrent || isLoaded != true {
      collections = counts(of: contents?.collections ?? [])
      preferences = contents?.preferences ?? []
    }
    isLoaded = isCurrent
  }

  /// Removes the names, the last list and the document.
  mutating func forget() {
    (collection, query, document) = (nil, nil, nil)
    forgetNames()
  }

  /// Removes the names, which are loaded again when they are needed.
  mutating func forgetNames() {
    (collections, preferences) = (nil, nil)
    expectImport()
  }

  /// Lets the names be loaded again after an import, even if only a part of it is written.
  mutating func expectImport() {
    if isLoaded != nil { isLoaded = false }
  }

  /// Returns whether a job may change a file, so that its command ends only when it is known
  /// whether it did.
  func isChanging(_ job: Int) -> Bool { changes.contains(job) || imports.contains(job) }

  /// Removes a command that has ended.
  mutating func endChange(_ job: Int) {
    changes?.end(job)
    imports?.end(job)
    if imports?.isEmpty == true { imports = nil }
  }

  /// Removes the commands that do not run.
  mutating func keep(_ running: Set<Int>) {
    changes?.keep(running)
    imports?.keep(running)
    if imports?.isEmpty == true { imports = nil }
    pending?.removeAll { !running.contains($0.job) }
    if pending?.isEmpty == true { pending = nil }
    outdateReads()
  }

  /// Adds a command that reads, unless another one may change something.
  mutating func beginRead(_ job: Int) {
    var others = changes
    others?.end(job)
    guard others?.isEmpty != false, reads?.contains(job) == false else { return }
    reads?.append(job)
  }

  /// Lets the answers of running reads replace nothing, because something is about to change.
  mutating func outdateReads() { reads?.removeAll() }

  /// Returns whether the answer of a command replaces what is known.
  private func isCurrent(_ job: Int) -> Bool { reads?.contains(job) ?? true }

  /// Removes a command that reads, and returns whether its answer replaces what is known.
  @discardableResult
  mutating func endRead(_ job: Int) -> Bool {
    defer { reads?.removeAll { $0 == job } }
    return isCurrent(job)
  }

  /// Follows a command that succeeded.
  mutating func note(_ result: DatabaseResult, of job: Int) {
    switch result {
    case .put, .preferenceSaved, .removed, .imported: writes &+= 1
    default: break
    }
    guard isLoaded != nil else { return }
    switch result {
    case .put(let collection, _, isNew: true): addDocuments(1, to: collection)
    case .preferenceSaved(let name): addPreference(name)
    case .removed(_, let item?): forget(item)
    case .document(let document): self.document = ShownDocument(document)
    case .documents(let documents, _): note(found: documents.count, of: job, isLast: true)
    case .collections(let collections) where isCurrent(job):
      self.collections = counts(of: collections.prefix(Self.known))
    case .preferences(let preferences) where isCurrent(job):
      self.preferences = preferences.prefix(Self.known).map(\.name)
    default: break
    }
  }

  private func counts(
    of collections: some Sequence<DatabaseContents.Collection>
  ) -> [ByteText: Int?] {
    var counts: [ByteText: Int?] = [:]
    for collection in collections {
      counts[key(of: collection.name, in: counts)] = .some(collection.count)
    }
    return counts
  }

  /// Returns the key of a collection, which in earlier recordings may have another Unicode form.
  private func key(of name: String, in counts: [ByteText: Int?]?) -> ByteText {
    if tellsFormsApart != true, let equal = counts?.keys.first(where: { $0.rawValue == name }) {
      return equal
    }
    return ByteText(name)
  }

  /// Follows a list.
  mutating func note(found documents: Int, of job: Int, isLast: Bool) {
    guard query?.job == job else { return }
    query?.found &+= documents
    query?.isComplete = isLast
    guard isLast, isCurrent(job), let query, query.query.conditions.isEmpty,
      query.query.limit == nil
    else { return }
    setCount(query.found, of: query.query.collection)
  }

  /// Adds a command that waits for the names.
  mutating func wait(_ command: PendingDatabaseCommand) { pending = (pending ?? []) + [command] }

  /// Removes a command that waits for the names, and returns it.
  @discardableResult
  mutating func takePending(_ job: Int) -> PendingDatabaseCommand? {
    guard let index = pending?.firstIndex(where: { $0.job == job }) else { return nil }
    let command = pending?.remove(at: index)
    if pending?.isEmpty == true { pending = nil }
    return command
  }

  private mutating func forget(_ item: DatabaseItem) {
    switch item {
    case .document(let collection, _): addDocuments(-1, to: collection)
    case .preference(let name): preferences?.removeAll { $0.hasSameBytes(as: name) }
    case .index: break
    }
  }

  /// Removes the collections with less than no documents, once no command changes any.
  mutating func settle() {
    guard changes?.isEmpty == true, let counts = collections?.values,
      counts.contains(where: { $0.map { $0 < 0 } ?? false })
    else { return }
    collections = collections?.filter { $0.value.map { $0 > 0 } ?? true }
  }

  /// A collection without documents does not exist. The results of commands that run at the same
  /// time may come in another order than that of their changes. A number may therefore be less than
  /// zero until all of them have come.
  private mutating func addDocuments(_ change: Int, to collection: String) {
    guard let count = collections?[key(of: collection, in: collections)] else {
      if change > 0 || changes?.isEmpty == false { setCount(change, of: collection) }
      return
    }
    if let count { setCount(count &+ change, of: collection) }
  }

  private mutating func setCount(_ count: Int, of collection: String) {
    guard let names = collections else { return }
    let collection = key(of: collection, in: names)
    if count == 0 || count < 0 && changes?.isEmpty != false {
      collections?.removeValue(forKey: collection)
    } else if names[collection] != nil || names.count < Self.known {
      collections?[collection] = .some(count)
    }
  }

  private mutating func addPreference(_ name: String) {
    guard var names = preferences, !names.contains(where: { $0.hasSameBytes(as: name) }),
      names.count < Self.known
    else { return }
    names.append(name)
    preferences = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
