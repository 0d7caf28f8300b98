/// The progress of a transfer, or of other work with many parts.
public struct TransferProgress: Sendable, Equatable {
  /// The name of the transferred file or resource.
  public var name: String
  /// The number of bytes, or of other parts, that are done.
  public var done: Int64
  /// The total number, if known.
  public var total: Int64?
  /// What is counted, for example `files`, or `nil` for bytes.
  public var unit: String?

  /// Creates a progress.
  public init(name: String, done: Int64, total: Int64?, unit: String? = nil) {
    self.name = name
    self.done = done
    self.total = total
    self.unit = unit
  }
}

/// A transfer into a file that was cancelled after a part of it had come.
public struct CancelledTransfer: Sendable, Equatable {
  /// What becomes of the part.
  public enum Rest: Sendable, Equatable {
    /// It is kept, for the same request to continue. Its name is that of the file with `.part`.
    case kept
    /// It is not kept, although the request asks for it.
    case lost(reason: String)
    /// It is not kept, and would be if the request asked for it.
    case resumable
  }

  /// The file. If the part is kept, symbolic links are resolved, because it is next to the target.
  public var file: String
  /// What becomes of the part.
  public var rest: Rest

  /// Creates the description of a cancelled transfer.
  public init(file: String, rest: Rest) {
    self.file = file
    self.rest = rest
  }
}
