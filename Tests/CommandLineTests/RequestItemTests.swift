import SwiftBoardCommandLine
import SwiftBoardJSON
import Testing

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
      (#"a\b=c\=d"#, .field(name: #"a\b"#, value: #"c\=d"#)),
      ("T:{{secret:x}}", .header(name: "T", value: SecretTemplate(secret: "x"))),
      (
        "k==a{{secret:x}}",
        .query(name: "k", value: SecretTemplate(parts: [.text("a"), .secret("x")]))
      ),
    ])
  func forms(text: String, expected: RequestItem) throws {
    #expect(try RequestItem.parse(try arguments("x \(text)")[1]) == expected)
  }

  @Test(
    "refused",
    arguments: [
      ("abc", 64), ("=b", 64), (":b", 64), ("a@", 64), ("@", 64), ("a:=nope", 65),
      ("{{secret:x}}=b", 64),
      ("a:={{secret:x}}", 64), ("a@{{secret:x}}", 64), ("''", 64), ("a=@", 64), ("=@f", 64),
      ("a=@{{secret:x}}", 64), ("';'", 64), ("'a@;type=x'", 64),
    ])
  func refused(text: String, code: Int32) throws {
    let word = try arguments("x \(text)")[1]
    let error = #expect(throws: UsageError.self) { try RequestItem.parse(word) }
    #expect(error?.code == code)
    #expect(error?.column == 3)
  }
}
