/// A transfer into a file that was cancelled after a part of it had come.
public struct CancelledTransfer: Sendable, Equatable {
  /// What becomes of the part that has come.
  public enum Part: Sendable, Equatable {
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
  public var part: Part

  /// Creates the description of a cancelled transfer.
  public init(file: String, part: Part) {
    self.file = file
    self.part = part
  }
}
