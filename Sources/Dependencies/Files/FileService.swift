import SwiftBoardSystem
import Synchronization

/// The files that a line of the board names: nothing else is read or written through it.
public protocol FileService: Service {
  /// The whole file. More than `limit` bytes is `.tooLarge`; nothing is read in part.
  func read(_ path: String, limit: Int) async throws(FileError) -> Data
  /// Writes the whole file, mode 0600 where it is new.
  func write(_ data: Data, to path: String, mode: FileWriteMode) async throws(FileError)
  /// Refuses a path that must not be written to, before there is anything to write. `write` asks by
  /// itself.
  ///
  /// - Parameter isRecording: The file is a new recording.
  /// - Throws: `ownFile`.
  func checkTarget(_ path: String, isRecording: Bool) throws(FileError)
  /// Refuses a path at which no file can be made, as far as that can be known before there is
  /// anything to write.
  ///
  /// - Throws: `cannotCreate`.
  func checkCreatable(_ path: String) throws(FileError)
  /// Opens a file that is read piece by piece, of whatever size.
  func input(_ path: String) async throws(FileError) -> FileInput
  /// Begins a file that is written piece by piece.
  ///
  /// - Parameter continues: What has come stays beside the file when it does not come to its end,
  ///   and is found there the next time.
  func output(_ path: String, continues: Bool) async throws(FileError) -> any FileOutput
  /// Begins a file that is written piece by piece, at a path where nothing is.
  ///
  /// Its `begin` throws `exists` where something is.
  func newFile(_ path: String) async throws(FileError) -> any FileOutput
}

extension FileService {
  /// Reads the whole file and gives it as one piece.
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

  /// Keeps everything in memory and writes it at the end; nothing is continued.
  public func output(_ path: String, continues: Bool) async throws(FileError) -> any FileOutput {
    CollectingOutput(self, path, .replace)
  }

  /// Keeps everything in memory and writes it at the end, when it also fails where something is.
  public func newFile(_ path: String) async throws(FileError) -> any FileOutput {
    CollectingOutput(self, path, .create)
  }

  /// Refuses nothing.
  public func checkTarget(_ path: String, isRecording: Bool) throws(FileError) {}
  /// Refuses nothing.
  public func checkCreatable(_ path: String) throws(FileError) {}
}

/// The handling of an existing file.
public enum FileWriteMode: String, Sendable, Codable {
  /// In place of what is there, whole or not at all.
  case replace
  /// Behind what is there.
  case append
  /// Only where nothing is there.
  case create
}

/// Why a file could not be read or written.
public struct FileError: Error, Sendable, Equatable, Codable {
  /// What went wrong.
  public enum Kind: String, Sendable, Codable {
    /// Nothing is there; something is; more bytes than the limit; permissions; no file can be made
    /// there; the disk is full; any other error of the system; the file is one that the board keeps
    /// for itself; it is standard input, which has nothing for a command.
    case missing, exists, tooLarge, denied, cannotCreate, full, io, ownFile, unavailable
  }

  /// What went wrong, for code.
  public var kind: Kind
  /// The path as it was given.
  public var path: String
  /// What went wrong, for people, in one line.
  public var message: String

  /// An error about one path.
  public init(_ kind: Kind, path: String, message: String) {
    self.kind = kind
    self.path = path
    self.message = message
  }
}
