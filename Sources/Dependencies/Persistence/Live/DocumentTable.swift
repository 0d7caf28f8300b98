import SwiftBoardJSON

extension LivePersistenceService {
  /// Stores a document and commits, with one fsync. O(length of the body), which is parsed to
  /// validate it.
  ///
  /// - Throws: `invalid` if the body is not JSON, and the errors of the database.
  public func putDocument(_ document: Document) async throws(PersistenceError) {
    try await put([document], "putDocument")
  }

  /// Stores documents in one transaction with one fsync.
  ///
  /// - Throws: The errors of `putDocument`.
  public func putDocuments(_ documents: [Document]) async throws(PersistenceError) {
    if documents.isEmpty { return }
    try await put(documents, "putDocuments")
  }

  private func put(_ documents: [Document], _ operation: String) async throws(PersistenceError) {
    var bodies: [JSON] = []
    for document in documents {
      bodies.append(
        try StoredJSON.parse(
          document.body, operation: operation, what: "The body of \(document.name)",
          limits: .strict))
    }
    try await main.write(operation) { [bodies] (connection) throws(PersistenceError) in
      for (document, body) in zip(documents, bodies) {
        try DocumentTable.put(document, connection)
        try DocumentIndexTable.update(document.collection, document.id, body, connection)
      }
    }
  }

  /// Returns the names of the collections. Finds each name by the index of the key. O(collections).
  public func collections() async throws(PersistenceError) -> [String] {
    try await main.read("collections", whenMissing: []) { (connection) throws(PersistenceError) in
      try connection.texts(
        """
        WITH RECURSIVE names (name) AS (
          SELECT min(collection) FROM documents UNION ALL
          SELECT (SELECT min(collection) FROM documents WHERE collection > name) FROM names
          WHERE name IS NOT NULL)
        SELECT name FROM names WHERE name IS NOT NULL
        """)
    }
  }

  /// Returns a document and verifies its checksum. O(length of the body).
  ///
  /// - Throws: `corrupted` if the checksum does not match.
  public func document(collection: String, id: String) async throws(PersistenceError) -> Document? {
    try await main.read("document", whenMissing: nil) { (connection) throws(PersistenceError) in
      try DocumentTable.get(collection: collection, id: id, connection)
    }
  }

  /// Returns a page of the documents of a query. A page has up to 256 documents or one mebibyte of
  /// bodies.
  ///
  /// SQL excludes documents that do not match a condition. With an index of a path, it reads no
  /// others. A sorted query reads the value at the path of each matching document and keeps their
  /// ids in memory, up to the limit of the query. Only the documents of the page are verified with
  /// their checksums.
  ///
  /// - Throws: `corrupted` if a document of the page is damaged, with its id.
  public func documents(_ query: DocumentQuery, from cursor: DocumentCursor?)
    async throws(PersistenceError) -> DocumentPage
  {
    let filter = try DocumentFilter(query)
    return try await main.read("documents", whenMissing: DocumentPage()) {
      (connection) throws(PersistenceError) in
      try connection.cancellable { () throws(PersistenceError) in
        try connection.read { () throws(PersistenceError) in
          try DocumentPages(query, filter, connection).page(from: cursor)
        }
      }
    }
  }

  /// Removes a document. Returns false if there is none. Takes one fsync in both cases.
  public func removeDocument(collection: String, id: String) async throws(PersistenceError) -> Bool
  {
    try await main.write("removeDocument") { (connection) throws(PersistenceError) in
      let statement = try connection.statement(
        "DELETE FROM documents WHERE collection = ? AND id = ?")
      statement.bind(1, collection)
      statement.bind(2, id)
      try statement.run()
      let wasThere = connection.changes > 0
      if wasThere { try DocumentIndexTable.update(collection, id, nil, connection) }
      return wasThere
    }
  }
}

extension Document {
  /// The name of the document in errors.
  var name: String { "\(collection)/\(id)" }
}

/// The table `documents`.
enum DocumentTable {
  static func put(_ document: Document, _ connection: SQLiteConnection) throws(PersistenceError) {
    var checksum = start(document.collection, document.id, document.updated)
    checksum.add(document.body)
    let statement = try connection.statement(
      """
      INSERT INTO documents (collection, id, updated, checksum, body) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (collection, id) DO UPDATE
      SET updated = excluded.updated, checksum = excluded.checksum, body = excluded.body
      """)
    statement.bind(1, document.collection)
    statement.bind(2, document.id)
    statement.bind(3, document.updated)
    statement.bind(4, checksum.value)
    statement.bind(5, document.body)
    try statement.run()
  }

  static func get(collection: String, id: String, _ connection: SQLiteConnection)
    throws(PersistenceError) -> Document?
  {
    let statement = try connection.statement(
      "SELECT id, updated, checksum, body FROM documents WHERE collection = ? AND id = ?")
    statement.bind(1, collection)
    statement.bind(2, id)
    let found = try statement.first { Self.read($0, collection) }
    guard case .damaged(let id)? = found else { return found?.document }
    throw damage([id], collection, connection)
  }

  /// Returns the names of documents whose content does not match their checksum.
  static func damaged(_ connection: SQLiteConnection) throws(PersistenceError) -> [String] {
    var names: [String] = []
    let statement = try connection.statement(
      "SELECT id, updated, checksum, body, collection FROM documents ORDER BY collection, id")
    try statement.forEachRow { (row) throws(PersistenceError) in
      let collection = row.text(4)
      if case .damaged(let id) = Self.read(row, collection) { names.append("\(collection)/\(id)") }
    }
    return names
  }

  enum Row {
    case whole(Document)
    case damaged(id: String)

    var document: Document? { if case .whole(let document) = self { document } else { nil } }
  }

  private static func start(_ collection: String, _ id: String, _ updated: Int64)
    -> ContentChecksum
  {
    var checksum = ContentChecksum()
    checksum.add(collection)
    checksum.add(id)
    checksum.add(updated)
    return checksum
  }

  /// Reads a row with the columns id, updated, checksum and body. The checksum is of the bytes in
  /// the file, because a `String` would repair invalid UTF-8.
  static func read(_ row: SQLiteStatement, _ collection: String) -> Row {
    let id = row.text(0)
    let updated = row.integer(1)
    let expected = row.integer(2)
    return row.withBytes(3) { bytes in
      var checksum = start(collection, id, updated)
      checksum.add(bytes)
      guard checksum.value == expected else { return .damaged(id: id) }
      return .whole(
        Document(
          collection: collection, id: id, body: String(decoding: bytes, as: UTF8.self),
          updated: updated))
    }
  }

  static func damage(
    _ ids: [String], _ collection: String, _ connection: SQLiteConnection
  ) -> PersistenceError {
    let names = ids.prefix(5).map { "\(collection)/\($0)" }.joined(separator: ", ")
    let more = ids.count > 5 ? " and \(ids.count - 5) more" : ""
    return PersistenceError(
      .corrupted, path: connection.path, operation: connection.operation,
      message: "\(names)\(more) in \(connection.path) "
        + "no longer matches its checksum",
      advice: "Other documents can still be read; put this one again or restore a backup.")
  }
}
