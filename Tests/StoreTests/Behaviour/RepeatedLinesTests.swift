import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// When a conflict in a page is resolved by hand, a sentence can take the place of another one.
struct RepeatedLinesTests {
  @Test("no page has a long line of prose twice") func pages() throws {
    let pages =
      try FileManager.default.subpathsOfDirectory(atPath: "\(SourceTree.root)/docs")
      .filter { $0.hasSuffix(".md") }.map { "docs/\($0)" } + ["README.md", "CONTRIBUTING.md"]
    #expect(pages.count > 40)
    for page in pages {
      let repeated = Self.repeatedLines(of: try SourceTree.text(page))
      #expect(repeated.isEmpty, "\(page) has twice: \(repeated)")
    }
  }

  @Test("code and tables may repeat themselves") func exceptions() {
    let line = "a line of sixty characters, which is as long as prose lines are"
    #expect(Self.repeatedLines(of: "\(line)\nother\n  \(line)\n") == [line])
    #expect(Self.repeatedLines(of: "```\n\(line)\n\(line)\n```\n| \(line)\n| \(line)\n") == [])
  }

  private static func repeatedLines(of page: String) -> [String] {
    var (seen, repeated): (Set<String>, [String]) = ([], [])
    var isCode = false
    for line in page.split(separator: "\n").map({ $0.trimmed }) {
      if line.hasPrefix("```") { isCode.toggle() }
      guard !isCode, !line.hasPrefix("|"), line.count > 50 else { continue }
      if !seen.insert(line).inserted { repeated.append(line) }
    }
    return repeated
  }
}
