import SwiftBoardTestSupport
import Testing

/// A variable whose value becomes a secret.
@Suite(.timeLimit(.minutes(20)))
struct SecretVariableTests {
  /// Another thread still tells observers of the end of `keychain set` when the next line begins,
  /// by chance: about each second time.
  @Test("rule 2: a variable is a mark in the line behind the one that made its value a secret")
  func nextLine() async throws {
    let program = try Program.withKeychain()
    let numbers = 0..<20
    var script = ""
    for number in numbers {
      try program.folder.write("value-\(number)-of-a-secret", to: "v\(number)")
      script += "set x value-\(number)-of-a-secret\n"
      script += "keychain set k\(number) --from-file v\(number)\necho $x\n"
    }
    try program.folder.write(script, to: "s.sb")
    let run = try await program.run(
      ["--home", "h", "-f", "s.sb"], environment: ["SWIFTBOARD_PASSPHRASE_FILE": "pass"])
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(run.outputText == numbers.map { "[secret:k\($0)]\n" }.joined())
  }
}
