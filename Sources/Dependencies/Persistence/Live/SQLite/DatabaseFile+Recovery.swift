import SwiftBoardSystem

extension DatabaseFile {
  /// Writes what can still be read of a damaged file to a new one, which appears complete or not at
  /// all. Changes nothing in the damaged file, and does not check it before.
  ///
  /// - Parameter tables: The tables to copy. Indexes of documents are made again.
  /// - Returns: The numbers of copied rows.
  /// - Throws: The errors of `copy`; `corrupted` if not even the schema can be read,
  ///   `cannotOpen` if there is no file.
  func recover(
    tables: [String], to path: String, operation: String
  ) throws(PersistenceError) -> [PersistenceStatistics.Row] {
    let resolved = system.resolved(self.path)
    guard let size = FileInfo(resolved)?.size else {
      throw PersistenceError(
        .cannotOpen, path: self.path, operation: operation, what: "there is no database")
    }
    guard size > 0 else { throw emptyFile(operation) }
    let damaged = try SQLiteConnection(
      resolved, shownPath: self.path, busyWait: options.busyWait,
      operation: operation)
    let result: Result<[PersistenceStatistics.Row], PersistenceError> = Result {
      () throws(PersistenceError) in
      _ = try identify(damaged)
      // No rows of cells that are none.
      try damaged.execute("PRAGMA cell_size_check = 1")
      return try Self.copy(damaged, to: path, reportedAs: path) {
        (temporary) throws(PersistenceError) in
        try recover(tables: tables, from: damaged, into: temporary, reportedAs: path)
      }
    }
    try? damaged.close(keepingLog: true)
    return try result.get()
  }

  private func recover(
    tables: [String], from damaged: SQLiteConnection, into temporary: String,
    reportedAs path: String
  ) throws(PersistenceError) -> [PersistenceStatistics.Row] {
    let new = try SQLiteConnection(
      temporary, shownPath: path, busyWait: options.busyWait, operation: damaged.operation)
    try makeSchema(new)
    let rows = try new.write { () throws(PersistenceError) in
      var rows: [PersistenceStatistics.Row] = []
      for table in tables {
        let copy = try DamagedTable(table, of: damaged, into: new)
        rows.append(.init(name: table, rows: try copy?.copyRows() ?? 0))
      }
      for index in (try? DocumentIndexTable.all(damaged)) ?? [] {
        guard let path = try? DocumentFilter.path(index.path) else { continue }
        _ = try DocumentIndexTable.make(index.collection, path, new)
      }
      return rows
    }
    try useLog(new)
    try new.close()
    return rows
  }
}

/// A table, of which a part can no longer be read.
///
/// SQLite ends a read at a damaged page, with an error. What is behind that page is found from keys
/// behind it, or from the other end.
private struct DamagedTable {
  /// The distance to the next key, from which on no further key is tried.
  private static let longestStep: Int64 = 1 << 40
  /// The numbers between two damaged pages that are tried one by one.
  private static let mostSingly = 10_000

  private let name: String
  private let damaged: SQLiteConnection
  private let columns: [String]
  private let insertion: SQLiteStatement
  private let new: SQLiteConnection
  /// Whether rows have numbers. Otherwise, their key is the first column.
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
      "INSERT OR IGNORE INTO \(name) (\(columns.joined(separator: ", "))) VALUES (\(values))")
    (self.name, self.damaged, self.new) = (name, damaged, new)
  }

  /// Copies the rows that can be read, and returns their number.
  func copyRows() throws(PersistenceError) -> Int {
    guard hasNumbers else {
      let columns = columns.joined(separator: ", ")
      var count = 0
      for order in ["ASC", "DESC"] {
        let rows = try damaged.statement(
          "SELECT 0, \(columns) FROM \(name) ORDER BY \(self.columns[0]) \(order)")
        let read = try copy(rows)
        count += read.count
        if read.isComplete { break }
      }
      return count
    }
    return try copyNumbered()
  }

  private func copyNumbered() throws(PersistenceError) -> Int {
    var count = 0
    // The first number that may be damaged, and the one to go on at.
    var (gap, next, step): (Int64, Int64, Int64) = (.min, .min, 1)
    while true {
      let behind = try copy(damaged.statement("\(select) >= ? ORDER BY rowid", next))
      count += behind.count
      let isOver = behind.isComplete || behind.numbers == nil && step >= Self.longestStep
      if next > gap, behind.numbers != nil || isOver {
        count += try copyNumbered(from: gap, before: behind.numbers?.lowerBound ?? next)
      }
      if isOver { return count }
      if let numbers = behind.numbers {
        guard numbers.upperBound < .max else { return count }
        (gap, next, step) = (numbers.upperBound + 1, numbers.upperBound + 1, 1)
      } else {
        // Numbers begin at 1, unless a program has chosen others.
        let (sum, overflow) = max(next, 0).addingReportingOverflow(step)
        guard !overflow else { return count }
        (next, step) = (sum, step * 2)
      }
    }
  }

  /// Copies what can be read between two damaged pages: from behind, and then number by number.
  private func copyNumbered(
    from gap: Int64, before end: Int64
  ) throws(PersistenceError) -> Int {
    let behind = try copy(
      damaged.statement("\(select) >= ? AND rowid < ? ORDER BY rowid DESC", gap, end))
    guard !behind.isComplete else { return behind.count }
    var count = behind.count
    let rest = max(gap, 1)..<max(gap, 1, behind.numbers?.lowerBound ?? end)
    for number in rest.prefix(Self.mostSingly) {
      count += try copy(damaged.statement("\(select) = ?", number)).count
    }
    return count
  }

  private var select: String {
    "SELECT rowid, \(columns.joined(separator: ", ")) FROM \(name) NOT INDEXED WHERE rowid"
  }

  /// What a statement could read before its end or an error.
  private struct Rows {
    /// The number of rows that the new table did not have.
    var count = 0
    var numbers: ClosedRange<Int64>?
    var isComplete = false
  }

  /// Copies rows with their number in the first column.
  private func copy(_ rows: SQLiteStatement) throws(PersistenceError) -> Rows {
    var read = Rows()
    do throws(PersistenceError) {
      try damaged.interruptible { () throws(PersistenceError) in
        try rows.forEachRow { (row) throws(PersistenceError) in
          let number = row.integer(0)
          read.numbers =
            min(
              read.numbers?.lowerBound ?? number, number)...max(
              read.numbers?.upperBound ?? number, number)
          if try insert(row) { read.count += 1 }
        }
      }
      read.isComplete = true
    } catch {
      guard error.kind == .corrupted else { throw error }
    }
    return read
  }

  /// Returns whether the row is in the new table since then. One whose values do not fit is not.
  private func insert(_ row: SQLiteStatement) throws(PersistenceError) -> Bool {
    for index in columns.indices {
      insertion.bind(Int32(index + 1), column: Int32(index + 1), of: row)
    }
    do throws(PersistenceError) { try insertion.run() } catch {
      guard SQLiteResult.isConstraint(error.code) else { throw error }
      return false
    }
    return new.changes > 0
  }
}
