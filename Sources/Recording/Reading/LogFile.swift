/// A log that can be read repeatedly from any position: a file, or bytes in memory.
///
/// Creating a value opens no file. Each reader opens the file itself, so several readers can read
/// at once.
public struct LogFile: Sendable {
  private enum Origin: Sendable {
    case path(String, Known?)
    case bytes([UInt8])
    case source(@Sendable (_ offset: Int) throws(LogReadError) -> any LogSource)
  }

  /// The identity and names of a file that was opened before.
  private struct Known: Sendable {
    let identity: LogFileIdentity
    /// The path after rotation, or `nil` if the file keeps its path.
    let later: String?
  }

  private let origin: Origin
  private let limits: LogReader.Limits
  /// Returns whether reading has been cancelled.
  let isCancelled: @Sendable () -> Bool
  /// Receives the number of bytes read.
  var onRead: (@Sendable (Int) -> Void)?

  /// Creates a log of a file, which need not exist before it is read.
  ///
  /// - Parameter isCancelled: Called for every chunk (256 KiB), on the reading thread. If it
  ///   returns `true`, reading throws `LogReadError.cancelled`. The default checks the current
  ///   task.
  public init(
    path: String, limits: LogReader.Limits = .init(),
    isCancelled: @escaping @Sendable () -> Bool = { Task.isCancelled }
  ) {
    self.init(path: path, identity: nil, later: nil, limits: limits, isCancelled: isCancelled)
  }

  /// - Parameters:
  ///   - identity: The identity of the file. Another file at the path is not read.
  ///   - later: The path of the file after rotation.
  init(
    path: String, identity: LogFileIdentity?, later: String?, limits: LogReader.Limits = .init(),
    isCancelled: @escaping @Sendable () -> Bool
  ) {
    origin = .path(path, identity.map { Known(identity: $0, later: later) })
    self.limits = limits
    self.isCancelled = isCancelled
  }

  /// Creates a log of bytes in memory. `isCancelled` is as for a file.
  public init(
    bytes: [UInt8], limits: LogReader.Limits = .init(),
    isCancelled: @escaping @Sendable () -> Bool = { Task.isCancelled }
  ) {
    origin = .bytes(bytes)
    self.limits = limits
    self.isCancelled = isCancelled
  }

  /// Creates a log that is read from `source`. For tests.
  init(source: @escaping @Sendable (_ offset: Int) throws(LogReadError) -> any LogSource) {
    origin = .source(source)
    limits = .init()
    isCancelled = { false }
  }

  /// The path of the file, or `nil` for bytes in memory.
  public var path: String? {
    if case .path(let path, _) = origin { path } else { nil }
  }

  /// The current size in bytes, or 0 if it is unknown.
  var size: Int {
    switch origin {
    case .bytes(let bytes): bytes.count
    case .source: 0
    // Opening a pipe would block until it has a writer.
    case .path(let path, nil): FileSource.size(of: path)
    case .path(let path, let known?): (try? LogFile.open(path, known, 0))?.size ?? 0
    }
  }

  /// Returns a source of its bytes from the beginning. A file that was found in a rotated log is
  /// always the same file, or the call throws.
  public func source() throws(LogReadError) -> any LogSource { try source(from: 0) }

  /// Returns a reader at the first line.
  public func reader() throws(LogReadError) -> LogReader {
    LogReader(try source(from: 0), limits: limits)
  }

  /// Returns a reader at a position of another reader of this log.
  package func reader(at position: LogPosition) throws(LogReadError) -> LogReader {
    LogReader(try source(from: position.offset), at: position, limits: limits)
  }

  /// Returns a source of the bytes from `offset` on.
  func source(from offset: Int) throws(LogReadError) -> any LogSource {
    let base: any LogSource
    switch origin {
    case .path(let path, let known): base = try LogFile.open(path, known, offset)
    case .bytes(let bytes): base = BytesSource(bytes, from: offset)
    case .source(let source): base = try source(offset)
    }
    return WatchedSource(base, isCancelled: isCancelled, onRead: onRead)
  }

  /// Opens a known file. A path can refer to another file at any time, so the identity of the open
  /// file is checked.
  ///
  /// - Throws: `missing` also if another file is at the path after a rotation, which may have
  ///   removed this one since, and `changed` if no rotation explains what is there.
  private static func open(
    _ path: String, _ known: Known?, _ offset: Int
  ) throws(LogReadError) -> FileSource {
    guard let known else { return try FileSource(path: path, from: offset) }
    var change: LogReadError?
    for name in [path, known.later] {
      guard let name else { continue }
      do throws(LogReadError) {
        let source = try FileSource(segment: name, from: offset)
        if source.isFile(known.identity) { return source }
        if source.isTruncated(known.identity) {
          change = .changed(path: path)
        } else if known.later == nil {
          change = .changed(path: path, isAnotherFile: true)
        }
      } catch {
        guard case .missing = error else { throw error }
      }
    }
    throw change ?? .missing(path: path)
  }
}

/// A source that reports progress, and throws once reading is cancelled.
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
