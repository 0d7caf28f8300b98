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
