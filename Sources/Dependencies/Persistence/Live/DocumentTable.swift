extension LivePersistenceService {
  /// Stores a document and commits, with one fsync. O(length of the body), which is validated.
  ///
  /// - Returns: Whether the document is new.
  /// - Throws: `invalid` if the body is not JSON, and the errors of the database.
  @discardableResult
  public func putDocument(_ document: Document) async throws(PersistenceError) -> Bool {
    try document.check()
    return try await main.write("putDocument", .writing(document.body.utf8.count)) {
      (connection) throws(PersistenceError) in
      let isNew = try DocumentTable.put(document, connection)
      var indexes = DocumentIndexTable.Indexes()
      try indexes.add(document, connection)
      return isNew
    }
  }

  /// Returns the names of the collections. Finds each name by the index of the key. O(collections).
  public func collections() async throws(PersistenceError) -> [String] {
    try await main.read("collections", whenMissing: []) { (connection) throws(PersistenceError) in
      try DocumentTable.collections(connection)
    }
  }

  /// Returns a document and verifies its checksum. O(length of the body).
  ///
  /// - Throws: `corrupted` if the checksum does not match.
  public func document(collection: String, id: String) async throws(PersistenceError) -> Document? {
    try await main.read("document", .brief, whenMissing: nil) {
      (connection) throws(PersistenceError) in
      try DocumentTable.get(collection: collection, id: id, connection)
    }
  }

  /// Returns a page of the documents of a query. A page has up to 256 documents or one mebibyte of
  /// bodies.
  ///
  /// SQL excludes documents that do not match a condition. With an index of a path, it reads no
  /// others. A sorted query reads the value at the path of each matching document and keeps their
  /// ids in memory, up to the limit of the query. Only the documents of the page are verified with
  /// their checksums. A damaged document that no longer matches a condition is left out, unless an
  /// index still has its value from before; `check()` finds it in any case.
  public func documents(_ query: DocumentQuery, from cursor: DocumentCursor?)
    async throws(PersistenceError) -> DocumentPage
  {
    let filter = try DocumentFilter(query)
    let length = DocumentPages.length(of: filter, from: cursor)
    return try await main.read("documents", length, whenMissing: DocumentPage()) {
      (connection) throws(PersistenceError) in
      try connection.read { () throws(PersistenceError) in
        try DocumentPages(query, filter, connection).page(from: cursor)
      }
    }
  }

  /// Removes a document. Returns false if there is none. Takes one fsync in both cases.
  public func removeDocument(collection: String, id: String) async throws(PersistenceError) -> Bool
  {
    try await main.write("removeDocument", .brief) { (connection) throws(PersistenceError) in
      try connection.run("DELETE FROM documents WHERE collection = ? AND id = ?", collection, id)
      let wasThere = connection.changes > 0
      if wasThere {
        var indexes = DocumentIndexTable.Indexes()
        try indexes.remove(id, from: collection, connection)
      }
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
  /// The names of the collections, sorted: finds the next name by the key's index.
  static func collections(
    _ connection: SQLiteConnection, limit: Int = -1
  ) throws(PersistenceError) -> [String] {
    try connection.texts(
      """
      WITH RECURSIVE names (name) AS (
        SELECT min(collection) FROM documents UNION ALL
        SELECT (SELECT min(collection) FROM documents WHERE collection > name) FROM names
        WHERE name IS NOT NULL)
      SELECT name FROM names WHERE name IS NOT NULL LIMIT \(limit)
      """)
  }

  /// How many documents a collection has; `nil` if there are more than `limit`.
  static func count(
    _ collection: String, limit: Int, _ connection: SQLiteConnection
  ) throws(PersistenceError) -> Int? {
    let statement = try connection.statement(
      "SELECT count(*) FROM (SELECT 1 FROM documents WHERE collection = ? LIMIT ?)", collection,
      limit + 1)
    let count = try statement.first { Int($0.integer(0)) } ?? 0
    return count > limit ? nil : count
  }

  private static let insertion = """
    INSERT INTO documents (collection, id, updated, checksum, body) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (collection, id) DO
    """
  private static let upsert =
    insertion + " " + """
      UPDATE SET updated = excluded.updated, checksum = excluded.checksum, body = excluded.body
      """
  private static let insertIfAbsent = insertion + " NOTHING"

  /// Stores a document. Returns whether it is new.
  ///
  /// - Parameter replaces: Whether the document replaces the one with its id, if there is one.
  static func put(
    _ document: Document, replaces: Bool = true, _ connection: SQLiteConnection
  ) throws(PersistenceError) -> Bool {
    var checksum = ContentChecksum()
    checksum.add(document.collection)
    checksum.add(document.id)
    checksum.add(document.updated)
    checksum.add(document.body)
    // A replaced row keeps its number, so only a new one sets it.
    connection.lastInsertedRow = 0
    try connection.run(
      replaces ? upsert : insertIfAbsent, document.collection, document.id, document.updated,
      checksum.value, document.body)
    return connection.lastInsertedRow != 0
  }

  static func get(collection: String, id: String, _ connection: SQLiteConnection)
    throws(PersistenceError) -> Document?
  {
    let found = try row(collection: collection, id: id, connection)
    guard case .damaged(let id)? = found else { return found?.document }
    throw damage([id], collection, connection)
  }

  static func row(collection: String, id: String, _ connection: SQLiteConnection)
    throws(PersistenceError) -> Row?
  {
    let statement = try connection.statement(
      "SELECT id, updated, checksum, body FROM documents WHERE collection = ? AND id = ?",
      collection, id)
    return try statement.first { Reader(collection).read($0) }
  }

  /// Returns the names of documents whose content does not match their checksum.
  static func damaged(_ connection: SQLiteConnection) throws(PersistenceError) -> [String] {
    var names: [String] = []
    let statement = try connection.statement(
      "SELECT id, updated, checksum, body, collection FROM documents ORDER BY collection, id")
    try statement.forEachRow { (row) throws(PersistenceError) in
      let collection = row.text(4)
      if case .damaged(let id) = Reader(collection).read(row) {
        names.append("\(collection)/\(id)")
      }
    }
    return names
  }

  enum Row {
    case whole(Document)
    case damaged(id: String)

    var document: Document? { if case .whole(let document) = self { document } else { nil } }
  }

  /// Reads rows of one collection.
  struct Reader {
    private let collection: String
    /// The checksum of the collection's name, with which that of each document starts.
    private let start: ContentChecksum

    init(_ collection: String) {
      self.collection = collection
      var start = ContentChecksum()
      start.add(collection)
      self.start = start
    }

    /// Reads a row with the columns id, updated, checksum and body. The checksum is of the bytes in
    /// the file, because a `String` would repair invalid UTF-8.
    func read(_ row: SQLiteStatement) -> Row {
      var checksum = start
      let id = row.withBytes(0) { bytes in
        checksum.add(bytes)
        return String(decoding: bytes, as: UTF8.self)
      }
      let updated = row.integer(1)
      checksum.add(updated)
      return row.withBytes(3) { bytes in
        checksum.add(bytes)
        guard checksum.value == row.integer(2) else { return .damaged(id: id) }
        return .whole(
          Document(
            collection: collection, id: id, body: String(decoding: bytes, as: UTF8.self),
            updated: updated))
      }
    }
  }

  static func damage(
    _ ids: [String], _ collection: String, _ connection: SQLiteConnection
  ) -> PersistenceError {
    let names = ids.prefix(5).map { "\(collection)/\($0)" }.joined(separator: ", ")
    let more = ids.count > 5 ? " and \(ids.count - 5) more" : ""
    return PersistenceError(unmatched: names + more, .document, connection)
  }
}
