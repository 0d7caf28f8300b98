import SwiftBoardSystem

/// A source of a reader's bytes.
public protocol LogSource: AnyObject {
  /// Fills the beginning of `buffer`. Returns the number of bytes, or 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(LogReadError) -> Int
}

/// A file or pipe that is read once from its beginning. The calls block.
public final class FileSource: LogSource {
  private let file: OpenFile
  private let path: String

  /// - Parameter offset: The position to begin at, in bytes. A pipe can only be read from its
  ///   beginning.
  public convenience init(path: String, from offset: Int = 0) throws(LogReadError) {
    try self.init(path: path, from: offset, flags: O_RDONLY)
  }

  /// Opens a file of a rotated recording. A pipe is none, and opening one would wait for a writer.
  convenience init(segment path: String, from offset: Int = 0) throws(LogReadError) {
    try self.init(path: path, from: offset, flags: O_RDONLY | O_NONBLOCK)
    guard let info = FileInfo(descriptor: file.number), info.isRegular || info.isFolder else {
      throw .broken(path: path, expected: "a regular file", found: "a pipe or a device")
    }
  }

  private init(path: String, from offset: Int, flags: Int32) throws(LogReadError) {
    do throws(SystemError) {
      file = try FileSystem().open(path, flags)
    } catch {
      throw error.code == ENOENT ? .missing(path: path) : .io(path: path, LogIOError(error))
    }
    self.path = path
    guard offset > 0, lseek(file.number, off_t(offset), SEEK_SET) < 0 else { return }
    throw .io(path: path, LogIOError(.last("lseek")))
  }

  /// The current size of the file in bytes, or 0 if it has no size.
  var size: Int { FileInfo(descriptor: file.number).map { Int($0.size) } ?? 0 }

  /// Returns the current size of the file at a path, without opening it.
  static func size(of path: String) -> Int { FileInfo(path).map { Int($0.size) } ?? 0 }

  /// Returns whether the bytes at a path can be read only once, as from a pipe.
  static func isReadOnce(_ path: String) -> Bool {
    FileInfo(path).map { !$0.isRegular && !$0.isFolder } ?? false
  }

  /// Reads all bytes of a pipe, up to 1 GiB or a line that is too long. Blocks until its writers
  /// have closed it, and asks ten times a second whether it is cancelled.
  static func readAll(
    _ path: String, _ isCancelled: () -> Bool
  ) throws(LogReadError) -> [UInt8] {
    // Opening it otherwise would wait for a writer.
    let source = try FileSource(path: path, from: 0, flags: O_RDONLY | O_NONBLOCK)
    var bytes: [UInt8] = []
    var line = 0
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { chunk.deallocate() }
    while true {
      guard !isCancelled() else { throw .cancelled }
      guard Descriptor.waitForInput([source.file.number], milliseconds: 100)[0] else { continue }
      let count: Int
      do throws(SystemError) { count = try Descriptor.read(source.file.number, into: chunk) } catch
      {
        // Another program reads it as well.
        if error.code == EAGAIN { continue }
        throw .io(path: path, LogIOError(error))
      }
      guard count > 0 else { return bytes }
      bytes.append(contentsOf: chunk[..<count])
      let read = UnsafeRawBufferPointer(rebasing: chunk[..<count])
      if position(of: 0x0A, in: read) != nil, let last = read.lastIndex(of: 0x0A) {
        line = bytes.count - count + last + 1
      }
      // The reader reports the line.
      if bytes.count - line > LogReader.Limits.formatLine + 1 { return bytes }
      guard bytes.count <= 1 << 30 else {
        throw .io(path: path, LogIOError(code: EFBIG, operation: "read"))
      }
    }
  }

  func isFile(_ identity: LogFileIdentity) -> Bool { identity.isFile(file) }

  func isTruncated(_ identity: LogFileIdentity) -> Bool { identity.isTruncated(file) }

  /// Returns the identity of the file after `reader` has read its first line from this source.
  func identity(readBy reader: LogReader) -> LogFileIdentity? {
    LogFileIdentity(file, reader)
  }

  /// Calls `read`, again after `EINTR`. Blocks on a pipe.
  ///
  /// - Throws: `LogReadError.io`.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(LogReadError) -> Int {
    do throws(SystemError) { return try Descriptor.read(file.number, into: buffer) } catch {
      throw .io(path: path, LogIOError(error))
    }
  }
}

/// A source of bytes in memory.
public final class BytesSource: LogSource {
  private let bytes: [UInt8]
  private var position = 0

  /// - Parameter offset: The position to begin at.
  public init(_ bytes: [UInt8], from offset: Int = 0) {
    self.bytes = bytes
    position = min(max(offset, 0), bytes.count)
  }

  /// Copies as many remaining bytes as fit. Never throws.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(LogReadError) -> Int {
    let count = min(buffer.count, bytes.count - position)
    buffer.copyBytes(from: bytes[position..<(position + count)])
    position += count
    return count
  }
}
