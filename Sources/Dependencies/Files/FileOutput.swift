import SwiftBoardSystem

/// A file that is written piece by piece, and is there when it is whole.
public protocol FileOutput: Sendable {
  /// What an earlier attempt has left; `nil` if there is nothing, or if it is not continued.
  var kept: PartialContent? { get }
  /// Begins with the first byte, or behind what is kept.
  ///
  /// - Parameter tag: What has to be known to continue the file after a failure; `nil`: it cannot
  ///   be continued.
  func begin(afterKept: Bool, tag: String?) async throws(FileError)
  /// Adds a piece. Call `begin` before.
  func write(_ data: Data) async throws(FileError)
  /// Ends the file, which then has its name.
  func finish() async throws(FileError)
  /// Gives the file up: what was there before is left, and, of one that can be continued, what has
  /// come.
  func discard() async
}

/// The beginning of a file that an earlier attempt has left.
public struct PartialContent: Sendable, Equatable {
  /// How many bytes there are.
  public var size: Int64
  /// What `FileOutput.begin` was given.
  public var tag: String

  /// A part, as it was found.
  public init(size: Int64, tag: String) {
    self.size = size
    self.tag = tag
  }
}

/// Keeps what is written in memory, and writes it at the end.
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
