import SwiftBoardTestSupport
import Testing

/// docs/acceptance.md is the index of the tests that check the board as a whole.
@Suite("docs/acceptance.md")
struct AcceptancePageTests {
  @Test("it has twenty checks, each with a sentence and with tests that are there, named once")
  func checks() throws {
    let known = Set(try TestIndex.tests(in: "Tests").map(\.name))
    let page = try SourceTree.text("docs/acceptance.md")
    var number = 0
    for section in page.split(separator: "\n## ").dropFirst() {
      number += 1
      #expect(section.hasPrefix("\(number). "), "\(section.prefix(40))")
      #expect(section.contains("\n> "), "check \(number) says nothing")
      let list = section.split(separator: "\n").filter {
        $0.hasPrefix("- `") || $0.hasPrefix("  `")
      }
      let names = TestIndex.names(in: list.joined(separator: "\n"))
      #expect(!names.isEmpty, "check \(number) has no test")
      #expect(Set(names).count == names.count, "check \(number) names a test twice")
      #expect(Set(names).subtracting(known).sorted() == [], "check \(number): no such test")
    }
    #expect(number == 20)
  }
}
