/// An error of importing a file into the database, or of exporting the database to a file.
package enum DatabaseTransferError: Error, Sendable, Equatable {
  /// The file is not a document. Contains the reason and its position.
  case malformedDocument(path: String, line: Int, column: Int, reason: String)
  /// A line of the file is not in the format of an export.
  case malformedLine(path: String, line: Int, reason: String)
  /// The text at `place` contains the value of the secret `name`.
  case holdsSecret(place: String, name: String)
  /// An import reads the file twice, but the file can be read only once.
  case notRepeatable(path: String)
  /// The name of an entry was taken when it was written, and the import refuses that.
  case taken(_ path: String, reason: String)
  /// There is no database to export or copy.
  case noDatabase(path: String)
  /// There is no collection of this name.
  case noCollection(name: String)
}
