import SwiftBoardCommandLine
import SwiftBoardJSON
import Testing

@testable import SwiftBoardFeatures

/// The words of a line with one command.
private func words(_ line: String) throws -> [Argument] {
  guard case .commands(let list) = LineParser.parse(line) else { return [] }
  return try list.commands[0].words.map { try $0.expanded(variables: { _ in nil }) { _ in nil } }
}

struct RequestItemTests {
  @Test(
    "every form",
    arguments: [
      ("a=b", APIItem(kind: .text, name: "a", value: "b")),
      ("a=", APIItem(kind: .text, name: "a", value: "")),
      ("a=b:c==d@e", APIItem(kind: .text, name: "a", value: "b:c==d@e")),
      ("a:=1.50", APIItem(kind: .json, name: "a", value: "1.50")),
      ("a:={\"b\": [1, 2]}", APIItem(kind: .json, name: "a", value: "{\"b\": [1, 2]}")),
      ("a==b", APIItem(kind: .query, name: "a", value: "b")),
      ("X-A:b=c", APIItem(kind: .header, name: "X-A", value: "b=c")),
      ("X-A:", APIItem(kind: .header, name: "X-A", value: "")),
      ("a@f.txt", APIItem(kind: .file, name: "a", value: "f.txt")),
      ("'a@f.txt;type=text/x'", APIItem(kind: .file, name: "a", value: "f.txt", type: "text/x")),
      ("a=@f.txt", APIItem(kind: .textFile, name: "a", value: "f.txt")),
      ("a:=@f.json", APIItem(kind: .jsonFile, name: "a", value: "f.json")),
      (#"a=\@f.txt"#, APIItem(kind: .text, name: "a", value: "@f.txt")),
      (#"a==\@f.txt"#, APIItem(kind: .query, name: "a", value: "@f.txt")),
      (#"X-A:\@f.txt"#, APIItem(kind: .header, name: "X-A", value: "@f.txt")),
      ("a[b][]=c", APIItem(kind: .text, name: "a[b][]", value: "c", isPath: true)),
      ("'a]:=1'", APIItem(kind: .json, name: "a]", value: "1", isPath: true)),
      (#"'a\[b\]=@f'"#, APIItem(kind: .textFile, name: #"a\[b\]"#, value: "f", isPath: true)),
      ("a[b]==c", APIItem(kind: .query, name: "a[b]", value: "c")),
      ("a[b]@f", APIItem(kind: .file, name: "a[b]", value: "f")),
      ("a=b@f.txt", APIItem(kind: .text, name: "a", value: "b@f.txt")),
      ("'X-A;'", APIItem(kind: .emptyHeader, name: "X-A", value: "")),
      (#"'a\;b=c;'"#, APIItem(kind: .text, name: "a;b", value: "c;")),
      ("@f.json", APIItem(kind: .bodyFile, name: "", value: "f.json")),
      (#"a\:b=c"#, APIItem(kind: .text, name: "a:b", value: "c")),
      (#"a\=b==c"#, APIItem(kind: .query, name: "a=b", value: "c")),
      (#"a\@b:c"#, APIItem(kind: .header, name: "a@b", value: "c")),
      (#"a\b=c\=d"#, APIItem(kind: .text, name: #"a\b"#, value: "c=d")),
      (#"'a\;b=\:\;\@\='"#, APIItem(kind: .text, name: "a;b", value: ":;@=")),
      (#"'a=b\\:c\d\'"#, APIItem(kind: .text, name: "a", value: #"b\\:c\d\"#)),
      (#"a==\@f"#, APIItem(kind: .query, name: "a", value: "@f")),
      (#"X:b\:c"#, APIItem(kind: .header, name: "X", value: "b:c")),
      (#"a@f\@g"#, APIItem(kind: .file, name: "a", value: "f@g")),
      (#"'a@f\;type=x'"#, APIItem(kind: .file, name: "a", value: "f;type=x")),
      (
        #"'a@f\;type=x;type=t/\@'"#, APIItem(kind: .file, name: "a", value: "f;type=x", type: "t/@")
      ),
      (#"'a\\b=c'"#, APIItem(kind: .text, name: #"a\b"#, value: "c")),
      (#"@f\=g"#, APIItem(kind: .bodyFile, name: "", value: "f=g")),
      (#"a=@f\=g"#, APIItem(kind: .textFile, name: "a", value: "f=g")),
      (#"a:='"b\:c\\:d\n"'"#, APIItem(kind: .json, name: "a", value: #""b:c\\:d\n""#)),
      (
        #"k==a\:{{secret:x}}b\=c"#,
        APIItem(
          kind: .query, name: "k",
          value: SecretTemplate(parts: [.text("a:"), .secret("x"), .text("b=c")]))
      ),
      (
        "T:{{secret:x}}",
        APIItem(kind: .header, name: "T", value: SecretTemplate(parts: [.secret("x")]))
      ),
      (
        "k==a{{secret:x}}",
        APIItem(kind: .query, name: "k", value: SecretTemplate(parts: [.text("a"), .secret("x")]))
      ),
    ])
  func forms(text: String, expected: APIItem) throws {
    #expect(try APIItem.parse(try words("x \(text)")[1]) == expected)
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
    #expect(try APIItem.parse(word) == APIItem(kind: .text, name: "a", value: value))
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
    #expect(
      try APIItem.parse(word)
        == APIItem(kind: .file, name: "a", value: SecretTemplate(path), type: type))
  }

  @Test(
    "refused",
    arguments: [
      ("abc", .usage), ("=b", .usage), (":b", .usage), ("a@", .usage), ("@", .usage),
      ("a:=nope", .malformedData),
      ("{{secret:x}}=b", .usage),
      ("a:={{secret:x}}", .usage), ("a@{{secret:x}}", .usage), ("''", .usage), ("a=@", .usage),
      ("a==@f.txt", .usage), ("X-A:@f.txt", .usage),
      ("=@f", .usage),
      ("a=@{{secret:x}}", .usage), ("';'", .usage), ("'a@;type=x'", .usage),
    ] as [(String, UsageError.Kind)])
  func refused(text: String, kind: UsageError.Kind) throws {
    let word = try words("x \(text)")[1]
    let error = #expect(throws: UsageError.self) { try APIItem.parse(word) }
    #expect(error?.kind == kind)
    #expect(error?.column == 3)
  }

  @Test("where files are not refused, a typed @ belongs to the value", arguments: ["==", ":"])
  func unrefusedFile(separator: String) throws {
    let item = try APIItem.parse(Argument("a\(separator)@x"), refusesFiles: false)
    #expect(item.name == "a" && item.value == "@x")
  }
}
