import SwiftBoardSystem
import Synchronization

/// The file of a recording. It is locked while it is open, and a new file has mode 0600.
public final class FileSink: LogSink {
  private let system: FileSystem
  private struct Target {
    /// `nil` once closed.
    var file: OpenFile?
    /// The size of the file, unless another program changes it.
    var size: Int
  }

  private let target: Mutex<Target>
  /// The path of the file.
  private let path: Mutex<String>

  /// Creates a file. Fails if there is a file or symbolic link at `path`.
  public convenience init(creating path: String) throws(RecordingError) {
    try self.init(creating: path, FileSystem())
  }

  init(creating path: String, _ system: FileSystem) throws(RecordingError) {
    let file: OpenFile
    do throws(SystemError) {
      file = try system.create(path, O_WRONLY)
    } catch {
      throw error.code == EEXIST ? .exists(path: path) : .failed(path: path, LogIOError(error))
    }
    try FileSink.lock(file, path, system)
    // The umask may have removed permissions, so set them again.
    try? system.changeMode(file, to: 0o600)
    self.system = system
    target = Mutex(Target(file: file, size: 0))
    self.path = Mutex(path)
  }

  /// Opens a file to append to it. Fails if the path is a symbolic link, or if the size is not
  /// `size`.
  ///
  /// - Parameter end: The bytes that the file must end with.
  init(
    continuing path: String, size: Int, end: [UInt8], _ system: FileSystem = FileSystem()
  ) throws(RecordingError) {
    let file: OpenFile
    do throws(SystemError) {
      file = try system.open(path, O_RDWR | O_NOFOLLOW)
    } catch {
      throw .failed(path: path, LogIOError(error))
    }
    try FileSink.lock(file, path, system)
    let info: FileInfo
    do throws(SystemError) { info = try system.info(file) } catch {
      throw .failed(path: path, LogIOError(error))
    }
    guard info.size == size, system.contains(end, endingAt: size, in: file) else {
      FileSink.close(file, system)
      throw .changed(path: path)
    }
    self.system = system
    target = Mutex(Target(file: file, size: size))
    self.path = Mutex(path)
  }

  private static func lock(
    _ file: OpenFile, _ path: String, _ system: FileSystem
  ) throws(RecordingError) {
    let isLocked: Bool
    do throws(SystemError) { isLocked = try system.tryLock(file) } catch {
      throw .failed(path: path, LogIOError(error))
    }
    guard isLocked else { throw .busy(path: path) }
  }

  private static func close(_ file: OpenFile, _ system: FileSystem) {
    system.unlock(file)
    file.close()
  }

  deinit { close() }

  /// Calls `pwrite` once, which may write only some of the bytes.
  ///
  /// Writes nothing if another program has cut the file or appended to it. Bytes after a cut would
  /// follow a gap of zeros.
  ///
  /// - Throws: `LogIOError`, and `EBADF` after `close()`.
  public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(LogIOError) -> Int {
    let count: Int? = try withFile("write") { (file, size) throws(SystemError) in
      guard try system.info(file).size == size else { return nil }
      let count = try system.write(bytes, to: file, at: Int64(offset))
      size = max(size, offset + count)
      return count
    }
    guard let count else { throw .changed }
    return count
  }

  /// Calls `ftruncate` to remove the bytes beyond `size`.
  public func truncate(to size: Int) throws(LogIOError) {
    try withFile("ftruncate") { (file, current) throws(SystemError) in
      try system.truncate(file, to: Int64(size))
      current = size
    }
  }

  /// Calls `fdatasync`, or on Darwin `F_FULLFSYNC` if the file system supports it. Takes
  /// milliseconds on a disk.
  public func synchronize() throws(LogIOError) {
    try withFile("fsync") { (file, _) throws(SystemError) in
      try system.sync(file, dataOnly: true)
    }
  }

  /// Returns the path if it no longer refers to the file. Calls `lstat` and `fstat`. If the folder
  /// cannot be read, the file is assumed to exist.
  public func missingName() -> String? {
    let path = path.withLock { $0 }
    return target.withLock { target -> String? in
      guard let file = target.file else { return nil }
      do throws(SystemError) {
        guard let named = try system.info(of: path) else { return path }
        return named.id == (try system.info(file)).id ? nil : path
      } catch {
        return error.isMissing ? path : nil
      }
    }
  }

  /// Sets the path after the file was renamed.
  func wasRenamed(to path: String) {
    self.path.withLock { $0 = path }
  }

  /// Calls `body` under the lock, with the size. Once the file is closed, another file may get its
  /// descriptor.
  private func withFile<Result>(
    _ call: String, _ body: (OpenFile, inout Int) throws(SystemError) -> Result
  ) throws(LogIOError) -> Result {
    do throws(SystemError) {
      return try target.withLock { target throws(SystemError) in
        guard let file = target.file else { throw SystemError(code: EBADF, call: call) }
        return try body(file, &target.size)
      }
    } catch {
      throw LogIOError(error)
    }
  }

  /// Closes the file, which also releases its lock. A second call does nothing. Deinitialization
  /// also closes the file.
  public func close() {
    target.withLock { target in
      if let open = target.file.take() { FileSink.close(open, system) }
    }
  }
}

extension FileSink {
  /// Removes the file, which is empty because its first line could not be written.
  func remove(_ path: String) {
    close()
    try? system.remove(path)
  }
}
