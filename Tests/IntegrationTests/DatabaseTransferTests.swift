import SwiftBoardTestSupport
import Testing

/// `db export` and `db import`.
@Suite("Export and import of the database", .timeLimit(.minutes(20)))
struct DatabaseTransferTests {
  /// A board with documents that are written unusually, a preference and a service.
  private static func exported() async throws -> Program {
    let program = try Program()
    try program.folder.write("{ \"a\" : 1.0,\n \"b\\u0061\": [1e2] }", to: "odd.json")
    let run = try await program.run(
      "--home", "h", "-c", "db put c 1 {\"n\":1}", "-c", "db put c odd @odd.json", "-c",
      "db put 'd e' 2 [true]", "-c", "db preference set theme dark", "-c",
      "api service add rm http://rm.test --auth bearer:{{secret:k}}", "-c", "db index c n", "-c",
      "db export all.jsonl")
    try #require(run.status == .exited(0), "\(run.errorText)")
    #expect(run.errorText.contains("exported 6 entries to all.jsonl"))
    return program
  }

  @Test("what is exported is imported byte for byte")
  func roundTrip() async throws {
    let program = try await Self.exported()
    let lines = String(decoding: try program.folder.read("all.jsonl"), as: UTF8.self)
      .split(separator: "\n").map(String.init)
    #expect(lines.count == 8)
    #expect(lines.first == #"{"swiftboard":"db export","version":3}"#)
    #expect(lines.last == #"{"end":{"entries":6}}"#)
    #expect(lines.contains { $0.hasSuffix(#""body":{"n":1}}}"#) })
    let run = try await program.run(
      "--home", "other", "-c", "db import all.jsonl", "-c", "db preference get theme", "-c",
      "api service show rm", "-c", "db index", "-c", "db export again.jsonl")
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(run.errorText.contains("6 added, 0 replaced, 0 kept"))
    #expect(run.outputText.contains("dark"))
    #expect(run.outputText.contains("\nc           n\n"), "\(run.outputText)")
    #expect(try program.folder.read("again.jsonl") == program.folder.read("all.jsonl"))
  }

  @Test("a collection is exported with its own indexes, whose names have the same bytes")
  func oneCollection() async throws {
    let program = try Program()
    let names = ["e\u{301}", "\u{e9}"]
    let lines = names.flatMap { ["-c", "db put \($0) 1 {\"n\":1}", "-c", "db index \($0) n"] }
    let run = try await program.run(
      ["--home", "h"] + lines + ["-c", "db export one.jsonl \(names[0])"])
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(run.errorText.contains("exported 2 entries to one.jsonl"), "\(run.errorText)")
  }

  @Test("a name that is taken refuses the import, is kept, or is replaced")
  func duplicates() async throws {
    let program = try await Self.exported()
    let put = try await program.run("--home", "h2", "-c", "db put c 1 {\"n\":9}")
    try #require(put.status == .exited(0))
    let refused = try await program.run("--home", "h2", "-c", "db import all.jsonl")
    #expect(refused.status == .exited(73), "\(refused.errorText)")
    #expect(refused.errorText.contains("all.jsonl:4: the document c/1 is here already"))
    let none = try await program.run("--home", "h2", "-c", "db list c --plain")
    #expect(none.outputText.split(separator: "\n").count == 1)
    let kept = try await program.run(
      "--home", "h2", "-c", "db import all.jsonl --existing keep", "-c", "db get c 1")
    #expect(kept.errorText.contains("5 added, 0 replaced, 1 kept"), "\(kept.errorText)")
    #expect(kept.outputText.contains("9"))
    let replaced = try await program.run(
      "--home", "h2", "-c", "db import all.jsonl --existing replace", "-c", "db get c 1")
    #expect(replaced.errorText.contains("0 added, 5 replaced, 1 kept"), "\(replaced.errorText)")
    #expect(!replaced.outputText.contains("9"))
  }

