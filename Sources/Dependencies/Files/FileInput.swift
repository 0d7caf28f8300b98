import SwiftBoardSystem
import Synchronization

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

  /// Returns the same input, which shows at a terminal how much of it was read. The caller removes
  /// the progress at the end.
  package func reporting(_ name: String, to terminal: any TerminalService) -> FileInput {
    let done = Mutex<Int64>(0)
    return FileInput(size: size, isRepeatable: isRepeatable) { () throws(FileError) in
      guard let piece = try await next() else { return nil }
      let count = done.withLock { done in
        done += Int64(piece.count)
        return done
      }
      terminal.show(TransferProgress(name: name, done: count, total: size))
      return piece
    }
  }

  /// The maximum number of bytes in a chunk.
  package static let pieceSize = 1 << 18
}
