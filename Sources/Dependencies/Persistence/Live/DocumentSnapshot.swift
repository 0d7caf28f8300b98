/// The documents of a database file as they were at one time.
///
/// It has a connection of its own with a transaction that reads, which ends when the last reference
/// goes. Until then, the log of the file cannot be emptied. Where the file cannot be kept open,
/// each page is read as it is then.
final class DocumentSnapshot: DocumentReader {
  private let worker: SQLiteWorker
  private let path: String

  /// Begins the transaction, if the file is there and can be read.
  init?(of file: DatabaseFile) async throws(PersistenceError) {
    worker = SQLiteWorker(file, role: .reader)
    path = file.path
    let outcome = try await worker.run("documents", .brief, making: false) {
      (connection) throws(PersistenceError) in
      try Self.begin(connection)
      // The transaction has the state of its first read.
      _ = try connection.integer("SELECT count(*) FROM (SELECT 1 FROM documents LIMIT 1)")
    }
    guard case .done = outcome else { return nil }
  }

  func documents(
    _ query: DocumentQuery, from cursor: DocumentCursor?
  ) async throws(PersistenceError) -> DocumentPage {
    let filter = try DocumentFilter(query)
    let length = DocumentPages.length(of: filter, from: cursor)
    let outcome = try await worker.run("documents", length, making: false) {
      (connection) throws(PersistenceError) in
      try Self.begin(connection)
      return try connection.interruptible { () throws(PersistenceError) in
        try DocumentPages(query, filter, connection).page(from: cursor)
      }
    }
    // It was there when the snapshot began.
    guard case .done(let page) = outcome else {
      throw SQLiteResult.moved(path, operation: "documents")
    }
    return page
  }

  private static func begin(_ connection: SQLiteConnection) throws(PersistenceError) {
    if !connection.isInTransaction { try connection.statement("BEGIN").run() }
  }
}

extension LivePersistenceService {
  /// Opens a connection of its own.
  public func snapshot() async throws(PersistenceError) -> any DocumentReader {
    // A file of an earlier version is brought up to date by this call.
    _ = try await main.read("documents", .brief, whenMissing: ()) { _ in }
    return try await DocumentSnapshot(of: main.file) ?? self
  }
}
