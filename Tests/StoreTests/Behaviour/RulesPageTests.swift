import SwiftBoardTestSupport
import Testing

/// docs/rules.md is the index of the tests that bear the number of a rule.
@Suite("docs/rules.md")
struct RulesPageTests {
  /// The text of each rule, and on the page the tests below it.
  private struct Rule: Equatable {
    var text = ""
    var tests: [String] = []
  }

  /// The rules above `Store`, by their numbers.
  private static func written() throws -> [Int: String] {
    var rules: [Int: String] = [:]
    var number: Int?
    for line in try SourceTree.text("Sources/Store/Store.swift").split(separator: "\n") {
      guard line.hasPrefix("///") else { break }
      let text = line.dropFirst(3).trimmed
      if let head = text.prefixMatch(of: #/- \*\*R(\d+)\*\* /#) {
        number = Int(head.1)
        if let number { rules[number] = String(text[head.range.upperBound...]) }
      } else if let number {
        rules[number]?.append(" \(text)")
      }
    }
    return rules
  }

  /// The sections of the page: the rule as a quotation, and a list of tests.
  private static func page() throws -> [Int: Rule] {
    var rules: [Int: Rule] = [:]
    var number: Int?
    var rule = Rule()
    var list = ""
    let lines = try SourceTree.text("docs/rules.md").split(separator: "\n")
    for line in lines + ["## "] {
      if line.hasPrefix("## ") {
        rule.tests = TestIndex.names(in: list)
        if let number { rules[number] = rule }
        number = Int(line.dropFirst("## R".count))
        rule = Rule()
        list = ""
      } else if line.hasPrefix(">") {
        rule.text += (rule.text.isEmpty ? "" : " ") + line.dropFirst().trimmed
      } else {
        list += line + "\n"
      }
    }
    return rules
  }

  @Test("it has each rule as it stands above Store")
  func sentences() throws {
    let written = try Self.written()
    #expect(written.keys.sorted() == Array(1...15))
    #expect(try Self.page().mapValues(\.text) == written)
  }

  @Test("below each rule stand the tests that bear its number, all of them and no others")
  func tests() throws {
    var bearing: [Int: Set<String>] = [:]
    for test in try TestIndex.tests(in: "Tests") {
      for rule in test.rules { bearing[rule, default: []].insert(test.name) }
    }
    let page = try Self.page()
    #expect(Set(bearing.keys) == Set(page.keys), "each rule has a test")
    for (number, rule) in page {
      let bearing = bearing[number] ?? []
      let listed = Set(rule.tests)
      #expect(listed.count == rule.tests.count, "R\(number) names a test twice")
      #expect(
        bearing.subtracting(listed).sorted() == [],
        "tests that bear R\(number) and are not below it in docs/rules.md")
      #expect(
        listed.subtracting(bearing).sorted() == [],
        "below R\(number) in docs/rules.md, but no test that bears the number")
    }
  }
}
