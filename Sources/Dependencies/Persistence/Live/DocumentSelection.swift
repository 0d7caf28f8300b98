import SwiftBoardJSON

/// The part of a document query that SQL can answer. It finds every matching document and perhaps
/// others. `DocumentFilter` decides.
///
/// SQLite's JSON functions compare keys as they are written, and numbers as doubles. A document
/// with a `\u`, in which a key may be written differently, is therefore always selected, and a path
/// with a key that can be written in several ways is left to the filter.
struct DocumentSelection: Sendable {
  /// A condition in SQL.
  private struct Clause: Sendable {
    /// The condition, with one `?` if there is a value.
    var sql: String
    var value: (any SQLiteValue & Sendable)?
    /// An SQL expression for a text that each matching document contains, or `nil` if there is
    /// none. Looking for it takes less time than reading the document's JSON.
    var part: String?
  }

  /// Holds for a document that only this program reads correctly.
  private static let isEscaped = #"instr(body, '\u') > 0"#

  private let clauses: [Clause]

  init(_ conditions: [(path: JSONPath, value: JSON)]) {
    clauses = conditions.compactMap(Self.clause)
  }

  // MARK: Expressions

  /// Returns an SQL expression for the value at a path as an SQL value, or `nil` if there is none.
  ///
  /// A text that does not start like an array or an object is a string, and an integer other than 0
  /// and 1 a number. All other values can only be determined from the document.
  static func value(at path: JSONPath) -> String? {
    literal(path).map {
      "CASE WHEN NOT \(isEscaped) AND json_valid(body) THEN json_extract(body, \($0)) END"
    }
  }

  /// Returns the path as an SQL literal. Returns `nil` for keys that JSON or Unicode can write in
  /// several ways, which are equal in a `JSON`, for keys with a parameter mark, and for indexes of
  /// which SQLite would read the lower 32 bits.
  private static func literal(_ path: JSONPath) -> String? {
    var text = "$"
    for step in path.steps {
      switch step {
      case .index(let index):
        guard index <= Int32.max else { return nil }
        text += "[\(index)]"
      case .key(let key):
        guard isWrittenAsItIs(key), !key.utf8.contains(UInt8(ascii: "?")) else { return nil }
        text += ".\"\(key)\""
      }
    }
    return quoted(text)
  }

  /// Whether JSON without `\u` can write a text in one way only.
  private static func isWrittenAsItIs(_ text: String) -> Bool {
    text.utf8.allSatisfy { (0x20..<0x7F).contains($0) && !#""\/"#.utf8.contains($0) }
  }

  private static func quoted(_ text: String) -> String {
    "'\(text.replacing("'", with: "''"))'"
  }

  private static func clause(_ condition: (path: JSONPath, value: JSON)) -> Clause? {
    let (path, wanted) = condition
    guard let path = literal(path) else { return nil }
    let value = "json_extract(body, \(path))"
    let type = "json_type(body, \(path))"
    switch wanted {
    case .null: return Clause(sql: "\(type) = 'null'", value: nil, part: "'null'")
    case .array: return Clause(sql: "\(type) = 'array'", value: nil)
    case .object: return Clause(sql: "\(type) = 'object'", value: nil)
    case .bool(let isTrue):
      return Clause(
        sql: "\(value) = ?", value: isTrue ? 1 : 0, part: isTrue ? "'true'" : "'false'")
    case .string(let text):
      return Clause(
        sql: "\(value) = ?", value: text, part: isWrittenAsItIs(text) ? "?" : nil)
    case .number(let text):
      // Whole numbers up to 2⁵³ are exact as doubles, so equal numbers are also equal in SQL.
      if let whole = Int64(text), whole.magnitude <= 1 << 53 {
        return Clause(sql: "\(value) = ?", value: whole)
      }
      return Clause(
        sql: "CAST(\(value) AS REAL) = CAST(json_extract(?, '$') AS REAL)", value: text)
    }
  }

  // MARK: Statements

  /// Returns a statement that selects documents of a collection in the order of their ids.
  ///
  /// - Parameters:
  ///   - columns: The columns to read.
  ///   - collection: The name of the collection.
  ///   - lower: Select only documents after this id.
  ///   - index: An index for a condition of the query, with the key of its value.
  func statement(
    _ columns: String, collection: String, after lower: String?,
    index: (number: Int64, key: String)?, _ connection: SQLiteConnection
  ) throws(PersistenceError) -> SQLiteStatement {
    let isBounded = lower == nil ? "" : " AND id > ?2"
    if let index {
      // SQLite processes a cross join in the given order.
      let statement = try connection.statement(
        """
        SELECT \(columns) FROM document_values CROSS JOIN documents USING (id)
        WHERE collection = ?1 AND indexed = ?3 AND value = ?4\(isBounded) ORDER BY id
        """, collection)
      if let lower { statement.bind(2, lower) }
      statement.bind(3, index.number)
      statement.bind(4, index.key)
      return statement
    }
    func numbered(_ sql: String, _ number: Int) -> String {
      sql.replacing("?", with: "?\(number + 3)")
    }
    let conditions = clauses.enumerated().map { numbered($1.sql, $0) }.joined(separator: " AND ")
    let parts = clauses.enumerated().compactMap { number, clause in
      clause.part.map { " WHEN instr(body, \(numbered($0, number))) = 0 THEN 0" }
    }.joined()
    // The functions are called in this order, and the last ones never for a text that is not JSON.
    let filter =
      conditions.isEmpty
      ? ""
      : " AND CASE WHEN \(Self.isEscaped) THEN 1\(parts) WHEN json_valid(body) THEN \(conditions) END"
    let statement = try connection.statement(
      "SELECT \(columns) FROM documents WHERE collection = ?1\(isBounded)\(filter) ORDER BY id",
      collection)
    if let lower { statement.bind(2, lower) }
    for (number, clause) in clauses.enumerated() {
      if let value = clause.value { statement.bind(Int32(number + 3), value) }
    }
    return statement
  }
}
