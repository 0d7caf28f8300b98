/// An error of the persistence. It contains path, operation and result code, never a bound value.
public struct PersistenceError: Error, Sendable, Equatable, Codable {
  /// The kind of an error.
  public enum Kind: String, Sendable, Codable, CaseIterable {
    /// The value or query is not valid, or the name is taken.
    case invalid, exists
    /// The file was locked for more than five seconds, the disk is full, the system reported an
    /// error, permissions are missing, the file could not be opened or created, or it was moved or
    /// deleted while it was open.
    case busy, full, io, readOnly, cannotOpen, cannotCreate, moved
    /// The file is damaged, is not a database, belongs to another program, or has the schema of a
    /// later version; or it is whole, and only damaged with the log beside it. It was not changed.
    case corrupted, notADatabase, foreignDatabase, newerSchema, foreignLog
    /// The task was cancelled, and nothing was changed; or this program has a defect.
    case cancelled, misuse
  }

  /// An entry of the database that can be damaged alone.
  public enum Entry: String, Sendable, Codable, CaseIterable {
    /// One of the entries of that part.
    case document, preference, service
  }

  /// The kind of error, for code.
  public var kind: Kind
  /// The path of the file; empty without one.
  public var path: String
  /// The name of the call, such as `putDocument`.
  public var operation: String
  /// The extended result code of SQLite, 0 if there is none.
  public var code: Int32
  /// A text for the user that says what happened, to which file, and why. Never contains a stored
  /// value.
  public var message: String
  /// The damaged entry, if the rest of the file is whole.
  public var damaged: Entry?

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: SQLite's extended result code: <https://sqlite.org/rescode.html>.
  ///   - damaged: The damaged entry, if the rest of the file is whole.
  public init(
    _ kind: Kind, path: String = "", operation: String, code: Int32 = 0, message: String,
    damaged: Entry? = nil
  ) {
    self.kind = kind
    self.path = path
    self.operation = operation
    self.code = code
    self.message = message
    self.damaged = damaged
  }
}

extension PersistenceError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}
