import SwiftBoardCommandLine

enum SessionCommands {
  private static let risk = OptionSpec(
    flag: "accept-risk", "go on where an older recording decodes only in part")

  static let table = CommandTable<BoardCommand>([
    CommandSpec(
      ["session", "record"], "record every step from here on",
      arguments: [ArgumentSpec("file", "a file that is not there yet", kind: .file)],
      examples: ["session record bug.actions.jsonl"]
    ) { invocation throws(UsageError) in .session(.record(try invocation.requiredText("file"))) },
    CommandSpec(
      ["session", "stop"], "end the recording", examples: ["session stop"]
    ) { _ in .session(.stop) },
    CommandSpec(
      ["session", "status"], "say whether a recording runs",
      examples: ["session status"]
    ) { _ in .session(.status) },
    CommandSpec(
      ["session", "mark"], "give this moment of the recording a name",
      arguments: [ArgumentSpec("name", "any word")], examples: ["session mark before-login"]
    ) { invocation throws(UsageError) in .session(.mark(try invocation.requiredText("name"))) },
    CommandSpec(
      ["session", "verify"], "check that recordings replay to the same states",
      arguments: [ArgumentSpec("file", "recordings", kind: .file, repeating: true)],
      options: [risk], examples: ["session verify bug.actions.jsonl"]
    ) { invocation throws(UsageError) in
      var paths: [String] = []
      for argument in invocation.arguments("file") {
        paths.append(try plain(argument, "session verify"))
      }
      return .session(.verify(paths, acceptsRisk: invocation.flag("accept-risk")))
    },
    CommandSpec(
      ["session", "replay"], "print what a recorded session printed, from its steps alone",
      arguments: [ArgumentSpec("file", "a recording", kind: .file)],
      options: [OptionSpec("until", value: "N", "stop after step N"), risk],
      examples: ["session replay bug.actions.jsonl"]
    ) { invocation throws(UsageError) in
      .session(
        .replay(
          try invocation.requiredText("file"), until: try invocation.int("until"),
          acceptsRisk: invocation.flag("accept-risk")))
    },
  ])
}

extension BoardCommand {
  static func session(_ command: SessionCommand) -> BoardCommand {
    BoardCommand { .session(.run($0, command)) }
  }
}
