import CSQLite
import SwiftBoardSystem

/// A prepared statement. It is not Sendable: it is used on the thread of its connection.
///
/// Parameters count from 1 and columns from 0, as in SQLite. The error of a failed `bind` is thrown
/// by the next step.
final class SQLiteStatement {
  let sql: String
  /// Whether the statement is between its first step and its reset.
  private(set) var isRunning = false

  private var handle: OpaquePointer?
  /// The connection outlives its statements, because it finalizes them before it closes.
  private unowned let connection: SQLiteConnection
  private var bindResult = SQLITE_OK

  init(_ handle: OpaquePointer, sql: String, connection: SQLiteConnection) {
    self.handle = handle
    self.sql = sql
    self.connection = connection
  }

  deinit { finalise() }

  func finalise() {
    sqlite3_finalize(handle)
    handle = nil
  }

  // MARK: Parameters

  func bind(_ index: Int32, _ value: some SQLiteValue) { note(value.bind(to: handle, index)) }

  /// Binds values to the parameters, from the first one on.
  func bindAll<each Value: SQLiteValue>(_ values: repeat each Value) {
    var index: Int32 = 0
    for value in repeat each values {
      index += 1
      bind(index, value)
    }
  }

  /// Binds the value of a column of another statement's current row.
  func bind(_ index: Int32, column: Int32, of row: SQLiteStatement) {
    note(sqlite3_bind_value(handle, index, sqlite3_column_value(row.handle, column)))
  }

  private func note(_ result: Int32) {
    if result != SQLITE_OK, bindResult == SQLITE_OK { bindResult = result }
  }

  // MARK: Running

  /// Runs the statement to its end and resets it.
  func run() throws(PersistenceError) {
    defer { reset() }
    while try step() {}
  }

  /// Calls `body` with each row and resets the statement.
  func forEachRow(_ body: (SQLiteStatement) throws(PersistenceError) -> Void)
    throws(PersistenceError)
  {
    defer { reset() }
    while try step() { try body(self) }
  }

  /// Calls `body` with each row until it returns false, and resets the statement.
  func readRows(_ body: (SQLiteStatement) throws(PersistenceError) -> Bool)
    throws(PersistenceError)
  {
    defer { reset() }
    while try step(), try body(self) {}
  }

  /// Returns what `read` makes of the first row, or `nil` if there is none.
  func first<Value>(_ read: (SQLiteStatement) throws(PersistenceError) -> Value)
    throws(PersistenceError) -> Value?
  {
    defer { reset() }
    return try step() ? try read(self) : nil
  }

  /// Steps to the next row. Returns false at the end.
  private func step() throws(PersistenceError) -> Bool {
    if bindResult != SQLITE_OK { throw connection.error(bindResult, sql: sql) }
    isRunning = true
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw connection.error(code, sql: sql)
    }
  }

  private func reset() {
    sqlite3_reset(handle)
    // Values must not remain in a cached statement.
    sqlite3_clear_bindings(handle)
    bindResult = SQLITE_OK
    isRunning = false
  }

  // MARK: Columns of the current row

  /// Returns the type of a column's value, such as `SQLITE_INTEGER`.
  func type(_ column: Int32) -> Int32 { sqlite3_column_type(handle, column) }

  func isNull(_ column: Int32) -> Bool { type(column) == SQLITE_NULL }

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  func integerIfPresent(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

  /// Returns the text of a column. Repairs invalid UTF-8 of a damaged file; if that matters, check
  /// the bytes first.
  func text(_ column: Int32) -> String {
    withBytes(column) { String(decoding: $0, as: UTF8.self) }
  }

  func textIfPresent(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

  func data(_ column: Int32) -> Data { withBytes(column) { Data($0) } }

  /// Calls `body` with the bytes of a text or a blob as they are in the file. They are valid until
  /// the next step.
  func withBytes<Result>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    // In a UTF-8 database, the blob of a text is the text itself, without conversion.
    let base = sqlite3_column_blob(handle, column)
    let count = Int(sqlite3_column_bytes(handle, column))
    return body(UnsafeRawBufferPointer(start: base, count: base == nil ? 0 : count))
  }
}

/// A value of a parameter.
protocol SQLiteValue {
  /// Copies the value into the parameter at an index, and returns SQLite's result.
  func bind(to statement: OpaquePointer?, _ index: Int32) -> Int32
}

extension Int64: SQLiteValue {
  func bind(to statement: OpaquePointer?, _ index: Int32) -> Int32 {
    sqlite3_bind_int64(statement, index, self)
  }
}

extension Int: SQLiteValue {
  func bind(to statement: OpaquePointer?, _ index: Int32) -> Int32 {
    Int64(self).bind(to: statement, index)
  }
}

extension String: SQLiteValue {
  func bind(to statement: OpaquePointer?, _ index: Int32) -> Int32 {
    var value = self
    return value.withUTF8 { bytes in
      // An empty buffer may have no address, which would bind NULL.
      guard let base = bytes.baseAddress, !bytes.isEmpty else {
        return sqlite3_bind_text(statement, index, "", 0, transient)
      }
      return base.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
        sqlite3_bind_text64(
          statement, index, $0, sqlite3_uint64(bytes.count), transient, UInt8(SQLITE_UTF8))
      }
    }
  }
}

extension Data: SQLiteValue {
  func bind(to statement: OpaquePointer?, _ index: Int32) -> Int32 {
    withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, !bytes.isEmpty else {
        return sqlite3_bind_zeroblob(statement, index, 0)
      }
      return sqlite3_bind_blob64(statement, index, base, sqlite3_uint64(bytes.count), transient)
    }
  }
}

/// `nil` is bound as NULL.
extension Optional: SQLiteValue where Wrapped: SQLiteValue {
  func bind(to statement: OpaquePointer?, _ index: Int32) -> Int32 {
    self?.bind(to: statement, index) ?? sqlite3_bind_null(statement, index)
  }
}

// SQLite's marker for "copy the bytes before you return". The header defines it as a function
// pointer with the value -1, which Swift cannot import. SQLite compares it and never calls it.
private let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
