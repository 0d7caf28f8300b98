import SwiftBoardCommandLine
import SwiftBoardDependencies
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardFeatures

@Suite("Secrets in lines")
struct TypedSecretTests {
  @Test(
    "a secret typed behind a command that a variable names is part of no step",
    arguments: [
      "time - keychain set n hunter2", "--json keychain set n hunter2",
      "echo x & keychain set n hunter2",
      "set k keychain; $k set n hunter2", "set k keychain; ${k} set n hunter2",
      "set k keychain; echo x; $k set n --generate 3 hunter2",
      "set s set; keychain $s n hunter2", "set k chain; key$k set n hunter2",
      "set k keychain; $k \"set\" n 'hunter2 and more'", "echo keychain; {{last}} set n hunter2",
      "set k keychain; set s set; $k $s n hunter2", "set k keychain; time $k set n hunter2",
    ])
  func typedBehindAVariable(line: String) async {
    let lines = Lines()
    let code = await lines.run(line)
    #expect(code == 64)
    #expect(!lines.allSteps.contains("hunter2"), "\(lines.allSteps)")
    #expect(!lines.allPrinted.contains("hunter2"), "\(lines.allPrinted)")
    #expect(lines.allSteps.contains("[refused: secret n]"))
  }

  @Test("of every command of the keychain only 'set' takes a value")
  func commandsOfTheKeychain() {
    for spec in BoardFeatures.all.commands.specs where spec.path.first == "keychain" {
      let line = "keychain \(spec.path[1]) name word"
      #expect(
        (TypedSecrets(BoardFeatures.all).removed(from: line) == line) == (spec.path[1] != "set"),
        "\(line)")
    }
  }
}
