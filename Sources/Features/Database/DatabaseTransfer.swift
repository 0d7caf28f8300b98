import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardSystem

/// Writes what the database has to a file, a page of documents at a time.
struct DatabaseExport {
  private let path: String
  private let collection: String?
  private let dependencies: Dependencies

  init(_ path: String, _ collection: String?, _ dependencies: Dependencies) {
    self.path = path
    self.collection = collection
    self.dependencies = dependencies
  }

  func run() async throws -> DatabaseResult {
    let store = dependencies.persistence
    if let collection, try await !store.collections().contains(collection) {
      throw Failure(
        code: ExitCode.missing, error: "missing",
        message: "there is no collection '\(collection)'", help: "'db stats' counts what there is")
    }
    let output = try await dependencies.files.output(path, continues: false)
    do {
      try await output.begin(afterKept: false, tag: nil)
      let count = try await write(to: output)
      try await output.finish()
      return .exported(path: path, count: count)
    } catch {
      await output.discard()
      throw error
    }
  }

  private func write(to output: any FileOutput) async throws -> Int {
    let store = dependencies.persistence
    var count = 0
    func add(_ entries: [DatabaseEntry]) async throws {
      let lines = try entries.map { try $0.line() + "\n" }.joined()
      count += entries.count
      try await output.write(Data(lines.utf8))
    }
    try await output.write(Data((DatabaseEntry.header + "\n").utf8))
    if collection == nil {
      try await add(store.services().map(DatabaseEntry.service))
      try await add(store.preferences().map(DatabaseEntry.preference))
    }
    let collections = if let collection { [collection] } else { try await store.collections() }
    for name in collections {
      let query = DocumentQuery(collection: name)
      var page = try await store.documents(query, from: nil)
      while true {
        try await add(page.documents.map(DatabaseEntry.document))
        guard let next = page.next else { break }
        page = try await store.documents(query, from: next)
      }
    }
    return count
  }
}

/// Takes what an export has. The whole file is read once before anything is changed, so that a
/// mistake anywhere in it changes nothing.
struct DatabaseImporter {
  private static let batch = 500
  private static let longestLine = 64 << 20

  private let path: String
  private let existing: ImportDuplicates
  private let dependencies: Dependencies

  init(_ path: String, _ existing: ImportDuplicates, _ dependencies: Dependencies) {
    self.path = path
    self.existing = existing
    self.dependencies = dependencies
  }

  func run() async throws -> DatabaseResult {
    let input = try await dependencies.files.input(path)
    guard input.isRepeatable else {
      throw Failure(
        code: ExitCode.usage, error: "notAFile",
        message: "\(path) is read twice, and what is in it comes only once",
        help: "write it to a file first")
    }
    let services = Set(try await dependencies.persistence.services().map(\.name))
    var seen: Set<[UInt8]> = []
    try await forEachEntry(of: input) { entry, number in
      guard seen.insert(Array(entry.key.utf8)).inserted else {
        throw malformed(number, "\(entry.name) is in the file twice")
      }
      guard existing == .refuse, let name = try await taken(entry, services) else { return }
      throw Failure(
        code: ExitCode.cannotCreate, error: "exists",
        message: "\(path):\(number): \(name) is here already, so nothing was imported",
        help:
          "--existing keep leaves what is here, --existing replace puts the imported in its place")
    }
    var counts = DatabaseImport()
    var documents: [Document] = []
    var bytes = 0
    try await forEachEntry(of: try await dependencies.files.input(path)) { entry, _ in
      let isTaken = try await taken(entry, services) != nil
      if isTaken, existing != .replace { return counts.kept += 1 }
      if isTaken { counts.replaced += 1 } else { counts.added += 1 }
      switch entry {
      case .document(let document):
        documents.append(document)
        bytes += document.body.utf8.count
        guard documents.count >= Self.batch || bytes >= 8 << 20 else { return }
        try await dependencies.persistence.putDocuments(documents)
        (documents, bytes) = ([], 0)
      case .preference(let preference):
        try await dependencies.persistence.setPreference(preference.name, to: preference.json)
      case .service(let service):
        try await dependencies.persistence.saveService(service, replacing: true)
      }
    }
    try await dependencies.persistence.putDocuments(documents)
    return .imported(path: path, counts: counts)
  }

  /// What is here under the entry's name.
  private func taken(_ entry: DatabaseEntry, _ services: Set<String>) async throws -> String? {
    let store = dependencies.persistence
    let isTaken =
      switch entry {
      case .document(let document):
        try await store.document(collection: document.collection, id: document.id) != nil
      case .preference(let preference): try await store.preference(preference.name) != nil
      case .service(let service): services.contains(service.name)
      }
    return isTaken ? entry.name : nil
  }

  // MARK: Lines

  private func forEachEntry(
    of input: FileInput, _ body: (DatabaseEntry, _ line: Int) async throws -> Void
  ) async throws {
    var rest = Data()
    var number = 0
    func take(_ line: Data) async throws {
      number += 1
      guard let entry = try entry(line, number) else { return }
      try await body(entry, number)
    }
    while let piece = try await input.next() {
      try Task.checkCancellation()
      rest.append(piece)
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        try await take(rest[rest.startIndex..<end])
        rest = rest[(end + 1)...]
      }
      rest = Data(rest)
      guard rest.count <= Self.longestLine else {
        throw malformed(number + 1, "the line has more than 64 MiB")
      }
    }
    if !rest.isEmpty { try await take(rest) }
    guard number > 0 else { throw malformed(1, "the file is empty") }
  }

  /// `nil` for the first line, which says what the file is.
  private func entry(_ line: Data, _ number: Int) throws -> DatabaseEntry? {
    let json: JSON
    do throws(JSONError) { json = try JSON(parsing: line, limits: .strict) } catch {
      throw malformed(number, "column \(error.column): \(error.message)")
    }
    if number == 1 {
      guard json["swiftboard"] == "db export" else {
        throw malformed(1, "this is not an export of a database")
      }
      guard json["version"] == 1 else {
        throw malformed(1, "this export was made by a later version")
      }
      return nil
    }
    let text = String(decoding: line, as: UTF8.self)
    try MarkedText.refuse(text, in: "\(path):\(number)")
    if let name = dependencies.logger.redactor.mask(text).names.first {
      throw Failure(
        code: ExitCode.data, error: "holdsSecret",
        message:
          "\(path):\(number) holds the value of the secret '\(name)', which a document may not",
        help: "take the value out; a request takes {{secret:\(name)}}")
    }
    do throws(DatabaseEntryError) { return try DatabaseEntry(json) } catch {
      throw malformed(number, error.reason)
    }
  }

  private func malformed(_ line: Int, _ reason: String) -> Failure {
    Failure(
      code: ExitCode.data, error: "malformedData", message: "\(path):\(line): \(reason)",
      help: "nothing was imported; 'db export' writes such files")
  }
}
