import SwiftBoardSystem
import Synchronization

/// Files in memory.
public final class MockFileService: FileService {
  private let contents: Mutex<[String: Data]>

  /// Files by path; paths are compared as text.
  public init(_ contents: [String: Data] = [:]) {
    self.contents = Mutex(contents)
  }

  /// The present contents, by path.
  public var files: [String: Data] { contents.withLock { $0 } }

  /// A copy of what is there.
  ///
  /// - Throws: `missing` or `tooLarge`.
  public func read(_ path: String, limit: Int) async throws(FileError) -> Data {
    guard let data = contents.withLock({ $0[path] }) else {
      throw FileError(.missing, path: path, message: "there is no file \(path)")
    }
    guard data.count <= limit else {
      throw FileError(
        .tooLarge, path: path, message: "\(path) has \(data.count) bytes; at most \(limit) are read"
      )
    }
    return data
  }

  /// Changes what `files` shows.
  ///
  /// - Throws: `exists`, with `create` only.
  public func write(_ data: Data, to path: String, mode: FileWriteMode) async throws(FileError) {
    let exists = contents.withLock { contents -> Bool in
      if mode == .create, contents[path] != nil { return true }
      contents[path] = (mode == .append ? contents[path] ?? Data() : Data()) + data
      return false
    }
    if exists {
      throw FileError(.exists, path: path, message: "\(path) exists already")
    }
  }
}
