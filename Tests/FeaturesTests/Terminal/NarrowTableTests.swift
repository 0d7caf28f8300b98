import SwiftBoardBoard
import SwiftBoardDependencies
import Testing

@testable import SwiftBoardFeatures

/// Tables at terminals with few columns.
struct NarrowTableTests {
  /// What a line prints after others at a terminal with this many columns.
  private func shown(_ line: String, after lines: [String], columns: Int) async -> String {
    var settings = BoardSettings()
    settings.isTerminal = true
    settings.width = columns
    var dependencies = Dependencies.preview
    dependencies.clock = Dependencies.mock.clock
    let board = Lines(settings: settings, dependencies: dependencies)
    for line in lines { #expect(await board.run(line) == 0, "\(line): \(board.allPrinted)") }
    let before = board.allPrinted.count
    #expect(await board.run(line) == 0, "\(line): \(board.allPrinted)")
    await board.board.close()
    return String(board.allPrinted.dropFirst(before))
  }

  private static let name = "a-name-of-thirty-six-characters-long"

  @Test(
    "what other commands take is whole at 60 columns",
    arguments: [
      ("api service list", ["api service add \(name) http://a.test/with/a/long/path"], name),
      ("api saved list", ["api get sample/character/1 --save \(name)"], name),
      ("api recent", ["api get sample/character/1"], "sample/character/1"),
      ("db list things", [#"db put things \#(name) '{"text":"a text that is long"}'"#], name),
      ("db preference list", [#"db preference set \#(name) '"a text that is long"'"#], name),
      ("db index", ["db index things text.\(name)"], "text.\(name)"),
      ("characters recent", ["characters search name==\(name)"], "name==\(name)"),
      ("downloads list sab", [], "SABnzbd_nzo_0"),
      ("alias", ["alias \(name) echo a text that is long"], "\(name)  echo a text that is"),
    ])
  func identifiers(line: String, before: [String], expected: String) async {
    let text = await shown(line, after: before, columns: 60)
    #expect(text.contains(expected), "\(text)")
    for row in text.split(separator: "\n") { #expect(row.count <= 60, "\(row)") }
  }

  @Test("the requests of kept answers are whole at 60 columns, with the names of their services")
  func cache() async {
    let lines = [
      "api service add \(Self.name) http://127.0.0.1:18110/api", "api get \(Self.name)/character/1",
    ]
    let text = await shown("api cache list", after: lines, columns: 60)
    #expect(text.contains("\n\(Self.name)  "), "\(text)")
    #expect(text.filter { !$0.isWhitespace }.contains("/character/1"), "\(text)")
  }

  @Test(
    "a long cell does not widen a table off a terminal, as it did in earlier recordings",
    arguments: [true, nil])
  func longCell(limitsPadding: Bool?) async {
    var settings = BoardSettings()
    settings.limitsPadding = limitsPadding
    let board = Lines(settings: settings)
    let word = String(repeating: "x", count: 300)
    #expect(await board.run("alias long echo \(word); alias") == 0)
    #expect(board.allPrinted.contains("echo \(word)\n"), "\(board.allPrinted)")
    let rule = String(repeating: "-", count: 201)
    #expect(board.allPrinted.contains(rule) == (limitsPadding == nil), "\(board.allPrinted)")
    await board.board.close()
  }

  @Test(
    "a table says which columns with cells are left out at a terminal", arguments: [50, 80, 100])
  func leftOut(columns: Int) async {
    let text = await shown("downloads list sab", after: [], columns: columns)
    let note = "\nleft out: size, category; --plain shows all columns\n"
    #expect(text.contains(note) == (columns == 50), "\(text)")
    #expect(text.contains("left out") == (columns == 50), "\(text)")
    let documents = await shown("db list things", after: ["db put things a 1"], columns: 15)
    #expect(documents.contains("\nleft out: body; "), "\(documents)")
    for line in ["downloads list sab -q", "downloads list sab --plain"] {
      #expect(await !shown(line, after: [], columns: columns).contains("left out"))
    }
  }
}
