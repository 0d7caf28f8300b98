/// The reason why a file was not taken into the database, or why the database was not written to a
/// file.
public enum DatabaseTransferError: Error, Sendable, Equatable {
  /// The file is not a document: what is wrong, in which line and column.
  case malformedDocument(path: String, line: Int, column: Int, reason: String)
  /// A line of the file is not what an export writes.
  case malformedLine(path: String, line: Int, reason: String)
  /// The text at `place` contains the value of the secret `name`.
  case holdsSecret(place: String, name: String)
  /// The file is read twice, and gives its content only once.
  case notRepeatable(path: String)
  /// There is no collection of this name.
  case noCollection(name: String)
}
