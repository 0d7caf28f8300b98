import SwiftBoardSystem

/// The identity of a log file, independent of its name.
///
/// The system reuses the number of a removed file, so the first line is part of the identity. Its
/// sum covers the whole line.
struct LogFileIdentity: Sendable, Hashable {
  private let id: FileID
  /// The end of the first line, and its last bytes.
  private let end: Int
  private let tail: [UInt8]

  /// Creates the identity of an open file whose first line was read by `reader`. Returns `nil` if
  /// the file is not regular, such as a pipe.
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

  /// Returns whether an open file is this one. Costs an `fstat` and a `pread` of 35 bytes.
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
