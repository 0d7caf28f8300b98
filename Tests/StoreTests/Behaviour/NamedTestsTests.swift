import Testing

/// What docs/coming-from-tca.md says is shown by tests that it names, row for row.
@Suite("Tests named in coming-from-tca.md")
struct NamedTestsTests {
  /// The tests of the folders that the page names, each as `Suite.test`: the suite is the last type
  /// of the file, not indented, that stands before the test.
  private static func allTests() throws -> Set<String> {
    var tests: Set<String> = []
    let folders = ["StoreTests", "StoreTestingTests", "DependenciesTests"]
    for path in try folders.flatMap({ try Repository.swiftFiles(in: "Tests/\($0)") })
    where path.hasSuffix("Tests.swift") {
      var suite: Substring = ""
      var isTest = false
      for line in try Repository.text(path).split(separator: "\n") {
        if line.contains("@Test") { isTest = true }
        let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        if let kind = words.firstIndex(where: { ["struct", "class", "extension"].contains($0) }),
          !line.hasPrefix(" "), kind + 1 < words.count
        {
          suite = words[kind + 1]
        }
        if isTest, let function = words.firstIndex(of: "func"), function + 1 < words.count {
          tests.insert("\(suite).\(words[function + 1])")
          isTest = false
        }
      }
    }
    return tests
  }

  @Test("each row names tests, and all of them exist")
  func rows() throws {
    let tests = try Self.allTests()
    #expect(tests.contains("NamedTestsTests.rows") && !tests.contains("NamedTestsTests.allTests"))
    var rows = 0
    var isTable = false
    for line in try Repository.text("docs/coming-from-tca.md").split(
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
      var suite = ""
      var count = 0
      for name in (cells.last ?? "").split(separator: "`").map({ $0.trimmed })
      where name.contains(".") && name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "." }) {
        if !name.hasPrefix(".") { suite = String(name.prefix { $0 != "." }) }
        let test = name.hasPrefix(".") ? suite + name : name
        let isThere = tests.contains(test)
        #expect(isThere, "there is no test \(test), named in: \(line)")
        count += 1
      }
      #expect(count > 0, "names no test: \(line)")
    }
    #expect(rows > 60)
  }
}
