import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardStore
import SwiftBoardTesting
import Synchronization
import Testing

@testable import SwiftBoardBoard

/// Commands that are repeated.
@Suite("watch")
struct WatchTests {
  /// A board whose pauses are over at once.
  private static func quick(_ settings: BoardSettings = BoardSettings()) -> Lines {
    var dependencies = Dependencies.preview
    dependencies.clock = BoardClock(now: { 0 }, sleep: { _ in })
    return Lines(settings: settings, dependencies: dependencies)
  }

  /// A board whose pauses last until they are cancelled.
  private static func paused() -> Lines { Lines(World()) }

  @Test("a command is repeated as often as the line says, and each round is a job")
  func count() async {
    let lines = Self.quick()
    #expect(await lines.run("watch 5s echo x --count 3") == 0)
    #expect(lines.allPrinted == "x\nx\nx\n")
    #expect(lines.board.store.state.shell.watches == nil)
    #expect(lines.board.nextJob() > 4)
    await lines.board.close()
  }

  @Test("the next round begins when the interval has passed, and not before")
  func interval() async throws {
    let slept = Mutex<[Duration]>([])
    var dependencies = Dependencies.preview
    dependencies.clock = BoardClock(
      now: { 0 }, sleep: { time in slept.withLock { $0.append(time) } })
    let lines = Lines(dependencies: dependencies)
    #expect(await lines.run("watch 5s downloads list sab --count 3") == 0, "\(lines.allPrinted)")
    #expect(slept.withLock(\.self) == [.seconds(5), .seconds(5)])
    await lines.board.close()
  }

  @Test("a failed watch is a failure in JSON, and was a result before", arguments: [true, nil])
  func failedInJSON(reports: Bool?) async {
    var settings = BoardSettings()
    settings.reportsFailedWatches = reports
    let lines = Self.quick(settings)
    #expect(await lines.run("watch 5s --count 1 --json db get c none") == 66)
    let last = lines.allPrinted.split(separator: "\n").last ?? ""
    #expect(
      last.hasPrefix(
        reports == true
          ? #"{"line":1,"ok":false,"code":66,"error":"roundFailed","message":"the last round of "#
          : #"{"line":1,"ok":false,"command":"watch","value":null,"#), "\(last)")
    // In text, the round has said it.
    let before = lines.allPrinted.count
    #expect(await lines.run("watch 5s db get c none --count 1") == 66)
    #expect(!lines.allPrinted.dropFirst(before).contains("round"))
    await lines.board.close()
  }

  @Test("options behind the command are its own, and the last round gives the exit code")
  func options() async {
    let lines = Self.quick()
    #expect(await lines.run("watch --count 2 5s characters list --page 2 -o csv") == 0)
    let rows = lines.allPrinted.split(separator: "\r\n", omittingEmptySubsequences: false)
    #expect(rows.count { $0.hasSuffix("21,Aqua Morty,unknown,Humanoid,Male") } == 2, "\(rows)")
    #expect(await lines.run("watch 5s db get c none --count 2") == 66)
    #expect(await lines.run("watch 1s --count 2 assert 'shell.watches exists'") == 0)
    #expect(await lines.run("watch 5s downloads list nobody --count=1") == 66)
    await lines.board.close()
  }

  @Test("behind a -- nothing is an option of watch")
  func behindEnd() async {
    let lines = Self.quick()
    #expect(await lines.run("watch 1s --count 1 echo a -- --count=2 --count") == 0)
    #expect(lines.allPrinted == "a --count=2 --count\n")
    await lines.board.close()
  }

  @Test(
    "the prefix of a line is refused behind watch, which says where it belongs",
    arguments: ["! echo", "!echo", "time echo", "- echo"])
  func prefixes(command: String) async {
    let lines = Self.quick()
    #expect(await lines.run("watch 1s --count 1 \(command)") == 64)
    let prefix = command.hasPrefix("!") ? "!" : command.split(separator: " ")[0]
    #expect(
      lines.allPrinted.contains("help: write it before watch: '\(prefix) watch ...'"),
      "\(lines.allPrinted)")
    await lines.board.close()
  }

  @Test(
    "behind a '--' of its own, no word is an option of the repeated command",
    arguments: ["echo -- --json", "echo x -- -q --json"])
  func endOfOptions(words: String) async {
    let lines = Self.quick()
    #expect(await lines.run("watch 5s --count 1 \(words)") == 0)
    #expect(lines.allPrinted.hasSuffix("--json\n"), "\(lines.allPrinted)")
    await lines.board.close()
  }

