import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardFeatures
import Testing

/// What is completed is what the table of commands has, for the start of every command.
@Suite struct GrammarCompletionTests {
  private static let table = BoardFeatures.all.commands

  private static func candidates(_ text: String) -> Set<String> {
    Set((LineCompletion(text, in: table)?.answer([]).candidates ?? []).map(\.text))
  }

  /// The choices of a command's arguments, which may stand where further words may.
  private static func choices(_ path: [String]) -> [String] {
    let spec = table.specs.first { $0.path == path }
    for argument in spec?.arguments ?? [] {
      if case .choice(let words) = argument.kind { return words }
      if !argument.isOptional { return [] }
    }
    return []
  }

  @Test("each start of a command's words is completed by the words that follow it")
  func words() {
    var count = 0
    for spec in Self.table.specs {
      for index in spec.path.indices {
        let before = Array(spec.path[..<index])
        let following =
          Self.table.specs.filter { $0.path.count > index && $0.path.starts(with: before) }
          .map { $0.path[index] } + Self.choices(before)
        for length in 0...spec.path[index].count {
          let typed = String(spec.path[index].prefix(length))
          let text = (before + [typed]).joined(separator: " ")
          #expect(
            Self.candidates(text) == Set(following.filter { $0.hasPrefix(typed) }), "'\(text)'")
          count += 1
        }
      }
    }
    #expect(count > 60)
  }

  @Test("the pages of help are completed beside the commands")
  func helpPages() {
    #expect(Self.candidates("help key").isSuperset(of: ["keys", "keychain"]))
    #expect(Self.candidates("help ").isSuperset(of: ["line", "shell", "keys", "api"]))
    #expect(!Self.candidates("help api ").contains("keys"))
    #expect(!Self.candidates("").contains("line"))
  }

  @Test("each command's options are completed, and the program's that may follow it")
  func options() {
    for spec in Self.table.specs where spec.path != ["help"] {
      let own = spec.options.map(\.name)
      let options =
        spec.options + ProgramOptions.globals.filter { !own.contains($0.name) }
      let spellings = options.flatMap { option in
        ["--\(option.name)"] + (option.isNegatable ? ["--no-\(option.name)"] : [])
      }
      let text = spec.path.joined(separator: " ") + " --"
      #expect(Self.candidates(text) == Set(spellings), "'\(text)'")
    }
  }

  @Test("each option with fixed words is completed by them")
  func values() {
    for spec in Self.table.specs {
      for option in spec.options {
        guard case .choice(let words) = option.kind else { continue }
        let text = spec.path.joined(separator: " ") + " --\(option.name) "
        #expect(Self.candidates(text) == Set(words), "'\(text)'")
      }
    }
  }
}