  @Test(
    "a mistake in any line is named, and nothing is imported",
    arguments: [
      (
        #"{"document":{"collection":"c","id":"7"}}"#,
        "3: a document needs collection, id and updated"
      ),
      (
        #"{"document":{"collection":"","id":"7","updated":1,"body":1}}"#,
        "3: the collection of the document is empty"
      ),
      (
        #"{"document":{"collection":"c","id":"","updated":1,"body":1}}"#,
        "3: the id of the document is empty"
      ),
      (
        #"{"document":{"collection":"c","id":"a\u0000b","updated":1,"body":1}}"#,
        "3: the id of the document has the character U+0000"
      ),
      (
        #"{"document":{"collection":"c","id":"7","updated":253402300800000000,"body":1}}"#,
        "3: the time in 'updated', 253402300800000000, is not a number of microseconds"
      ),
      (
        #"{"document":{"collection":"c","id":"7","updated":1e300,"body":1}}"#,
        "3: the time in 'updated', 1e300, is not a number of microseconds"
      ),
      (#"{"preference":{"name":"","value":2}}"#, "3: the name of the preference is empty"),
      (#"{"index":{"collection":"","path":"a"}}"#, "3: the collection of the index is empty"),
      (#"{"index":{"collection":"c","path":""}}"#, "3: the path of the index is empty"),
      (
        #"{"document":{"collection":"c","id":"7","updated":1,"text":"{"}}"#,
        "3: its text is not JSON"
      ),
      (
        #"{"document":{"collection":"c","id":"7","updated":1,"text":"{\"a\":1,\"a\":2}"}}"#,
        #"3: its text is not JSON: found the key "a" again"#
      ),
      (#"{"preference":{"name":"p","value":2}}"#, "3: the preference 'p' is in the file twice"),
      (
        #"{"document":{"collection":"c","id":"7","updated":1,"body":1,"tags":[]}}"#,
        "3: this version does not know 'tags' here"
      ),
      (
        #"{"preference":{"name":"q","value":2,"unit":"s"}}"#,
        "3: this version does not know 'unit' here"
      ),
      (
        #"{"service":{"baseURL":"http://h","name":"a","authentication":{"bearer":{"secret":"k","realm":1}}}}"#,
        "3: this "
      ),
      (
        #"{"service":{"baseURL":"http://h","name":"a","weight":1}}"#,
        "3: this version does not know 'weight' here"
      ), (#"{"index":{"collection":"c","path":"a..b"}}"#, "3: an index needs collection and"),
      (#"{"thing":1}"#, "3: unknown kind of entry 'thing'"), ("{", "3: column"),
      (
        #"{"service":{"name":1}}"#, "3: a service needs a name and an address (baseURL)\n"
      ), (#"{"service":{"name":"a"}}"#, "3: a service needs a name and an address (baseURL)\n"),
      (
        #"{"service":{"baseURL":"http://h","name":"a","authentication":{"bearer":{}}}}"#,
        "3: this is not a service: its authentication or its preset has an unknown form\n"
      ),
      (
        #"{"service":{"baseURL":"http://h","name":"a b/c"}}"#,
        "3: 'a b/c' is not a valid service name"
      ),
      (
        #"{"service":{"baseURL":"ftp://h","name":"a"}}"#,
        "3: the service 'a': 'ftp' is not supported"
      ),
      (
        #"{"service":{"baseURL":"http://u:p@h","name":"a"}}"#,
        "3: the service 'a': the address holds a user"
      ),
    ])
  func mistakes(line: String, message: String) async throws {
    let program = try Program()
    try program.folder.write(
      """
      {"swiftboard":"db export","version":1}
      {"preference":{"name":"p","value":1}}
      \(line)

      """, to: "bad.jsonl")
    let run = try await program.run(
      "--home", "h", "-k", "-c", "db import bad.jsonl", "-c", "db preference list")
    #expect(run.status == .exited(65), "\(run.errorText)")
    #expect(run.errorText.contains("bad.jsonl:\(message)"), "\(run.errorText)")
    #expect(!run.outputText.contains("p  "))
  }

  @Test("an export of one collection has its indexes, and one of an earlier version has none")
  func indexes() async throws {
    let program = try await Self.exported()
    let one = try await program.run(
      "--home", "h", "-c", "db index 'd e' x.y", "-c", "db export one.jsonl 'd e'")
    #expect(one.status == .exited(0), "\(one.errorText)")
    let text = try program.text("one.jsonl")
    #expect(text.contains(#"{"index":{"collection":"d e","path":"x.y"}}"#), "\(text)")
    #expect(!text.contains(#""collection":"c""#), "\(text)")
    try program.folder.write(
      """
      {"swiftboard":"db export","version":2}
      {"preference":{"name":"p","value":1}}
      {"end":{"entries":1}}

      """, to: "earlier.jsonl")
    let earlier = try await program.run("--home", "h", "db", "import", "earlier.jsonl")
    #expect(earlier.errorText.contains("1 added, 0 replaced, 0 kept"), "\(earlier.errorText)")
  }

  @Test(
    "what is not an export is refused",
    arguments: [
      "", "[1]\n", #"{"swiftboard":"db export","version":4}"#,
      #"{"compressed":true,"swiftboard":"db export","version":3}"#,
    ])
  func noExport(text: String) async throws {
    let program = try Program()
    try program.folder.write(text, to: "x.jsonl")
    let run = try await program.run("--home", "h", "-c", "db import x.jsonl")
    #expect(run.status == .exited(65), "\(run.errorText)")
    #expect(run.errorText.contains("x.jsonl:1: "), "\(run.errorText)")
  }

  @Test(
    "a version that is not a whole number from 1 is malformed, and only a higher one is later",
    arguments: [
      ("0", "the version of an export is a whole number from 1"),
      ("-1", "the version of an export is a whole number from 1"),
      ("1.5", "the version of an export is a whole number from 1"),
      (#""3""#, "the version of an export is a whole number from 1"),
      ("4", "this export was made by a later version: it has format 4, and this version knows 3"),
    ])
  func versions(version: String, message: String) async throws {
    let program = try Program()
    try program.folder.write(#"{"swiftboard":"db export","version":\#(version)}"#, to: "x.jsonl")
    let run = try await program.run("--home", "h", "-c", "db import x.jsonl")
    #expect(run.status == .exited(65), "\(run.errorText)")
    #expect(run.errorText.contains("x.jsonl:1: \(message)\n"), "\(run.errorText)")
  }

  @Test("db path prints the paths of a database that cannot be opened")
  func damagedPath() async throws {
    let program = try Program()
    let put = try await program.run("--home", "h", "db", "put", "c", "1", "1")
    try #require(put.status == .exited(0))
    let file = program.folder.path("h/main.sqlite")
    try program.folder.write("no database at all, but a text", to: "h/main.sqlite")
    let damaged = try await program.run("--home", "h", "db", "list", "c")
    #expect(damaged.status == .exited(65), "\(damaged.errorText)")
    let run = try await program.run("--home", "h", "db", "path")
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(run.outputText.contains(file + "\n"), "\(run.outputText)")
  }

  @Test("an export that was cut short anywhere, or changed in length, imports nothing")
  func cutShort() async throws {
    let program = try await Self.exported()
    let lines = String(decoding: try program.folder.read("all.jsonl"), as: UTF8.self)
      .split(separator: "\n").map(String.init)
    var files = (1..<lines.count).map { (lines[..<$0], "all.jsonl:\($0): the file was cut short") }
    files.append(
      (lines[..<3] + lines[4...], "all.jsonl:7: the file has 5 entries, and its last line says 6"))
    files.append((lines + [lines[3]], "all.jsonl:9: there is more behind the last line"))
    for (lines, message) in files {
      try program.folder.write(lines.joined(separator: "\n") + "\n", to: "all.jsonl")
      let run = try await program.run(
        "--home", "cut", "-k", "-c", "db import all.jsonl", "-c", "db list c --plain")
      #expect(run.status == .exited(65), "\(run.errorText)")
      #expect(run.errorText.contains(message), "\(run.errorText)")
      #expect(run.outputText.isEmpty, "\(run.outputText)")
    }
    // An earlier version wrote no last line.
    let early = [#"{"swiftboard":"db export","version":1}"#] + lines[1...3]
    try program.folder.write(early.joined(separator: "\n"), to: "all.jsonl")
    let run = try await program.run("--home", "cut", "-c", "db import all.jsonl")
    #expect(run.errorText.contains("3 added"), "\(run.errorText)")
  }

  @Test("an export of a collection that is not there leaves the file as it was")
  func missing() async throws {
    let program = try await Self.exported()
    let before = try program.folder.read("all.jsonl")
    let run = try await program.run("--home", "h", "-c", "db export all.jsonl nope")
    #expect(run.status == .exited(66), "\(run.errorText)")
    #expect(try program.folder.read("all.jsonl") == before)
    let one = try await program.run("--home", "h", "-c", "db export one.jsonl c")
    #expect(one.errorText.contains("exported 3 entries"), "\(one.errorText)")
  }
}
