import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardFeatures
import SwiftBoardJSON
import SwiftBoardRecording
import SwiftBoardStore
import SwiftBoardTestSupport
import Testing

@testable import SwiftBoardBoard

/// A feature with one command, which does nothing.
enum PlainTea {
  struct State: Codable, Sendable, Equatable {}

  enum Action: FeatureAction {
    case run(context: CommandContext)

    var started: CommandContext? { if case .run(let context) = self { context } else { nil } }
  }

  struct Brewing: Reducer {
    func reduce(_ state: inout State, _ action: Action, _: Dependencies) -> [Effect<Action>] { [] }
  }

  static func feature(
    _ name: String = "tea", commands: [[String]] = [["tea", "brew"]], volatile: [String] = [],
    version: Int? = 1
  ) -> Feature<State, Action> {
    Feature(
      name: name, summary: "brew tea", state: State(), reducer: Brewing(),
      commands: CommandTable(
        commands.map { path in
          CommandSpec(path, "brew", examples: [path.joined(separator: " ")]) { _ in
            FeatureCommand { .run(context: $0) }
          }
        }),
      outcome: { action, _, _ in action.started.map { Outcome(job: $0.job) } },
      volatile: volatile, version: version)
  }
}

@Suite("A program of one's own")
struct OwnProgramTests {
  private let features = FeatureList(
    PlainTea.feature(), program: "brd 1.0", summary: "a board for tea")

  private func printed(_ line: String) async -> String {
    let lines = Lines(features: features)
    #expect(await lines.run(line) == 0)
    await lines.board.close()
    return lines.allPrinted
  }

  @Test("its name and its version are in its help, its version line and its manual page")
  func texts() throws {
    let help = ProgramHelp(features).text()
    #expect(help.hasPrefix("brd: a board for tea\n"), "\(help)")
    #expect(help.contains("\n  brd [OPTIONS] [COMMAND ...]\n"))
    #expect(help.contains("\n'brd help' lists the commands."))
    let manual = ManualPage(features).text
    #expect(manual.hasPrefix(#".TH BRD 1 "" "brd 1.0" "User Commands""#), "\(manual)")
    #expect(manual.contains("\nbrd \\- a board for tea\n"))
    #expect(manual.contains("$XDG_DATA_HOME/brd,"))
    #expect(manual.contains("each with a folder brd for its files"))
    #expect(BoardProgram.versionLine(of: features.program).hasPrefix("brd 1.0 ("))
    #expect(BoardProgram.versions(of: features.program)["brd"] == "1.0")
    #expect(ProgramHelp(features).value.elements?.first?["command"] == "brd")
    for text in [help, ProgramHelp(features).value.text] {
      #expect(!text.contains("swiftboard"), "\(text)")
    }
    // A name without a version.
    #expect(BoardProgram.versionLine(of: ProgramName("brd")).hasPrefix("brd ("))
  }

  @Test("its name is in its completions and in the messages of its lines")
  func lines() async {
    for shell in ShellCompletion.Shell.allCases {
      let script = await printed("completions \(shell.rawValue)")
      #expect(script.contains("# \(shell.rawValue) completion for brd: "), "\(script)")
      #expect(!script.contains("swiftboard"))
      #expect(
        script.replacing("brd", with: "swiftboard") == ShellCompletion.script(for: shell))
    }
    #expect(await printed("help completions").contains("<(brd -o plain completions bash)"))
    #expect(!(await printed("manual").contains("swiftboard 0")))
    #expect(!(await printed("help shell").contains("tutorial")))
    let lines = Lines(features: features)
    #expect(await lines.run("tutorial") == 64)
    #expect(lines.allPrinted.contains("unknown command 'tutorial'"), "\(lines.allPrinted)")
    _ = await lines.run("doctor")
    #expect(lines.allPrinted.contains("1.0, live services"), "\(lines.allPrinted)")
    await lines.board.close()
  }

  @Test("its files are in folders of its name, and swiftboard's in those of swiftboard")
  func folders() {
    let environment = ["HOME": "/h", "XDG_DATA_HOME": "/data"]
    for (list, name) in [(features, "brd"), (BoardFeatures.all, "swiftboard")] {
      let output = BoardOutputWriter(
        program: name, isJSON: false, terminal: Terminal(environment: [:]))
      let paths = BoardRun.configuration(
        ProgramOptions(), environment, list.program, BoardSettings(), seed: 1, nil, output
      ).paths
      #expect(paths == BoardPaths(environment: environment, program: name))
      #expect(paths.configuration == "/h/.config/\(name)/config.json")
      #expect(paths.initScript == "/h/.config/\(name)/init.sb")
      #expect(paths.keychain == "/data/\(name)/keychain.sbkc")
      #expect(paths.history == "/h/.local/state/\(name)/history")
    }
  }

  @Test("the help of a board names no feature that it does not have")
  func examples() {
    for (list, hasTutorial) in [
      (features, false),
      (FeatureList(PlainTea.feature(), BoardFeatures.log, BoardFeatures.api), false),
      (BoardFeatures.all, true),
    ] {
      let missing = Set(BoardFeatures.all.names).subtracting(list.names)
      let own = list.commands.specs.filter { spec in
        !list.features.contains { $0.name == spec.path[0] }
      }
      let help = ProgramHelp(list).value.elements?.first?["examples"]?.elements ?? []
      for example in own.flatMap(\.examples) + help.compactMap(\.stringValue) {
        let words = Set(example.split { !$0.isLetter }.map(String.init))
        #expect(words.isDisjoint(with: missing), "\(example)")
      }
      #expect(list.hasTutorial == hasTutorial)
    }
    let examples = BoardFeatures.all.commands.specs.flatMap(\.examples)
    #expect(examples.contains("open swiftboard://api/sample/character/1"))
    #expect(examples.contains("watch 5s downloads list sab"))
  }
}
