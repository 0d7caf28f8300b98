import SwiftBoardSystem

/// A file that is written in chunks and appears once it is complete.
public protocol FileOutput: Sendable {
  /// The partial content of an earlier attempt, or `nil` if there is none or it cannot be
  /// continued.
  var kept: PartialContent? { get }
  /// The path to which a symbolic link leads, next to which incomplete content is kept, or `nil` if
  /// the path is no link.
  var resolvedPath: String? { get }
  /// Begins with the first byte, or after the kept content. What was written before is removed.
  ///
  /// - Parameter tag: The information needed to continue the file after a failure, or `nil` if it
  ///   cannot be continued.
  func begin(afterKept: Bool, tag: String?) async throws(FileError)
  /// Writes a chunk. Call `begin` first.
  func write(_ data: Data) async throws(FileError)
  /// Completes the file and gives it its name.
  func finish() async throws(FileError)
  /// Discards the file. The previous file is kept. The written content is kept if it can be
  /// continued.
  func discard() async
}

extension FileOutput {
  /// Returns `nil`.
  public var resolvedPath: String? { nil }
}

/// The beginning of a file that an earlier attempt has written.
public struct PartialContent: Sendable, Equatable {
  /// The number of bytes.
  public var size: Int64
  /// The tag given to `FileOutput.begin`.
  public var tag: String

  /// Creates a partial content.
  public init(size: Int64, tag: String) {
    self.size = size
    self.tag = tag
  }
}

/// Collects the content in memory and writes it at the end.
actor CollectingOutput: FileOutput {
  nonisolated let kept: PartialContent? = nil
  private let files: any FileService
  private let path: String
  private let mode: FileWriteMode
  private var data = Data()

  init(_ files: any FileService, _ path: String, _ mode: FileWriteMode) {
    self.files = files
    self.mode = mode
    self.path = path
  }

  func begin(afterKept: Bool, tag: String?) async throws(FileError) { data = Data() }
  func write(_ piece: Data) async throws(FileError) { data.append(piece) }
  func finish() async throws(FileError) { try await files.write(data, to: path, mode: mode) }
  func discard() async { data = Data() }
}
