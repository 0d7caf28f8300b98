#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A log that can be read again from any place: a file, or bytes in memory.
///
/// Opening one opens nothing; each reader opens the file for itself, so that several may read at once.
public struct LogFile: Sendable {
  private enum Place: Sendable {
    case path(String, later: Later?)
    case bytes([UInt8])
  }

  /// The name that rotation gives a file once it is full, and which file that is.
  private struct Later: Sendable {
    let path: String
    let device: UInt64
    let number: UInt64

    init?(_ path: String, of now: String) {
      var status = stat()
      guard stat(now, &status) == 0 else { return nil }
      self.path = path
      device = UInt64(truncatingIfNeeded: status.st_dev)
      number = UInt64(truncatingIfNeeded: status.st_ino)
    }

    func isFile(at path: String) -> Bool {
      Later(self.path, of: path).map { $0.device == device && $0.number == number } ?? false
    }
  }

  private let place: Place
  private let limits: LogReader.Limits
  /// Whether nobody wants it read any more.
  let isCancelled: @Sendable () -> Bool
  /// Hears how many bytes were read.
  var onRead: (@Sendable (Int) -> Void)?

  /// A file, which need not be there before it is read.
  ///
  /// - Parameter isCancelled: Asked at every chunk (256 KiB) that is read, on the thread that reads; once it is true, reading throws
  ///   `LogReadError.cancelled`. By default it follows the task in which the log is read.
  public init(
    path: String, limits: LogReader.Limits = .init(),
    isCancelled: @escaping @Sendable () -> Bool = { Task.isCancelled }
  ) {
    self.init(path: path, later: nil, limits: limits, isCancelled: isCancelled)
  }

  /// - Parameter later: The name that the file has once it is full.
  init(
    path: String, later: String?, limits: LogReader.Limits = .init(),
    isCancelled: @escaping @Sendable () -> Bool
  ) {
    place = .path(path, later: later.flatMap { Later($0, of: path) })
    self.limits = limits
    self.isCancelled = isCancelled
  }

  /// Bytes in memory. `isCancelled` is as for a file.
  public init(
    bytes: [UInt8], limits: LogReader.Limits = .init(),
    isCancelled: @escaping @Sendable () -> Bool = { Task.isCancelled }
  ) {
    place = .bytes(bytes)
    self.limits = limits
    self.isCancelled = isCancelled
  }

  /// The file's path; nil for bytes in memory.
  public var path: String? {
    if case .path(let path, _) = place { path } else { nil }
  }

  /// Its bytes now; 0 where that cannot be told. O(1).
  var size: Int {
    switch place {
    case .bytes(let bytes): return bytes.count
    case .path(let path, let later):
      var status = stat()
      if let later, !later.isFile(at: path), stat(later.path, &status) == 0 {
        return Int(status.st_size)
      }
      return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
  }

  /// A reader at the first line.
  public func reader() throws(LogReadError) -> LogReader {
    LogReader(try source(from: 0), limits: limits)
  }

  /// A reader at a place that another reader of this log was at.
  public func reader(at position: LogPosition) throws(LogReadError) -> LogReader {
    LogReader(try source(from: position.offset), at: position, limits: limits)
  }

  /// The bytes from `offset` on.
  func source(from offset: Int) throws(LogReadError) -> any LogSource {
    let base: any LogSource
    switch place {
    case .path(let path, let later): base = try LogFile.open(path, later, offset)
    case .bytes(let bytes): base = BytesSource(bytes, from: offset)
    }
    return WatchedSource(base, isCancelled: isCancelled, onRead: onRead)
  }

  /// Another file may take the name at any moment, and keeps it: where it is still the right one after it was opened, it was then.
  private static func open(
    _ path: String, _ later: Later?, _ offset: Int
  ) throws(LogReadError) -> FileSource {
    guard let later else { return try FileSource(path: path, from: offset) }
    let now: Result<FileSource, LogReadError>
    do throws(LogReadError) {
      now = .success(try FileSource(path: path, from: offset))
    } catch {
      now = .failure(error)
    }
    guard !later.isFile(at: path), access(later.path, F_OK) == 0 else { return try now.get() }
    return try FileSource(path: later.path, from: offset)
  }
}

/// A source that ends with an error as soon as nobody wants it read, and says how far it is.
private final class WatchedSource: LogSource {
  private let base: any LogSource
  private let isCancelled: @Sendable () -> Bool
  private let onRead: (@Sendable (Int) -> Void)?

  init(
    _ base: any LogSource, isCancelled: @escaping @Sendable () -> Bool,
    onRead: (@Sendable (Int) -> Void)?
  ) {
    self.base = base
    self.isCancelled = isCancelled
    self.onRead = onRead
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(LogReadError) -> Int {
    guard !isCancelled() else { throw .cancelled }
    let count = try base.read(into: buffer)
    onRead?(count)
    return count
  }
}
