import SwiftBoardCommandLine
import SwiftBoardFeatures
import SwiftBoardJSON
import Testing

/// The words of a line with one command.
private func words(_ line: String) throws -> [Argument] {
  guard case .commands(let list) = LineParser.parse(line) else { return [] }
  return try list.commands[0].words.map { try $0.expanded(variables: { _ in nil }) { _ in nil } }
}

struct RequestItemTests {
  @Test(
    "every form",
    arguments: [
      ("a=b", RequestItem.field(name: "a", value: "b")),
      ("a=", .field(name: "a", value: "")),
      ("a=b:c==d@e", .field(name: "a", value: "b:c==d@e")),
      ("a:=1.50", .json(name: "a", value: "1.50")),
      ("a:={\"b\": [1, 2]}", .json(name: "a", value: "{\"b\": [1, 2]}")),
      ("a==b", .query(name: "a", value: "b")),
      ("X-A:b=c", .header(name: "X-A", value: "b=c")),
      ("X-A:", .header(name: "X-A", value: "")),
      ("a@f.txt", .file(name: "a", path: "f.txt", type: nil)),
      ("'a@f.txt;type=text/x'", .file(name: "a", path: "f.txt", type: "text/x")),
      ("a=@f.txt", .fieldFile(name: "a", path: "f.txt")),
      ("a:=@f.json", .jsonFile(name: "a", path: "f.json")),
      (#"a=\@f.txt"#, .field(name: "a", value: "@f.txt")),
      ("a==@f.txt", .query(name: "a", value: "@f.txt")),
      ("a=b@f.txt", .field(name: "a", value: "b@f.txt")),
      ("'X-A;'", .emptyHeader(name: "X-A")),
      (#"'a\;b=c;'"#, .field(name: "a;b", value: "c;")),
      ("@f.json", .body(path: "f.json")),
      (#"a\:b=c"#, .field(name: "a:b", value: "c")),
      (#"a\=b==c"#, .query(name: "a=b", value: "c")),
      (#"a\@b:c"#, .header(name: "a@b", value: "c")),
      (#"a\b=c\=d"#, .field(name: #"a\b"#, value: "c=d")),
      (#"'a\;b=\:\;\@\='"#, .field(name: "a;b", value: ":;@=")),
      (#"'a=b\\:c\d\'"#, .field(name: "a", value: #"b\\:c\d\"#)),
      (#"a==\@f"#, .query(name: "a", value: "@f")),
      (#"X:b\:c"#, .header(name: "X", value: "b:c")),
      (#"a@f\@g"#, .file(name: "a", path: "f@g", type: nil)),
      (#"'a@f\;type=x'"#, .file(name: "a", path: "f;type=x", type: nil)),
      (#"'a@f\;type=x;type=t/\@'"#, .file(name: "a", path: "f;type=x", type: "t/@")),
      (#"'a\\b=c'"#, .field(name: #"a\b"#, value: "c")),
      (#"@f\=g"#, .body(path: "f=g")),
      (#"a=@f\=g"#, .fieldFile(name: "a", path: "f=g")),
      (#"a:='"b\:c\\:d\n"'"#, .json(name: "a", value: #""b:c\\:d\n""#)),
      (
        #"k==a\:{{secret:x}}b\=c"#,
        .query(name: "k", value: SecretTemplate(parts: [.text("a:"), .secret("x"), .text("b=c")]))
      ),
      ("T:{{secret:x}}", .header(name: "T", value: SecretTemplate(parts: [.secret("x")]))),
      (
        "k==a{{secret:x}}",
        .query(name: "k", value: SecretTemplate(parts: [.text("a"), .secret("x")]))
      ),
    ])
  func forms(text: String, expected: RequestItem) throws {
    #expect(try RequestItem.parse(try words("x \(text)")[1]) == expected)
  }

  @Test(
    "an inserted value keeps each backslash",
    arguments: [
      (#"a=b\:$v\:c"#, #"b:\:\@:c"#), (#"a=$v"#, #"\:\@"#), (#"a=$v\:c"#, #"\:\@:c"#),
      (#"a=\:$v\=$v\@"#, #":\:\@=\:\@@"#),
      (
        #"a=$v\:{{secret:x}}\:$v\="#,
        SecretTemplate(parts: [.text(#"\:\@:"#), .secret("x"), .text(#":\:\@="#)])
      ),
    ])
  func inserted(text: String, value: SecretTemplate) throws {
    guard case .commands(let list) = LineParser.parse("x " + text) else {
      Issue.record("no command")
      return
    }
    let word = try list.commands[0].words[1].expanded(variables: { _ in #"\:\@"# }) { _ in nil }
    #expect(try RequestItem.parse(word) == .field(name: "a", value: value))
  }

  @Test(
    "an inserted value names no type of a file",
    arguments: [
      ("a@$v", "f;type=x", nil), ("a@$v;type=t/p", "f;type=x", "t/p"),
      ("a@b;ty$v", "b;tyf;type=x", nil),
    ])
  func insertedType(text: String, path: String, type: String?) throws {
    guard case .commands(let list) = LineParser.parse("x \"\(text)\"") else {
      Issue.record("no command")
      return
    }
    let word = try list.commands[0].words[1].expanded(variables: { _ in "f;type=x" }) { _ in nil }
    #expect(try RequestItem.parse(word) == .file(name: "a", path: path, type: type))
  }

  @Test(
    "refused",
    arguments: [
      ("abc", .usage), ("=b", .usage), (":b", .usage), ("a@", .usage), ("@", .usage),
      ("a:=nope", .malformedData),
      ("{{secret:x}}=b", .usage),
      ("a:={{secret:x}}", .usage), ("a@{{secret:x}}", .usage), ("''", .usage), ("a=@", .usage),
      ("=@f", .usage),
      ("a=@{{secret:x}}", .usage), ("';'", .usage), ("'a@;type=x'", .usage),
    ] as [(String, UsageError.Kind)])
  func refused(text: String, kind: UsageError.Kind) throws {
    let word = try words("x \(text)")[1]
    let error = #expect(throws: UsageError.self) { try RequestItem.parse(word) }
    #expect(error?.kind == kind)
    #expect(error?.column == 3)
  }
}
