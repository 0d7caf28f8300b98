#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file of lines that several processes append to and that is rotated by size: `NAME`, `NAME.1`, `NAME.2` …
///
/// Each line is one `write` to a file opened with `O_APPEND`, under a lock on the file (`flock`) that is also held while
/// the files are renamed: no line is lost or torn by another process. A write that the disk cuts short is taken back. A
/// file left without a final newline, by a crash, gets one first.
///
/// Not Sendable: it belongs to one thread. Every failure is an answer, none is thrown.
final class LineFile {
  /// What is asked of the system, so that a test can have a full disk.
  struct Calls: Sendable {
    var write: @Sendable (Int32, UnsafeRawBufferPointer) -> Int = { descriptor, bytes in
      #if canImport(Glibc)
        Glibc.write(descriptor, bytes.baseAddress, bytes.count)
      #elseif canImport(Musl)
        Musl.write(descriptor, bytes.baseAddress, bytes.count)
      #else
        Darwin.write(descriptor, bytes.baseAddress, bytes.count)
      #endif
    }
    var sync: @Sendable (Int32) -> Int32 = { fsync($0) }
  }

  private let path: String
  private let maxBytes: Int
  private let maxFiles: Int
  private let calls: Calls
  private var descriptor: Int32 = -1

  init(path: String, maxBytes: Int, maxFiles: Int, calls: Calls = Calls()) {
    self.path = path
    self.maxBytes = max(1, maxBytes)
    self.maxFiles = max(1, maxFiles)
    self.calls = calls
  }

  deinit {
    closeFile()
  }

  /// Appends lines, each with its newline. Returns how many could not be written.
  func append(_ lines: [ArraySlice<UInt8>], sync: Bool) -> Int {
    var failed = 0
    var index = 0
    while index < lines.count {
      guard var size = lockCurrent() else {
        failed += lines.count - index
        break
      }
      let written = index
      while index < lines.count {
        if size > 0, size + lines[index].count > maxBytes {
          if sync, index > written { _ = calls.sync(descriptor) }
          rotate()
          break
        }
        if write(lines[index], at: size) { size += lines[index].count } else { failed += 1 }
        index += 1
      }
      if descriptor >= 0 {
        if sync, index > written { _ = calls.sync(descriptor) }
        flock(descriptor, LOCK_UN)
      }
    }
    return failed
  }

  /// Locks the file that the path names now, opening it where need be. Returns its size.
  private func lockCurrent() -> Int? {
    // Another process may rotate between open and lock, but not for ever.
    for _ in 0..<100 {
      guard openFile() else { return nil }
      while flock(descriptor, LOCK_EX) != 0 {
        // A file system without locks: appended lines stay whole, only rotation is not safe there.
        if errno != EINTR { break }
      }
      var mine = stat()
      var named = stat()
      guard fstat(descriptor, &mine) == 0 else {
        closeFile()
        continue
      }
      guard stat(path, &named) == 0, mine.st_ino == named.st_ino, mine.st_dev == named.st_dev else {
        closeFile()
        continue
      }
      return endLine(size: Int(mine.st_size))
    }
    return nil
  }

  /// Gives a torn last line its newline.
  private func endLine(size: Int) -> Int {
    guard size > 0 else { return size }
    var last: UInt8 = 0
    guard pread(descriptor, &last, 1, off_t(size - 1)) == 1, last != 0x0A else { return size }
    return write([0x0A], at: size) ? size + 1 : size
  }

  private func write(_ line: ArraySlice<UInt8>, at size: Int) -> Bool {
    line.withUnsafeBytes { bytes in
      while true {
        let count = calls.write(descriptor, bytes)
        if count == bytes.count { return true }
        if count < 0, errno == EINTR { continue }
        // Others wait for the lock, so the end of the file is where this line began.
        if count > 0 { ftruncate(descriptor, off_t(size)) }
        return false
      }
    }
  }

  /// Shifts the files by one and lets go of the current one. The current one goes last: until then everybody locks it.
  private func rotate() {
    let last = maxFiles - 1
    if last > 0 {
      for number in stride(from: last - 1, to: 0, by: -1) {
        rename("\(path).\(number)", "\(path).\(number + 1)")
      }
      if rename(path, "\(path).1") != 0 { truncateInstead() }
    } else {
      truncateInstead()
    }
    closeFile()
  }

  /// Where there is one file only, or it cannot be renamed, the size is kept and the old lines go.
  private func truncateInstead() {
    ftruncate(descriptor, 0)
  }

  private func openFile() -> Bool {
    if descriptor >= 0 { return true }
    // Only where it is missing is the folder made, so that the usual open costs one call.
    if !openOrCreate() {
      guard errno == ENOENT, Folder.create(Folder.parent(of: path)), openOrCreate() else {
        return false
      }
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      closeFile()
      return false
    }
    return true
  }

  private func openOrCreate() -> Bool {
    descriptor = open(
      path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    return descriptor >= 0
  }

  private func closeFile() {
    guard descriptor >= 0 else { return }
    close(descriptor)
    descriptor = -1
  }
}
