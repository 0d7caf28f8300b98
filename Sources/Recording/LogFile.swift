/// A log that can be read again from any place: a file, or bytes in memory.
///
/// Opening one opens nothing; each reader opens the file for itself, so that several may read at once.
public struct LogFile: Sendable {
  private enum Place: Sendable {
    case path(String)
    case bytes([UInt8])
  }

  private let place: Place
  private let limits: LogReader.Limits

  /// A file, which need not be there before it is read.
  public init(path: String, limits: LogReader.Limits = .init()) {
    place = .path(path)
    self.limits = limits
  }

  /// Bytes in memory.
  public init(bytes: [UInt8], limits: LogReader.Limits = .init()) {
    place = .bytes(bytes)
    self.limits = limits
  }

  /// The file's path; nil for bytes in memory.
  public var path: String? {
    if case .path(let path) = place { path } else { nil }
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
    switch place {
    case .path(let path): try FileSource(path: path, from: offset)
    case .bytes(let bytes): BytesSource(bytes, from: offset)
    }
  }
}
