import SwiftBoardDependencies
import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

@testable import SwiftBoardBoard

/// Recordings from before one of their values became a secret.
struct RecordedSecretTests {
  private static let secret = "Zq7XkP2mW9vB4nR8tL5cJ3hG6fD1sAyUeIoQwErTyUiOpLkJhGfDsAzXcVbNm"

  /// What no text may have: a part of the value that a cut may leave.
  private static let parts = (0...(secret.count - 12)).map { secret.dropFirst($0).prefix(12) }

  private let world = World()
  private let folder: TemporaryFolder
  private let lines: Lines

  init() throws {
    folder = try TemporaryFolder()
    lines = Lines(world)
  }

  /// Records lines with the value, which becomes a secret after them.
  private func record(_ texts: [String]) async -> String {
    let path = folder.path("r.jsonl")
    #expect(await lines.run("session record \(path)") == 0)
    for text in texts { #expect(await lines.run(text) == 0) }
    #expect(await lines.run("session stop") == 0)
    world.logger.redactor.registerSecret(Array(Self.secret.utf8), name: "k")
    return path
  }

  /// Runs a command, and expects that what it prints and does has no part of the value.
  private func expectMasked(_ text: String, code: Int32 = 0) async {
    // What was before the secret was known may have it.
    let (printed, steps) = (lines.allPrinted, lines.allSteps)
    #expect(await lines.run(text) == code, "\(text): \(lines.allPrinted.suffix(500))")
    for new in [
      lines.allPrinted.dropFirst(printed.count), lines.allSteps.dropFirst(steps.count),
    ] {
      #expect(new.contains("secret:k"), "\(text): \(new.suffix(500))")
      for part in Self.parts { #expect(!new.contains(part), "\(text)") }
    }
  }

  @Test(
    "a command that shows a part of a recorded value masks the value first",
    arguments: ["test FILE", "screenshot FILE", "graph FILE --by shell.variables.v"],
    [10, 40, 70])
  func parts(command: String, before: Int) async {
    let path = await record([
      "set v \(String(repeating: "y", count: before))\(Self.secret)\(Self.secret)", "echo $v",
    ])
    await expectMasked("session \(command.replacing("FILE", with: path))")
  }

  @Test("the names of senders in a graph of causes are masked before they are cut")
  func causes() async {
    let path = await record(["echo \(String(repeating: "y", count: 60))\(Self.secret)"])
    #expect(await lines.run("session graph \(path) --causes") == 0)
    let graph = lines.allPrinted[
      (lines.allPrinted.firstRange(of: "digraph")?.lowerBound ?? lines.allPrinted.startIndex)...]
    for part in Self.parts { #expect(!graph.contains(part), "\(graph)") }
  }

  @Test("a message about a damaged or foreign line masks its value first")
  func damaged() async throws {
    let path = await record(["set v \(Self.secret)"])
    let whole = try folder.read("r.jsonl")
    let last = String(repeating: "x", count: 50) + Self.secret
    try folder.write(whole + Array("\(last)\n".utf8), to: "r.jsonl")
    await expectMasked("session verify \(path)", code: 65)
    await expectMasked("session verify \(path) --format tap", code: 65)
    await expectMasked("session verify \(path) --format junit", code: 65)
    await expectMasked("session replay \(path)", code: 65)
    await expectMasked("session timeline \(path)", code: 65)
    await expectMasked("session stats \(path)", code: 65)
  }

  @Test("a replay has its marks in ASCII where its output is, and says how many there are")
  func replay() async {
    let path = await record(["echo a \(Self.secret)", "echo \(Self.secret)"])
    let before = lines.allPrinted.count
    await expectMasked("session replay \(path)")
    let printed = lines.allPrinted.dropFirst(before)
    #expect(printed.contains("a [secret:k]\n[secret:k]\n"), "\(printed)")
    #expect(printed.contains("2 values are masked: they are of the secret 'k'\n"), "\(printed)")
  }

  /// Runs a command that would copy the value into a file, and expects that it is refused.
  private func expectRefused(_ text: String) async {
    let (printed, steps) = (lines.allPrinted, lines.allSteps)
    #expect(await lines.run(text) == 65, "\(lines.allPrinted)")
    #expect(lines.allPrinted.contains("holds the value of the secret 'k' in line"))
    #expect(!lines.allPrinted.dropFirst(printed.count).contains(Self.secret))
    #expect(!lines.allSteps.dropFirst(steps.count).contains(Self.secret))
    #expect(throws: (any Error).self, "the file is left") { try folder.read("fork.jsonl") }
  }

  @Test("a fork is refused that would copy the value; one of the steps before it is not")
  func fork() async throws {
    let path = await record(["echo before", "set v \(Self.secret)", "echo behind"])
    let fork = folder.path("fork.jsonl")
    await expectRefused("session fork end \(fork) --file \(path)")
    let advice = try #require(lines.allPrinted.firstRange(of: "fork it at step "))
    let step = lines.allPrinted[advice.upperBound...].prefix(while: \.isNumber)
    #expect(await lines.run("session fork \(step) \(fork) --file \(path)") == 0)
    #expect(await lines.run("session verify \(fork)") == 0)
    let copied = String(decoding: try folder.read("fork.jsonl"), as: UTF8.self)
    #expect(copied.contains("echo before") && !copied.contains(Self.secret))
  }

  @Test("the running recording is not forked with a value that it has from before")
  func forkRunning() async {
    let (path, fork) = (folder.path("r.jsonl"), folder.path("fork.jsonl"))
    #expect(await lines.run("session record \(path)") == 0)
    #expect(await lines.run("set v \(Self.secret)") == 0)
    world.logger.redactor.registerSecret(Array(Self.secret.utf8), name: "k")
    #expect(await lines.run("echo behind") == 0)
    await expectRefused("session fork end \(fork)")
    // The recording goes on.
    #expect(await lines.run("session stop") == 0)
    #expect(await lines.run("session verify \(path)") == 0)
  }

  @Test("a time or a sum that looks like a secret is none")
  func ownMembers() {
    let redactor = Redactor()
    redactor.registerSecret(Array("123456".utf8), name: "pin")
    let secrets = RecordedSecrets(redactor)
    func secret(_ action: String) -> String? {
      secrets.secret(
        inLine: Array(
          #"{"k":"step","n":1,"t":9123456,"action":\#(action),"sum":"xxh64:0123456789abcdef"}"#.utf8
        )[...])
    }
    #expect(secret(#"{"a":1}"#) == nil)
    #expect(secret(#"{"a":1234567}"#) == "pin")
    #expect(secret(#"{"a":"\u0031\u0032\u0033456"}"#) == "pin")
  }
}
