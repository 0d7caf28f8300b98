import SwiftBoardTestSupport
import Testing

/// What docs/coming-from-tca.md says is shown by tests that it names, row for row.
@Suite("Tests named in coming-from-tca.md")
struct NamedTestsTests {
  /// The tests of the folders that the page names, each as `Suite.test`.
  private static func allTests() throws -> Set<String> {
    let folders = ["StoreTests", "StoreMachineTests", "StoreTestingTests", "DependenciesTests"]
    return Set(try folders.flatMap { try TestIndex.tests(in: "Tests/\($0)").map(\.name) })
  }

  @Test("each row names tests, and all of them exist")
  func rows() throws {
    let tests = try Self.allTests()
    #expect(tests.contains("NamedTestsTests.rows") && !tests.contains("NamedTestsTests.allTests"))
    var rows = 0
    var isTable = false
    for line in try SourceTree.text("docs/coming-from-tca.md").split(
      separator: "\n", omittingEmptySubsequences: false)
    {
      guard line.hasPrefix("|") else {
        isTable = false
        continue
      }
      // The last column names the tests; the first two lines are the head.
      let cells = line.dropLast().split(separator: "|").map { $0.trimmed }
      guard isTable, !line.hasPrefix("| ---") else {
        #expect(isTable || cells.last == "tests", "\(line)")
        isTable = true
        continue
      }
      rows += 1
      let names = TestIndex.names(in: cells.last ?? "")
      for test in names {
        #expect(tests.contains(test), "there is no test \(test), named in: \(line)")
      }
      #expect(!names.isEmpty, "names no test: \(line)")
    }
    #expect(rows > 60)
  }
}
