#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Where a reader gets its bytes.
public protocol LogSource: AnyObject {
  /// Fills the front of `buffer` and returns how many bytes; 0 is the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(LogReadError) -> Int
}

/// A file, or a pipe, read once from the front. The calls block.
public final class FileSource: LogSource {
  private let descriptor: Int32
  private let path: String

  /// - Parameter offset: Where to begin, in bytes; a pipe can only be read from its front.
  public init(path: String, from offset: Int = 0) throws(LogReadError) {
    var descriptor: Int32
    repeat {
      descriptor = open(path, O_RDONLY | O_CLOEXEC)
    } while descriptor < 0 && errno == EINTR
    guard descriptor >= 0 else {
      let code = errno
      throw code == ENOENT
        ? .missing(path: path) : .io(path: path, LogIOError(code: code, operation: "open"))
    }
    self.descriptor = descriptor
    self.path = path
    guard offset > 0, lseek(descriptor, off_t(offset), SEEK_SET) < 0 else { return }
    throw .io(path: path, LogIOError(code: errno, operation: "lseek"))
  }

  deinit { _ = close(descriptor) }

  /// Bytes of the file now; 0 where it has no size.
  var size: Int {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }

  /// The same of a path; opens nothing.
  static func size(of path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Whether there is something at a path whose bytes are gone once they are read.
  static func isReadOnce(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    return ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
  }

  /// What a pipe has, up to 1 GiB, and up to a line that is longer than any may be. Blocks until its writers have closed it.
  static func readAll(
    _ path: String, _ isCancelled: () -> Bool
  ) throws(LogReadError) -> [UInt8] {
    let source = try FileSource(path: path)
    var bytes: [UInt8] = []
    var line = 0
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { chunk.deallocate() }
    while true {
      guard !isCancelled() else { throw .cancelled }
      let count = try source.read(into: chunk)
      guard count > 0 else { return bytes }
      bytes.append(contentsOf: chunk[..<count])
      if let feed = chunk[..<count].lastIndex(of: 0x0A) { line = bytes.count - count + feed + 1 }
      // A reader says what is wrong with it.
      if bytes.count - line > LogReader.Limits.formatLine + 1 { return bytes }
      guard bytes.count <= 1 << 30 else {
        throw .io(path: path, LogIOError(code: EFBIG, operation: "read"))
      }
    }
  }

  func isFile(_ identity: LogFileIdentity) -> Bool { identity.isFile(descriptor) }

  /// Which file it is, once `reader` has read its first line from here.
  func identity(readBy reader: LogReader) -> LogFileIdentity? {
    LogFileIdentity(descriptor, reader)
  }

  /// One `read`, again after `EINTR`. Blocks on a pipe.
  ///
  /// - Throws: `LogReadError.io`.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(LogReadError) -> Int {
    while true {
      #if canImport(Glibc)
        let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      #elseif canImport(Musl)
        let count = Musl.read(descriptor, buffer.baseAddress, buffer.count)
      #else
        let count = Darwin.read(descriptor, buffer.baseAddress, buffer.count)
      #endif
      if count >= 0 { return count }
      guard errno == EINTR else {
        throw .io(path: path, LogIOError(code: errno, operation: "read"))
      }
    }
  }
}

/// Bytes in memory.
public final class BytesSource: LogSource {
  private let bytes: [UInt8]
  private var position = 0

  /// - Parameter offset: Where to begin.
  public init(_ bytes: [UInt8], from offset: Int = 0) {
    self.bytes = bytes
    position = min(max(offset, 0), bytes.count)
  }

  /// Copies what is left, as far as it fits. Never throws.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(LogReadError) -> Int {
    let count = min(buffer.count, bytes.count - position)
    buffer.copyBytes(from: bytes[position..<(position + count)])
    position += count
    return count
  }
}
