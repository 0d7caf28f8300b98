import SwiftBoardBoard
import SwiftBoardDependencies
import SwiftBoardFeatures
import SwiftBoardJSON
import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// Lists of more documents than one page are written as they are read.
@Suite("Long lists", .timeLimit(.minutes(20)))
struct LongListTests {
  @Test(
    "a list of many pages prints each document once, in every format",
    arguments: ["", "--json", "--plain", "-o csv"])
  func formats(option: String) async throws {
    let program = try Program()
    let lines = (100..<700).map { "db put c \($0) {\"n\":\($0 % 7)}\n" }.joined()
    try program.folder.write(lines, to: "puts.sb")
    let put = try await program.run("--home", "h", "-q", "-f", "puts.sb")
    try #require(put.status == .exited(0), "\(put.errorText)")
    let list = try await program.run(
      ["--home", "h", "--record", "list.jsonl", "-c", "db list c --sort n \(option)"])
    #expect(list.status == .exited(0), "\(list.errorText)")
    let text = list.outputText
    let expected = (0..<7).flatMap { rest in (100..<700).filter { $0 % 7 == rest } }
    switch option {
    case "--json":
      let value = try JSON(parsing: text)
      #expect(value.members?.map(\.key) == ["line", "command", "value", "ms", "ok"])
      #expect(value["ok"] == .bool(true) && value["command"] == .string("db.list"))
      let ids = value["value"]?.elements?.compactMap { $0["id"]?.stringValue }
      #expect(ids == expected.map(String.init))
    default:
      let separator: Character = option == "-o csv" ? "," : option == "--plain" ? "\t" : " "
      let ids = text.split(whereSeparator: \.isNewline).compactMap {
        $0.split(separator: separator).first.flatMap { Int($0) }
      }
      #expect(ids == expected)
    }
    let replay = try await program.run("--home", "other", "session", "replay", "list.jsonl")
    #expect(replay.status == .exited(0), "\(replay.errorText)")
    // The time that it took is that of the recording.
    #expect(replay.outputText == text)
  }

  @Test("a long list that fails says so at its end, and in JSON closes the value")
  func failing() async throws {
    let program = try Program()
    let lines = (100..<400).map { "db put c \($0) {\"n\":\"perishable\($0)\"}\n" }.joined()
    try program.folder.write(lines, to: "puts.sb")
    let put = try await program.run("--home", "h", "-q", "-f", "puts.sb")
    try #require(put.status == .exited(0), "\(put.errorText)")
    let file = URL(filePath: program.folder.path + "/h/main.sqlite")
    var bytes = try Data(contentsOf: file)
    let location = try #require(bytes.firstRange(of: Data("perishable390".utf8)))
    bytes[location.lowerBound] ^= 1
    try bytes.write(to: file)
    let list = try await program.run("--home", "h", "--json", "-c", "db list c")
    #expect(list.status == .exited(65), "\(list.errorText)")
    let value = try JSON(parsing: list.outputText)
    #expect(value["value"]?.elements?.count == 299)
    #expect(value["ok"] == .bool(false) && value["code"] == .number("65"))
    #expect(list.errorText.contains("c/390"))
  }
}
