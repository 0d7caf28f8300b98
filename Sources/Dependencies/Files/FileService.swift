#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The files that a line of the board names: nothing else is read or written through it.
public protocol FileService: Sendable {
  /// The whole file. More than `limit` bytes is `.tooLarge`; nothing is read in part.
  func read(_ path: String, limit: Int) async throws(FileError) -> Data
  /// Writes the whole file, mode 0600 where it is new.
  func write(_ data: Data, to path: String, mode: FileWriteMode) async throws(FileError)
}

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
  public enum Kind: String, Sendable, Codable {
    case missing, exists, tooLarge, denied, cannotCreate, full, io
  }

  public var kind: Kind
  public var path: String
  public var message: String

  public init(_ kind: Kind, path: String, message: String) {
    self.kind = kind
    self.path = path
    self.message = message
  }
}
