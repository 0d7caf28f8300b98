import SwiftBoardDependencies

extension PersistenceConformance {
  /// The checks of `LogStore`: order, limit and levels.
  public static func log(_ make: @escaping Make<any LogStore>) -> [ConformanceCheck] {
    let part = ConformancePart("LogStore", make)
    return [
      part.check("without records there are none") { service in
        try await equal(service.logRecords(limit: 5, atLeast: nil), [])
      },
      part.check("a negative limit keeps and gives no record", PersistenceLimits(logRecords: -1)) {
        service in
        try await service.appendLogRecords([
          LogRecord(time: 1, level: .error, category: "c", message: "m")
        ])
        try await equal(service.logRecords(limit: 5, atLeast: nil), [])
        try await equal(service.logRecords(limit: -1, atLeast: nil), [])
      },
      part.check("the newest records oldest first", PersistenceLimits(logRecords: 6)) { service in
        let records: [LogRecord] = (0..<8).map { (index: Int) -> LogRecord in
          let isEven = index % 2 == 0
          let fields: [LogField] = isEven ? [] : [LogField("k", "\"v")]
          return LogRecord(
            time: Int64(100 - index), level: isEven ? .info : .error, category: "c",
            message: "m\(index) \"\\\u{1b}\n", fields: fields)
        }
        try await service.appendLogRecords(Array(records[..<5]))
        try await service.appendLogRecords([])
        try await service.appendLogRecords(Array(records[5...]))
        try await equal(service.logRecords(limit: 100, atLeast: nil), Array(records[2...]))
        try await equal(service.logRecords(limit: 2, atLeast: nil), Array(records[6...]))
        try await equal(service.logRecords(limit: 2, atLeast: .warning), [records[5], records[7]])
        try await equal(service.logRecords(limit: 0, atLeast: nil), [])
        try await service.clearLogRecords()
        try await equal(service.logRecords(limit: 100, atLeast: nil), [])
      },
    ]
  }
}
