import SwiftBoardTestSupport
import Testing

/// The tests of the repository, read from their sources.
enum TestIndex {
  /// One test function.
  struct Entry {
    /// Its file, from the root.
    var file: String
    /// The type that it is a method of.
    var suite: String
    /// The name of the function.
    var function: String
    /// Its title; `nil` where it has none.
    var title: String?

    /// As pages name it: `Suite.test`.
    var name: String { "\(suite).\(function)" }

    /// The rules whose numbers stand at the front of its title.
    var rules: [Int] {
      guard let title else { return [] }
      return title.split(separator: " ").map(Self.rule).prefix { $0 != nil }.compactMap { $0 }
    }

    private static func rule(_ word: Substring) -> Int? {
      word.first == "R" ? Int(word.dropFirst()) : nil
    }
  }

  /// All tests of a folder, in the order of their files.
  static func tests(in folder: String) throws -> [Entry] {
    try all.get().filter { $0.file.hasPrefix(folder + "/") }
  }

  /// All tests. They are read once, because that takes a second.
  private static let all = Result { try readTests() }

  /// Reads all tests. The suite is the last type that stands before the test and is not indented;
  /// in a file that is compiled under a condition, by one level at most.
  private static func readTests() throws -> [Entry] {
    var tests: [Entry] = []
    for file in try SourceTree.swiftFiles(in: "Tests").sorted() where file.hasSuffix("Tests.swift")
    {
      var suite: Substring = ""
      var entry: Entry?
      for bytes in try SourceTree.text(file).utf8.split(separator: UInt8(ascii: "\n")) {
        let line = Substring(bytes)
        // Most lines are those of bodies.
        if entry == nil, line.hasPrefix("   "), !line.hasPrefix("    @Test") { continue }
        let code = line.trimmed
        if code.hasPrefix("@Test") { entry = Entry(file: file, suite: "", function: "") }
        let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        if !line.hasPrefix("   "), let name = Self.suite(words, isIndented: line.hasPrefix(" ")) {
          suite = name
        }
        guard entry != nil else { continue }
        if entry?.title == nil { entry?.title = Self.title(in: code) }
        if let function = words.firstIndex(of: "func"), function + 1 < words.count,
          var test = entry
        {
          test.suite = String(suite)
          test.function = String(words[function + 1])
          tests.append(test)
          entry = nil
        }
      }
    }
    return tests
  }

  /// The tests that a text of a page names between backticks, as `Suite.test`; `.test` is another
  /// one of the same suite.
  static func names(in text: some StringProtocol) -> [String] {
    var suite = ""
    var names: [String] = []
    for name in text.codeSpans
    where name.contains(".") && name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "." }) {
      if !name.hasPrefix(".") { suite = String(name.prefix { $0 != "." }) }
      names.append(name.hasPrefix(".") ? suite + name : name)
    }
    return names
  }

  /// The type that a line declares; an indented one only where its name is that of a suite.
  private static func suite(_ words: [Substring], isIndented: Bool) -> Substring? {
    guard let kind = words.firstIndex(where: { ["struct", "class", "extension"].contains($0) }),
      kind + 1 < words.count, !isIndented || words[kind + 1].hasSuffix("Tests")
    else { return nil }
    return words[kind + 1]
  }

  /// The text of the first literal where a title may stand: behind `@Test(`, or at the front of the
  /// line below.
  private static func title(in code: String) -> String? {
    let text = code.hasPrefix("@Test(") ? code.dropFirst("@Test(".count) : code[...]
    guard text.hasPrefix("\"") else { return nil }
    var title = ""
    var isEscaped = false
    for character in text.dropFirst() {
      if isEscaped {
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
        continue
      } else if character == "\"" {
        return title
      }
      title.append(character)
    }
    return nil
  }
}
