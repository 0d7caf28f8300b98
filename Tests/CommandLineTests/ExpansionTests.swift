import SwiftBoardCommandLine
import SwiftBoardJSON
import SwiftBoardSystem
import Testing

struct ExpansionTests {
  static let last: JSON = [
    "status": 200, "body": ["id": 7, "name": "Ri\"ck; rm", "tags": ["a", 1.0]],
  ]

  @Test(
    "values are put in, never split",
    arguments: [
      ("x $a", ["x", "1 2;3"]),
      ("x a${b}c", ["x", "ac"]),
      ("x {{last.body.name}}", ["x", "Ri\"ck; rm"]),
      ("x {{last.status}}/{{last.body.id}}", ["x", "200/7"]),
      ("x {{last.body.tags}}", ["x", #"["a",1.0]"#]),
      (
        #"x {"n": "{{last.body.name}}", "t": {{last.body.tags}}}"#,
        ["x", #"{"n": "Ri\"ck; rm", "t": ["a",1.0]}"#]
      ),
      (#"x {"n": "$q"}"#, ["x", #"{"n": "\"\n"}"#]),
      ("x '$a'", ["x", "$a"]),
    ])
  func values(text: String, expected: [String]) throws {
    let words = try arguments(
      text, variables: ["a": "1 2;3", "b": "", "q": "\"\n"], last: Self.last)
    #expect(words.map(\.text) == expected)
  }

  @Test("what is missing is said at its word")
  func missing() {
    let cases = [
      ("x y$a", 3, 3, "no variable 'a'"), ("xx $1", 4, 2, "no variable '1'"),
      ("x {{last.nope}}", 3, 13, "the last value has nothing at 'nope'"),
    ]
    for (text, column, length, message) in cases {
      let error = #expect(throws: UsageError.self) { try arguments(text, last: Self.last) }
      #expect(error?.message == message)
      #expect(error?.column == column)
      #expect(error?.length == length)
      #expect(error?.help != nil)
    }
    for (text, help) in [
      ("x $1", "a script gets it by"), ("x $10", "a script gets it by"),
      ("x $0", "the first argument of a script is $1"), ("x $a", "set a VALUE first"),
    ] {
      let error = #expect(throws: UsageError.self) { try arguments(text) }
      #expect(error?.help?.hasPrefix(help) == true, "\(error?.help ?? "")")
    }
    for text in ["x {{last}}", "x {{last.body}}"] {
      let none = #expect(throws: UsageError.self) { try arguments(text) }
      #expect(none?.message == "there is no last value yet")
    }
  }

  @Test("secrets stay names")
  func secrets() throws {
    let word = try arguments("x Bearer:{{secret:a b}}!")[1]
    #expect(word.text == nil)
    #expect(word.shown == "Bearer:{{secret:a b}}!")
    #expect(word.template.secretNames == ["a b"])
    #expect(word.template.parts == [.text("Bearer:"), .secret("a b"), .text("!")])
    guard case .commands(let list) = LineParser.parse("a > {{secret:x}}") else { return }
    #expect(list.commands[0].redirect?.file.hasSecret == true)
  }

  @Test("a template survives coding, and text never turns into a secret")
  func coding() throws {
    let templates: [SecretTemplate] = [
      "", "plain", "{{secret:x}}", SecretTemplate(parts: [.secret("x")]),
      SecretTemplate(parts: [.text("a"), .secret("b"), .text("c")]),
    ]
    for template in templates {
      let data = try JSONEncoder().encode([template])
      #expect(try JSONDecoder().decode([SecretTemplate].self, from: data) == [template])
    }
    #expect(
      String(decoding: try JSONEncoder().encode(["a" as SecretTemplate]), as: UTF8.self)
        == #"["a"]"#)
    let mixed = try JSONEncoder().encode(templates[4])
    #expect(
      String(decoding: mixed, as: UTF8.self)
        == #"{"parts":[{"text":"a"},{"secret":"b"},{"text":"c"}]}"#)
  }

  @Test("templates have one form")
  func normal() {
    #expect(
      SecretTemplate(parts: [.text("a"), .text(""), .text("b"), .secret("x"), .text("")]).parts
        == [.text("ab"), .secret("x")])
    #expect(SecretTemplate("").text == "")
    #expect(SecretTemplate("").parts.isEmpty)
  }

  @Test(
    "~/ at the start of a file's name is the user's home, as it was typed without quotes",
    arguments: [
      ("~/a", "/home/u/a"), ("~/'a b'", "/home/u/a b"), ("~/$x", "/home/u/~/v"), ("~", "~"),
      ("~u/a", "~u/a"), ("a~/b", "a~/b"), ("'~/a'", "~/a"), (#""~/a""#, "~/a"), ("'~'/a", "~/a"),
      (#"\~/a"#, #"\~/a"#), ("$x", "~/v"), ("$x/~/", "~/v/~/"), ("./~/a", "./~/a"),
    ])
  func userHome(word: String, expected: String) throws {
    guard case .commands(let list) = LineParser.parse("c \(word)") else {
      throw UsageError("no commands: \(word)")
    }
    let word = list.commands[0].words[1]
    var argument = try word.expanded(variables: { _ in "~/v" }, last: { _ in nil })
    #expect(argument.expandingHome() == argument, "without a home")
    if word.mayNameHome { argument.home = "/home/u" }
    #expect(argument.expandingHome().text == expected)
    if word.mayNameHome { argument.home = "/" }
    #expect(argument.expandingHome().text == expected.replacing("/home/u/", with: "/"))
  }
}
