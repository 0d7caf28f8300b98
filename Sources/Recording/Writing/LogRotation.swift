import SwiftBoardJSON

/// Gives a recording that rotates its next file.
///
/// A recorder calls `next`, writes the header there, and then `commit`; after an error `abandon`.
/// One thread at a time.
public protocol LogRotation: AnyObject, Sendable {
  /// Creates a new file, which replaces no other file before `commit`.
  func next() throws(LogIOError) -> any LogSink
  /// Puts the file of the last `next` in place of the one that was written so far, and that one
  /// after the older ones.
  func commit() throws(LogIOError)
  /// Removes the file of the last `next`; the one that was written so far stays in its place.
  func abandon()
}

extension RecordingOptions {
  /// When a recording continues in another file, and how many files are kept.
  public struct Rotation: Sendable, Hashable {
    /// Bytes after which a file is ended. The step that reaches it, and the end line, still go
    /// there; and a file is never ended before it is twice as long as its header, lest a large
    /// state fill the disk with headers.
    public var size: Int
    /// How many ended files are kept; older ones are removed. Nil: all.
    public var keep: Int?

    /// At least one byte, and no fewer than no files.
    public init(size: Int, keep: Int? = nil) {
      self.size = max(1, size)
      self.keep = keep.map { max(0, $0) }
    }
  }
}

/// What the header of a rotated file says of the file before it, under the key `rotated`.
///
/// Readers that do not know the key lose nothing: each file is a whole recording.
struct LogLink: Sendable, Hashable {
  /// The number of the file before: the k of `NAME.k`.
  var segment: Int
  /// Steps in all files before.
  var steps: Int
  /// The sum of the last line of the file before.
  var sum: Digest

  static let key = "rotated"
  /// Numbers with which can be counted on.
  private static let counts = 0..<(1 << 53)

  init(segment: Int, steps: Int, sum: Digest) {
    self.segment = segment
    self.steps = steps
    self.sum = sum
  }

  init?(_ header: LogHeader) {
    guard let value = header.extra.last(where: { $0.key == LogLink.key })?.value,
      let segment = value["part"]?.intValue, LogLink.counts.contains(segment), segment > 0,
      let steps = value["steps"]?.intValue, LogLink.counts.contains(steps),
      let sum = value["sum"]?.stringValue.flatMap({ Digest($0) })
    else { return nil }
    self.init(segment: segment, steps: steps, sum: sum)
  }

  var json: JSON {
    ["part": JSON(segment), "steps": JSON(steps), "sum": .string(sum.description)]
  }
}
