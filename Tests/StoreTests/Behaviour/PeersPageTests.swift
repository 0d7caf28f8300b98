import SwiftBoardTestSupport
import Testing

/// docs/peers.md names tests that show where the board stands beside other programs.
@Suite("docs/peers.md")
struct PeersPageTests {
  /// The rows of the tables, as their cells.
  private static func rows() throws -> [[String]] {
    try SourceTree.text("docs/peers.md").split(separator: "\n").compactMap { line in
      guard line.hasPrefix("| "), !line.hasPrefix("| feature"), !line.hasPrefix("| ---") else {
        return nil
      }
      return line.split(separator: "|").map { $0.trimmed }
    }
  }

  @Test("each row says where the board stands, and shows it")
  func rows() throws {
    let rows = try Self.rows()
    #expect(rows.count == 38)
    #expect(Set(rows.map { $0.first }).count == rows.count, "a feature stands there twice")
    for row in rows {
      #expect(row.count == 4, "\(row)")
      let standing = row[2].prefix { $0.isLetter || $0 == " " }
      #expect(
        ["ahead", "level", "behind", "another way"].contains { standing.hasPrefix($0) }, "\(row)")
      #expect(row[3].contains("`make bench`") || !TestIndex.names(in: row[3]).isEmpty, "\(row)")
    }
  }

  @Test("each test that it names exists")
  func tests() throws {
    let known = Set(try TestIndex.tests(in: "Tests").map(\.name))
    let named = try Self.rows().flatMap { TestIndex.names(in: $0[3]) }
    #expect(named.filter { !known.contains($0) } == [])
  }
}
