import SwiftBoardJSON
import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// The tests' terminal shows what a real emulator does. `make_screen_vectors.py` says how the
/// vectors are made.
@Suite struct ScreenModelTests {
  private static func vectors() throws -> [JSON] {
    let path = "\(SourceTree.root)/Tests/CommandLineTests/screen-vectors.jsonl"
    let bytes = try #require(FileManager.default.contents(atPath: path))
    return try String(decoding: bytes, as: UTF8.self).split(separator: "\n").map {
      try JSON(parsing: String($0))
    }
  }

  @Test(
    "what is behind a character or a sequence that was cut is shown",
    arguments: [
      ("a\u{5BB6}", 1, "\r\nb", "a\u{FFFD}"), ("a\u{5BB6}", 2, "\u{1B}[0m\r\nb", "a\u{FFFD}"),
      ("a\u{1B}[32m", 1, "\u{1B}[0m\r\nb", "a"), ("a\u{1B}[32m", 3, "\u{1B}[0m\r\nb", "a"),
      ("a\u{1B}[32m", 4, "\u{1B}[0m\r\nb", "a"),
    ])
  func cut(text: String, dropped: Int, next: String, row: String) {
    var screen = ScreenModel(columns: 10, rows: 3)
    screen.show(Array(text.utf8.dropLast(dropped)))
    screen.show(Array(next.utf8))
    #expect(screen.text == "\(row)\nb")
    #expect(screen.unknown == [])
  }

  @Test("generated output leaves the screen and the cursor that pyte shows")
  func agrees() throws {
    let vectors = try Self.vectors()
    #expect(vectors.count == 200)
    for vector in vectors {
      let columns = try #require(vector["columns"]?.intValue)
      let rows = try #require(vector["rows"]?.intValue)
      var screen = ScreenModel(columns: columns, rows: rows)
      let output = try #require(vector["output"]?.stringValue)
      screen.show(output)
      #expect(screen.unknown == [])
      let expected = try #require(vector["screen"]?.elements).map { $0.stringValue }
      #expect(screen.screen == expected, "\(output.debugDescription) at \(columns)")
      let cursor = try #require(vector["cursor"]?.elements).map { $0.intValue }
      #expect([screen.cursor.row, screen.cursor.column] == cursor, "\(output.debugDescription)")
    }
  }
}
