import SwiftBoardJSON

extension LivePersistenceService {
  /// Reads the collection once. Each later change of it costs a few microseconds more.
  ///
  /// - Throws: `invalid` for a path that is none.
  public func makeDocumentIndex(_ index: DocumentIndex) async throws(PersistenceError) -> Bool {
    let path = try DocumentFilter.path(index.path)
    return try await main.write("makeDocumentIndex") { (connection) throws(PersistenceError) in
      try DocumentIndexTable.make(index.collection, path, connection)
    }
  }

  /// The documents stay as they are.
  public func removeDocumentIndex(_ index: DocumentIndex) async throws(PersistenceError) -> Bool {
    let path = try DocumentFilter.path(index.path)
    return try await main.write("removeDocumentIndex") { (connection) throws(PersistenceError) in
      try DocumentIndexTable.remove(index.collection, path, connection)
    }
  }

  /// By collection and path.
  public func documentIndexes() async throws(PersistenceError) -> [DocumentIndex] {
    try await main.read("documentIndexes", whenMissing: []) {
      (connection) throws(PersistenceError) in try DocumentIndexTable.all(connection)
    }
  }
}

/// The tables `document_indexes` and `document_values`: which documents have which value at an
/// indexed path.
///
/// SQLite's own indexes on expressions would be kept by SQLite, but its JSON functions compare
/// numbers as doubles, and must not stand in the schema of a file that may come from elsewhere.
enum DocumentIndexTable {
  /// The number of the index of a path in a collection.
  static func number(
    _ collection: String, _ path: JSONPath, _ connection: SQLiteConnection
  ) throws(PersistenceError) -> Int64? {
    let statement = try connection.statement(
      "SELECT number FROM document_indexes WHERE collection = ? AND path = ?")
    statement.bind(1, collection)
    statement.bind(2, path.description)
    return try statement.first { $0.integer(0) }
  }

  /// What a value is found by. Long ones are cut: the filter decides among what is found.
  static func key(_ value: JSON) -> String {
    let key = value.equalityKey
    guard key.utf8.count > 256 else { return key }
    var checksum = ContentChecksum()
    checksum.add(key)
    return String(checksum.value, radix: 36)
  }

  // MARK: Keeping

  /// - Returns: False if it was there.
  static func make(
    _ collection: String, _ path: JSONPath, _ connection: SQLiteConnection
  ) throws(PersistenceError) -> Bool {
    guard try number(collection, path, connection) == nil else { return false }
    let insertion = try connection.statement(
      "INSERT INTO document_indexes (collection, path) VALUES (?, ?)")
    insertion.bind(1, collection)
    insertion.bind(2, path.description)
    try insertion.run()
    guard let number = try number(collection, path, connection) else { return false }
    let documents = try connection.statement("SELECT id, body FROM documents WHERE collection = ?")
    documents.bind(1, collection)
    try documents.forEachRow { (row) throws(PersistenceError) in
      // A damaged document has no value; it is found out when it is shown.
      guard let body = try? JSON(parsing: row.text(1)) else { return }
      try add(body, row.text(0), path, number, connection)
    }
    return true
  }

  /// - Returns: False if there was none.
  static func remove(
    _ collection: String, _ path: JSONPath, _ connection: SQLiteConnection
  ) throws(PersistenceError) -> Bool {
    guard let number = try number(collection, path, connection) else { return false }
    for sql in [
      "DELETE FROM document_values WHERE indexed = ?",
      "DELETE FROM document_indexes WHERE number = ?",
    ] {
      let removal = try connection.statement(sql)
      removal.bind(1, number)
      try removal.run()
    }
    return true
  }

  static func all(_ connection: SQLiteConnection) throws(PersistenceError) -> [DocumentIndex] {
    var indexes: [DocumentIndex] = []
    try connection.statement("SELECT collection, path FROM document_indexes ORDER BY 1, 2")
      .forEachRow { indexes.append(DocumentIndex(collection: $0.text(0), path: $0.text(1))) }
    return indexes
  }

  /// Notes a document that was put, or with `nil` that it was removed.
  static func update(
    _ collection: String, _ id: String, _ body: JSON?, _ connection: SQLiteConnection
  ) throws(PersistenceError) {
    var indexes: [(number: Int64, path: String)] = []
    let statement = try connection.statement(
      "SELECT number, path FROM document_indexes WHERE collection = ?")
    statement.bind(1, collection)
    try statement.forEachRow { indexes.append(($0.integer(0), $0.text(1))) }
    for index in indexes {
      let removal = try connection.statement(
        "DELETE FROM document_values WHERE indexed = ? AND id = ?")
      removal.bind(1, index.number)
      removal.bind(2, id)
      try removal.run()
      guard let body else { continue }
      try add(body, id, try DocumentFilter.path(index.path), index.number, connection)
    }
  }

  private static func add(
    _ body: JSON, _ id: String, _ path: JSONPath, _ number: Int64, _ connection: SQLiteConnection
  ) throws(PersistenceError) {
    guard let value = body.value(at: path) else { return }
    let insertion = try connection.statement(
      "INSERT INTO document_values (indexed, value, id) VALUES (?, ?, ?)")
    insertion.bind(1, number)
    insertion.bind(2, key(value))
    insertion.bind(3, id)
    try insertion.run()
  }
}