  @Test("behind the program's '--', no word is an option of the repeated command either")
  func splitByAShell() async throws {
    let lines = Self.paused()
    lines.world.api.answer { _ in .json("1") }
    let words = ["watch", "1h", "api", "post", "http://h/", "--timeout=1s"]
    var split = ScriptLine(
      text: LineParser.literalText(words), location: LineLocation(nil, line: 1),
      parsed: LineParser.parse(literal: words, isQuoted: true))
    split.words = words
    let line = Task { [split] in await lines.session.run(split).exitCode }
    try await lines.board.store.wait { $0.shell.watches?.first?.isDue == false }
    lines.session.interrupt()
    #expect(await line.value == 130, "\(lines.allPrinted)")
    #expect(
      lines.world.api.requests.map { $0.body.map { String(decoding: $0, as: UTF8.self) } }
        == [#"{"--timeout":"1s"}"#], "\(lines.allPrinted)")
    await lines.board.close()
  }

  @Test(
    "what cannot be repeated is refused before the first round",
    arguments: [
      ("watch", "interval is missing"), ("watch 5s", "command is missing"),
      ("watch x jobs", "interval"), ("watch 0s jobs", "at least 1ms"),
      ("watch 5s nope", "unknown command 'nope'"), ("watch 5s exit", "'exit' cannot be repeated"),
      ("watch 5s watch 5s jobs", "'watch' cannot be repeated"),
      ("watch 5s jobs --count 0", "--count is at least 1"),
      ("watch 5s log tail -f", "'log tail' has no end to wait for"),
      ("watch 5s keychain set k --from-stdin", "--from-stdin"),
      ("watch 5s api get x/ Authorization:abcdefgh", "looks like a secret"),
      ("watch --count 2 5s keychain set k abcdefgh", "a secret on the command line"),
    ])
  func refused(line: String, text: String) async {
    let lines = Self.quick()
    #expect(await lines.run(line) == 64, "\(lines.allPrinted)")
    #expect(lines.allPrinted.lowercased().contains(text.lowercased()), "\(lines.allPrinted)")
    #expect(lines.board.store.state.shell.watches == nil)
    #expect(!lines.allSteps.contains("abcdefgh"))
    await lines.board.close()
  }

  @Test("the caret is under the word of the repeated command that is wrong")
  func place() async {
    let lines = Self.quick()
    #expect(await lines.run("watch 10ms bogus") == 64)
    #expect(lines.allPrinted.contains("test.sb:1:12: error:"), "\(lines.allPrinted)")
    #expect(await lines.run("watch 10ms --count 2 db list c --limit x") == 64)
    #expect(lines.allPrinted.contains("test.sb:1:40: error:"), "\(lines.allPrinted)")
    #expect(await lines.run("watch 5s log tail -f") == 64)
    #expect(lines.allPrinted.contains("test.sb:1:10: error:"), "\(lines.allPrinted)")
    await lines.board.close()
  }

  @Test("a round cannot wait for its own watch, and wait leaves out what has no end")
  func waiting() async {
    let lines = Self.quick()
    #expect(await lines.run("watch 1ms wait --count 1") == 64)
    let paused = Self.paused()
    #expect(await paused.run("watch 1h echo x &") == 0)
    #expect(await paused.run("wait") == 0)
    #expect(paused.allPrinted.contains("job 1 has no end to wait for; 'cancel 1' ends it"))
    #expect(await paused.session.finish(cancelledBy: nil).exitCode == 0)
    await lines.board.close()
    await paused.board.close()
  }

  @Test("in the background it goes on until it is cancelled")
  func background() async throws {
    let lines = Self.paused()
    #expect(await lines.run("watch 1h echo x &") == 0)
    try await lines.board.store.wait { $0.shell.watches?.first?.isDue == false }
    #expect(lines.allPrinted == "x\n")
    #expect(lines.board.store.state.shell.running.map(\.name) == ["watch"])
    #expect(await lines.run("cancel 1") == 0)
    #expect(lines.board.store.state.shell.watches == nil)
    #expect(lines.board.store.state.shell.running.isEmpty)
    #expect(lines.board.store.effects.allSatisfy { $0.phase == .cancelled })
    await lines.board.close()
  }

  @Test("a round in the background ends with its watch")
  func cancelledRound() async throws {
    let lines = Self.paused()
    lines.world.api.answer { _ in .hang }
    #expect(await lines.run("api service add s http://s.test") == 0)
    #expect(await lines.run("watch 1h api s/x &") == 0)
    await lines.world.api.waitForHanging()
    #expect(await lines.run("cancel 2") == 0, "\(lines.allPrinted)")
    #expect(lines.board.store.state.shell.running.isEmpty)
    await lines.world.api.waitForNoneHanging()
    #expect(await lines.run("watch 1h api s/x &") == 0)
    await lines.world.api.waitForHanging()
    #expect(await lines.session.finish(cancelledBy: nil).exitCode == 0, "\(lines.allPrinted)")
    await lines.board.store.waitUntilDelivered()
    #expect(lines.board.store.state.shell.running.isEmpty)
    await lines.board.close()
  }

  @Test("a round in the background counts as a part of its watch, and not by itself")
  func roundInBackground() async {
    let lines = Self.paused()
    let jobs = JobControl(lines.board)
    let line = jobs.beginLine()
    var round = CommandContext(job: 2, line: 1, source: nil, text: "", name: "db.get")
    (round.isBackground, round.round) = (true, 1)
    #expect(jobs.begin(round, in: line))
    #expect(jobs.background.isEmpty)
    await lines.board.close()
  }

  @Test("a round that follows a link ends with the command of the link, and its failure is its own")
  func roundOfLink() async throws {
    let lines = Self.paused()
    lines.world.api.answer { _ in .hang }
    #expect(await lines.run("api service add s http://s.test") == 0)
    #expect(await lines.run("watch 1h open swiftboard://api/s/x &") == 0)
    await lines.world.api.waitForHanging()
    let state = lines.board.store.state.shell
    #expect(state.watches?.map(\.isDue) == [true], "the round has not ended")
    #expect(state.running.map(\.name) == ["watch", "api.get"])
    #expect(state.running.map(\.round) == [nil, state.running[0].job])
    lines.world.api.release(with: .json("{}", status: 404))
    try await lines.board.store.wait { $0.shell.watches?.first?.isDue == false }
    await lines.board.store.waitUntilDelivered()
    let ended = #""watched":{"job":\#(state.running[0].job),"status":4}"#
    #expect(lines.allSteps.contains(ended), "\(lines.allSteps)")
    #expect(await lines.session.finish(cancelledBy: nil).exitCode == 0, "\(lines.allPrinted)")
    await lines.board.close()
  }

  @Test("an interrupt ends the pause and the line")
  func interrupt() async throws {
    let lines = Self.paused()
    let line = Task { await lines.run("watch 1h echo x") }
    try await lines.board.store.wait { $0.shell.watches?.first?.isDue == false }
    // Whether the line has come to its pause or not, it ends there.
    lines.session.interrupt()
    #expect(await line.value == 130)
    #expect(lines.board.store.state.shell.watches == nil)
    await lines.board.close()
  }

  /// A terminal at which each question is answered with Ctrl-C.
  private final class Interrupting: TerminalService {
    let questions = Mutex(0)

    func askPassphrase(prompt: String, isNew: Bool) async throws(TerminalError) -> GuardedBytes? {
      questions.withLock { $0 += 1 }
      throw TerminalError(.interrupted, "interrupted")
    }
    func reveal(_ value: Data) async {}
    func readInput(limit: Int) async throws(TerminalError) -> Data { Data() }
  }

  @Test("Ctrl-C at a question of a round ends the watch and the line")
  func interruptedQuestion() async throws {
    let terminal = Interrupting()
    let secret = KeychainSecret.passphrase(try GuardedBytes(copying: Array("open".utf8)))
    let world = World(MockKeychainService(entries: [:], unlocked: false, secret: secret))
    var dependencies = world.dependencies
    dependencies.clock = BoardClock(now: { 0 }, sleep: { _ in })
    dependencies.terminal = terminal
    let lines = Lines(world, dependencies: dependencies)
    #expect(await lines.run("watch --count 3 1s keychain unlock; echo next") == 130)
    #expect(terminal.questions.withLock(\.self) == 1, "\(lines.allPrinted)")
    #expect(!lines.allPrinted.contains("\nnext\n"))
    #expect(lines.board.store.state.shell.watches == nil)
    await lines.board.close()
  }

  @Test("the end of the lines cancels one without an end, and waits for one with a count")
  func end() async throws {
    let lines = Self.paused()
    #expect(await lines.run("watch 1h echo x &") == 0)
    try await lines.board.store.wait { $0.shell.watches?.first?.isDue == false }
    #expect(await lines.session.finish(cancelledBy: nil).exitCode == 0)
    let quick = Self.quick()
    #expect(await quick.run("watch 1h echo y --count 2 &") == 0)
    #expect(await quick.session.finish(cancelledBy: nil).exitCode == 0)
    #expect(quick.allPrinted == "y\ny\n")
    await lines.board.close()
    await quick.board.close()
  }
}
