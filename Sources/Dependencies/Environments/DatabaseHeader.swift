/// The first bytes of a database, as SQLite defines them: <https://sqlite.org/fileformat2.html>.
struct DatabaseHeader {
  static let size = 100

  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The reason why a file cannot be used.
  struct Problem: Equatable {
    let text: String
    let advice: String
    /// Whether the service moves a file with this problem away if its content may be lost.
    var isReplaceable = true
  }

  /// Returns why the database is not one of this schema, or `nil` if it is.
  func problem(of schema: DatabaseSchema) -> Problem? {
    let advice = "move the file away, or put a backup in its place"
    if bytes.isEmpty {
      return Problem(text: "is empty, which a database never is by itself", advice: advice)
    }
    guard bytes.starts(with: "SQLite format 3\0".utf8), bytes.count >= Self.size else {
      return Problem(text: "is not a database", advice: advice)
    }
    let id = integer(at: 68)
    guard Int64(id) == schema.applicationID else {
      return Problem(
        text: "was made by another program (application id \(id))",
        advice: "move the file away", isReplaceable: false)
    }
    let version = integer(at: 60)
    guard version >= 0 else {
      return Problem(
        text: "is damaged: it has schema \(version), which no version made", advice: advice)
    }
    guard version <= schema.version else {
      return Problem(
        text: "was made by a newer version: it has schema \(version), and this version knows "
          + "\(schema.version)",
        advice: "install that version", isReplaceable: false)
    }
    return nil
  }

  /// Returns four bytes as a number, the highest first.
  private func integer(at offset: Int) -> Int32 {
    Int32(bitPattern: bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) })
  }
}
