import SwiftBoardCommandLine
import SwiftBoardJSON
import SwiftBoardRecording

enum SessionCommands {
  private static let risk = OptionSpec(
    flag: "accept-risk", "continue if an older recording can only be decoded in part")
  private static let file = OptionSpec(
    "file", value: "FILE", "a recording other than the running one", kind: .file)
  private static let recording = ArgumentSpec("file", "a recording", kind: .file)
  private static let otherRecording = ArgumentSpec(
    "recording", "a recording other than the running one", kind: .file, optional: true)
  private static let anyRecording = ArgumentSpec(
    "file", "a recording other than the running one", kind: .file, optional: true)
  private static let step = "a number, @MARK, -1, +1 or end"

  private static let durabilities = RecordingOptions.Durability.allCases.map(\.rawValue)

  static let table = CommandTable<BoardCommand>(recordingCommands + travelCommands + fileCommands)

  // MARK: Recording

  private static let recordingCommands: [CommandSpec<BoardCommand>] = [
    CommandSpec(
      ["session", "record"], "record every step from here on",
      details: """
        It ends with 'session stop' or with the program: for a single command, give the program --record FILE.

        With --rotate a full file gets a number, FILE.1 before FILE.2, and FILE is always the newest. All are one recording \
        wherever FILE is looked into.
        """,
      arguments: [ArgumentSpec("file", "a new file", kind: .file)],
      options: [
        OptionSpec(
          "rotate", value: "MIB", "continue in a new file after MIB MiB", kind: .int),
        OptionSpec("keep", value: "N", "with --rotate, remove all but N full files", kind: .int),
        OptionSpec(
          "durability", value: durabilities.joined(separator: "|"),
          "what recorded steps survive: nothing for 50 ms, the end of the program (the default), "
            + "a power failure",
          kind: .choice(durabilities)),
      ],
      examples: [
        "session record bug.actions.jsonl",
        "session record all.actions.jsonl --rotate 64 --keep 10",
        "session record safe.actions.jsonl --durability sync",
      ]
    ) { invocation throws(UsageError) in
      let size = try invocation.int("rotate", in: 1...1_000_000)
      let keep = try invocation.int("keep", in: 0...1_000_000)
      guard size != nil || keep == nil else {
        throw UsageError("--keep goes with --rotate", at: invocation.option("keep"))
      }
      return .session(
        .record(
          path: try invocation.requiredFile("file"),
          rotation: size.map { SessionRotation(size: $0, keep: keep) },
          durability: try invocation.text("durability").flatMap(RecordingOptions.Durability.init)))
    },
    CommandSpec(
      ["session", "stop"], "end the recording", examples: ["session stop"]
    ) { _ in .session(.stop) },
    CommandSpec(
      ["session", "status"], "say whether a recording runs, and which step is shown",
      examples: ["session status"]
    ) { _ in .session(.status) },
    CommandSpec(
      ["session", "mark"], "give this moment of the recording a name",
      arguments: [ArgumentSpec("name", "any word")],
      examples: ["session mark before-login"]
    ) { invocation throws(UsageError) in .session(.mark(name: try invocation.requiredName("name")))
    },
  ]

  // MARK: Navigation

