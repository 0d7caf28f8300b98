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

  /// Compares a table of the page with the declared one, and says which transitions differ.
  private static func compare<Label, Event>(
    _ feature: String, part: String? = nil, _ table: TransitionTable<Label, Event>
  ) throws {
    let (documented, declared) = (try documented(feature, part: part), declared(table))
    let place = "docs/features.md, \(feature)\(part.map { ", \($0)" } ?? "")"
    let missing = declared.subtracting(documented).sorted()
    #expect(missing.isEmpty, "\(place) lacks these transitions")
    let wrong = documented.subtracting(declared).sorted()
    #expect(wrong.isEmpty, "\(place) has these transitions, which are not declared")
  }

  @Test("the tables are the declared transitions, and every feature has one")
  func tables() throws {
    var compared: Set<String> = []
    func compare<Label, Event>(
      _ feature: String, part: String? = nil, _ table: TransitionTable<Label, Event>
    ) throws {
      compared.insert(feature)
      try Self.compare(feature, part: part, table)
    }
    try compare("api", RequestReducerTests.transitions)
    try compare("downloads", DownloadsReducerTests.transitions)
    try compare("db", DatabaseReducerTests.names)
    try compare("keychain", KeychainTransitionTests.transitions)
    try compare("log", LogReducerTests.transitions)
    try compare("analytics", AnalyticsTransitionTests.transitions)
    try compare("media", MediaTransitionTests.transitions)
    try compare("session", SessionTransitionTests.transitions)
    try compare("shell", ShellTransitionTests.transitions)
    for (part, table) in [
      ("The list", CharactersReducerTests.list), ("The character", CharactersReducerTests.detail),
      ("The search", CharactersReducerTests.search),
    ] {
      try compare("characters", part: part, table)
    }
    let features = BoardFeatures.all.features.map(\.name) + ["session", "shell"]
    let missing = Set(features).subtracting(compared).sorted()
    #expect(missing.isEmpty, "compare the tables of these features with what their tests declare")
  }
}
