import SwiftBoardTestSupport
import SwiftBoardTesting
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardFeatures

/// The tables of docs/features.md are those that the tests of the features check reducers against.
@Suite("docs/features.md")
struct FeaturesPageTests {
  /// The transitions of a section's table, a line each.
  ///
  /// - Parameter part: The title of a part of the section, if it has tables of its own.
  private static func documented(_ feature: String, part: String? = nil) throws -> Set<String> {
    let page = try SourceTree.text("docs/features.md")
    let section = try #require(page.firstRange(of: "\n## \(feature)\n"))
    var start = section.upperBound
    if let part {
      start = try #require(page[start...].firstRange(of: "\n### \(part)\n")).upperBound
    }
    var transitions: Set<String> = []
    for line in page[start...].split(separator: "\n").prefix(while: {
      !$0.hasPrefix("## ") && !$0.hasPrefix("### ")
    }) where line.hasPrefix("| `") {
      let columns = line.split(separator: "|").map { column in
        column.split(separator: ",").map { $0.filter { $0 != " " && $0 != "`" } }
      }.filter { !$0.joined().isEmpty }
      try #require(columns.count == 3, "\(line)")
      for from in columns[0] {
        for event in columns[1] {
          for to in columns[2] { transitions.insert("\(from) \(event) \(to)") }
        }
      }
    }
    return transitions
  }

  private static func declared<Label, Event>(_ table: TransitionTable<Label, Event>) -> Set<String>
  {
    Set(table.transitions.map { "\($0.from) \($0.event) \($0.to)" })
  }

  @Test("the tables are the declared transitions")
  func tables() throws {
    #expect(try Self.documented("api") == Self.declared(RequestReducerTests.transitions))
    #expect(try Self.documented("downloads") == Self.declared(DownloadsReducerTests.transitions))
    #expect(try Self.documented("db") == Self.declared(DatabaseReducerTests.names))
    #expect(try Self.documented("keychain") == Self.declared(KeychainTransitionTests.transitions))
    #expect(try Self.documented("log") == Self.declared(LogReducerTests.transitions))
    #expect(try Self.documented("analytics") == Self.declared(AnalyticsTransitionTests.transitions))
    #expect(try Self.documented("media") == Self.declared(MediaTransitionTests.transitions))
    #expect(try Self.documented("session") == Self.declared(SessionTransitionTests.transitions))
    #expect(try Self.documented("shell") == Self.declared(ShellTransitionTests.transitions))
    for (part, table) in [
      ("The list", CharactersReducerTests.list), ("The character", CharactersReducerTests.detail),
      ("The search", CharactersReducerTests.search),
    ] {
      #expect(try Self.documented("characters", part: part) == Self.declared(table), "\(part)")
    }
  }

  @Test("every feature of the board has a table")
  func everyFeature() throws {
    for feature in BoardFeatures.all.features.map(\.name) + ["session", "shell"] {
      let parts = feature == "characters" ? ["The list", "The character", "The search"] : [nil]
      for part in parts { #expect(try !Self.documented(feature, part: part).isEmpty, "\(feature)") }
    }
  }
}
