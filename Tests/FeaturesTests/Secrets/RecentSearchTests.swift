import SwiftBoardDependencies
import SwiftBoardSystem
import Testing

/// What recent searches have in place of secrets.
@Suite struct RecentSearchTests {
  private static func recent(_ line: String) async throws -> (texts: [String], printed: String) {
    let world = World(MockKeychainService(entries: ["k": Data("Admin123".utf8)]))
    world.api.answer("GET", "http://h/users/admin123", with: .json("{}"))
    let lines = Lines(world)
    #expect(await lines.run("keychain unlock") == 0, "\(lines.allPrinted)")
    #expect(await lines.run(line) == 0, "\(lines.allPrinted)")
    #expect(await lines.run("api recent") == 0)
    await lines.board.close()
    let searches = try await world.persistence.searches(scope: "api", containing: nil)
    return (searches.map(\.text), lines.allPrinted)
  }

  @Test("a known value in another case is data, and stays")
  func otherCase() async throws {
    let (texts, printed) = try await Self.recent("api get http://h/users/admin123")
    #expect(texts == ["GET http://h/users/admin123"])
    #expect(printed.contains("GET http://h/users/admin123"), "\(printed)")
  }
}
