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
  init?(_ file: OpenFile, _ reader: LogReader) {
    guard let info = FileInfo(descriptor: file.number), info.isRegular,
      let sum = reader.position.sum
    else { return nil }
    id = info.id
    end = reader.position.offset
    var tail = HashChain.opening
    sum.append(to: &tail)
    self.tail = tail + HashChain.closing + [0x0A]
  }

  /// Returns whether an open file is this one. Costs an `fstat` and a `pread` of 35 bytes.
  func isFile(_ file: OpenFile) -> Bool {
    guard let info = FileInfo(descriptor: file.number), info.isRegular, info.id == id else {
      return false
    }
    return FileSystem().contains(tail, endingAt: end, in: file)
  }

  /// Returns whether an open file has the number of this one, and less than its first line.
  func isTruncated(_ file: OpenFile) -> Bool {
    FileInfo(descriptor: file.number).map { $0.id == id && $0.size < Int64(end) } ?? false
  }
}

extension FileSystem {
  /// Returns whether the bytes of a file before the offset `end` end with `tail`.
  func contains(_ tail: [UInt8], endingAt end: Int, in file: OpenFile) -> Bool {
    (try? read(file, limit: tail.count, at: Int64(end - tail.count))) == tail
  }
}
