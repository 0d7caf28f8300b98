import SwiftBoardCommandLine
import SwiftBoardJSON

/// The syntax of the board's own commands.
enum ShellCommands {
  /// - Parameter program: The name of the program that has the commands.
  static func table(of program: String) -> CommandTable<BoardCommand> {
    CommandTable(lineCommands + [completions(of: program)] + programCommands)
  }

  private static let lineCommands: [CommandSpec<BoardCommand>] = [
    CommandSpec(
      ["echo"], "print words",
      arguments: [ArgumentSpec("text", "what to print", optional: true, repeating: true)],
      examples: ["echo hello", "echo $page {{last.status}}"]
    ) { invocation throws(UsageError) in
      .shell(.echo(words: try plain(invocation.arguments("text"), "echo")))
    },
    CommandSpec(
      ["set"], "give a variable a value",
      details: "set does not change {{last}}, so several variables can take parts of one answer.",
      arguments: [
        ArgumentSpec("name", "a to z, A to Z, digits and _", kind: .variable),
        ArgumentSpec("value", "any text"),
      ], examples: ["set page 2", "set id {{last.body.id}}"]
    ) { invocation throws(UsageError) in
      let name = try invocation.requiredText("name")
      guard Word.isVariableName(name) else {
        throw UsageError(
          "'\(name)' is not a variable name: $\(name) would not read it",
          help: "a name has a to z, A to Z, digits and _, and begins with no digit",
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
      details: "A word like $name or {{last.PATH}} is one value: JSON, or else text. It is never a "
        + "path, an operator or a part of the expression. A path may contain $name. In the state, a "
        + "number with a point or an exponent has some 16 digits; whole numbers have all.",
      arguments: [
        ArgumentSpec(
          "expression",
          "PATH OP JSON, joined by and/or; OP is == != < <= > >= contains exists",
          kind: .expression, repeating: true)
      ],
      examples: [
        "assert shell.lastStatus == 0",
        "assert 'api.requests > 0 and api.answers[0].status == 200'",
      ]
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
      ["help"], "explain the commands; '?' is the same",
      arguments: [
        ArgumentSpec("word", "a command", kind: .command, optional: true, repeating: true)
      ], examples: ["help", "help api get"]
    ) { invocation throws(UsageError) in
      let words = try plain(invocation.arguments("word"), "help")
      return .shell(.help(words: words.first == "?" ? ["help"] : words))
    },
    CommandSpec(["jobs"], "list the commands that run", examples: ["jobs"]) { _ in
      .shell(.jobs)
    },
    CommandSpec(
      ["wait"], "wait for a job, or for all",
      details: "Commands are numbered in their order, those without & too: the first one with & is "
        + "not always job 1. 'jobs' lists the numbers of those that run.",
      arguments: [ArgumentSpec("job", "its number, or all", kind: .job, optional: true)],
      examples: ["wait", "wait all"]
    ) { invocation throws(UsageError) in .shell(.wait(job: try job(invocation))) },
    CommandSpec(
      ["cancel"], "cancel a job, or all",
      arguments: [ArgumentSpec("job", "its number, or all", kind: .job, optional: true)],
      examples: ["cancel", "cancel all"]
    ) { invocation throws(UsageError) in .shell(.cancel(job: try job(invocation))) },
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
      arguments: [ArgumentSpec("link", "swiftboard://FEATURE/PATH", kind: .link)],
      examples: ["open swiftboard://api/sample/character/1"]
    ) { invocation throws(UsageError) in
      let link = try invocation.requiredText("link")
      do throws(UsageError) {
        _ = try BoardLink(parsing: link)
      } catch {
        throw UsageError(error.message, help: error.help, at: invocation.argument("link"))
      }
      return .shell(.open(link: link, isSilent: true))
    },
    CommandSpec(
      ["source"], "run the lines of a file",
      details: "With arguments, these are $1, $2 and so on in its lines.",
      arguments: [
        ArgumentSpec("file", "a script", kind: .file),
        ArgumentSpec("argument", "for the script", optional: true, repeating: true),
      ], examples: ["source setup.sb", "source setup.sb first second"]
    ) { invocation throws(UsageError) in
      let arguments = try plain(invocation.arguments("argument"), "source")
      return .shell(
        .source(
          file: try invocation.requiredText("file"), arguments: arguments.isEmpty ? nil : arguments)
      )
    },
    CommandSpec(
      ["alias"], "let a word stand for the start of a line, or show such words",
      details: "The word stands for its line where it is the first word of a command; what follows "
        + "it is added at the end. An alias does not stand for another alias.",
      arguments: [
        ArgumentSpec("name", "a word that is not a command", kind: .alias, optional: true),
        ArgumentSpec(
          "line", "a command; in quotes if it has options", optional: true, repeating: true),
      ], examples: ["alias", "alias tea 'db get tea'", "alias tea", "alias ll 'log tail -n 30'"]
    ) { invocation throws(UsageError) in .shell(try alias(invocation)) },
    CommandSpec(
      ["unalias"], "forget an alias",
      arguments: [ArgumentSpec("name", "the alias", kind: .alias)], examples: ["unalias tea"]
    ) { invocation throws(UsageError) in
      .shell(.unalias(name: try invocation.requiredText("name")))
    },
  ]

  private static let programCommands: [CommandSpec<BoardCommand>] = [
    CommandSpec(
      ["doctor"], "look at what is installed, where the files are, and what is wrong",
      details: "Ends with 1 if there is a problem.", examples: ["doctor"]
    ) { _ in .shell(.doctor) },
    CommandSpec(
      ["tutorial"], "learn the board in five minutes, with sample data",
      details: "Runs with --environment preview. It says which line to type and checks it.",
      arguments: [
        ArgumentSpec(
          "command", "skip the line, start again, or end the tutorial",
          kind: .choice(TutorialCommand.allCases.map(\.rawValue)), optional: true)
      ], examples: ["tutorial", "tutorial next", "tutorial restart", "tutorial stop"]
    ) { invocation throws(UsageError) in
      let word = invocation.argument("command")?.text
      return .shell(.tutorial(command: word.flatMap(TutorialCommand.init(rawValue:))))
    },
    CommandSpec(
      ["manual"], "print the manual page, for 'man -l'", examples: ["manual"]
    ) { _ in .shell(.manual) },
    CommandSpec(
      ["watch"], "repeat a command until it is cancelled",
      details: "A round begins so long after the end of the one before it. With --count the exit "
        + "code is that of the last round.",
      arguments: [
        ArgumentSpec("interval", "the time between two rounds, like 5s", kind: .duration),
        ArgumentSpec("command", "what is repeated, with its own options", repeating: true),
      ], options: WatchCommand.options,
      examples: ["watch 5s downloads list sab", "watch 500ms state api --count 3"],
      takesCommand: true
    ) { invocation throws(UsageError) in try WatchCommand.command(invocation) },
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
  ]

  private static func completions(of program: String) -> CommandSpec<BoardCommand> {
    CommandSpec(
      ["completions"], "print the completion script of a shell",
      details:
        "bash: add 'source <(\(program) -o plain completions bash)' to ~/.bashrc. zsh: save it as "
        + "_\(program) in a folder of $fpath. fish: save it as "
        + "~/.config/fish/completions/\(program).fish.",
      arguments: [
        ArgumentSpec(
          "shell", "the shell", kind: .choice(ShellCompletion.Shell.allCases.map(\.rawValue)))
      ], examples: ["completions bash", "completions fish"]
    ) { invocation throws(UsageError) in
      .shell(
        .completions(
          shell: try invocation.requiredChoice("shell", as: ShellCompletion.Shell.init)))
    }
  }
}

private func alias(_ invocation: Invocation) throws(UsageError) -> ShellCommand {
  guard let name = invocation.argument("name") else { return .alias(name: nil, line: nil) }
  let text = try invocation.requiredText("name")
  do throws(UsageError) {
    try AliasExpansion.refuseName(text)
  } catch {
    throw UsageError(error.message, help: error.help, at: name)
  }
  let words = try plain(invocation.arguments("line"), "alias")
  guard !words.isEmpty else { return .alias(name: text, line: nil) }
  // A single word is the line as it was quoted; several are the words of a line.
  let line = words.count == 1 ? words[0] : LineParser.line(of: invocation.arguments("line"))
  do throws(UsageError) {
    _ = try AliasExpansion.words(of: line)
  } catch {
    throw UsageError(error.message, help: error.help, at: invocation.arguments("line")[0])
  }
  return .alias(name: text, line: line)
}

/// The number of a job, or `nil` for all jobs.
private func job(_ invocation: Invocation) throws(UsageError) -> Int? {
  if invocation.argument("job")?.text == "all" { return nil }
  return try invocation.int("job")
}

extension BoardCommand {
  static func shell(_ command: ShellCommand) -> BoardCommand {
    BoardCommand { .shell(.run(context: $0, command: command)) }
  }
}
