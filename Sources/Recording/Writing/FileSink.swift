import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A recording's file: locked while it is open, and of mode 0600 where it is new.
public final class FileSink: LogSink {
  typealias OpenError = RecordingError

  /// -1 once closed.
  private let descriptor: Mutex<Int32>
  /// What the file is called.
  private let path: Mutex<String>

  /// Creates the file. An existing one, a symbolic link too, is refused.
  public init(creating path: String) throws(RecordingError) {
    var descriptor: Int32
    repeat {
      descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    } while descriptor < 0 && errno == EINTR
    guard descriptor >= 0 else {
      let code = errno
      throw code == EEXIST
        ? .exists(path: path) : .failed(path: path, LogIOError(code: code, operation: "open"))
    }
    do throws(OpenError) {
      try FileSink.lock(descriptor, path)
    } catch {
      FileSink.close(descriptor)
      throw error
    }
    // The umask may have taken bits away, but never added any; 0600 is what was promised.
    _ = fchmod(descriptor, 0o600)
    self.descriptor = Mutex(descriptor)
    self.path = Mutex(path)
  }

  /// Opens a file to write on behind its last byte. A symbolic link is refused, and a file that has another size than `size`.
  ///
  /// - Parameter end: What the file must end with.
  init(continuing path: String, size: Int, end: [UInt8]) throws(OpenError) {
    var descriptor: Int32
    repeat {
      descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    } while descriptor < 0 && errno == EINTR
    guard descriptor >= 0 else {
      throw .failed(path: path, LogIOError(code: errno, operation: "open"))
    }
    do throws(OpenError) {
      try FileSink.lock(descriptor, path)
      var status = stat()
      guard fstat(descriptor, &status) == 0 else {
        throw .failed(path: path, LogIOError(code: errno, operation: "fstat"))
      }
      guard Int(status.st_size) == size, FileSink.ends(descriptor, at: size, with: end) else {
        throw .changed(path: path)
      }
    } catch {
      FileSink.close(descriptor)
      throw error
    }
    self.descriptor = Mutex(descriptor)
    self.path = Mutex(path)
  }

  private static func ends(_ descriptor: Int32, at size: Int, with end: [UInt8]) -> Bool {
    var found = [UInt8](repeating: 0, count: end.count)
    let count = found.withUnsafeMutableBytes { buffer in
      pread(descriptor, buffer.baseAddress, buffer.count, off_t(size - end.count))
    }
    return count == end.count && found == end
  }

  private static func lock(_ descriptor: Int32, _ path: String) throws(OpenError) {
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      throw code == EWOULDBLOCK
        ? .busy(path: path) : .failed(path: path, LogIOError(code: code, operation: "flock"))
    }
  }

  private static func close(_ descriptor: Int32) {
    // A child of this program that has not replaced its image yet has the open file, too, and would keep the lock for a moment.
    _ = flock(descriptor, LOCK_UN)
    #if canImport(Glibc)
      _ = Glibc.close(descriptor)
    #elseif canImport(Musl)
      _ = Musl.close(descriptor)
    #else
      _ = Darwin.close(descriptor)
    #endif
  }

  deinit { close() }

  /// One `pwrite`; may write less than all.
  ///
  /// - Throws: `LogIOError`, `EINTR` too; `EBADF` after `close()`.
  public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(LogIOError) -> Int {
    try call("write") { pwrite($0, bytes.baseAddress, bytes.count, off_t(offset)) }
  }

  /// One `ftruncate`. What is beyond `size` is gone.
  public func truncate(to size: Int) throws(LogIOError) {
    _ = try call("ftruncate") { Int(ftruncate($0, off_t(size))) }
  }

  /// One `fdatasync`, on Darwin `F_FULLFSYNC` where the file system knows it: milliseconds on a disk.
  public func synchronize() throws(LogIOError) {
    _ = try call("fsync") { descriptor in
      #if canImport(Darwin)
        // fsync reaches the drive only; this reaches its platters. Not every file system knows it.
        Int(fcntl(descriptor, F_FULLFSYNC) == 0 ? 0 : fsync(descriptor))
      #else
        Int(fdatasync(descriptor))
      #endif
    }
  }

  /// One `lstat` and one `fstat`. Where the folder cannot be looked into, the file is taken to be
  /// there.
  public func missingName() -> String? {
    let path = path.withLock { $0 }
    return descriptor.withLock { descriptor -> String? in
      guard descriptor >= 0 else { return nil }
      var (named, opened) = (stat(), stat())
      guard lstat(path, &named) == 0 else {
        return errno == ENOENT || errno == ENOTDIR ? path : nil
      }
      guard fstat(descriptor, &opened) == 0 else { return nil }
      return named.st_dev == opened.st_dev && named.st_ino == opened.st_ino ? nil : path
    }
  }

  /// The file has another name now.
  func wasRenamed(to path: String) {
    self.path.withLock { $0 = path }
  }

  /// Within the lock: once the file is closed, another one may get its number.
  private func call(
    _ operation: String, _ body: (Int32) -> Int
  ) throws(LogIOError) -> Int {
    let (result, code) = descriptor.withLock { descriptor in
      let result = body(descriptor)
      return (result, result < 0 ? errno : 0)
    }
    guard result >= 0 else { throw LogIOError(code: code, operation: operation) }
    return result
  }

  /// Closes the file, which also gives up the lock on it. A second call does nothing; the end of the object does the same.
  public func close() {
    descriptor.withLock { descriptor in
      if descriptor >= 0 { FileSink.close(descriptor) }
      descriptor = -1
    }
  }
}

extension FileSink {
  /// Takes away a file that holds nothing yet, because its first line could not be written.
  func remove(_ path: String) {
    close()
    _ = unlink(path)
  }
}

/// The system's text for an `errno`.
func systemMessage(_ code: Int32) -> String {
  guard let text = strerror(code) else { return "error \(code)" }
  return String(cString: text)
}