  private static let travelCommands: [CommandSpec<BoardCommand>] = [
    CommandSpec(
      ["session", "timeline"], "list what happened, step by step",
      details: """
        The column on the right shows from which step to which an effect lived: o is where it begins, * where it ended with its \
        action, x where it was cancelled, ? the last that is known of one that may send several. A recording that was rotated is \
        one, here and wherever one is looked into: its steps are numbered through all files.
        """,
      arguments: [anyRecording],
      options: [
        OptionSpec("grep", value: "TEXT", "what has this text in its line, action or effects"),
        OptionSpec("action", value: "NAME", "one feature's steps, or one action's: db, db.run"),
        OptionSpec(
          "by", value: "WHO", "steps sent by these; may be given more than once",
          kind: .choice(["user", "effect", "link", "program"]), repeatable: true),
        OptionSpec("range", value: "A..B", "steps from A to B; either may be left out"),
        OptionSpec("limit", short: "n", value: "N", "entries at most; 1000", kind: .int),
      ],
      examples: [
        "session timeline", "session timeline --grep characters",
        "session timeline bug.actions.jsonl --by user --range 3..9",
      ]
    ) { invocation throws(UsageError) in
      let sources = invocation.options("by").compactMap(\.text)
      let query = SessionTimelineQuery(
        file: try invocation.text("file"), text: try invocation.text("grep"),
        action: try invocation.text("action"), sources: sources.isEmpty ? nil : sources,
        range: try invocation.range(),
        limit: try invocation.int("limit", in: 1...100_000) ?? 1000)
      return .session(.timeline(query: query))
    },
    CommandSpec(
      ["session", "goto"], "look at the state after an earlier step of the running recording",
      details: """
        Looking changes nothing: state, assert and session state show that step, and whatever would change something is refused \
        until 'session live'. What ends something still runs, such as session stop and cancel. $name, {{last}} and aliases in a \
        line stay those of the present.
        """,
      arguments: [ArgumentSpec("step", step, kind: .step)],
      examples: ["session goto 5", "session goto @before-login", "session goto -1"]
    ) { invocation throws(UsageError) in
      .session(.goto(target: try invocation.requiredTarget("step")))
    },
    CommandSpec(
      ["session", "undo"], "look at the state before the last line that did something",
      examples: ["session undo"]
    ) { _ in .session(.undo) },
    CommandSpec(
      ["session", "live"], "stop looking back", examples: ["session live"]
    ) { _ in .session(.live) },
    CommandSpec(
      ["session", "state"], "show the state after a step, or what is at a path of it",
      details: "Without PATH it shows the whole state, whose digest is in the recording.",
      arguments: [ArgumentSpec("path", "like a.b[0].c", kind: .path, optional: true)],
      options: [OptionSpec("at", value: "STEP", step, kind: .step), file],
      examples: [
        "session state", "session state shell.lastStatus --at 3",
        "session state api.requests --at @before-login --file bug.actions.jsonl",
      ]
    ) { invocation throws(UsageError) in
      .session(
        .state(
          path: try invocation.text("path"), at: try invocation.target("at"),
          file: try invocation.text("file")))
    },
    CommandSpec(
      ["session", "action"], "show all that a recording has of a step",
      arguments: [otherRecording, ArgumentSpec("step", step, kind: .step)], options: [file],
      examples: ["session action 3", "session action bug.actions.jsonl 3"]
    ) { invocation throws(UsageError) in
      .session(
        .action(target: try invocation.requiredTarget("step"), file: try otherFile(invocation)))
    },
    CommandSpec(
      ["session", "diff"], "show where the states after two steps differ",
      details: "Exits with 1 where they differ, as diff does. Which command a step ended "
        + "(shell.finished) is no difference; 'session state' has it.",
      arguments: [
        otherRecording, ArgumentSpec("from", step, kind: .step),
        ArgumentSpec("to", step, kind: .step),
      ],
      options: [
        OptionSpec("path", value: "PATH", "only what is there", kind: .path),
        OptionSpec("limit", short: "n", value: "N", "places at most; 50", kind: .int), file,
      ],
      examples: [
        "session diff 2 5", "session diff -1 end --path db", "session diff bug.actions.jsonl 1 3",
      ]
    ) { invocation throws(UsageError) in
      .session(
        .diff(
          from: try invocation.requiredTarget("from"), to: try invocation.requiredTarget("to"),
          path: try invocation.text("path"),
          limit: try invocation.int("limit", in: 1...100_000) ?? 50,
          file: try otherFile(invocation)))
    },
    CommandSpec(
      ["session", "fork"], "continue from an earlier step in a new recording",
      details: """
        The new file has the steps up to that one, and the board goes on from its state and records with the same options; the old \
        recording ends. What services hold (database, keychain, log) stays as it is, and is read again. With --file the steps are \
        copied and the board stays where it is. A fork that would copy the value of a known secret, from before it was one, is \
        refused.
        """,
      arguments: [
        ArgumentSpec("step", step, kind: .step),
        ArgumentSpec("to", "a new file", kind: .file, optional: true),
      ],
      options: [
        OptionSpec("file", value: "FILE", "copy from a file instead, and go nowhere", kind: .file)
      ],
      examples: [
        "session fork 5 other.actions.jsonl",
        "session fork @before-login short.actions.jsonl --file bug.actions.jsonl",
      ]
    ) { invocation throws(UsageError) in
      let file =
        invocation.argument("to") == nil ? nil : try invocation.requiredFile("to")
      return .session(
        .fork(
          target: try invocation.requiredTarget("step"), file: file,
          from: try invocation.text("file")))
    },
  ]

  // MARK: Files

