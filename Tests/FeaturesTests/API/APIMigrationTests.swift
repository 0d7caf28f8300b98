import SwiftBoardJSON
import SwiftBoardRecording
import SwiftBoardSystem
import Testing

@testable import SwiftBoardFeatures

@Suite("Migrations of requests and answers")
struct APIMigrationTests {
  private static func action(_ name: String, _ body: String) -> JSON {
    ["answered": ["answer": .object([.init("status", 200), .init(name, .string(body))])]]
  }

  /// `EarlierRecordingTests` replays such a recording.
  @Test(
    "up to schema 8, a body of many escapes was text, and one that is no text is not touched",
    arguments: [
      ("text", "\n\n", "base64", "Cgo="), ("text", "plain", "text", "plain"),
      ("base64", "/w==", "base64", "/w=="), ("base64", "Cgo=", "base64", "Cgo="),
    ])
  func bodies(name: String, body: String, newName: String, newBody: String) throws {
    let migration = try #require(APIMigrations.all.first { $0.from == 8 })
    let action = Self.action(name, body)
    #expect(try migration.action(action) == Self.action(newName, newBody))
    // Text in base64 was taken for bytes, which are not in the state.
    #expect(migration.changesState(action) == (name == "base64" && body == "Cgo="))
  }
}
