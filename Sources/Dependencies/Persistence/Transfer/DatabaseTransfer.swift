import SwiftBoardJSON
import SwiftBoardSystem

/// Moves data between the database and files.
///
/// The data does not pass through actions: a call returns numbers and names. Memory use is limited
/// to a page of documents, or the largest line.
package struct DatabaseTransfer: Sendable {
  /// The maximum size of a file with one document, in bytes.
  private static let largestDocument = 16 << 20

  private let persistence: any PersistenceService
  private let files: any FileService
  private let redactor: Redactor
  private let terminal: any TerminalService
  private let keychain: any KeychainService

  /// Creates a transfer between these services.
  package init(_ dependencies: Dependencies) {
    persistence = dependencies.persistence
    files = dependencies.files
    redactor = dependencies.logger.redactor
    terminal = dependencies.terminal
    keychain = dependencies.keychainService
  }

  // MARK: Documents

  /// Stores the content of a file as a document. Returns false if it replaced a document.
  ///
  /// - Throws: `FileError`, `DatabaseTransferError`, `PersistenceError`.
  package func putFile(
    _ path: String, collection: String, id: String, at time: Int64
  ) async throws -> Bool {
    let data = try await files.read(path, limit: Self.largestDocument)
    await keychain.refresh()
    let body = try DocumentText.body(data, from: path, redactor)
    return try await persistence.putDocument(
      Document(collection: collection, id: id, body: body, updated: time))
  }

  /// Refuses typed text that is about to be stored as `putFile` refuses that of a file: by now it
  /// may hold a secret that another process has stored since the line was judged.
  ///
  /// - Throws: `MarkedTextError`, `DatabaseTransferError`.
  package func check(_ text: String, from place: String) async throws {
    await keychain.refresh()
    try DocumentText.check(text, from: place, redactor)
  }

  // MARK: Export

  /// Refuses to copy a database that does not exist, such as that of a mistyped folder. The copy
  /// would pass for that of an empty one.
  ///
  /// - Throws: `DatabaseTransferError.noDatabase`, `PersistenceError`.
  package func checkDatabase() async throws {
    if let path = try await persistence.missingDatabase() {
      throw DatabaseTransferError.noDatabase(path: path)
    }
  }

  /// Writes the documents, preferences, services and indexes to a file, which appears once it is
  /// complete. The consent to analytics stays here.
  ///
  /// - Parameter collection: Writes only the documents and the indexes of this collection.
  /// - Returns: The number of entries.
  /// - Throws: `DatabaseTransferError.noDatabase` and `noCollection`, `FileError`,
  ///   `PersistenceError`. The file is then as it was, also if the task is cancelled.
  package func export(to path: String, collection: String?) async throws -> Int {
    try await checkDatabase()
    if let collection, try await !persistence.collections().contains(collection) {
      throw DatabaseTransferError.noCollection(name: collection)
    }
    let output = try await files.output(path, continues: false)
    do {
      try await output.begin(afterKept: false, tag: nil)
      try await output.write(Data((DatabaseEntry.header + "\n").utf8))
      var count = 0
      if collection == nil {
        // An export without the damaged services would be incomplete.
        for name in try await persistence.damagedServices() {
          _ = try await persistence.service(name)
        }
        count += try await write(persistence.services().map(DatabaseEntry.service), to: output)
        let preferences = try await persistence.preferences().filter { !$0.staysHere }
        count += try await write(preferences.map(DatabaseEntry.preference), to: output)
      }
      let documents = try await persistence.snapshot()
      let collections =
        if let collection { [collection] } else { try await persistence.collections() }
      for name in collections {
        for try await page in documents.pages(of: DocumentQuery(collection: name)) {
          count += try await write(page.documents.map(DatabaseEntry.document), to: output)
        }
      }
      // Indexes come last, because creating one is faster when the documents exist.
      let indexes = try await persistence.documentIndexes().filter { index in
        collection.map { index.collection.hasSameBytes(as: $0) } ?? true
      }
      count += try await write(indexes.map(DatabaseEntry.index), to: output)
      try await output.write(Data((DatabaseEntry.end(entries: count) + "\n").utf8))
      try Task.checkCancellation()
      try await output.finish()
      return count
    } catch {
      await output.discard()
      throw error
    }
  }

  private func write(_ entries: [DatabaseEntry], to output: any FileOutput) async throws -> Int {
    try Task.checkCancellation()
    let lines = try entries.map { try $0.line() + "\n" }.joined()
    try await output.write(Data(lines.utf8))
    return entries.count
  }

  // MARK: Import

  /// Reads a whole file as `importEntries` will, and changes nothing.
  ///
  /// - Parameter findsTaken: Whether to look for the first entry whose name is taken.
  /// - Returns: That entry, or `nil` if there is none. Lines after it are not read.
  /// - Throws: `DatabaseTransferError`, `FileError`, `PersistenceError`.
  package func check(_ path: String, findsTaken: Bool) async throws -> ImportConflict? {
    let lines = DatabaseLines(path, redactor)
    let input = try await files.input(path)
    guard input.isRepeatable else { throw DatabaseTransferError.notRepeatable(path: path) }
    var seen: Set<[UInt8]> = []
    var batch = EntryBatch()
    var conflict: ImportConflict?
    do {
      try await lines.forEachEntry(of: input) { entry, number in
        guard seen.insert(Array(entry.key.utf8)).inserted else {
          throw lines.malformed(number, "\(entry.name) is in the file twice")
        }
        guard findsTaken, !entry.isLeftOut else { return true }
        batch.add(entry, line: number)
        if batch.isFull {
          conflict = try await firstTaken(of: batch)
          batch = EntryBatch()
        }
        return conflict == nil
      }
    } catch {
      // An earlier line comes first.
      if let conflict = try await firstTaken(of: batch) { return conflict }
      throw error
    }
    if let conflict { return conflict }
    return try await firstTaken(of: batch)
  }

  /// Returns the first entry of a batch whose name is taken, or `nil` if there is none.
  private func firstTaken(of batch: EntryBatch) async throws -> ImportConflict? {
    guard try await persistence.containsAny(of: batch.entries) else { return nil }
    for (entry, line) in batch.lines {
      guard try await persistence.containsAny(of: EntryBatch(entry).entries) else { continue }
      return ImportConflict(line: line, name: entry.name)
    }
    return nil
  }

  /// Imports the entries of an export. Call `check` first, so that an error anywhere in the file
  /// changes nothing.
  ///
  /// - Parameter existing: What happens to entries whose names are taken when they are written. An
  ///   entry that another process has saved since `check` is one of them.
  /// - Throws: `IncompleteImport` if something was written before the error; otherwise what `check`
  ///   throws, or `DatabaseTransferError.taken`.
  package func importEntries(
    of path: String, onExisting existing: ImportDuplicates
  ) async throws -> DatabaseImport {
    defer { terminal.show(nil) }
    let input = try await files.input(path).reporting(path, to: terminal)
    var counts = DatabaseImport()
    var batch = EntryBatch()
    func write() async throws {
      do throws(PersistenceError) {
        counts += try await persistence.putEntries(batch.entries, onExisting: existing)
      } catch {
        if error.kind == .exists { throw DatabaseTransferError.taken(path, reason: error.message) }
        throw error
      }
      batch = EntryBatch()
    }
    do {
      try await DatabaseLines(path, redactor).forEachEntry(of: input) { entry, _ in
        if entry.isLeftOut {
          counts.hasConsent = true
        } else if case .index(let index) = entry {
          try await write()
          if try await persistence.makeDocumentIndex(index) {
            counts.added += 1
          } else {
            counts.kept += 1
          }
        } else {
          batch.add(entry)
          if batch.isFull { try await write() }
        }
        return true
      }
      try await write()
    } catch {
      throw counts.added + counts.replaced == 0
        ? error : IncompleteImport(counts: counts, existing: existing, cause: error)
    }
    return counts
  }
}

