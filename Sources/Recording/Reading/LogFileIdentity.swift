import SwiftBoardSystem

/// Which file a log is, whatever name it has by now.
///
/// The system gives the number of a removed file to the next one, so the first line counts as well:
/// its sum says all of it.
struct LogFileIdentity: Sendable, Hashable {
  private let id: FileID
  /// Where the first line ends, and its last bytes.
  private let end: Int
  private let tail: [UInt8]

  /// Of an open file whose first line was read by `reader`; nil if the file is no regular one, such
  /// as a pipe.
  init?(_ descriptor: Int32, _ reader: LogReader) {
    guard let info = FileInfo(descriptor: descriptor), info.isRegular,
      let sum = reader.position.sum
    else { return nil }
    id = info.id
    end = reader.position.offset
    var tail = HashChain.opening
    sum.append(to: &tail)
    self.tail = tail + HashChain.closing + [0x0A]
  }

  /// Whether an open file is this one: `fstat` and a `pread` of 35 bytes.
  func isFile(_ descriptor: Int32) -> Bool {
    guard let info = FileInfo(descriptor: descriptor), info.isRegular, info.id == id else {
      return false
    }
    var found = [UInt8](repeating: 0, count: tail.count)
    let count = found.withUnsafeMutableBytes { buffer in
      pread(descriptor, buffer.baseAddress, buffer.count, off_t(end - tail.count))
    }
    return count == tail.count && found == tail
  }
}
