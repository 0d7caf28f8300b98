import SwiftBoardSystem
import Synchronization

/// The files named in lines of the board. Only those are read and written through it.
public protocol FileService: Service {
  /// Reads the whole file. Throws `tooLarge` without reading a part if it has more than `limit`
  /// bytes.
  func read(_ path: String, limit: Int) async throws(FileError) -> Data
  /// Writes the whole file. A new file has mode 0600.
  func write(_ data: Data, to path: String, mode: FileWriteMode) async throws(FileError)
  /// Throws if the path must not be written to. Use it before the content exists; `write` performs
  /// the same check.
  ///
  /// - Parameter isRecording: Whether the file is a new recording.
  /// - Throws: `ownFile`.
  func checkTarget(_ path: String, isRecording: Bool) throws(FileError)
  /// Creates the folder of the home's recordings if it is missing, and a new recording at `path` is
  /// to be directly in it. Creates no other folder but a missing home.
  ///
  /// - Throws: `cannotCreate`.
  func makeFolder(ofRecording path: String) throws(FileError)
  /// Sets the recording that runs, to which no line may write, or `nil` for none.
  func protect(recording path: String?)
  /// Throws if no file can be created at the path, as far as that can be determined in advance.
  ///
  /// - Throws: `cannotCreate`.
  func checkCreatable(_ path: String) throws(FileError)
  /// Throws if there is no file at the path, or none that can be read. Reads nothing, because a
  /// pipe gives its content once.
  ///
  /// - Throws: `missing`, `denied`, or `io` for other errors and for a folder.
  func checkReadable(_ path: String) throws(FileError)
  /// Returns whether there is a regular file at the path.
  func isFile(_ path: String) -> Bool
  /// Returns a path of the same file that does not depend on the working folder, as it is kept for
  /// later.
  func absolutePath(_ path: String) -> String
  /// Opens a file of any size for reading in chunks.
  func input(_ path: String) async throws(FileError) -> FileInput
  /// Opens a file for writing in chunks.
  ///
  /// - Parameter continues: Whether to keep incomplete content next to the file, to continue it the
  ///   next time.
  func output(_ path: String, continues: Bool) async throws(FileError) -> any FileOutput
  /// Opens a file for writing in chunks at a path where no file exists. What is not a regular file,
  /// such as a pipe, is written directly, and so is the file of standard output or standard error.
  ///
  /// Its `begin` throws `exists` if there is a file or a folder.
  func newFile(_ path: String) async throws(FileError) -> any FileOutput
}

extension FileService {
  /// Reads the whole file and returns it as a single chunk.
  public func input(_ path: String) async throws(FileError) -> FileInput {
    let data = try await read(path, limit: .max - 1)
    let rest = Mutex(data.isEmpty ? nil : Optional(data))
    return FileInput(size: Int64(data.count), isRepeatable: true) { () throws(FileError) in
      rest.withLock { rest in
        defer { rest = nil }
        return rest
      }
    }
  }

  /// Collects the content in memory and writes it at the end. It cannot be continued.
  public func output(_ path: String, continues: Bool) async throws(FileError) -> any FileOutput {
    CollectingOutput(self, path, .replace)
  }

  /// Collects the content in memory and writes it at the end. `exists` is thrown then.
  public func newFile(_ path: String) async throws(FileError) -> any FileOutput {
    CollectingOutput(self, path, .create)
  }

  /// Does nothing.
  public func checkTarget(_ path: String, isRecording: Bool) throws(FileError) {}
  /// Does nothing.
  public func makeFolder(ofRecording path: String) throws(FileError) {}
  /// Does nothing.
  public func checkReadable(_ path: String) throws(FileError) {}
  /// Returns whether `checkReadable` finds a file.
  public func isFile(_ path: String) -> Bool { (try? checkReadable(path)) != nil }
  /// Returns the path as it is.
  public func absolutePath(_ path: String) -> String { path }
  /// Does nothing.
  public func protect(recording path: String?) {}
  /// Does nothing.
  public func checkCreatable(_ path: String) throws(FileError) {}
}

/// The handling of an existing file.
public enum FileWriteMode: String, Sendable, Codable {
  /// Replaces it atomically.
  case replace
  /// Appends to it.
  case append
  /// Fails if a regular file or a folder exists, unless it is the file of standard output or
  /// standard error, which is written directly.
  case create
}

/// An error when reading or writing a file.
public struct FileError: Error, Sendable, Equatable, Codable {
  /// The kind of the error.
  public enum Kind: String, Sendable, Codable {
    /// In order: the file does not exist; it exists; it has more bytes than the limit; permission
    /// is denied; the file cannot be created; the disk is full; any other error of the system; the
    /// file belongs to the board; it is standard input, which has nothing for a command.
    case missing, exists, tooLarge, denied, cannotCreate, full, io, ownFile, unavailable
  }

  /// The kind of the error, for code.
  public var kind: Kind
  /// The path as given.
  public var path: String
  /// The problem, for users, in one line.
  public var message: String

  /// Creates an error for a path.
  public init(_ kind: Kind, path: String, message: String) {
    self.kind = kind
    self.path = path
    self.message = message
  }

  /// Creates the error for a file with more than `limit` bytes.
  package init(tooLarge path: String, limit: Int) {
    self.init(
      .tooLarge, path: path,
      message: "\(path) is larger than the \(limit) bytes that are taken here")
  }
}