/// The first entry of an import whose name is taken.
public struct ImportConflict: Codable, Sendable, Equatable {
  /// The number of the line, from 1.
  public var line: Int
  /// The entry, for example `the document c/1`.
  public var name: String

  /// Creates a conflict.
  public init(line: Int, name: String) {
    self.line = line
    self.name = name
  }
}

/// The numbers of entries that an import added, replaced, and skipped because their names exist.
public struct DatabaseImport: Codable, Sendable, Equatable {
  /// The entries with new names.
  public var added = 0
  /// The entries that replaced an existing one.
  public var replaced = 0
  /// The entries that were skipped.
  public var kept = 0
  /// Whether the file has a consent to analytics, which is not imported, or `nil` if it has none.
  public var hasConsent: Bool?

  /// Nothing imported yet.
  public init() {}
}

/// The error of an import that failed after it had written some entries.
package struct IncompleteImport: Error {
  /// The numbers of written entries.
  package var counts: DatabaseImport
  /// What happened to entries whose names were taken.
  package var existing: ImportDuplicates
  /// The underlying error.
  package var cause: any Error
}

extension DatabaseImport {
  fileprivate static func += (counts: inout DatabaseImport, other: DatabaseImport) {
    counts.added += other.added
    counts.replaced += other.replaced
    counts.kept += other.kept
  }
}

/// Entries that are looked up in one read, or put in one transaction.
private struct EntryBatch {
  private(set) var entries = StoredEntries()
  /// The entries with the numbers of their lines, if they were added with them.
  private(set) var lines: [(entry: DatabaseEntry, line: Int)] = []
  private var bytes = 0

  init() {}

  init(_ entry: DatabaseEntry) { add(entry) }

  var isFull: Bool { entries.count >= 500 || bytes >= 8 << 20 }

  /// Adds an entry that is not an index, which has no content that another could take the place of.
  mutating func add(_ entry: DatabaseEntry, line: Int? = nil) {
    switch entry {
    case .document(let document):
      entries.documents.append(document)
      bytes += document.body.utf8.count
    case .preference(let preference):
      entries.preferences.append(preference)
      bytes += preference.json.utf8.count
    case .service(let service): entries.services.append(service)
    case .index: return
    }
    if let line { lines.append((entry, line)) }
  }
}
