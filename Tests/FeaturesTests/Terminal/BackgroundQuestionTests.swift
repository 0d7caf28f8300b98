import SwiftBoardDependencies
import SwiftBoardSystem
import Testing

/// What commands in the background ask at the terminal: nothing, whatever the line editor does.
@Suite struct BackgroundQuestionTests {
  @Test(
    "a command in the background asks for no passphrase, and says how to unlock",
    arguments: [
      "api get http://127.0.0.1/ X-K:{{secret:k}}", "api get http://127.0.0.1/ --capture k=body.k",
      "keychain list", "keychain unlock", "keychain set other --generate 24",
      "open swiftboard://api/films",
    ])
  func passphrase(line: String) async throws {
    let secret = KeychainSecret.passphrase(try GuardedBytes(copying: Array("open".utf8)))
    let keychain = MockKeychainService(
      entries: ["k": Data("a value".utf8)], unlocked: false, secret: secret)
    let terminal = ScriptedTerminal("open")
    let world = World(keychain)
    var dependencies = world.dependencies
    dependencies.terminal = terminal
    let lines = Lines(world, dependencies: dependencies)
    let added = await lines.run(
      "api service add films http://127.0.0.1/ --auth bearer:{{secret:k}}")
    #expect(added == 0, "\(lines.allPrinted)")
    _ = await lines.run("\(line) &")
    _ = await lines.run("wait")
    #expect(terminal.prompts == [], "\(lines.allPrinted)")
    #expect(lines.allPrinted.contains("with 'keychain unlock'"), "\(lines.allPrinted)")
    // The same line in the foreground asks.
    _ = await lines.run(line)
    #expect(terminal.prompts == ["passphrase of the keychain: "], "\(lines.allPrinted)")
  }
}
