import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies

enum LogCommands {
  private static let levels = LogLevel.allCases.map(\.name)

  static let table = CommandTable<FeatureCommand<LogAction>>([
    CommandSpec(
      ["log", "tail"], "show the newest records",
      options: [
        OptionSpec("lines", short: "n", value: "N", "how many; 10 unless told"),
        OptionSpec("level", value: "LEVEL", "this level and above", kind: .choice(levels)),
        OptionSpec("grep", value: "TEXT", "only records that contain TEXT"),
        OptionSpec("since", value: "DUR", "only records of the last DUR, like 5m"),
      ], examples: ["log tail -n 20", "log tail --level warning --since 5m"]
    ) { invocation throws(UsageError) in
      var query = LogQuery()
      if let lines = try invocation.int("lines") {
        guard lines >= 0 else {
          throw UsageError("-n takes a whole number from 0", at: invocation.option("lines"))
        }
        query.limit = lines
      }
      if let level = try invocation.text("level") { query.level = LogLevel(name: level) }
      query.text = try invocation.text("grep")
      if let since = try invocation.duration("since") { query.since = since.microseconds }
      return .log(.tail(query: query))
    },
    CommandSpec(
      ["log", "level"], "set the least level that is written",
      arguments: [
        ArgumentSpec("category", "only this category", optional: true),
        ArgumentSpec("level", levels.joined(separator: ", "), kind: .choice(levels)),
      ], examples: ["log level debug", "log level api trace"]
    ) { invocation throws(UsageError) in
      let name = try invocation.requiredText("level")
      guard let level = LogLevel(name: name) else {
        throw UsageError(
          "'\(name)' is no level",
          help: Suggestion.nearest(to: name, among: levels).map { "did you mean '\($0)'?" }
            ?? "levels are " + levels.joined(separator: ", "), at: invocation.argument("level"))
      }
      var category: String?
      if let argument = invocation.argument("category") {
        category = try plain(argument, "log level")
      }
      return .log(.level(level: level, category: category))
    },
    CommandSpec(
      ["log", "note"], "write a note into the log",
      arguments: [ArgumentSpec("text", "any words", repeating: true)],
      examples: ["log note before the update"]
    ) { invocation throws(UsageError) in
      let words = try plain(invocation.arguments("text"), "log note")
      return .log(.note(text: words.joined(separator: " ")))
    },
    CommandSpec(
      ["log", "stats"], "count the records by level", examples: ["log stats"]
    ) { _ in .log(.stats) },
    CommandSpec(
      ["log", "export"], "write the records in memory to a file, as JSON Lines",
      arguments: [ArgumentSpec("file", "a file that is not there yet", kind: .file)],
      examples: ["log export today.jsonl"]
    ) { invocation throws(UsageError) in .log(.export(path: try invocation.requiredText("file"))) },
    CommandSpec(
      ["log", "redact", "test"], "show what a sink would write",
      arguments: [ArgumentSpec("text", "any words", repeating: true)],
      examples: ["log redact test 'Authorization: Bearer abc'"]
    ) { invocation throws(UsageError) in
      let words = try plain(invocation.arguments("text"), "log redact")
      return .log(.redactTest(text: words.joined(separator: " ")))
    },
    CommandSpec(
      ["log", "clear"], "forget the records in memory", examples: ["log clear"]
    ) { _ in .log(.clear) },
  ])
}

extension FeatureCommand<LogAction> {
  static func log(_ command: LogCommand) -> Self {
    Self { .run(context: $0, command: command) }
  }
}
