/// The records of an archive, one page at a time. Each page is read on demand.
///
/// ```swift
/// for try await page in logger.archive.pages(newest: 1000) { show(page.records) }
/// ```
/// It ends with a page without records. A sequence that follows has no end.
package struct LogPageSequence: AsyncSequence, Sendable {
  /// Some of the records.
  package struct Element: Sendable {
    /// The records, in the order in which they were written.
    package var records: [LogRecord]
    /// The number of records up to the end of this page.
    package var count: Int
    /// The number of lines up to the end of this page that are not records, or `nil` if there are
    /// none.
    package var unreadable: Int?
    /// Whether no page follows.
    package var isLast: Bool
  }

  /// Reads the pages.
  package struct AsyncIterator: AsyncIteratorProtocol {
    /// The most records of a page.
    private static let pageSize = 256

    fileprivate let sequence: LogPageSequence
    private var reader: (any LogRecordReader)?
    private var count = 0
    private var isOver = false

    fileprivate init(_ sequence: LogPageSequence) { self.sequence = sequence }

    /// Returns the next page. A sequence that follows waits for records.
    ///
    /// - Throws: `FileError`, `CancellationError`.
    package mutating func next() async throws -> Element? {
      guard !isOver else { return nil }
      let reader = try await open()
      while true {
        let records = try await reader.next(Self.pageSize)
        try Task.checkCancellation()
        count += records.count
        isOver = records.isEmpty && sequence.clock == nil
        if isOver || !records.isEmpty {
          let unreadable = reader.unreadable
          return Element(
            records: records, count: count, unreadable: unreadable == 0 ? nil : unreadable,
            isLast: isOver)
        }
        try await sequence.clock?.sleep(for: sequence.interval)
      }
    }

    private mutating func open() async throws -> any LogRecordReader {
      if let reader { return reader }
      let opened = try await sequence.archive.reader(
        newest: sequence.newest, matching: sequence.filter, follows: sequence.clock != nil)
      reader = opened
      return opened
    }
  }

  fileprivate let archive: any LogArchive
  fileprivate let newest: Int?
  fileprivate let filter: LogFilter
  /// The clock on which a sequence that follows waits, or `nil` if it does not follow.
  fileprivate let clock: BoardClock?
  fileprivate let interval = Duration.milliseconds(200)

  /// Opens the archive again.
  package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

extension LogArchive {
  /// Returns the stored records, a page at a time.
  ///
  /// - Parameters:
  ///   - newest: The number of newest matching records to start with, or `nil` for all.
  ///   - clock: Looks for later records five times a second on this clock. If it is `nil`, the
  ///     sequence ends with the records that exist when it is opened.
  package func pages(
    newest: Int? = nil, matching filter: LogFilter = LogFilter(), following clock: BoardClock? = nil
  ) -> LogPageSequence {
    LogPageSequence(archive: self, newest: newest, filter: filter, clock: clock)
  }

  /// Returns the newest matching records as one page.
  ///
  /// - Throws: `FileError`, `CancellationError`.
  package func newestRecords(
    _ limit: Int, matching filter: LogFilter
  ) async throws -> LogPageSequence.Element {
    var all = LogPageSequence.Element(records: [], count: 0, isLast: true)
    for try await page in pages(newest: limit, matching: filter) {
      all.records += page.records
      (all.count, all.unreadable) = (page.count, page.unreadable)
    }
    return all
  }

  /// Counts all records, in the memory of a page.
  ///
  /// - Throws: `FileError`, `CancellationError`.
  package func statistics() async throws -> LoggerStatistics {
    var byLevel = Array(repeating: 0, count: LogLevel.allCases.count)
    var statistics = LoggerStatistics(counts: [:], dropped: 0, categories: [:])
    for try await page in pages() {
      for record in page.records {
        byLevel[record.level.rawValue] += 1
        statistics.categories?[record.category, default: 0] += 1
      }
      statistics.unreadable = page.unreadable
    }
    for level in LogLevel.allCases {
      statistics.counts[level.name] = byLevel[level.rawValue]
    }
    return statistics
  }
}

extension LogFilter {
  /// Returns a filter for records that were written in the last `age` microseconds before `now`, or
  /// at any time if `age` is `nil`.
  package func written(inLast age: Int64?, before now: Int64) -> LogFilter {
    var filter = self
    filter.since = age.map {
      let (time, overflow) = now.subtractingReportingOverflow($0)
      return overflow ? .min : time
    }
    return filter
  }
}
