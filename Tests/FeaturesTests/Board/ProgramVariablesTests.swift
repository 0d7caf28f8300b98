import SwiftBoardFeatures
import SwiftBoardTestSupport
import Testing

@testable import SwiftBoardBoard

/// The environment variables: what the sources read, the manual page, and the page of the
/// configuration.
@Suite struct ProgramVariablesTests {
  /// The variable that `less` reads, and not the program.
  private static let ofOthers: Set = ["LESS"]

  /// The names of variables in string literals of the sources.
  private static func found() throws -> Set<String> {
    let reads = ["environment[", "variables[", "getenv("]
    let prefixes = ["XDG_", "LC_", "SSL_CERT_", "CURL_CA_", "SWIFTBOARD_"]
    let others: Set = ["LANG", "CREDENTIALS_DIRECTORY"]
    var names: Set<String> = []
    for file in try SourceTree.swiftFiles(in: "Sources")
    where SourceTree.name(of: file) != "ProgramVariables" {
      let parts = try SourceTree.text(file).utf8.split(
        separator: UInt8(ascii: "\""), omittingEmptySubsequences: false
      ).map { Substring($0) }
      for (before, name) in zip(parts, parts.dropFirst())
      where name.utf8.count > 2
        && name.utf8.allSatisfy({ $0 == 0x5F || 0x41...0x5A ~= $0 || 0x61...0x7A ~= $0 })
      {
        let isRead = reads.contains { before.hasSuffix($0) }
        let isKnown = prefixes.contains { name.hasPrefix($0) && name.count > $0.count }
        let isProxy = name.lowercased().hasSuffix("_proxy")
        if isRead || isKnown || isProxy || others.contains(String(name)) {
          names.insert(String(name))
        }
      }
    }
    return names
  }

  @Test("the documents have every variable that the sources read, and no other")
  func sources() throws {
    let described = Set(ProgramVariables.described(for: "swiftboard").flatMap(\.names))
    // `doctor` says that it is not read.
    let found = try Self.found().subtracting(["HTTP_PROXY"])
    #expect(found.subtracting(described).subtracting(ProgramVariables.names).isEmpty)
    #expect(described.subtracting(found) == Self.ofOthers)
  }

  @Test("a variable of the program or of its folders must be UTF-8, and another one need not")
  func names() {
    for name in ProgramVariables.described(for: "swiftboard").flatMap(\.names) {
      let isNeeded =
        name == "HOME" || name.hasPrefix("XDG_") || ProgramVariables.names.contains(name)
      #expect(ProgramVariables.mustBeUTF8(name) == isNeeded, "\(name)")
    }
    #expect(ProgramVariables.names.allSatisfy(ProgramVariables.mustBeUTF8))
  }

  @Test("the page of the configuration has the table of the variables, and so has the manual page")
  func documents() throws {
    let rows = ProgramVariables.described(for: "swiftboard").map { names, meaning in
      "| \(names.map { "`\($0)`" }.joined(separator: ", ")) | \(meaning) |\n"
    }
    let table = "| variable | meaning |\n| --- | --- |\n" + rows.joined()
    #expect(
      try SourceTree.text("docs/configuration.md").contains("\n\n" + table),
      "the table of docs/configuration.md should be:\n\(table)")
    for option in ProgramOption.allSpecs {
      let variable = "SWIFTBOARD_" + option.name.uppercased().replacing("-", with: "_")
      guard !ProgramVariables.names.contains(variable) else { continue }
      let spellings = ["--\(option.name)"] + (option.short.map { ["-\($0)"] } ?? [])
      let page = try SourceTree.text("docs/configuration.md")
      #expect(spellings.contains { page.contains("`\($0)`") }, "\(option.name) has no variable")
    }
    let manual = ManualPage(BoardFeatures.all).text
    for file in ["config.json", "init.sb"] { #expect(manual.contains(".TP\n.B\n\(file)\n")) }
    #expect(manual.contains(" no\\-pager, "), "a key of config.json")
    for (names, meaning) in ProgramVariables.described(for: "swiftboard") {
      #expect(manual.contains("\n\(names.joined(separator: ", "))\n"), "\(names)")
      #expect(!meaning.hasSuffix("."))
    }
  }
}
