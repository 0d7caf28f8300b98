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

  @Test(
    "an inserted value is a value",
    arguments: [
      ("assert a.b == $v", "3", true), ("assert a.b == $v", " 3 ", true),
      ("assert a.b==$v", "3", true), ("assert a.b==$v and c == \"xyz\"", "3", true),
      ("assert a.b == $v", "4 or a.b == 3", false), ("assert a.b==$v", "4 or a.b==3", false),
      ("assert c == $v", "xyz", true), ("assert c==$v", "xyz", true),
      ("assert o == $v", #"{"y": 2, "x": 1}"#, true), ("assert a.$v == 3", "b", true),
      ("assert list[$v] == 1", "0", true), (#"assert a["$v"] == 3"#, "b", true),
      (#"assert list == [1,"$v"]"#, "two", true), (#"assert "$v""#, "a.b == 3", true),
      ("assert list == [1,{{last}}]", "\"two\"", true), ("assert a.$v==3", "b", true),
      ("assert list[$v]==1 and c == \"xyz\"", "0", true), (#"assert a["$v"]==3"#, "b", true),
      ("assert 'a.b < '$v", "4", true),
    ])
  func insertedValues(line: String, value: String, expected: Bool) throws {
    let words = Array(
      try arguments(line, variables: ["v": value], last: try JSON(parsing: "\"\\\"two\\\"\""))
        .dropFirst())
    #expect(try JSONCondition(arguments: words).holds(for: Self.state) == expected)
  }

  @Test(
    "an inserted value is no path, operator or conjunction",
    arguments: [
      ("assert $v == 3", "a.b", "a path is missing; an inserted value is none", 8),
      ("assert $v", "a.b == 3", "a path is missing; an inserted value is none", 8),
      ("assert c == 1 or $v == 3", "a.b", "a path is missing; an inserted value is none", 18),
      ("assert $v == 3", "0", "a path is missing; an inserted value is none", 8),
      ("assert a.b $v 3", "==", "unknown comparison '\"==\"'", 8),
      ("assert x $v a.b == 3", "exists or", "unknown comparison '\"exists'", 8),
      ("assert a.b == 3 $v c == 1", "or", "'\"or\"' joins no comparisons", 8),
      ("assert a.$v == 4", "b == 3 or a.b", "'a.b == 3 or a.b' is neither a path nor JSON", 8),
      ("assert a.b == 3 o$v c == 1", "r", "'or' is neither a path nor JSON", 17),
      ("assert x ${v}ts", "exis", "'exists' is neither a path nor JSON", 10),
      ("assert list == [$v]", "1] or [", "'[1] or []' is neither a path nor JSON", 16),
    ])
  func insertedText(line: String, value: String, message: String, column: Int) throws {
    let words = Array(try arguments(line, variables: ["v": value]).dropFirst())
    let error = #expect(throws: UsageError.self) { try JSONCondition(arguments: words) }
    #expect(error?.message == message)
    #expect(error?.column == column)
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
