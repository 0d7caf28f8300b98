import SwiftBoardSystem
import Synchronization

/// The file of a recording. It is locked while it is open, and a new file has mode 0600.
public final class FileSink: LogSink {
  /// `nil` once closed.
  private let file: Mutex<OpenFile?>
  /// The path of the file.
  private let path: Mutex<String>

  /// Creates a file. Fails if there is a file or symbolic link at `path`.
  public init(creating path: String) throws(RecordingError) {
    let file: OpenFile
    do throws(SystemError) {
      file = try FileSystem().create(path, O_WRONLY)
    } catch {
      throw error.code == EEXIST ? .exists(path: path) : .failed(path: path, LogIOError(error))
    }
    try FileSink.lock(file, path)
    // The umask may have removed permissions, so set them again.
    _ = fchmod(file.number, 0o600)
    self.file = Mutex(file)
    self.path = Mutex(path)
  }

  /// Opens a file to append to it. Fails if the path is a symbolic link, or if the size is not
  /// `size`.
  ///
  /// - Parameter end: The bytes that the file must end with.
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
    // A child process that has not yet called `exec` also has the open file, and would keep the
    // lock for a moment.
    _ = flock(file.number, LOCK_UN)
    file.close()
  }

  deinit { close() }

  /// Calls `pwrite` once, which may write only some of the bytes.
  ///
  /// - Throws: `LogIOError`, including `EINTR`, and `EBADF` after `close()`.
  public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(LogIOError) -> Int {
    try call("write") { pwrite($0, bytes.baseAddress, bytes.count, off_t(offset)) }
  }

  /// Calls `ftruncate` to remove the bytes beyond `size`.
  public func truncate(to size: Int) throws(LogIOError) {
    _ = try call("ftruncate") { Int(ftruncate($0, off_t(size))) }
  }

  /// Calls `fdatasync`, or on Darwin `F_FULLFSYNC` if the file system supports it. Takes
  /// milliseconds on a disk.
  public func synchronize() throws(LogIOError) {
    _ = try call("fsync") { Int(Descriptor.syncData($0)) }
  }

  /// Returns the path if it no longer refers to the file. Calls `lstat` and `fstat`. If the folder
  /// cannot be read, the file is assumed to exist.
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

  /// Sets the path after the file was renamed.
  func wasRenamed(to path: String) {
    self.path.withLock { $0 = path }
  }

  /// Calls `body` under the lock. Once the file is closed, another file may get its descriptor.
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

  /// Closes the file, which also releases its lock. A second call does nothing. Deinitialization
  /// also closes the file.
  public func close() {
    file.withLock { file in
      if let open = file.take() { FileSink.close(open) }
    }
  }
}

extension FileSink {
  /// Removes the file, which is empty because its first line could not be written.
  func remove(_ path: String) {
    close()
    _ = unlink(path)
  }
}
