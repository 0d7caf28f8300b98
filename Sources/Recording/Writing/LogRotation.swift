import SwiftBoardJSON

/// A provider of the next files of a rotated recording.
///
/// A recorder calls `next`, writes the header, and then calls `commit`, or `abandon` after an
/// error. It calls from one thread at a time.
public protocol LogRotation: AnyObject, Sendable {
  /// Creates a new file. It does not replace another file before `commit`.
  func next() throws(LogIOError) -> any LogSink
  /// Replaces the current file by the file of the last `next`, and adds the current one to the
  /// ended files.
  func commit() throws(LogIOError)
  /// Removes the file of the last `next`. The current file stays.
  func abandon()
}

extension RecordingOptions {
  /// The conditions under which a recording continues in another file, and the number of files to
  /// keep.
  public struct Rotation: Sendable, Hashable {
    /// The size in bytes at which a file is ended. The step that reaches it and the end line are
    /// still written to the file. A file is never ended before it is twice as long as its header,
    /// so that a large state does not fill the disk with headers.
    public var size: Int
    /// The number of ended files to keep, or `nil` to keep all. Older files are removed.
    public var keep: Int?

    /// Creates a rotation. A `size` below 1 counts as 1, and a `keep` below 0 counts as 0.
    public init(size: Int, keep: Int? = nil) {
      self.size = max(1, size)
      self.keep = keep.map { max(0, $0) }
    }
  }
}

/// A rotated file's link to the previous file, which its header has under the key `rotated`.
///
/// Readers may ignore the key, since each file is a complete recording.
struct LogLink: Sendable, Hashable {
  /// The number of the previous file: the k of `NAME.k`.
  var segment: Int
  /// The number of steps in all previous files.
  var steps: Int
  /// The sum of the last line of the previous file.
  var sum: Digest

  static let key = "rotated"
  /// The range of valid numbers.
  private static let counts = 0..<(1 << 53)

  var json: JSON {
    ["part": JSON(segment), "steps": JSON(steps), "sum": .string(sum.description)]
  }
}

extension LogLink {
  init?(_ header: LogHeader) {
    guard let value = header.extra.last(where: { $0.key == LogLink.key })?.value,
      let segment = value["part"]?.intValue, LogLink.counts.contains(segment), segment > 0,
      let steps = value["steps"]?.intValue, LogLink.counts.contains(steps),
      let sum = value["sum"]?.stringValue.flatMap({ Digest($0) })
    else { return nil }
    self.init(segment: segment, steps: steps, sum: sum)
  }
}
