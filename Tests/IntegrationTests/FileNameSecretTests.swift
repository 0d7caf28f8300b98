import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// The value of a secret in the names of the program's own files: what it says after the keychain
/// was unlocked has the mark in its place.
@Suite("FileNameSecrets", .timeLimit(.minutes(20)))
struct FileNameSecretTests {
  private let canary = "CanaryName-9f2c7"
  private let program: Program

  init() throws {
    program = try Program.withKeychain()
    try program.folder.write(canary, to: "value")
    guard rename(program.folder.path("h"), program.folder.path("\(canary)-home")) == 0 else {
      throw Program.NotBuilt()
    }
  }

  private func run(_ lines: String, _ options: [String]) async throws -> ChildProcess.Outcome {
    let script = "\(canary).sb"
    try program.folder.write(lines, to: script)
    return try await program.run(
      ["--home", "\(canary)-home"] + options + ["-f", script],
      environment: ["SWIFTBOARD_PASSPHRASE_FILE": program.folder.path("pass")])
  }

  @Test("errors, warnings and steps have no value of the names of script, home and recording")
  func names() async throws {
    let stored = try await program.run(
      ["--home", "\(canary)-home", "keychain", "set", "k", "--from-file", "value"],
      environment: ["SWIFTBOARD_PASSPHRASE_FILE": program.folder.path("pass")])
    try #require(stored.status == .exited(0), "\(stored.errorText)")
    let lines = """
      keychain unlock
      -nope
      -db get d x
      -db import value
      -session record other.jsonl
      session status
      session timeline
      session state session
      db path
      -doctor
      -keychain status
      ! echo a
      """
    let recording = "\(canary).jsonl"
    for options in [[], ["--json"], ["-x"]] {
      let outcome = try await run(lines, ["--record", recording, "-k"] + options)
      #expect(outcome.status == .exited(1), "\(outcome.errorText)")
      for text in [outcome.outputText, outcome.errorText] {
        #expect(text.contains("[secret:k]"), "\(text)")
        #expect(!text.contains(canary), "\(text)")
        #expect(text.utf8.allSatisfy { $0 < 0x80 }, "\(text)")
      }
      #expect(options == ["--json"] || outcome.errorText.contains("[secret:k].sb:2:2: error:"))
      // The keychain is open from the step that has the mark first.
      let steps = try program.text(recording).split(separator: "\n").drop {
        !$0.contains("«secret:k»")
      }
      #expect(steps.count > 10, "\(steps.count)")
      for step in steps { #expect(!step.contains(canary), "\(step)") }
      unlink(program.folder.path(recording))
    }
  }
}
