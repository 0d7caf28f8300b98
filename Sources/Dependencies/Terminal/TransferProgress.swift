/// The progress of a transfer.
public struct TransferProgress: Sendable, Equatable {
  /// The name of the transferred file or resource.
  public var name: String
  /// The number of bytes transferred so far.
  public var done: Int64
  /// The total number of bytes, if known.
  public var total: Int64?

  /// Creates a progress.
  public init(name: String, done: Int64, total: Int64?) {
    self.name = name
    self.done = done
    self.total = total
  }
}
