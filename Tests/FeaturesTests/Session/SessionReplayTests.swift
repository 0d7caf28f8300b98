import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardRecording
import SwiftBoardSystem
import SwiftBoardTestSupport
import Synchronization
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardFeatures

/// Replays with pauses, as the board prints them.
struct SessionReplayTests {
  /// Three lines, at 0 s, 1 s and 61 s.
  private static func record(_ path: String) async throws {
    let clock = ManualClock()
    let board = RunningBoard(.mock(clock: clock))
    try board.board.record(to: path)
    await board.run("echo one")
    clock.advance(by: .seconds(1))
    await board.run("echo two; set page 2")
    clock.advance(by: .seconds(60))
    await board.run("echo three")
    await board.board.close()
  }

  /// When each pause of a replay ends, in microseconds, and what is printed by then.
  private static func pauses(
    _ options: String, count: Int
  ) async throws -> [(end: Int64?, output: String)] {
    let folder = try TemporaryFolder()
    try await record(folder.path("r"))
    let clock = ManualClock()
    clock.advance(by: .seconds(5))
    let board = RunningBoard(.mock(clock: clock))
    async let run = board.run("session replay \(folder.path("r")) \(options)")
    var pauses: [(Int64?, String)] = []
    for _ in 0..<count {
      await clock.waitForSleepers()
      pauses.append((clock.nextDeadline.map { $0 - 5_000_000 }, board.output))
      clock.advanceToNext()
    }
    let printed = await run
    #expect(printed.status == 0, "\(printed.errors)")
    pauses.append((nil, board.output))
    await board.board.close()
    return pauses
  }

  @Test(
    "what was printed comes at the pace that is asked for",
    arguments: [
      ("--speed 1", 1_000_000, 61_000_000), ("--speed 4", 250_000, 15_250_000),
      ("--speed 0.5 --idle-limit 10s", 2_000_000, 12_000_000),
      ("--idle-limit 3s", 1_000_000, 4_000_000), ("--idle-limit 1s", 1_000_000, 2_000_000),
    ])
  func paced(options: String, second: Int64, third: Int64) async throws {
    let pauses = try await Self.pauses(options, count: 2)
    #expect(pauses.map(\.end) == [second, third, nil])
    #expect(pauses.map(\.output) == ["one\n", "one\ntwo\n", "one\ntwo\nthree\n"])
  }

  @Test("the first part that is printed waits for nothing")
  func pacedPart() async throws {
    let pauses = try await Self.pauses("--speed 2 --from 2", count: 1)
    #expect(pauses.map(\.end) == [30_000_000, nil])
    #expect(pauses.map(\.output) == ["two\n", "two\nthree\n"])
    let first = try await Self.pauses("--speed 2 --until 1", count: 0)
    #expect(first.map(\.output) == ["one\n"])
  }

  @Test("a speed next to nothing is a long pause", arguments: ["1e-300", "5e-324"])
  func slow(speed: String) async throws {
    let folder = try TemporaryFolder()
    try await Self.record(folder.path("r"))
    let clock = ManualClock()
    let board = RunningBoard(.mock(clock: clock))
    await board.run("session replay \(folder.path("r")) --speed \(speed) &")
    await clock.waitForSleepers()
    #expect(clock.nextDeadline == ReplayPace.longestPause.components.seconds * 1_000_000)
    #expect(board.output == "one\n")
    await board.run("cancel")
    await board.run("wait")
    #expect(clock.sleeperCount == 0)
    #expect(board.output == "one\n")
    await board.board.close()
  }

  @Test(
    "a replay of the running recording ends with its own step, under any name of the file",
    arguments: ["r", "r --speed 50", "r --from 1", "link", "link --idle-limit 1s"])
  func running(recording: String) async throws {
    let folder = try TemporaryFolder()
    let board = RunningBoard()
    try board.board.record(to: folder.path("r"))
    #expect(symlink("r", folder.path("link")) == 0)
    // Each is more than the replay sends at once, and together they are more than it reads ahead.
    let text = String(repeating: "x", count: 40_000)
    for n in 1...10 { await board.run("echo \(n) \(text)") }
    var printed = board.output
    let first = await board.run("session replay \(folder.path(recording))")
    #expect(first.status == 0 && first.output == printed)
    #expect(first.errors.contains("11 steps agree"), "\(first.errors)")
    // What the first one printed is part of the recording by now.
    printed = board.output
    let second = await board.run("session replay \(folder.path(recording))")
    #expect(second.status == 0 && second.output == printed)
    await board.board.close()
  }

