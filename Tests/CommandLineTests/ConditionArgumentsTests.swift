import SwiftBoardCommandLine
import SwiftBoardJSON
import Testing

struct ConditionArgumentsTests {
  static let state: JSON = [
    "a": ["b": 3], "c": "xyz", "list": [1, "two"], "o": ["x": 1, "y": 2],
  ]

  @Test(
    "words of a line",
    arguments: [
      (#"assert c == "xyz""#, true), (#"assert 'c == "xyz"'"#, true),
      (#"assert "c == \"xyz\"""#, true),
      (#"assert c == '"xyz"'"#, true), ("assert a.b > 2 and a.b >= 3", true),
      (#"assert c == "x z""#, false),
      (#"assert c contains $v"#, true), (#"assert list[1] == "two""#, true),
      (#"assert o == {"x": 1, "y": 2}"#, true),
    ])
  func words(line: String, expected: Bool) throws {
    let words = Array(try arguments(line, variables: ["v": "\"y\""]).dropFirst())
    #expect(try JSONCondition(arguments: words).holds(for: Self.state) == expected)
  }

  @Test("errors blame the words")
  func blame() throws {
    let words = Array(try arguments("assert a == Rick").dropFirst())
    let error = #expect(throws: UsageError.self) { try JSONCondition(arguments: words) }
    #expect(error?.column == 8)
    #expect(error?.length == 9)
    #expect(error?.help == "write \"Rick\" for the text")
    #expect(throws: UsageError.self) { try JSONCondition(arguments: [Argument]()) }
  }

  @Test(
    "every kind of error has its advice",
    arguments: [
      ("", #"for example items[0].name == "Rick" and count > 3"#),
      ("a..b == 3", #"for example items[0].name == "Rick" and count > 3"#),
      ("a ==", #"for example items[0].name == "Rick" and count > 3"#),
      ("a", "one of == != < <= > >= contains exists"), ("a = 3", "did you mean '=='?"),
      ("a contain 3", "did you mean 'contains'?"),
      ("a resembles 3", "one of == != < <= > >= contains exists"),
      ("a == Rick", "write \"Rick\" for the text"),
      ("a == 3 adn b == 4", "did you mean 'and'?"),
      ("a == 3 with b == 4", "'and' or 'or' goes here"),
    ])
  func advice(text: String, help: String) throws {
    let error = #expect(throws: JSONConditionError.self) { try JSONCondition(parsing: text) }
    let usage = UsageError(try #require(error))
    #expect(usage.help == help)
    #expect(usage.message == error?.description)
    #expect(usage.kind == .usage)
  }
}
