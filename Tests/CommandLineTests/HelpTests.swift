import Testing

@testable import SwiftBoardCommandLine

struct HelpTests {
  @Test("overview")
  func overview() throws {
    #expect(
      try demo.help(for: [], width: 60) == """
        api         HTTP services
        characters  recent
        log         what happened
        session     goto, status
        echo        print words
        refuse      always wrong

        help COMMAND shows its sub-commands, options and examples.

        """)
  }

  @Test("one command, examples first")
  func command() throws {
    #expect(
      try demo.help(for: ["api", "get"], width: 60) == """
        api get: fetch a resource

        Examples
          api get rick/character/1
          api get rick/character/1 --headers

        Usage
          api get TARGET [ITEM...] [--timeout DUR] [--cache
              localFirst|remoteFirst|noCache] [--headers] [--retry
              N] [--auth AUTH]

        Arguments
          TARGET  SERVICE/PATH or a URL
          ITEM    part of the request

        Options
          -t, --timeout DUR  the limit
              --cache localFirst|remoteFirst|noCache
                             cache policy
              --headers      show headers
              --retry N      attempts
              --auth AUTH    how to sign in

        """)
  }

  @Test("a group")
  func group() throws {
    #expect(
      try demo.help(for: ["log"], width: 60) == """
        log: what happened

        Commands
          log level [CATEGORY] debug|info
                    set a level
          log tail  show the end

        help log COMMAND shows one in full, with its options.

        """)
  }

  @Test("words behind a command are ignored, unknown ones suggest")
  func words() throws {
    #expect(try demo.help(for: ["echo", "x"]) == demo.help(for: ["echo"]))
    #expect(try demo.help(for: ["characters", "recent"]).contains("See also"))
    let error = #expect(throws: UsageError.self) { try demo.help(for: ["api", "gte"]) }
    #expect(error?.help == "did you mean 'api get'?")
    let unknown = #expect(throws: UsageError.self) {
      try demo.help(for: ["nosuch"], besides: ["keys"])
    }
    #expect(unknown?.help?.hasSuffix(", keys") == true, "\(unknown?.help ?? "")")
  }

  @Test("no line is wider than asked, none ends in a blank", arguments: [40, 60, 80, 120])
  func width(width: Int) throws {
    var texts: [String] = []
    for spec in demo.specs { texts.append(try demo.help(for: spec.path, width: width)) }
    for line in texts.joined(separator: "\n").split(separator: "\n") {
      #expect(line.count <= max(width, 80), "\(line)")
      #expect(line.last != " ")
    }
  }

  @Test("at a narrow terminal a summary is below its name, and no row is wider")
  func narrow() {
    let rows = [("db list [COLLECTION]", "list the documents"), ("db path", "say where it is")]
    #expect(
      HelpText.rows(rows, width: 20, indent: 2) == """
          db list
              [COLLECTION]
            list the
            documents
          db path
            say where it is

        """)
    let option = OptionSpec("cache", value: "localFirst|noCache", "of any age")
    for width in [20, 24, 28, 40] {
      let text =
        HelpText.options([option], width: width) + HelpText.rows(rows, width: width)
        + HelpText.wrapped("one two three four", width: width, indent: 4, hanging: 6)
        + HelpText.example("db put characters 1", width: width)
      #expect(text.split(separator: "\n").allSatisfy { $0.count <= width }, "\(text)")
    }
  }

  @Test("an example of two rows is one line with a continuation, and its words are whole")
  func wrappedExample() {
    func wrapped(_ text: String) -> String { HelpText.example(text, width: 26) }
    #expect(
      wrapped("one two three four five six") == "  one two three four \\\n      five six\n")
    #expect(wrapped("one") == "  one\n")
    let url = "http://h.test/a/long/path"
    #expect(wrapped("api get \(url) x") == "  api get \\\n      \(url) \\\n      x\n")
  }

  @Test(
    "no row of an example ends inside quotes or brackets",
    arguments: [
      "'four five six'", #""four \" six""#, #"{"four": [5, "six }"]}"#, #"a='b c d e f'"#,
    ])
  func quotedExample(word: String) throws {
    let line = "one two three \(word) seven"
    let rows = HelpText.example(line, width: 28)
    #expect(rows.contains(word) && rows.contains(" \\\n"), "\(rows)")
    func words(_ text: String) throws -> [[Word.Segment]] {
      guard case .commands(let list) = LineParser.parse(text) else {
        throw UsageError("no commands: \(text)")
      }
      return list.commands[0].words.map(\.segments)
    }
    #expect(try words(rows) == words(line))
  }
}
