import SwiftBoardCommandLine
import SwiftBoardFeatures
import Testing

@testable import SwiftBoardBoard

@Suite("What a list of features refuses")
struct FeatureMistakeTests {
  private func mistake(
    _ features: Feature<PlainTea.State, PlainTea.Action>..., program: String = "brd 1.0"
  ) -> String? {
    FeatureList.mistake(
      in: features.map { AnyFeature($0) }, of: ProgramName(program),
      ShellCommands.table(of: "brd"))
  }

  @Test("a name of a feature, of a command or of the program that no line can have")
  func names() throws {
    #expect(mistake(PlainTea.feature()) == nil)
    #expect(mistake(PlainTea.feature("x-1_a", commands: []), program: "my-brd.2") == nil)
    for name in ["my x", "", "1x", "-x", "x.y", "x/y"] {
      let found = try #require(mistake(PlainTea.feature(name, commands: [])))
      #expect(found.hasPrefix("'\(name)' cannot name a feature"), "\(found)")
    }
    for name in ["echo", "session", "shell", "settings", "resumed"] {
      let found = try #require(mistake(PlainTea.feature(name, commands: [])))
      #expect(found.contains("'\(name)', which is reserved"), "\(found)")
    }
    for name in ["", " 1.0", "a/b 1.0", "../x", "-x", "x'y"] {
      let found = try #require(mistake(PlainTea.feature(), program: name))
      #expect(found.hasPrefix("'\(name)' cannot name a program"), "\(found)")
    }
    #expect(mistake(PlainTea.feature(), PlainTea.feature()) == "two features have the name 'tea'")
    for path in [[], ["brew"], ["tea", ""], ["tea", "a b"], ["tea", "-x"]] {
      let found = try #require(mistake(PlainTea.feature(commands: [path])))
      let words = path.joined(separator: " ")
      #expect(found.hasPrefix("the feature 'tea' has the command '\(words)': "), "\(found)")
    }
    #expect(
      mistake(PlainTea.feature(commands: [["tea"], ["tea"]]))
        == "the feature 'tea' has the command 'tea' twice")
  }

  @Test("a version below 1, and a volatile path that is none")
  func versionsAndPaths() throws {
    #expect(mistake(PlainTea.feature(version: nil)) == nil)
    #expect(mistake(PlainTea.feature(volatile: ["ready.seconds", "rows[*].*"])) == nil)
    #expect(
      mistake(PlainTea.feature(version: 0))
        == "the feature 'tea' has the version 0: versions begin with 1"
    )
    let found = try #require(mistake(PlainTea.feature(volatile: ["a["])))
    #expect(found.hasPrefix("the feature 'tea' has the volatile path 'a[': "), "\(found)")
  }

  @Test("the program ends at its start, with a message that says what is wrong and where")
  func start() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = FeatureList(PlainTea.feature("my x"), fileID: "brd/main.swift", line: 7)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("brd/main.swift:7"), "\(text)")
    #expect(text.contains("'my x' cannot name a feature"), "\(text)")
  }
}
