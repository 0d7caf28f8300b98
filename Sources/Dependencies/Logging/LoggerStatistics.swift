/// The numbers of log records.
public struct LoggerStatistics: Sendable, Equatable, Codable {
  /// The number of records by level: for a logger since its start, for an archive those stored.
  public var counts: [String: Int]
  /// The number of records that sinks of this process have lost.
  public var dropped: Int
  /// The number of records by category, if they were counted.
  public var categories: [String: Int]?
  /// The number of lines in an archive that are not records, or `nil` if there are none.
  public var unreadable: Int?

  /// Creates statistics.
  public init(
    counts: [String: Int], dropped: Int, categories: [String: Int]? = nil, unreadable: Int? = nil
  ) {
    self.counts = counts
    self.dropped = dropped
    self.categories = categories
    self.unreadable = unreadable
  }
}
