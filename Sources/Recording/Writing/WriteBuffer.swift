import SwiftBoardSystem

/// A buffer of whole lines to write.
struct WriteBuffer: ~Copyable {
  /// The maximum memory to keep between writes.
  private static let kept = 1 << 19
  private static let step = Array(#"{"k":"step","#.utf8)

  var bytes = ByteBuffer()
  /// The last step before the first line. Set together with the first line.
  var before = 0

  var isEmpty: Bool { bytes.count == 0 }

  mutating func removeAll() {
    bytes.removeAll(keeping: WriteBuffer.kept)
  }

  /// Returns the length to truncate the file to after a partial write of `written` bytes, and the
  /// last step that is not lost.
  ///
  /// - Complexity: O(number of bytes). Called only after a failed write.
  func whole(in written: Int) -> (bytes: Int, kept: Int) {
    var (end, step, kept) = (0, before, before)
    while end < bytes.count {
      let line = bytes.bytes(from: end)
      guard let feed = position(of: 0x0A, in: UnsafeRawBufferPointer(line)) else { break }
      if line.starts(with: WriteBuffer.step) { step += 1 }
      guard end + feed + 1 <= written else { break }
      end += feed + 1
      kept = step
    }
    return (end, kept)
  }
}
