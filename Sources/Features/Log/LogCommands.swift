import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies

enum LogCommands {
  private static let levels = LogLevel.allCases.map(\.name)
  private static let numbers = LogLevel.allCases.map { "\($0.rawValue) is \($0.name)" }
    .joined(separator: ", ")

  static let table = CommandTable<FeatureCommand<LogAction>>([
    CommandSpec(
      ["log", "tail"], "show the newest records, of every process",
      options: [
        OptionSpec("lines", short: "n", value: "N", "how many; 10 unless told", kind: .int),
        OptionSpec(flag: "follow", short: "f", "go on with records as they are written"),
        OptionSpec("level", value: "LEVEL", "this level and above", kind: .choice(levels)),
        OptionSpec("grep", value: "TEXT", "only records that contain TEXT"),
        OptionSpec("since", value: "DUR", "only records of the last DUR, like 5m"),
        OptionSpec("step", value: "N", "only records of step N, which is in their fields"),
      ], examples: ["log tail -n 20", "log tail --level warning --since 5m", "log tail -f"]
    ) { invocation throws(UsageError) in
      var query = LogQuery()
      if let lines = try invocation.int("lines") {
        guard lines >= 0 else {
          throw UsageError("-n takes a whole number from 0", at: invocation.option("lines"))
        }
        query.limit = lines
      }
      if let level = try invocation.text("level") { query.level = LogLevel(name: level) }
      if let text = invocation.option("grep") { query.text = try kept(text, "log tail") }
      if let since = try invocation.duration("since") { query.since = since.microseconds }
      if let step = try invocation.int("step") {
        guard step >= 0 else {
          throw UsageError("--step takes a whole number from 0", at: invocation.option("step"))
        }
        query.step = step
      }
      guard invocation.flag("follow") else { return .log(.tail(query: query)) }
      query.follows = true
      return .log(.tail(query: query), isEndless: true)
    },
    CommandSpec(
      ["log", "level"], "set the least level that is written, as long as the program runs",
      details: """
        It is info unless told. 'state log' shows levels as numbers: \(numbers).
        """,
      arguments: [
        ArgumentSpec("category", "only this category", optional: true),
        ArgumentSpec("level", levels.joined(separator: ", "), kind: .choice(levels)),
      ], examples: ["log level debug", "log level api trace"]
    ) { invocation throws(UsageError) in
      let level = try invocation.requiredChoice("level", as: LogLevel.init(name:))
      var category: String?
      if let argument = invocation.argument("category") {
        category = try kept(argument, "log level")
      }
      return .log(.level(level: level, category: category))
    },
    CommandSpec(
      ["log", "note"], "write a note into the log, of at most 16 KiB",
      arguments: [ArgumentSpec("text", "any words", repeating: true)],
      examples: ["log note before the update"]
    ) { invocation throws(UsageError) in
      let words = try plain(invocation.arguments("text"), "log note")
      let text = words.joined(separator: " ")
      guard text.utf8.count <= LogRecord.longestMessage else {
        throw UsageError(
          "a note of \(text.utf8.count) bytes is too long: the log would cut it",
          help: "\(LogRecord.longestMessage) bytes (16 KiB) are the most",
          at: invocation.argument("text"))
      }
      return .log(.note(text: text))
    },
    CommandSpec(
      ["log", "stats"], "count the kept records by level and category", examples: ["log stats"]
    ) { _ in .log(.stats) },
    CommandSpec(
      ["log", "export"], "write the kept records to a file, as JSON Lines",
      arguments: [ArgumentSpec("file", "a new file", kind: .file)],
      examples: ["log export today.jsonl"]
    ) { invocation throws(UsageError) in
      .log(
        .export(path: try invocation.requiredFile("file", "; standard output is /dev/stdout")))
    },
    CommandSpec(
      ["log", "redact", "test"], "show what a sink would write",
      arguments: [ArgumentSpec("text", "any words", repeating: true)],
      examples: ["log redact test 'Authorization: Bearer abc'"]
    ) { invocation throws(UsageError) in
      let words = try plain(invocation.arguments("text"), "log redact")
      return .log(.redactTest(text: words.joined(separator: " ")))
    },
    CommandSpec(
      ["log", "clear"], "remove the kept records, of every process", examples: ["log clear"]
    ) { _ in .log(.clear) },
  ])
}

extension FeatureCommand<LogAction> {
  static func log(_ command: LogCommand, isEndless: Bool = false) -> Self {
    Self(isEndless: isEndless) { .run(context: $0, command: command) }
  }
}
