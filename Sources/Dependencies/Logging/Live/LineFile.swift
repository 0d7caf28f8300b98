import SwiftBoardSystem

/// A file of lines that several processes append to and that is rotated by size: `NAME`, `NAME.1`,
/// `NAME.2` …
///
/// Each line is one `write` to a file opened with `O_APPEND`, under a file lock (`flock`) that is
/// also held while the files are renamed. No line is therefore lost or torn by another process. A
/// write that the disk cuts short is undone. If a crash left the file without a final newline, one
/// is added first.
///
/// Not Sendable: it belongs to one thread. Failures are returned and not thrown.
final class LineFile {
  private let path: String
  private let maxBytes: Int
  private let maxFiles: Int
  private let system: FileSystem
  private var file: OpenFile?
  /// Whether the disk was full when a line could not be written. It stays so.
  private(set) var wasFull = false
  /// Why the last line that `append` could not write was not, or `nil` if it wrote all of them.
  private(set) var problem: String?

  init(path: String, maxBytes: Int, maxFiles: Int, system: FileSystem = FileSystem()) {
    self.path = path
    self.maxBytes = max(1, maxBytes)
    self.maxFiles = max(1, maxFiles)
    self.system = system
  }

  /// Appends lines, each with its newline. Returns the number of lines that could not be written.
  func append(_ lines: [ArraySlice<UInt8>], sync: Bool) -> Int {
    problem = nil
    var failed = 0
    var index = 0
    while index < lines.count {
      guard let (file, end) = lockCurrent() else {
        failed += lines.count - index
        break
      }
      var size = end
      let written = index
      while index < lines.count {
        if size > 0, size + lines[index].count > maxBytes {
          if sync, index > written { try? system.sync(file) }
          rotate(file)
          break
        }
        if write(lines[index], to: file, at: size) {
          size += lines[index].count
        } else {
          failed += 1
        }
        index += 1
      }
      if self.file != nil {
        if sync, index > written { try? system.sync(file) }
        system.unlock(file)
      }
    }
    return failed
  }

  /// Opens and locks the file that currently has the path. Returns it with its size.
  private func lockCurrent() -> (OpenFile, size: Int)? {
    // Another process may rotate the file between open and lock, but not endlessly.
    for _ in 0..<100 {
      guard let file = openFile() else { return nil }
      // On a file system without locks, appended lines stay intact, but rotation is not safe.
      try? system.lock(file)
      guard let mine = try? system.info(file), mine.id == FileID(path) else {
        self.file = nil
        continue
      }
      return (file, endLine(of: file, size: Int(mine.size)))
    }
    return nil
  }

  /// Terminates a torn last line with a newline.
  private func endLine(of file: OpenFile, size: Int) -> Int {
    guard size > 0 else { return size }
    let last = try? system.read(file, limit: 1, at: Int64(size - 1)).first
    guard let last, last != 0x0A else { return size }
    return write([0x0A], to: file, at: size) ? size + 1 : size
  }

  private func write(_ line: ArraySlice<UInt8>, to file: OpenFile, at size: Int) -> Bool {
    line.withUnsafeBytes { bytes in
      let count: Int
      do throws(SystemError) { count = try system.write(bytes, to: file) } catch {
        note(error)
        return false
      }
      if count == bytes.count { return true }
      // A disk that fills up takes a part.
      note(SystemError(code: ENOSPC, call: "write"))
      // Other processes wait for the lock, so the file ended where this line began.
      if count > 0 { try? system.truncate(file, to: Int64(size)) }
      return false
    }
  }

  /// Renames each file to the next number and closes the current one. The current file is renamed
  /// last, because every process locks it until then.
  private func rotate(_ file: OpenFile) {
    let last = maxFiles - 1
    if last > 0 {
      for number in stride(from: last - 1, to: 0, by: -1) {
        try? system.rename("\(path).\(number)", to: "\(path).\(number + 1)")
      }
    }
    // If there is only one file, or if it cannot be renamed, the old lines are removed to limit the
    // size.
    if last == 0 || (try? system.rename(path, to: "\(path).1")) == nil {
      try? system.truncate(file, to: 0)
    }
    self.file = nil
    file.close()
  }

  private func openFile() -> OpenFile? {
    if let file { return file }
    do throws(SystemError) {
      // The folder is only created if it is missing, so that the usual open costs one call.
      let new: OpenFile
      do throws(SystemError) { new = try openOrCreate() } catch  where error.code == ENOENT {
        try system.makeFolders(PathComponents(path, ignoresTrailingSlashes: true).folder)
        new = try openOrCreate()
      }
      guard try system.info(new).isRegular else {
        problem = "it is not a regular file"
        return nil
      }
      file = new
      return new
    } catch {
      note(error)
      return nil
    }
  }

  private func note(_ error: SystemError) {
    wasFull = wasFull || error.isFull
    problem = SystemError.text(of: error.code)
  }

  private func openOrCreate() throws(SystemError) -> OpenFile {
    try system.open(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK)
  }
}
