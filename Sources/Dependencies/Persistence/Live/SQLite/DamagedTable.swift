/// A table, of which a part can no longer be read.
///
/// SQLite ends a read at a damaged page, with an error. Rows after that page are found by reading
/// backwards and by seeking to keys in between, as far as the pages that lead to them are whole.
struct DamagedTable {
  /// The number of ranges of keys that are tried.
  private static let mostRanges = 20_000

  private let name: String
  private let damaged: SQLiteConnection
  private let columns: [String]
  private let insertion: SQLiteStatement
  /// Whether rows have numbers. Otherwise, their key is the text in the first column.
  private let hasNumbers: Bool

  /// Returns `nil` if the damaged database does not have the table.
  init?(
    _ name: String, of damaged: SQLiteConnection, into new: SQLiteConnection
  ) throws(PersistenceError) {
    let known = try damaged.texts("SELECT name FROM pragma_table_info('\(name)')")
    columns = try new.texts("SELECT name FROM pragma_table_info('\(name)')").filter(known.contains)
    guard !columns.isEmpty else { return nil }
    let kind = try new.integer("SELECT wr FROM pragma_table_list('\(name)') WHERE schema = 'main'")
    hasNumbers = kind == 0
    let values = Array(repeating: "?", count: columns.count).joined(separator: ", ")
    insertion = try new.statement(
      "INSERT INTO \(name) (\(columns.joined(separator: ", "))) VALUES (\(values))")
    (self.name, self.damaged) = (name, damaged)
  }

  /// What could be copied of a table.
  struct Copy {
    /// The number of rows that were added to the new table.
    var rows = 0
    /// Whether a row could be read, also if the new table refused it.
    var isAnyRead = false
    /// Whether all rows could be read, and the new table refused none.
    var isComplete = true
  }

  /// Copies the rows that can be read and fit the new table.
  func copyRows() throws(PersistenceError) -> Copy {
    try hasNumbers ? copyRows(by: NumberKey.self) : copyRows(by: TextKey.self)
  }

  private func copyRows<Key: DamagedKey>(
    by _: Key.Type
  ) throws(PersistenceError) -> Copy {
    var copied = Copy()
    let ahead: Rows<Key> = try copy(from: nil, before: nil, &copied)
    if ahead.isComplete { return copied }
    let behind: Rows<Key> = try copy(from: nil, before: nil, descending: true, &copied)
    let start = ahead.last.map { $0.next } ?? Key.first
    var ranges = [(lower: start, upper: behind.last ?? start.distant)]
    var index = 0
    while index < ranges.count, index < Self.mostRanges {
      let (lower, upper) = ranges[index]
      index += 1
      guard lower < upper else { continue }
      let ahead = try copy(from: lower, before: upper, &copied)
      if ahead.isComplete { continue }
      let first = ahead.last.map { $0.next } ?? lower
      let behind = try copy(from: first, before: upper, descending: true, &copied)
      if behind.isComplete { continue }
      let end = behind.last ?? upper
      guard let middle = first.middle(before: end) else { continue }
      ranges += [(first, middle), (middle, end)]
    }
    return copied
  }

  /// What a statement could read before its end or an error.
  private struct Rows<Key> {
    /// The key of the last row.
    var last: Key?
    var isComplete = false
  }

  private func copy<Key: DamagedKey>(
    from lower: Key?, before upper: Key?, descending: Bool = false, _ copied: inout Copy
  ) throws(PersistenceError) -> Rows<Key> {
    let key = Key.column(self.columns[0])
    let conditions =
      (lower == nil ? "" : " AND \(key) >= \(Key.parameter)")
      + (upper == nil ? "" : " AND \(key) < \(Key.parameter)")
    // An index of the table may be damaged by itself.
    let rows = try damaged.statement(
      "SELECT \(key), \(columns.joined(separator: ", ")) FROM \(name)"
        + "\(hasNumbers ? " NOT INDEXED" : "") WHERE 1\(conditions) "
        + "ORDER BY \(key)\(descending ? " DESC" : "")")
    for (index, bound) in [lower, upper].compactMap(\.self).enumerated() {
      bound.bind(to: rows, Int32(index + 1))
    }
    var read = Rows<Key>()
    do throws(PersistenceError) {
      try damaged.interruptible { () throws(PersistenceError) in
        try rows.forEachRow { (row) throws(PersistenceError) in
          read.last = Key(row)
          copied.isAnyRead = true
          switch try insert(row) {
          case .added: copied.rows += 1
          case .present: break
          case .refused: copied.isComplete = false
          }
        }
      }
      read.isComplete = true
    } catch {
      guard error.kind == .corrupted else { throw error }
      copied.isComplete = false
    }
    return read
  }

