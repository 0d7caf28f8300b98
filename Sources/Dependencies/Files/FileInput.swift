import SwiftBoardSystem

/// A file that is read in chunks from its beginning.
public struct FileInput: Sendable {
  /// The number of bytes of a regular file, or `nil` for a pipe or a device.
  public let size: Int64?
  /// Whether opening it again gives the same bytes.
  public let isRepeatable: Bool
  /// Returns the next chunk, or `nil` at the end.
  public let next: @Sendable () async throws(FileError) -> Data?

  /// Creates an input.
  public init(
    size: Int64?, isRepeatable: Bool, next: @escaping @Sendable () async throws(FileError) -> Data?
  ) {
    self.size = size
    self.isRepeatable = isRepeatable
    self.next = next
  }

  /// The maximum number of bytes in a chunk.
  package static let pieceSize = 1 << 18
}
