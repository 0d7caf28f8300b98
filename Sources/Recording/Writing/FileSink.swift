import SwiftBoardSystem
import Synchronization

/// A recording's file: locked while it is open, and of mode 0600 where it is new.
public final class FileSink: LogSink {
  /// `nil` once closed.
  private let file: Mutex<OpenFile?>
  /// What the file is called.
  private let path: Mutex<String>

  /// Creates the file. An existing one, a symbolic link too, is refused.
  public init(creating path: String) throws(RecordingError) {
    let file: OpenFile
    do throws(SystemError) {
      file = try FileSystem().create(path, O_WRONLY)
    } catch {
      throw error.code == EEXIST ? .exists(path: path) : .failed(path: path, LogIOError(error))
    }
    try FileSink.lock(file, path)
    // The umask may have taken bits away, but never added any; 0600 is what was promised.
    _ = fchmod(file.number, 0o600)
    self.file = Mutex(file)
    self.path = Mutex(path)
  }

  /// Opens a file to write on after its last byte. A symbolic link is refused, and a file that has
  /// another size than `size`.
  ///
  /// - Parameter end: What the file must end with.
  init(continuing path: String, size: Int, end: [UInt8]) throws(RecordingError) {
    let file: OpenFile
    do throws(SystemError) {
      file = try FileSystem().open(path, O_RDWR | O_NOFOLLOW)
    } catch {
      throw .failed(path: path, LogIOError(error))
    }
    try FileSink.lock(file, path)
    guard let info = FileInfo(descriptor: file.number) else {
      throw .failed(path: path, LogIOError(.last("fstat")))
    }
    guard info.size == size, FileSink.ends(file.number, at: size, with: end) else {
      FileSink.close(file)
      throw .changed(path: path)
    }
    self.file = Mutex(file)
    self.path = Mutex(path)
  }

  private static func ends(_ descriptor: Int32, at size: Int, with end: [UInt8]) -> Bool {
    var found = [UInt8](repeating: 0, count: end.count)
    let count = found.withUnsafeMutableBytes { buffer in
      pread(descriptor, buffer.baseAddress, buffer.count, off_t(size - end.count))
    }
    return count == end.count && found == end
  }

  private static func lock(_ file: OpenFile, _ path: String) throws(RecordingError) {
    let isLocked: Bool
    do throws(SystemError) { isLocked = try FileSystem().tryLock(file) } catch {
      throw .failed(path: path, LogIOError(error))
    }
    guard isLocked else { throw .busy(path: path) }
  }

  private static func close(_ file: OpenFile) {
    // A child of this program that has not replaced its image yet has the open file, too, and would
    // keep the lock for a moment.
    _ = flock(file.number, LOCK_UN)
    file.close()
  }

  deinit { close() }

  /// One `pwrite`; may write less than all.
  ///
  /// - Throws: `LogIOError`, `EINTR` too; `EBADF` after `close()`.
  public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(LogIOError) -> Int {
    try call("write") { pwrite($0, bytes.baseAddress, bytes.count, off_t(offset)) }
  }

  /// One `ftruncate`. Bytes beyond `size` are removed.
  public func truncate(to size: Int) throws(LogIOError) {
    _ = try call("ftruncate") { Int(ftruncate($0, off_t(size))) }
  }

  /// One `fdatasync`, on Darwin `F_FULLFSYNC` where the file system knows it: milliseconds on a
  /// disk.
  public func synchronize() throws(LogIOError) {
    _ = try call("fsync") { Int(Descriptor.syncData($0)) }
  }

  /// One `lstat` and one `fstat`. If the folder cannot be read, the file is assumed to exist.
  public func missingName() -> String? {
    let path = path.withLock { $0 }
    return file.withLock { file -> String? in
      guard let file else { return nil }
      guard let named = FileInfo(path, followsLink: false) else {
        return errno == ENOENT || errno == ENOTDIR ? path : nil
      }
      guard let opened = FileInfo(descriptor: file.number) else { return nil }
      return named.id == opened.id ? nil : path
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
    let (result, code) = file.withLock { file in
      let result = body(file?.number ?? -1)
      return (result, result < 0 ? errno : 0)
    }
    guard result >= 0 else { throw LogIOError(code: code, operation: operation) }
    return result
  }

  /// Closes the file, which also gives up the lock on it. A second call does nothing; the end of
  /// the object does the same.
  public func close() {
    file.withLock { file in
      if let open = file.take() { FileSink.close(open) }
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