  private enum Insertion {
    case added
    /// The new table has a row with this key, such as one that was read in both directions.
    case present
    /// The values do not fit the new table.
    case refused
  }

  private func insert(_ row: SQLiteStatement) throws(PersistenceError) -> Insertion {
    for index in columns.indices {
      insertion.bind(Int32(index + 1), column: Int32(index + 1), of: row)
    }
    do throws(PersistenceError) { try insertion.run() } catch {
      guard SQLiteResult.isConstraint(error.code) else { throw error }
      return SQLiteResult.isTakenKey(error.code) ? .present : .refused
    }
    return .added
  }
}

/// A key by which the rows of a damaged table are found.
private protocol DamagedKey: Comparable {
  /// The key as SQL, in a table with this first column.
  static func column(_ first: String) -> String
  /// A parameter with a key, as SQL.
  static var parameter: String { get }
  /// The key from which rows are looked for if none could be read.
  static var first: Self { get }

  /// Reads the key in the first column of a row.
  init(_ row: SQLiteStatement)
  func bind(to statement: SQLiteStatement, _ index: Int32)
  /// The least key behind this one.
  var next: Self { get }
  /// A key before which rows are looked for if the last ones cannot be read.
  var distant: Self { get }
  /// Returns a key between two keys, or `nil` if there is none.
  func middle(before end: Self) -> Self?
}

/// The number of a row.
private struct NumberKey: DamagedKey {
  var number: Int64

  static func column(_ first: String) -> String { "rowid" }
  static let parameter = "?"
  /// Numbers begin at 1, unless a program has chosen others.
  static let first = NumberKey(number: 1)

  init(number: Int64) { self.number = number }
  init(_ row: SQLiteStatement) { number = row.integer(0) }

  func bind(to statement: SQLiteStatement, _ index: Int32) { statement.bind(index, number) }

  var next: NumberKey { plus(1) }
  var distant: NumberKey { plus(1 << 20) }

  private func plus(_ distance: Int64) -> NumberKey {
    let (sum, overflow) = number.addingReportingOverflow(distance)
    return NumberKey(number: overflow ? .max : sum)
  }

  func middle(before end: NumberKey) -> NumberKey? {
    // The sum of both may be too large.
    let middle = number / 2 + end.number / 2 + (number % 2 + end.number % 2) / 2
    return number < middle && middle < end.number ? NumberKey(number: middle) : nil
  }

  static func < (left: NumberKey, right: NumberKey) -> Bool { left.number < right.number }
}

/// The text in a column, as bytes, since that of a damaged row may not be UTF-8.
private struct TextKey: DamagedKey {
  var bytes: [UInt8]

  static func column(_ first: String) -> String { first }
  static let parameter = "CAST(? AS TEXT)"
  static let first = TextKey(bytes: [])

  init(bytes: [UInt8]) { self.bytes = bytes }
  init(_ row: SQLiteStatement) { bytes = row.withBytes(0) { [UInt8]($0) } }

  func bind(to statement: SQLiteStatement, _ index: Int32) { statement.bind(index, Data(bytes)) }

  var next: TextKey { TextKey(bytes: bytes + [0]) }
  var distant: TextKey { TextKey(bytes: [0xFF]) }

  /// Half of the sum of two texts, as digits of a fraction.
  func middle(before end: TextKey) -> TextKey? {
    let count = max(bytes.count, end.bytes.count) + 1
    func digit(_ bytes: [UInt8], _ index: Int) -> Int {
      index < bytes.count ? Int(bytes[index]) : 0
    }
    var sum = Array(repeating: 0, count: count)
    var carry = 0
    for index in (0..<count).reversed() {
      carry += digit(bytes, index) + digit(end.bytes, index)
      sum[index] = carry & 0xFF
      carry >>= 8
    }
    var middle: [UInt8] = []
    for digit in sum {
      let value = carry << 8 | digit
      middle.append(UInt8(value / 2))
      carry = value % 2
    }
    let key = TextKey(bytes: middle)
    return self < key && key < end ? key : nil
  }

  static func < (left: TextKey, right: TextKey) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}
