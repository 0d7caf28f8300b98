import CSQLite
import SwiftBoardSystem

/// A prepared statement. Not Sendable: it belongs to its connection, and to the thread that the
/// connection is on.
///
/// Parameters count from 1 and columns from 0, as in SQLite. A failed `bind` is remembered and
/// thrown by the next step.
final class SQLiteStatement {
  let sql: String
  /// True between the first step and the reset.
  private(set) var isRunning = false

  private var handle: OpaquePointer?
  /// The connection outlives its statements: it finalises them before it closes.
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

  // SQLite's mark for "copy the bytes before you return". The header writes it as a function
  // pointer of value -1, which Swift cannot import; SQLite compares it and never calls it.
  private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  func bind(_ index: Int32, _ value: Int64) {
    note(sqlite3_bind_int64(handle, index, value))
  }

  func bind(_ index: Int32, _ value: Int) { bind(index, Int64(value)) }

  func bind(_ index: Int32, _ value: Int64?) {
    if let value { bind(index, value) } else { note(sqlite3_bind_null(handle, index)) }
  }

  func bind(_ index: Int32, _ value: String) {
    var value = value
    note(
      value.withUTF8 { bytes in
        // An empty buffer may have no address, which would bind NULL.
        guard let base = bytes.baseAddress, !bytes.isEmpty else {
          return sqlite3_bind_text(handle, index, "", 0, Self.transient)
        }
        return base.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
          sqlite3_bind_text64(
            handle, index, $0, sqlite3_uint64(bytes.count), Self.transient, UInt8(SQLITE_UTF8))
        }
      })
  }

  func bind(_ index: Int32, _ value: String?) {
    if let value { bind(index, value) } else { note(sqlite3_bind_null(handle, index)) }
  }

  func bind(_ index: Int32, _ value: Data) {
    note(
      value.withUnsafeBytes { bytes in
        guard let base = bytes.baseAddress, !bytes.isEmpty else {
          return sqlite3_bind_zeroblob(handle, index, 0)
        }
        return sqlite3_bind_blob64(
          handle, index, base, sqlite3_uint64(bytes.count), Self.transient)
      })
  }

  func bind(_ index: Int32, _ value: Data?) {
    if let value { bind(index, value) } else { note(sqlite3_bind_null(handle, index)) }
  }

  private func note(_ result: Int32) {
    if result != SQLITE_OK, bindResult == SQLITE_OK { bindResult = result }
  }

  // MARK: Running

  /// Runs it to the end and makes it ready for the next values.
  func run() throws(PersistenceError) {
    defer { reset() }
    while try step() {}
  }

  /// Gives each row to `body`, and makes the statement ready for the next values.
  func forEachRow(_ body: (SQLiteStatement) throws(PersistenceError) -> Void)
    throws(PersistenceError)
  {
    defer { reset() }
    while try step() { try body(self) }
  }

  /// Gives rows to `body` as long as it returns true, and makes the statement ready for the next
  /// values.
  func readRows(_ body: (SQLiteStatement) throws(PersistenceError) -> Bool)
    throws(PersistenceError)
  {
    defer { reset() }
    while try step(), try body(self) {}
  }

  /// What `read` makes of the first row; `nil` if there is none.
  func first<Value>(_ read: (SQLiteStatement) throws(PersistenceError) -> Value)
    throws(PersistenceError) -> Value?
  {
    defer { reset() }
    return try step() ? try read(self) : nil
  }

  /// True for a row, false at the end.
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
    // Values must not stay behind in a cached statement.
    sqlite3_clear_bindings(handle)
    bindResult = SQLITE_OK
    isRunning = false
  }

  // MARK: Columns of the current row

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  func integerIfPresent(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

  /// What is no UTF-8 in a damaged file is repaired: check the bytes first where that matters.
  func text(_ column: Int32) -> String {
    withBytes(column) { String(decoding: $0, as: UTF8.self) }
  }

  func textIfPresent(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

  func data(_ column: Int32) -> Data { withBytes(column) { Data($0) } }

  /// The bytes of a text or a blob as they are in the file. They are invalid after the next step.
  func withBytes<Result>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    // For text in a UTF-8 database the blob is the text itself, without conversion.
    let base = sqlite3_column_blob(handle, column)
    let count = Int(sqlite3_column_bytes(handle, column))
    return body(UnsafeRawBufferPointer(start: base, count: base == nil ? 0 : count))
  }
}
