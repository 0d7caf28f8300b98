import SwiftBoardCommandLine
import SwiftBoardJSON

/// The syntax of the board's own commands.
enum ShellCommands {
  static let table = CommandTable<BoardCommand>([
    CommandSpec(
      ["echo"], "print words",
      arguments: [ArgumentSpec("text", "what to print", optional: true, repeating: true)],
      examples: ["echo $name", "echo {{last.status}}"]
    ) { invocation throws(UsageError) in
      .shell(.echo(words: try plain(invocation.arguments("text"), "echo")))
    },
    CommandSpec(
      ["set"], "give a variable a value",
      arguments: [
        ArgumentSpec("name", "letters, digits and _", kind: .variable),
        ArgumentSpec("value", "any text"),
      ], examples: ["set page 2", "set id {{last.body.id}}"]
    ) { invocation throws(UsageError) in
      let name = try invocation.requiredText("name")
      guard Word.isVariableName(name) else {
        throw UsageError(
          "'\(name)' is not a variable name: $\(name) would not read it",
          help: "a name has letters, digits and _, and begins with no digit",
          at: invocation.argument("name"))
      }
      return .shell(.set(name: name, value: try invocation.requiredText("value")))
    },
    CommandSpec(
      ["unset"], "forget a variable",
      arguments: [ArgumentSpec("name", "the variable", kind: .variable)], examples: ["unset page"]
    ) { invocation throws(UsageError) in .shell(.unset(name: try invocation.requiredText("name")))
    },
    CommandSpec(
      ["assert"], "fail unless something is true of the state",
      arguments: [
        ArgumentSpec(
          "expression",
          "PATH OP JSON, joined by and/or; OP is == != < <= > >= contains exists",
          repeating: true)
      ],
      examples: ["assert shell.lastStatus == 0", "assert 'api.requests > 1 and db.path exists'"]
    ) { invocation throws(UsageError) in
      .shell(
        .assert(
          condition: try JSONCondition(arguments: invocation.arguments("expression")).description))
    },
    CommandSpec(
      ["state"], "show the state, or what is at a path of it",
      arguments: [ArgumentSpec("path", "like a.b[0].c", kind: .path, optional: true)],
      examples: ["state", "state shell.lastStatus"]
    ) { invocation throws(UsageError) in
      .shell(.state(path: try plainIfGiven(invocation.argument("path"), "state")))
    },
    CommandSpec(
      ["help"], "explain the commands",
      arguments: [
        ArgumentSpec("word", "a command", kind: .command, optional: true, repeating: true)
      ], examples: ["help", "help api get"]
    ) { invocation throws(UsageError) in
      .shell(.help(words: try plain(invocation.arguments("word"), "help")))
    },
    CommandSpec(["jobs"], "list the commands that run", examples: ["jobs"]) { _ in
      .shell(.jobs)
    },
    CommandSpec(
      ["wait"], "wait for a job, or for all",
      arguments: [ArgumentSpec("job", "its number", kind: .job, optional: true)],
      examples: ["wait", "wait 3"]
    ) { invocation throws(UsageError) in .shell(.wait(job: try invocation.int("job"))) },
    CommandSpec(
      ["cancel"], "cancel a job, or all",
      arguments: [ArgumentSpec("job", "its number", kind: .job, optional: true)],
      examples: ["cancel 3"]
    ) { invocation throws(UsageError) in .shell(.cancel(job: try invocation.int("job"))) },
    CommandSpec(
      ["effects"], "list the effects in flight", examples: ["effects"]
    ) { _ in .shell(.effects(effects: [])) },
    CommandSpec(
      ["history"], "list the last lines that were typed",
      arguments: [ArgumentSpec("count", "how many; 20 without it", kind: .int, optional: true)],
      examples: ["history", "history 100"]
    ) { invocation throws(UsageError) in
      .shell(.history(count: try invocation.int("count", in: 1...100_000) ?? 20))
    },
    CommandSpec(
      ["open"], "follow a link of the board",
      arguments: [ArgumentSpec("link", "swiftboard://FEATURE/…")],
      examples: ["open swiftboard://api/rm/character/1"]
    ) { invocation throws(UsageError) in
      let link = try invocation.requiredText("link")
      do throws(UsageError) {
        _ = try BoardLink(parsing: link)
      } catch {
        throw UsageError(error.message, help: error.help, at: invocation.argument("link"))
      }
      return .shell(.open(link: link))
    },
    CommandSpec(
      ["source"], "run the lines of a file",
      arguments: [ArgumentSpec("file", "a script", kind: .file)],
      examples: ["source setup.sb"]
    ) { invocation throws(UsageError) in .shell(.source(file: try invocation.requiredText("file")))
    },
    CommandSpec(
      ["exit"], "leave, with an exit code",
      arguments: [ArgumentSpec("code", "0 to 255", optional: true)],
      examples: ["exit", "exit 3"]
    ) { invocation throws(UsageError) in
      let code = try invocation.int("code") ?? 0
      guard (0...255).contains(code) else {
        throw UsageError("an exit code is 0 to 255, not \(code)", at: invocation.argument("code"))
      }
      return .shell(.exit(code: Int32(code)))
    },
  ])
}

extension BoardCommand {
  static func shell(_ command: ShellCommand) -> BoardCommand {
    BoardCommand { .shell(.run(context: $0, command: command)) }
  }
}
