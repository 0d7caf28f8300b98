/// How far a transfer has come.
public struct TransferProgress: Sendable, Equatable {
  /// The name of what is transferred.
  public var name: String
  /// Bytes so far.
  public var done: Int64
  /// Bytes in all, where that is known.
  public var total: Int64?

  /// A state of a transfer.
  public init(name: String, done: Int64, total: Int64?) {
    self.name = name
    self.done = done
    self.total = total
  }
}