  private static let fileCommands: [CommandSpec<BoardCommand>] = [
    CommandSpec(
      ["session", "verify"], "check that recordings replay to the same states",
      arguments: [ArgumentSpec("file", "recordings", kind: .file, repeating: true)],
      options: [
        OptionSpec(
          "format", value: "FORMAT", "tell it to a collector of test results",
          kind: .choice(SessionReportFormat.allCases.map(\.rawValue))), risk,
      ],
      examples: [
        "session verify bug.actions.jsonl",
        "session verify a.actions.jsonl b.actions.jsonl --format tap",
      ]
    ) { invocation throws(UsageError) in
      .session(
        .verify(
          files: try plain(invocation.arguments("file"), "session verify"),
          format: try invocation.text("format").flatMap(SessionReportFormat.init),
          acceptsRisk: invocation.flag("accept-risk")))
    },
    CommandSpec(
      ["session", "replay"], "print what a recorded session printed, from its steps alone",
      details: """
        With --json only how the replay ended is printed. A recording that was rotated is one, with --live too. With --live the \
        lines meet the services of this --environment, an empty cache and a new home without documents, services and secrets; --this-home is for lines that need \
        those there are, and may change them. Files that commands write themselves (--out, db export) are written again; \
        redirections ('> FILE') are not, so a recording whose lines read such a file needs it in place. db backup, db recover, \
        log export and keychain export, which replace no file, differ where theirs is still there. db export, \
        db backup and db recover need --this-home where no line before has made the database. Commands that ran \
        in the background may end in another order. What features know to differ from run to run (timings, dates, cache verdicts) is \
        not compared. An assert has to end as it did when it was recorded, unless it reads what a command of session left. A PATH of --ignore is like those that a difference names; * is any member, [*] any element, \
        [name=x-request-id] the elements with this name.
        """,
      arguments: [recording],
      options: [
        OptionSpec("from", value: "N", "print from step N on", kind: .int),
        OptionSpec(
          "until", value: "STEP", "stop after this step: a number, @MARK or end", kind: .step),
        OptionSpec("speed", value: "X", "at X times the speed it was recorded with"),
        OptionSpec(
          "idle-limit", value: "DUR", "the longest pause; --speed is 1 unless given",
          kind: .duration),
        OptionSpec(flag: "step", "wait for Enter before each part, at a terminal"),
        OptionSpec(
          flag: "live", "send its lines to the services there are, and compare what follows"),
        OptionSpec(
          "ignore", value: "PATH",
          "with --live, what is not compared; may be given more than once", repeatable: true),
        OptionSpec(
          flag: "this-home", "with --live, use and change this home's documents and secrets"), risk,
      ],
      examples: [
        "session replay bug.actions.jsonl", "session replay bug.actions.jsonl --from 3 --until 9",
        "session replay bug.actions.jsonl --speed 2 --idle-limit 1s",
        "session replay bug.actions.jsonl --live --ignore api.answered.answer.headers[name=x-request-id]",
      ]
    ) { invocation throws(UsageError) in
      let idleLimit = try invocation.duration("idle-limit")?.microseconds
      var query = SessionReplayQuery(
        file: try invocation.requiredText("file"), from: try invocation.int("from", in: 0 ... .max),
        until: try invocation.target("until"), isStepped: invocation.flag("step"),
        idleLimit: idleLimit, acceptsRisk: invocation.flag("accept-risk"))
      if let from = query.from, case .step(let until)? = query.until?.kind, until < from {
        throw UsageError("--from \(from) is after --until \(until)", at: invocation.option("from"))
      }
      let ignored = invocation.options("ignore")
      for argument in ignored { _ = try pattern(argument) }
      if invocation.flag("live") {
        query.isLive = true
        query.ignored = ignored.isEmpty ? nil : ignored.compactMap(\.text)
        if invocation.flag("this-home") { query.sharesHome = true }
        for name in ["from", "until", "speed", "idle-limit", "step", "accept-risk"] {
          try invocation.exclusive("live", name)
        }
      } else if let argument = ignored.first {
        throw UsageError("--ignore goes with --live", at: argument)
      } else if invocation.flag("this-home") {
        throw invocation.error("--this-home goes with --live")
      }
      if let text = try invocation.text("speed") {
        guard let speed = Double(text), speed > 0, speed.isFinite else {
          throw UsageError(
            "--speed is a number above 0, not '\(text)'", at: invocation.option("speed"))
        }
        query.speed = speed
      } else if idleLimit != nil {
        query.speed = 1
      }
      return .session(.replay(query: query))
    },
    CommandSpec(
      ["session", "bisect"], "find the first step after which an assertion fails",
      details: """
        Looks at some twenty states of a million: right where the assertion, once it fails, keeps failing. --linear looks at all. Of an assertion that fails before and after the first step, finds the first step after which it holds.
        """,
      arguments: [anyRecording],
      options: [
        OptionSpec(
          "assert", value: "EXPR", "PATH OP JSON, joined by and/or, as 'assert' takes it",
          kind: .expression), OptionSpec(flag: "linear", "look at every state in turn"),
      ],
      examples: [
        "session bisect bug.actions.jsonl --assert 'shell.lastStatus == 0'",
        "session bisect --assert 'api.requests == 0'",
      ]
    ) { invocation throws(UsageError) in
      let path = try invocation.text("file")
      guard let argument = invocation.option("assert") else {
        throw invocation.error(
          "--assert is missing", help: "for example --assert 'shell.lastStatus == 0'")
      }
      let condition = try JSONCondition(arguments: [argument])
      return .session(
        .bisect(file: path, assert: condition.description, linear: invocation.flag("linear")))
    },
    CommandSpec(
      ["session", "graph"], "draw the states a recording went through, for Graphviz",
      details:
        "States are called by the commands that ran in them, or by what is at --by. --open draws "
        + "with Graphviz's 'dot', and opens with the commands of BROWSER or as the desktop does.",
      arguments: [anyRecording],
      options: [
        OptionSpec("by", value: "PATH", "call states by what is there", kind: .path),
        OptionSpec(flag: "causes", "draw which step caused which instead"),
        OptionSpec("range", value: "A..B", "with --causes, these steps; 10000 at most"),
        OptionSpec(flag: "open", "open the picture instead, which Graphviz draws"),
      ],
      examples: [
        "session graph bug.actions.jsonl > bug.dot",
        "session graph bug.actions.jsonl --by shell.lastStatus",
        "session graph bug.actions.jsonl --causes",
        "session graph bug.actions.jsonl --open",
      ]
    ) { invocation throws(UsageError) in
      let path = try invocation.text("file")
      let range = try invocation.range()
      let opens: Bool? = invocation.flag("open") ? true : nil
      if invocation.flag("causes") {
        try invocation.exclusive("by", "causes")
        return .session(.causes(file: path, range: range, opens: opens))
      }
      guard range == nil else {
        throw UsageError("--range goes with --causes", at: invocation.option("range"))
      }
      return .session(.graph(file: path, by: try invocation.text("by"), opens: opens))
    },
    CommandSpec(
      ["session", "screenshot"], "draw the terminal of a recorded session, as SVG",
      details: "Has what was typed and printed, in its colors. Needs no font but the viewer's.",
      arguments: [anyRecording], examples: ["session screenshot bug.actions.jsonl > bug.svg"]
    ) { invocation throws(UsageError) in
      .session(.screenshot(file: try invocation.text("file")))
    },
    CommandSpec(
      ["session", "stats"], "count what is in a recording", arguments: [anyRecording],
      examples: ["session stats bug.actions.jsonl"]
    ) { invocation throws(UsageError) in .session(.stats(file: try invocation.text("file")))
    },
    CommandSpec(
      ["session", "test"], "write a recording as a Swift test",
      details:
        "At most 300 steps unless --until is given, because longer tests compile slowly.",
      arguments: [anyRecording],
      options: [
        OptionSpec("until", value: "STEP", "the last step: a number, @MARK or end", kind: .step)
      ],
      examples: ["session test bug.actions.jsonl > BugTests.swift"]
    ) { invocation throws(UsageError) in
      .session(
        .test(file: try invocation.text("file"), until: try invocation.target("until")))
    },
  ]
}

extension SessionCommands {
  /// The recording that a line names before its steps or with `--file`.
  private static func otherFile(_ invocation: Invocation) throws(UsageError) -> String? {
    guard let name = try invocation.text("recording") else { return try invocation.text("file") }
    guard invocation.option("file") == nil else {
      throw UsageError(
        "two recordings are named", help: "name one, before the steps or with --file",
        at: invocation.argument("recording"))
    }
    return name
  }

  /// Parses a pattern that names at least one member. An empty path would exclude everything from
  /// the comparison.
  private static func pattern(_ argument: Argument) throws(UsageError) -> JSONPathPattern {
    do throws(JSONPathError) {
      let pattern = try JSONPathPattern(parsing: argument.text ?? "")
      if !pattern.steps.isEmpty { return pattern }
    } catch {
      throw UsageError("--ignore: \(error.message)", at: argument)
    }
    throw UsageError("--ignore takes a path such as api.answered.answer.headers", at: argument)
  }
}

extension BoardCommand {
  static func session(_ command: SessionCommand) -> BoardCommand {
    BoardCommand { .session(.run(context: $0, command: command)) }
  }
}
