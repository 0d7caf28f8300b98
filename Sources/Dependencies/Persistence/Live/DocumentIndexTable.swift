import SwiftBoardJSON

extension LivePersistenceService {
  /// Creates an index and reads the collection once. Later changes of the collection then take a
  /// few microseconds more.
  ///
  /// - Throws: `invalid` if the path is not valid.
  public func makeDocumentIndex(_ index: DocumentIndex) async throws(PersistenceError) -> Bool {
    let path = try DocumentFilter.path(index.path)
    return try await main.write("makeDocumentIndex") { (connection) throws(PersistenceError) in
      try DocumentIndexTable.make(index.collection, path, connection)
    }
  }

  /// Removes an index. The documents are not affected.
  public func removeDocumentIndex(_ index: DocumentIndex) async throws(PersistenceError) -> Bool {
    let path = try DocumentFilter.path(index.path)
    return try await main.write("removeDocumentIndex") { (connection) throws(PersistenceError) in
      try DocumentIndexTable.remove(index.collection, path, connection)
    }
  }

  /// Returns the indexes in the order of collection and path.
  public func documentIndexes() async throws(PersistenceError) -> [DocumentIndex] {
    try await main.read("documentIndexes", whenMissing: []) {
      (connection) throws(PersistenceError) in try DocumentIndexTable.all(connection)
    }
  }
}

/// The tables `document_indexes` and `document_values`: the documents by their values at an indexed
/// path.
///
/// SQLite's own indexes on expressions are not suitable, because its JSON functions compare numbers
/// as doubles, and must not be in the schema of a file that may come from elsewhere.
enum DocumentIndexTable {
  /// Returns the number of the index of a path in a collection, or `nil` if there is none.
  static func number(
    _ collection: String, _ path: JSONPath, _ connection: SQLiteConnection
  ) throws(PersistenceError) -> Int64? {
    let statement = try connection.statement(
      "SELECT number FROM document_indexes WHERE collection = ? AND path = ?", collection,
      path.description)
    return try statement.first { $0.integer(0) }
  }

  /// Returns the key of a value. A key of more than 256 bytes is replaced by its checksum.
  /// Different values may therefore have equal keys, and the filter checks what is found.
  static func key(_ value: JSON) -> String {
    let key = value.equalityKey
    guard key.utf8.count > 256 else { return key }
    var checksum = ContentChecksum()
    checksum.add(key)
    return String(checksum.value, radix: 36)
  }

  // MARK: Changes

  /// Creates an index. Returns false if it exists.
  static func make(
    _ collection: String, _ path: JSONPath, _ connection: SQLiteConnection
  ) throws(PersistenceError) -> Bool {
    guard try number(collection, path, connection) == nil else { return false }
    try connection.run(
      "INSERT INTO document_indexes (collection, path) VALUES (?, ?)", collection, path.description)
    guard let number = try number(collection, path, connection) else { return false }
    let documents = try connection.statement(
      "SELECT id, body FROM documents WHERE collection = ?", collection)
    try documents.forEachRow { (row) throws(PersistenceError) in
      // A damaged document has no value. The damage is reported when the document is read.
      guard let body = try? JSON(parsing: row.text(1)) else { return }
      try add(body, row.text(0), path, number, connection)
    }
    return true
  }

  /// Removes an index. Returns false if there is none.
  static func remove(
    _ collection: String, _ path: JSONPath, _ connection: SQLiteConnection
  ) throws(PersistenceError) -> Bool {
    guard let number = try number(collection, path, connection) else { return false }
    for sql in [
      "DELETE FROM document_values WHERE indexed = ?",
      "DELETE FROM document_indexes WHERE number = ?",
    ] {
      try connection.run(sql, number)
    }
    return true
  }

  static func all(_ connection: SQLiteConnection) throws(PersistenceError) -> [DocumentIndex] {
    var indexes: [DocumentIndex] = []
    try connection.statement("SELECT collection, path FROM document_indexes ORDER BY 1, 2")
      .forEachRow { indexes.append(DocumentIndex(collection: $0.text(0), path: $0.text(1))) }
    return indexes
  }

  /// Returns what is wrong with indexes: one lacks the value of a document, which a query with that
  /// value would not find, or its path is not one, so that its collection takes no documents. Reads
  /// the documents once for each index. Damaged documents are not looked for.
  static func findings(_ connection: SQLiteConnection) throws(PersistenceError) -> [String] {
    var findings: [String] = []
    for index in try all(connection) {
      let name = "the index \(index.path) of \(index.collection)"
      guard let path = try? DocumentFilter.path(index.path) else {
        findings.append("\(name) is damaged: that is not a path")
        continue
      }
      // What no query can name has no value that one would miss.
      guard let number = try number(index.collection, path, connection) else { continue }
      let entry = try connection.statement(
        "SELECT 1 FROM document_values WHERE indexed = ? AND value = ? AND id = ?")
      let reader = DocumentTable.Reader(index.collection)
      let documents = try connection.statement(
        "SELECT id, updated, checksum, body FROM documents WHERE collection = ?", index.collection)
      try documents.readRows { (row) throws(PersistenceError) in
        guard let document = reader.read(row).document,
          let value = (try? JSON(parsing: document.body))?.value(at: path)
        else { return true }
        entry.bindAll(number, key(value), document.id)
        if try entry.first({ _ in true }) != nil { return true }
        findings.append("\(name) lacks values")
        return false
      }
    }
    return findings
  }

  /// The indexes of the collection that a transaction changes. They are read again only if another
  /// collection follows.
  struct Indexes {
    private var collection: ByteText?
    private var indexes: [(number: Int64, path: JSONPath)] = []

    /// Adds the values of a document that was stored. Parses its body if there are indexes.
    mutating func add(
      _ document: Document, _ connection: SQLiteConnection
    ) throws(PersistenceError) {
      try remove(document.id, from: document.collection, connection)
      guard !indexes.isEmpty else { return }
      let body = try StoredJSON.parse(
        document.body, operation: connection.operation, what: document.name)
      for index in indexes {
        try DocumentIndexTable.add(body, document.id, index.path, index.number, connection)
      }
    }

    /// Removes the values of a document.
    mutating func remove(
      _ id: String, from name: String, _ connection: SQLiteConnection
    ) throws(PersistenceError) {
      if collection != ByteText(name) { try read(name, connection) }
      guard !indexes.isEmpty else { return }
      let removal = try connection.statement(
        "DELETE FROM document_values WHERE indexed = ? AND id = ?")
      for index in indexes {
        removal.bindAll(index.number, id)
        try removal.run()
      }
    }

    private mutating func read(
      _ name: String, _ connection: SQLiteConnection
    ) throws(PersistenceError) {
      var found: [(number: Int64, path: JSONPath)] = []
      let statement = try connection.statement(
        "SELECT number, path FROM document_indexes WHERE collection = ?", name)
      try statement.forEachRow { (row) throws(PersistenceError) in
        found.append((row.integer(0), try DocumentFilter.path(row.text(1))))
      }
      (collection, indexes) = (ByteText(name), found)
    }
  }

  private static func add(
    _ body: JSON, _ id: String, _ path: JSONPath, _ number: Int64, _ connection: SQLiteConnection
  ) throws(PersistenceError) {
    guard let value = body.value(at: path) else { return }
    try connection.run(
      "INSERT INTO document_values (indexed, value, id) VALUES (?, ?, ?)", number, key(value), id)
  }
}
