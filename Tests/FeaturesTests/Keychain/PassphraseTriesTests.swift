import SwiftBoardDependencies
import SwiftBoardSystem
import Testing

/// How often a person is asked for the passphrase of a locked keychain.
@Suite struct PassphraseTriesTests {
  private static let first = "passphrase of the keychain: "
  private static let again = "wrong passphrase; once more: "
  private static let lines = [
    "keychain unlock", "keychain list", "api get http://h/ X-K:{{secret:k}}",
  ]

  private static func run(
    _ line: String, _ terminal: ScriptedTerminal, source: String? = nil
  ) async throws -> (status: Int32, printed: String) {
    let keychain = MockKeychainService(
      entries: ["k": Data("a value".utf8)], unlocked: false, secret: try words("open"),
      unlockSource: try source.map(words))
    let world = World(keychain)
    world.api.answer("GET", "http://h/", with: .json("{}"))
    var dependencies = world.dependencies
    dependencies.terminal = terminal
    let lines = Lines(world, dependencies: dependencies)
    let status = await lines.run(line)
    await lines.board.close()
    return (status, lines.allPrinted)
  }

  private static func words(_ text: String) throws -> KeychainSecret {
    .passphrase(try GuardedBytes(copying: Array(text.utf8)))
  }

  @Test("a wrong passphrase is asked for again, and the command goes on", arguments: lines)
  func secondTry(line: String) async throws {
    let terminal = ScriptedTerminal("shut", "closed", "open")
    let (status, printed) = try await Self.run(line, terminal)
    #expect(status == 0, "\(printed)")
    #expect(terminal.prompts == [Self.first, Self.again, Self.again])
    #expect(terminal.hidden == 0)
  }

  @Test("the third wrong one ends the command", arguments: lines)
  func lastTry(line: String) async throws {
    let terminal = ScriptedTerminal(passphrase: { _ in "shut" })
    let (status, printed) = try await Self.run(line, terminal)
    #expect(status == 77, "\(printed)")
    #expect(printed.contains("wrong passphrase"), "\(printed)")
    #expect(terminal.prompts == [Self.first, Self.again, Self.again])
    #expect(terminal.hidden == 0)
  }

  @Test("an empty answer behind a wrong one ends the command with what was wrong", arguments: lines)
  func emptyTry(line: String) async throws {
    let terminal = ScriptedTerminal("shut", "")
    let (status, printed) = try await Self.run(line, terminal)
    #expect(status == 77, "\(printed)")
    #expect(printed.contains("wrong passphrase"), "\(printed)")
    #expect(terminal.prompts == [Self.first, Self.again])
  }

  @Test("a wrong one of an unlock source is final, and nobody is asked", arguments: lines)
  func source(line: String) async throws {
    let terminal = ScriptedTerminal(passphrase: { _ in "open" })
    let (status, printed) = try await Self.run(line, terminal, source: "shut")
    #expect(status == 77, "\(printed)")
    #expect(terminal.prompts == [])
  }
}
