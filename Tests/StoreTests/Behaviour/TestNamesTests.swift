import SwiftBoardTestSupport
import Testing

/// CONTRIBUTING.md says how tests, suites and files are named.
@Suite("Names of tests, suites and files")
struct TestNamesTests {
  private static func allTests() throws -> [TestIndex.Entry] {
    try TestIndex.tests(in: "Tests")
  }

  @Test("every test has a title, a phrase without a full stop")
  func titles() throws {
    let tests = try Self.allTests()
    #expect(tests.count > 1500)
    // What an export of a recording writes, and a file whose tests are still to be given titles.
    let untitled = ["RecordedTests", "FeatureListTests"]
    for test in tests where !untitled.contains(SourceTree.name(of: test.file)) {
      let title = test.title ?? ""
      #expect(!title.isEmpty && !title.hasSuffix("."), "\(test.name) in \(test.file): '\(title)'")
    }
  }

  @Test("no two tests of a suite have one title")
  func sameTitles() throws {
    var seen: [String: String] = [:]
    for test in try Self.allTests() {
      let other = seen.updateValue(test.name, forKey: "\(test.suite): \(test.title ?? test.name)")
      #expect(other == nil, "\(test.name) in \(test.file) has the title of \(other ?? "")")
    }
  }

  @Test("a suite's name ends in Tests, is that of one file only, and gives the file its name")
  func suites() throws {
    var files: [String: String] = [:]
    var suites: [String: [String]] = [:]
    for test in try Self.allTests() {
      #expect(test.suite.hasSuffix("Tests"), "\(test.suite) in \(test.file)")
      let other = files.updateValue(test.file, forKey: test.suite)
      #expect(other == nil || other == test.file, "\(test.suite) is in \(test.file) too")
      suites[test.file, default: []].append(test.suite)
    }
    for (file, names) in suites {
      let subject = SourceTree.name(of: file).dropLast("Tests".count)
      #expect(names.contains { $0.contains(subject) }, "\(file) has \(Set(names))")
    }
  }

  @Test("the name of a file stands once in the repository", arguments: [["Sources", "Tests"]])
  func files(folders: [String]) throws {
    var seen: [String: String] = [:]
    for file in try folders.flatMap(SourceTree.swiftFiles) {
      let other = seen.updateValue(file, forKey: SourceTree.name(of: file))
      #expect(other == nil, "\(file) and \(other ?? "")")
    }
  }
}
