import SwiftBoardSystem

/// A file that is read piece by piece, from its beginning.
public struct FileInput: Sendable {
  /// The number of bytes of a regular file; `nil` for a pipe or a device.
  public let size: Int64?
  /// Whether the same bytes come when it is opened once more.
  public let isRepeatable: Bool
  /// Waits for the next piece; `nil` at the end.
  public let next: @Sendable () async throws(FileError) -> Data?

  /// An input from its parts.
  public init(
    size: Int64?, isRepeatable: Bool, next: @escaping @Sendable () async throws(FileError) -> Data?
  ) {
    self.size = size
    self.isRepeatable = isRepeatable
    self.next = next
  }

  /// The most bytes of a piece.
  package static let pieceSize = 1 << 18
}