  @Test("a step behind the end of the running recording is refused before anything is printed")
  func behindTheEnd() async throws {
    let folder = try TemporaryFolder()
    let board = RunningBoard()
    try board.board.record(to: folder.path("r"))
    await board.run("echo one")
    for option in ["--from 99", "--until 99"] {
      let replay = await board.run("session replay \(folder.path("r")) \(option)")
      #expect(replay.status == 64 && replay.output == "", "\(option): \(replay.errors)")
    }
    await board.board.close()
  }

  /// Gives answers one after the other, and then waits for a key that is never pressed.
  private final class Keys: TerminalService, PausingTerminal {
    private let answers: Mutex<[Bool]>
    let waits: AsyncStream<Void>
    private let waited: AsyncStream<Void>.Continuation

    init(_ answers: [Bool]) {
      self.answers = Mutex(answers)
      (waits, waited) = AsyncStream.makeStream()
    }

    func pause(_ prompt: String) async throws(TerminalError) -> Bool? {
      if let answer = answers.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return answer }
      waited.yield()
      for await _ in AsyncStream<Void>.makeStream().stream {}
      return false
    }

    func askPassphrase(prompt: String, isNew: Bool) async throws(TerminalError) -> GuardedBytes? {
      nil
    }
    func reveal(_ value: Data) async {}
    func readInput(limit: Int) async throws(TerminalError) -> Data { Data() }
  }

  private static func stepped(_ answers: [Bool]?, _ options: String = "") async throws -> Printed {
    let folder = try TemporaryFolder()
    try await record(folder.path("r"))
    var dependencies = Dependencies.mock
    if let answers { dependencies.terminal = Keys(answers) }
    let board = RunningBoard(dependencies)
    let printed = await board.run("session replay \(folder.path("r")) --step \(options)")
    await board.board.close()
    return printed
  }

  @Test("each part waits for a key, and one key ends it")
  func keys() async throws {
    let all = try await Self.stepped([true, true, true])
    #expect(all.output == "one\ntwo\nthree\n" && all.status == 0)
    let some = try await Self.stepped([true, true, false])
    #expect(some.output == "one\ntwo\n" && some.status == 130)
    #expect(some.errors.contains("the replay was ended"), "\(some.errors)")
    let last = try await Self.stepped([true, true], "--from 2")
    #expect(last.output == "two\nthree\n" && last.status == 0)
    let nobody = try await Self.stepped(nil)
    #expect(nobody.output == "" && nobody.status == 64)
    #expect(nobody.errors.contains("needs a terminal"), "\(nobody.errors)")
  }

  @Test("a replay that waits for a key can be cancelled")
  func cancelledAtAKey() async throws {
    let folder = try TemporaryFolder()
    try await Self.record(folder.path("r"))
    let keys = Keys([true])
    var dependencies = Dependencies.mock
    dependencies.terminal = keys
    let board = RunningBoard(dependencies)
    async let replay = board.run("session replay \(folder.path("r")) --step")
    for await _ in keys.waits { break }
    await board.run("cancel")
    #expect(await replay.status == 130)
    #expect(board.output == "one\n")
    await board.board.close()
  }

  @Test("a replay in the background takes no keys of the next line")
  func keysInTheBackground() async throws {
    let folder = try TemporaryFolder()
    try await Self.record(folder.path("r"))
    var dependencies = Dependencies.mock
    dependencies.terminal = Keys([true, true, true])
    let board = RunningBoard(dependencies)
    await board.run("session replay \(folder.path("r")) --step &")
    let wait = await board.run("wait")
    #expect(wait.status == 64)
    #expect(wait.errors.contains("--step waits for a key"), "\(wait.errors)")
    #expect(board.output == "")
    await board.board.close()
  }
  @Test("a live replay writes no redirection again, and says so where it differs")
  func redirectedLines() async throws {
    let folder = try TemporaryFolder()
    let file = folder.path("file")
    var dependencies = Dependencies.mock
    dependencies.files = LiveFileService()
    let lines = Lines(dependencies: dependencies)
    try lines.board.record(to: folder.path("r"))
    #expect(await lines.run("echo '{\"a\":1}' > \(file)") == 0)
    #expect(await lines.run("db put c i @\(file)") == 0)
    await lines.board.close()
    for (isInPlace, status) in [(true, Int32(0)), (false, 1)] {
      if !isInPlace { unlink(file) }
      dependencies = .mock
      dependencies.files = LiveFileService()
      let board = RunningBoard(dependencies)
      let run = await board.run("session replay \(folder.path("r")) --live")
      #expect(run.status == status, "\(run.errors)")
      #expect(run.errors.contains("no '> FILE' was written again") != isInPlace, "\(run.errors)")
      #expect((FileInfo(file) != nil) == isInPlace)
      await board.board.close()
    }
  }
}
