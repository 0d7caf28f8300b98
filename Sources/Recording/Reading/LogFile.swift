/// A log that can be read again from any position: a file, or bytes in memory.
///
/// Opening one opens nothing; each reader opens the file for itself, so that several may read at
/// once.
public struct LogFile: Sendable {
  private enum Origin: Sendable {
    case path(String, Known?)
    case bytes([UInt8])
    case source(@Sendable (_ offset: Int) throws(LogReadError) -> any LogSource)
  }

  /// What is known of a file that was opened before.
  private struct Known: Sendable {
    let identity: LogFileIdentity
    /// The name that rotation gives it once it is full; nil if it keeps its own.
    let later: String?
  }

  private let origin: Origin
  private let limits: LogReader.Limits
  /// Whether the reading has been cancelled.
  let isCancelled: @Sendable () -> Bool
  /// Receives how many bytes were read.
  var onRead: (@Sendable (Int) -> Void)?

  /// A file, which need not be there before it is read.
  ///
  /// - Parameter isCancelled: Asked at every chunk (256 KiB) that is read, on the thread that
  ///   reads; once it is true, reading throws `LogReadError.cancelled`. By default it follows the
  ///   task in which the log is read.
  public init(
    path: String, limits: LogReader.Limits = .init(),
    isCancelled: @escaping @Sendable () -> Bool = { Task.isCancelled }
  ) {
    self.init(path: path, identity: nil, later: nil, limits: limits, isCancelled: isCancelled)
  }

  /// - Parameters:
  ///   - identity: The file that is meant; another one of that name is none.
  ///   - later: The name that the file has once it is full.
  init(
    path: String, identity: LogFileIdentity?, later: String?, limits: LogReader.Limits = .init(),
    isCancelled: @escaping @Sendable () -> Bool
  ) {
    origin = .path(path, identity.map { Known(identity: $0, later: later) })
    self.limits = limits
    self.isCancelled = isCancelled
  }

  /// Bytes in memory. `isCancelled` is as for a file.
  public init(
    bytes: [UInt8], limits: LogReader.Limits = .init(),
    isCancelled: @escaping @Sendable () -> Bool = { Task.isCancelled }
  ) {
    origin = .bytes(bytes)
    self.limits = limits
    self.isCancelled = isCancelled
  }

  /// What `source` gives, for tests.
  init(source: @escaping @Sendable (_ offset: Int) throws(LogReadError) -> any LogSource) {
    origin = .source(source)
    limits = .init()
    isCancelled = { false }
  }

  /// The file's path; nil for bytes in memory.
  public var path: String? {
    if case .path(let path, _) = origin { path } else { nil }
  }

  /// Its bytes now; 0 if that is unknown.
  var size: Int {
    switch origin {
    case .bytes(let bytes): bytes.count
    case .source: 0
    // Opening a pipe would wait for its writer.
    case .path(let path, nil): FileSource.size(of: path)
    case .path(let path, let known?): (try? LogFile.open(path, known, 0))?.size ?? 0
    }
  }

  /// Its bytes from the beginning. One that was found in a rotated log is the same file every time,
  /// or missing.
  public func source() throws(LogReadError) -> any LogSource { try source(from: 0) }

  /// A reader at the first line.
  public func reader() throws(LogReadError) -> LogReader {
    LogReader(try source(from: 0), limits: limits)
  }

  /// A reader at a position that another reader of this log was at.
  package func reader(at position: LogPosition) throws(LogReadError) -> LogReader {
    LogReader(try source(from: position.offset), at: position, limits: limits)
  }

  /// The bytes from `offset` on.
  func source(from offset: Int) throws(LogReadError) -> any LogSource {
    let base: any LogSource
    switch origin {
    case .path(let path, let known): base = try LogFile.open(path, known, offset)
    case .bytes(let bytes): base = BytesSource(bytes, from: offset)
    case .source(let source): base = try source(offset)
    }
    return WatchedSource(base, isCancelled: isCancelled, onRead: onRead)
  }

  /// Another file may take a name at any moment, so it is asked of the open file whether it is the
  /// right one.
  private static func open(
    _ path: String, _ known: Known?, _ offset: Int
  ) throws(LogReadError) -> FileSource {
    guard let known else { return try FileSource(path: path, from: offset) }
    for name in [path, known.later] {
      guard let name else { continue }
      do throws(LogReadError) {
        let source = try FileSource(path: name, from: offset)
        if source.isFile(known.identity) { return source }
      } catch {
        guard case .missing = error else { throw error }
      }
    }
    throw .missing(path: path)
  }
}

/// A source that throws as soon as the reading is cancelled, and that reports progress.
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
