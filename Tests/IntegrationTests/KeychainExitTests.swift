import SwiftBoardTestSupport
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How the program ends where a keychain does not open.
@Suite(.timeLimit(.minutes(60)))
struct KeychainExitTests {
  private static let passphrase = "correct horse battery stäple"

  /// A home with a keychain that is quick to open, and a file with its passphrase.
  private static func program() throws -> Program {
    let program = try Program()
    try program.makeFolder("h")
    var folder = #filePath
    for _ in 0..<2 { folder = String(folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)]) }
    let vector = "\(folder)/DependenciesTests/keychain-vectors/ok_passphrase.sbkc"
    let bytes = try #require(FileManager.default.contents(atPath: vector))
    try program.folder.write(Array(bytes), to: "h/keychain.sbkc")
    try program.folder.write(passphrase + "\n", to: "pass")
    return program
  }

  private static func list(_ program: Program, _ file: String? = "pass") async throws
    -> ChildProcess.Outcome
  {
    try await program.run(
      ["--home", "h", "keychain", "list"], environment: ["SWIFTBOARD_PASSPHRASE_FILE": file])
  }

  @Test func theRightPassphraseOpensIt() async throws {
    let run = try await Self.list(Self.program())
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(run.outputText.contains("api.openai.token"))
  }

  @Test func aWrongPassphraseIsDenied() async throws {
    let program = try Self.program()
    try program.folder.write("correct horse\n", to: "pass")
    let run = try await Self.list(program)
    #expect(run.status == .exited(77), "\(run.errorText)")
    #expect(run.output == [])
    #expect(!run.errorText.contains("correct horse"))
  }

  @Test func withoutASourceItStaysLocked() async throws {
    let run = try await Self.list(Self.program(), nil)
    #expect(run.status == .exited(77), "\(run.errorText)")
    #expect(run.errorText.contains("SWIFTBOARD_PASSPHRASE_FILE"), "the help names the way out")
  }

  @Test func aPassphraseFileThatOthersMayReadIsRefused() async throws {
    let program = try Self.program()
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o644], ofItemAtPath: program.folder.path("pass"))
    let run = try await Self.list(program)
    #expect(run.status == .exited(77), "\(run.errorText)")
    #expect(run.errorText.contains("chmod 600"))
  }

  /// A place in the header, the slot, and the secrets.
  @Test(arguments: [0, 33, 140, 400, 4300])
  func aFlippedByteIsDamage(place: Int) async throws {
    let program = try Self.program()
    var bytes = try program.folder.read("h/keychain.sbkc")
    try #require(place < bytes.count)
    bytes[place] ^= 1
    try program.folder.write(bytes, to: "h/keychain.sbkc")
    let run = try await Self.list(program)
    // What the passphrase's own slot holds cannot be told from a wrong passphrase.
    #expect([65, 77].contains(run.status.code), "\(run.errorText)")
    if place != 140 { #expect(run.status == .exited(65), "\(run.errorText)") }
    #expect(run.output == [])
    #expect(try program.folder.read("h/keychain.sbkc") == bytes, "the file is left as it is")
  }

  @Test func aDamagedDatabaseIsDamage() async throws {
    let program = try Program()
    try program.makeFolder("h")
    try program.folder.write(
      String(repeating: "this is no database\n", count: 500), to: "h/main.sqlite")
    let run = try await program.run("--home", "h", "db", "list", "c")
    #expect(run.status == .exited(65), "\(run.errorText)")
  }
}
