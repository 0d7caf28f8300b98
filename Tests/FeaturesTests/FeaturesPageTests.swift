import SwiftBoardTestSupport
import SwiftBoardTesting
import Testing

/// The tables of docs/features.md are those that the tests of the features check reducers against.
@Suite("docs/features.md")
struct FeaturesPageTests {
  /// The transitions of a section's table, a line each.
  private static func documented(_ feature: String) throws -> Set<String> {
    let page = try SourceTree.text("docs/features.md")
    let section = try #require(page.firstRange(of: "\n## \(feature)\n"))
    var transitions: Set<String> = []
    for line in page[section.upperBound...].split(separator: "\n").prefix(while: {
      !$0.hasPrefix("## ")
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
    #expect(try Self.documented("log") == Self.declared(LogReducerTests.transitions))
  }
}
