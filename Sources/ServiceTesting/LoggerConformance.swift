import SwiftBoardDependencies
import Synchronization

/// The rules of `Logger`, as checks of an implementation.
///
/// ```swift
/// let checks = LoggerConformance { ConformanceSubject(MockLogger()) }.checks
/// ```
public struct LoggerConformance: Sendable {
  private let make: @Sendable () async throws -> ConformanceSubject<any Logger>

  /// Creates a suite. `make` returns a new, empty logger for each call.
  public init(_ make: @escaping @Sendable () async throws -> ConformanceSubject<any Logger>) {
    self.make = make
  }

  /// The checks of all rules: order, levels, lazy messages, redaction and statistics.
  public var checks: [ConformanceCheck] { recordChecks + levelChecks + memoryChecks }

  /// Records: their order, contents and redaction.
  private var recordChecks: [ConformanceCheck] {
    [
      check("the newest records come, oldest of them first") { logger in
        for text in ["one", "two", "three"] { logger.log(text, category: "c") }
        try equal(logger.recent(limit: 2).map(\.message), ["two", "three"])
        try equal(logger.recent(limit: 10).map(\.message), ["one", "two", "three"])
        try equal(logger.recent(limit: 0).count, 0)
      },
      check("a record comes back as it was written") { logger in
        logger.log("text", level: .warning, category: "c", fields: [LogField("k", "v")])
        let record = try required(logger.recent(limit: 1).first, "a record")
        try equal(record.level, .warning)
        try equal(record.category, "c")
        try equal(record.fields, [LogField("k", "v")])
      },
      check("known secrets and the values of secret names are taken out") { logger in
        logger.redactor.registerSecret(Array("hidden-value".utf8), name: "n")
        logger.log(
          "a hidden-value b",
          fields: [LogField("k", "hidden-value"), LogField("password", "pass-word")])
        let record = try required(logger.recent(limit: 1).first, "a record")
        let text = "\(record.message) \(record.fields.map(\.value))"
        try holds(!text.contains("hidden-value"), "no secret in “\(text)”")
        try holds(!text.contains("pass-word"), "no value of a secret name in “\(text)”")
        try holds(!logger.redact("hidden-value").contains("hidden-value"), "redact takes it out")
      },
    ]
  }

  /// Levels.
  private var levelChecks: [ConformanceCheck] {
    [
      check("a message below the level is neither built nor written") { logger in
        logger.setLevel(.warning, category: nil)
        let built = Mutex(0)
        func text() -> String {
          built.withLock { $0 += 1 }
          return "built"
        }
        logger.log(text(), level: .notice)
        try equal(built.withLock { $0 }, 0)
        try equal(logger.recent(limit: 10).count, 0)
        logger.log(text(), level: .warning)
        try equal(built.withLock { $0 }, 1)
        try equal(logger.recent(limit: 10).count, 1)
      },
      check("the level of a category comes before the common one") { logger in
        logger.setLevel(.error, category: nil)
        logger.setLevel(.debug, category: "a")
        try equal(logger.level(category: "a"), .debug)
        try equal(logger.level(category: "b"), .error)
        try equal(logger.level(category: nil), .error)
        try holds(logger.isEnabled(.debug, category: "a"), "debug of a is enabled")
        try holds(!logger.isEnabled(.debug, category: "b"), "debug of b is not enabled")
      },
    ]
  }

  /// What is in memory, and how much.
  private var memoryChecks: [ConformanceCheck] {
    [
      check("what is in memory is cleared") { logger in
        logger.log("one")
        logger.clear()
        try equal(logger.recent(limit: 10).count, 0)
        logger.log("two")
        try equal(logger.recent(limit: 10).map(\.message), ["two"])
      },
      check("statistics count what was taken") { logger in
        for level in [LogLevel.info, .info, .error] { logger.log("text", level: level) }
        try equal(logger.statistics().counts.values.reduce(0, +), 3)
      },
      check("records of many tasks are all there") { logger in
        await withTaskGroup { group in
          for task in 0..<8 {
            group.addTask { for index in 0..<50 { logger.log("\(task) \(index)") } }
          }
        }
        try equal(await logger.flush(within: .seconds(3600)), true)
        let messages = logger.recent(limit: .max).map(\.message)
        try equal(Set(messages).count, 400)
        let first = messages.filter { $0.hasPrefix("0 ") }
        try equal(first, (0..<50).map { "0 \($0)" })
      },
    ]
  }

  private func check(
    _ rule: String, _ body: @escaping @Sendable (_ logger: any Logger) async throws -> Void
  ) -> ConformanceCheck {
    ConformanceCheck("Logger", rule) {
      let subject = try await make()
      subject.service.setLevel(.trace, category: nil)
      try await body(subject.service)
      withExtendedLifetime(subject) {}
    }
  }
}
