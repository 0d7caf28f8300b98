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
