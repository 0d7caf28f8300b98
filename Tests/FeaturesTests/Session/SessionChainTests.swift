import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardRecording
import SwiftBoardStore
import SwiftBoardSystem
import SwiftBoardTestSupport
import Synchronization
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardFeatures

/// A board that runs lines and keeps what it prints.
struct RunningBoard {
  let board: Board
  private let session: LineExecutor
  private let printed: Printer

  private final class Printer: Sendable {
    let text = Mutex((output: "", errors: ""))
  }

  init(_ dependencies: Dependencies = .mock) {
    let printed = Printer()
    self.printed = printed
    board = Board(
      features: BoardFeatures.all, state: BoardState(), dependencies: dependencies, seed: 1,
      sink: { output in
        printed.text.withLock { text in
          if output.stream == .standardOutput {
            text.output += output.text
          } else {
            text.errors += output.text
          }
        }
      })
    session = LineExecutor(
      board: board, redirects: RedirectFiles { _ in })
  }

  /// Runs a line to its end and gives what it printed.
  @discardableResult
  func run(_ line: String) async -> Printed {
    let before = printed.text.withLock { $0 }
    let outcome = await session.run(
      ScriptLine(
        text: line, location: LineLocation(nil, line: 1),
        parsed: SwiftBoardCommandLine.LineParser.parse(line)))
    let after = printed.text.withLock { $0 }
    return Printed(
      output: String(after.output.dropFirst(before.output.count)),
      errors: String(after.errors.dropFirst(before.errors.count)), status: outcome.exitCode)
  }

  /// All that it printed on standard output.
  var output: String { printed.text.withLock { $0.output } }
}

@Suite("Recordings of several files on the board")
struct SessionChainTests {
  /// Lines of several kinds, recorded in files of about so many bytes; nil: in one.
  private static func record(
    _ path: String, _ size: Int?, keep: Int? = nil
  ) async throws {
    let board = RunningBoard()
    try board.board.record(to: path, rotation: size.map { .init(size: $0, keep: keep) })
    for n in 1...12 {
      await board.run("set page \(n)")
      await board.run("echo page $page")
      await board.run("db put films f\(n) {\"n\":\(n)}")
      if n == 7 { await board.run("session mark seven") }
    }
    await board.board.close()
  }

  private static let size = 3000

  /// The files of both recordings, made once.
  private static let recorded = Task { () -> [(name: String, bytes: [UInt8])] in
    let folder = try TemporaryFolder()
    try await record(folder.path("whole"), nil)
    try await record(folder.path("files"), size)
    let numbers = RotatedLog.numbers(beside: folder.path("files"))
    try #require(numbers.count > 2)
    return try (["whole", "files"] + numbers.map { "files.\($0)" }).map {
      ($0, try folder.read($0))
    }
  }

  /// A folder with a recording in one file, `whole`, and the same one in several, `files`.
  private static func folder() async throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for (name, bytes) in try await recorded.value { try folder.write(bytes, to: name) }
    return folder
  }

  /// Without which step of another file an effect came from.
  private static func plain(_ text: String, _ folder: TemporaryFolder) -> [String] {
    text.replacing(folder.path("files"), with: "F").replacing(folder.path("whole"), with: "F")
      .split(separator: "\n").map { String($0).replacing(#/of step \d+ */#, with: "of step N ") }
  }

  @Test(
    "every command says of several files what it says of one",
    arguments: [
      "session state shell.variables.page --at 3 --file F",
      "session state shell.variables.page --at 30 --file F", "session state --file F",
      "session state --at @seven --file F", "session action 26 --file F",
      "session diff 3 33 --file F", "session diff -1 end --file F",
      "session bisect F --assert 'shell.variables.page != \"9\"'",
      "session bisect F --assert 'not exists' --linear",
      "session bisect F --assert 'shell.variables.page != \"9\"' --linear",
      "session graph F --by shell.lastStatus", "session graph F", "session timeline F",
      "session timeline F --range 8..20", "session timeline F --by user --limit 9",
      "session state --at 99 --file F", "session action 0 --file F",
      "session state --at @none --file F",
    ])
  func likeOne(line: String) async throws {
    let folder = try await Self.folder()
    let board = RunningBoard()
    let one = await board.run(line.replacing("F", with: folder.path("whole")))
    let many = await board.run(line.replacing("F", with: folder.path("files")))
    #expect(many.status == one.status)
    #expect(Self.plain(many.output, folder) == Self.plain(one.output, folder))
    #expect(Self.plain(many.errors, folder) == Self.plain(one.errors, folder))
    #expect(one.output != "" || one.status != 0)
    await board.board.close()
  }

  @Test("figures, tests and forks of several files")
  func figures() async throws {
    let folder = try await Self.folder()
    let board = RunningBoard()
    let figures = await board.run("session stats \(folder.path("files")) --json")
    #expect(figures.output.contains(#""steps":51,"#), "\(figures.output)")
    let test = await board.run("session test \(folder.path("files")) --until 30")
    #expect(test.output.contains("// 30: "), "\(test.output)")
    let fork = await board.run(
      "session fork 30 \(folder.path("fork")) --file \(folder.path("files"))")
    #expect(fork.status == 0, "\(fork.errors)")
    let page = "session state shell.variables.page"
    let expected = await board.run("\(page) --at 29 --file \(folder.path("whole"))").output
    #expect(await board.run("\(page) --at 29 --file \(folder.path("fork"))").output == expected)
    #expect(await board.run("\(page) --at 31 --file \(folder.path("fork"))").status == 64)
    #expect(await board.run("session verify \(folder.path("fork"))").status == 0)
    await board.board.close()
  }

  @Test(
    "an assertion that comes and goes is looked for by when it holds, however it is searched",
    arguments: [("", 4), (" --linear", 3)])
  func assertionThatComesAndGoes(option: String, examined: Int) async throws {
    let folder = try TemporaryFolder()
    let board = RunningBoard()
    let path = folder.path("r")
    try board.board.record(to: path)
    for line in ["echo a", "set v 0", "echo b", "set v 1", "echo c"] { await board.run(line) }
    board.board.stopRecording()
    let condition = #"'shell.variables.v == "0"'"#
    let found = await board.run("session bisect \(path) --assert \(condition)\(option)")
    #expect(found.status == 0 && found.output.hasPrefix("step 2 of 5, "), "\(found)")
    #expect(found.errors.contains("it fails from the beginning; the first step after which"))
    #expect(
      found.errors.contains("\(examined) of 6 states were examined"), "\(found.errors)")
    // One that the first step makes hold does not fail from the beginning.
    let other = folder.path("s")
    try board.board.record(to: other)
    for line in ["set w 1", "echo a"] { await board.run(line) }
    board.board.stopRecording()
    let kept = await board.run(
      "session bisect \(other) --assert 'shell.variables.w exists'\(option)")
    #expect(kept.status == 1 && !kept.errors.contains("from the beginning"), "\(kept.errors)")
    await board.board.close()
  }

  @Test("the running recording is travelled from file to file, and forked")
  func running() async throws {
    let folder = try TemporaryFolder()
    let board = RunningBoard()
    let path = folder.path("r")
    try board.board.record(to: path, rotation: .init(size: Self.size))
    for n in 1...10 { await board.run("set page \(n)") }
    #expect(RotatedLog.numbers(beside: path).count > 0)
    #expect(board.board.recording?.step == 10)
    #expect(await board.run("session goto 3").output.hasPrefix("step 3 of 10, "))
    let before = await board.run("session goto -99")
    #expect(before.status == 64)
    #expect(before.errors.contains("there is no step -99 from step 3 on; "), "\(before.errors)")
    #expect(await board.run("state shell.variables.page").output == "\"3\"\n")
    let files = RotatedLog.numbers(beside: path).count
    var turns = 0
    // Looking is recorded, too, and ends file after file meanwhile.
    while RotatedLog.numbers(beside: path).count < files + 3, turns < 100 {
      #expect(await board.run("session goto +1").output.hasPrefix("step 4 of "))
      #expect(await board.run("session goto 3").output.hasPrefix("step 3 of "))
      turns += 1
    }
    #expect(await board.run("assert shell.variables.page == \"3\"").status == 0)
    let undone = await board.run("session undo")
    #expect(undone.output.hasPrefix("step 2 of "), "\(undone)")
    #expect(await board.run("session goto end").status == 0)
    #expect(await board.run("session live").status == 0)
    #expect(await board.run("session goto 9").output.hasPrefix("step 9 of "))
    let timeline = await board.run("session timeline --action shell.run --by user --limit 10")
    #expect(timeline.output.split(separator: "\n").count == 12, "\(timeline.output)")

    let fork = await board.run("session fork 8 \(folder.path("f"))")
    #expect(fork.status == 0, "\(fork.errors)")
    #expect(await board.run("state shell.variables.page").output == "\"8\"\n")
    #expect(await board.run("session goto 7").output.hasPrefix("step 7 of "))
    #expect(await board.run("session live").status == 0)
    #expect(await board.run("set page new").status == 0)
    await board.board.close()
    let other = RunningBoard()
    #expect(await other.run("session verify \(path) \(folder.path("f"))").status == 0)
    await other.board.close()
  }

  @Test("a move in the running recording reads only what it needs, and a verification everything")
  func readsLittle() async throws {
    let folder = try TemporaryFolder()
    let board = RunningBoard()
    let path = folder.path("r")
    try board.board.record(to: path)
    for n in 1...140 { await board.run("set page \(n)") }
    await board.run("session mark here")
    var bytes = try folder.read("r")
    let lines = bytes.indices.filter { bytes[$0] == 0x0A }
    bytes[lines[10] + 20] ^= 1
    let file = try FileSystem().open(path, O_WRONLY)
    #expect(pwrite(file.number, bytes, bytes.count, 0) == bytes.count)

    #expect(await board.run("session goto 139").output.hasPrefix("step 139 of "))
    #expect(await board.run("state shell.variables.page").output == "\"139\"\n")
    #expect(await board.run("session undo").output.hasPrefix("step 138 of "))
    #expect(await board.run("session goto @here").status == 0)
    #expect(await board.run("session diff 130 131").output.contains("page"))
    let early = await board.run("session goto 12")
    #expect(early.status == 65 && early.errors.contains("the sum is wrong"), "\(early.errors)")
    #expect(await board.run("session goto 9").output.hasPrefix("step 9 of "))
    #expect(await board.run("session live").status == 0)
    #expect(await board.run("session verify \(path)").status == 65)
    #expect(await board.run("session state --at 139 --file \(path)").status == 65)
    await board.board.close()
  }

  @Test("what is left of a recording begins where its oldest file does")
  func oldFilesRemoved() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("r")
    try await Self.record(path, Self.size, keep: 1)
    let board = RunningBoard()
    let first = try RotatedLog(path: path).firstStep
    #expect(first > 5)
    let missing = await board.run("session state --at \(first - 1) --file \(path)")
    #expect(missing.status == 64)
    #expect(
      missing.errors.contains(
        "there is no step \(first - 1); the recording has the steps \(first) to 51, and the files"),
      "\(missing.errors)")
    #expect(await board.run("session state --at \(first) --file \(path)").status == 0)
    let beginning = await board.run("session action \(first) --file \(path)")
    #expect(beginning.errors.contains("is the beginning of the recording"), "\(beginning.errors)")
    let test = await board.run("session test \(path) --until \(first + 2)")
    #expect(test.errors.contains("of the first 2 of \(51 - first) steps"), "\(test.errors)")
    for line in [
      "session timeline \(path)", "session stats \(path)", "session graph \(path)",
      "session graph \(path) --causes", "session test \(path)", "session verify \(path)",
      "session bisect \(path) --assert 'shell.variables.page == \"12\"'",
    ] {
      let run = await board.run(line)
      #expect(run.status == 0, "\(line): \(run.errors)")
      guard line.contains("bisect") else { continue }
      #expect(run.output.contains(": set page 12\n"), "\(run.output)")
    }
    await board.board.close()
  }

  @Test("of a step that is shown, and whose file is removed meanwhile, that is the reason")
  func shownStepRemoved() async throws {
    let folder = try TemporaryFolder()
    let board = RunningBoard()
    let path = folder.path("r")
    try board.board.record(to: path, rotation: .init(size: Self.size, keep: 1))
    for n in 1...3 { await board.run("set page \(n)") }
    #expect(await board.run("session goto 2").status == 0)
    var turns = 0
    // Looking is recorded, too.
    while try RotatedLog(path: path).firstStep <= 2, turns < 100 {
      await board.run("echo a")
      turns += 1
    }
    let first = try RotatedLog(path: path).firstStep
    let undo = await board.run("session undo")
    #expect(undo.status == 64)
    #expect(
      undo.errors.contains("there is no step 2; the recording has the steps \(first) to "),
      "\(undo.errors)")
    let back = await board.run("session goto -1")
    #expect(back.status == 64)
    #expect(back.errors.contains("there is no step -1 from step 2 on; "), "\(back.errors)")
    for run in [undo, back] {
      #expect(run.errors.contains(", and the files before them were removed"), "\(run.errors)")
    }
    await board.board.close()
  }

  @Test("one file by itself is a recording of its own")
  func byItself() async throws {
    let folder = try await Self.folder()
    let board = RunningBoard()
    let file = folder.path("files.2")
    let before = try #require(try RotatedLog(path: folder.path("files")).segments.dropFirst().first)
      .stepsBefore
    for line in ["session timeline \(file)", "session verify \(file)", "session stats \(file)"] {
      #expect(await board.run(line).status == 0, "\(line)")
    }
    let page = "session state shell.variables.page"
    let one = await board.run("\(page) --at 1 --file \(file)").output
    #expect(one != "")
    #expect(
      await board.run("\(page) --at \(before + 1) --file \(folder.path("files"))").output == one)
    await board.board.close()
  }

  @Test("a replay goes over all files, as if they were one")
  func replayOfAll() async throws {
    let folder = try await Self.folder()
    let board = RunningBoard()
    let (path, whole) = (folder.path("files"), folder.path("whole"))
    let second = try #require(try RotatedLog(path: path).segments.dropFirst().first).stepsBefore
    for options in ["", " --until \(second)", " --until \(second + 3)", " --from \(second + 2)"] {
      let one = await board.run("session replay \(whole)\(options)")
      let all = await board.run("session replay \(path)\(options)")
      #expect(one.output != "" && one.status == 0)
      #expect(all.output == one.output, "\(options)")
      #expect(
        all.errors == one.errors.replacing(whole, with: path) && all.status == 0, "\(all.errors)")
    }
    #expect(await board.run("session replay \(path).1").status == 0)
    await board.board.close()
  }

  /// A board of its own each time: what lines put into services stays there.
  private static func live(_ path: String) async -> Printed {
    let board = RunningBoard()
    let run = await board.run("session replay \(path) --live")
    await board.board.close()
    return run
  }

  @Test("a live replay sends the lines of all files, as if they were one")
  func liveReplayOfAll() async throws {
    let folder = try await Self.folder()
    let (path, whole) = (folder.path("files"), folder.path("whole"))
    let (one, all) = (await Self.live(whole), await Self.live(path))
    let last = try #require(RotatedLog(path: path).segments.last)
    // The mark is about the recording, and passed over.
    #expect(one.errors == "36 lines were sent, 49 steps agree\n" && one.status == 0)
    #expect(all.errors == one.errors && all.status == 0)
    // One of its files is one by itself.
    let board = RunningBoard()
    let end = await board.run("session replay \(path).\(last.number - 1) --live")
    #expect(end.status != 64, "\(end.errors)")
    await board.board.close()
  }

  @Test("a live replay begins with what is left of a recording, and says so")
  func liveWithoutOldFiles() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("r")
    try await Self.record(path, Self.size, keep: 1)
    let first = try RotatedLog(path: path).firstStep
    try #require(first > 5)
    let live = await Self.live(path)
    #expect(live.errors.contains("first \(first) steps were removed"), "\(live.errors)")
  }

  private static func said(_ run: Printed) -> [Substring] {
    run.errors.split(separator: "\n").filter { !$0.hasPrefix("  ") }
  }

  @Test("what is wrong with files is said by a live replay as by another one")
  func liveReplayOfStrangers() async throws {
    let folder = try await Self.folder()
    let path = folder.path("files")
    let second = try folder.read("files.2")
    func expect(_ message: String, _ status: Int32 = 65) async {
      let board = RunningBoard()
      let plain = await board.run("session replay \(path)")
      let live = await board.run("session replay \(path) --live")
      #expect(live.status == status && plain.status == status, "\(live.errors)")
      #expect(live.output == "")
      // But for the line that is quoted.
      #expect(Self.said(live) == Self.said(plain))
      #expect(live.errors.contains(message), "\(live.errors)")
      await board.board.close()
    }
    try folder.write(try folder.read("whole"), to: "files.2")
    await expect("\(path).2 does not go on where the file before it ends")
    var damaged = second
    damaged[second.count / 2] ^= 1
    try folder.write(damaged, to: "files.2")
    await expect("\(path).2: line ")
    try #require(unlink(path + ".2") == 0)
    await expect("\(path).2 is missing: the files before and after it are there")
    for file in RotatedLog.numbers(beside: path).map({ "\(path).\($0)" }) + [path] {
      try #require(unlink(file) == 0)
    }
    await expect("there is no", 66)
  }

  @Test("a replay of files that are no recording prints nothing")
  func replayOfStrangers() async throws {
    let folder = try await Self.folder()
    let board = RunningBoard()
    let path = folder.path("files")
    let number = try #require(RotatedLog.numbers(beside: path).dropFirst().first)
    let middle = "\(path).\(number)"
    var damaged = try folder.read("files.\(number)")
    damaged[damaged.count - 60] ^= 1
    try folder.write(damaged, to: "files.\(number)")
    let broken = await board.run("session replay \(path)")
    #expect(broken.status == 65 && broken.output == "")
    #expect(broken.errors.contains(middle), "\(broken.errors)")
    unlink(middle)
    let gap = await board.run("session replay \(path)")
    #expect(gap.status == 65 && gap.output == "")
    #expect(gap.errors.contains("\(middle) is missing"), "\(gap.errors)")
    await board.board.close()
  }

  @Test("a path that is in neither state is missing, and one that comes is a difference")
  func pathsOfDifferences() async throws {
    let folder = try await Self.folder()
    let board = RunningBoard()
    let path = folder.path("files")
    let missing = await board.run("session diff 1 2 --path nope --file \(path)")
    #expect(missing.status == 66 && missing.output == "")
    #expect(missing.errors.contains("has anything at 'nope'"), "\(missing.errors)")
    let equal = await board.run("session diff 1 1 --path shell --file \(path)")
    #expect(equal.status == 0)
    await board.board.close()
  }

  @Test("the error of a header names its file once")
  func headerErrors() async throws {
    let folder = try TemporaryFolder()
    try folder.write("{}\n", to: "d")
    let board = RunningBoard()
    for line in ["session replay", "session verify", "session stats"] {
      let run = await board.run("\(line) \(folder.path("d"))")
      #expect(run.status == 65)
      #expect(
        run.errors.ranges(of: folder.path("d") + ":").count == 1, "\(run.errors)")
    }
    await board.board.close()
  }

  @Test("a fork says which steps it has")
  func forkSaysItsSteps() async throws {
    let folder = try await Self.folder()
    let board = RunningBoard()
    let path = folder.path("files")
    let second = try #require(try RotatedLog(path: path).segments.dropFirst().first).stepsBefore
    for (step, text) in [
      (second, "has the first \(second) steps of"),
      (second + 2, "has the steps \(second + 1) to \(second + 2) of"),
    ] {
      let fork = await board.run("session fork \(step) \(folder.path("f\(step)")) --file \(path)")
      #expect(fork.status == 0)
      #expect(fork.errors.contains("\(text) \(path)"), "\(fork.errors)")
      // Nothing continues it, so it is complete.
      let check = await board.run("session verify \(folder.path("f\(step)"))")
      #expect(check.status == 0)
      #expect(!check.errors.contains("cut short"), "\(check.errors)")
    }
    await board.board.close()
  }

  @Test("a fork keeps the long variables that are still the same, also from a file's first state")
  func longVariable() async throws {
    let folder = try TemporaryFolder()
    let board = RunningBoard()
    let path = folder.path("r")
    try board.board.record(to: path, rotation: .init(size: Self.size))
    let text = String(repeating: "a", count: StateText.longest + 1)
    await board.run("set page \(text)")
    await board.run("set other \(text)")
    for n in 3...10 { await board.run("set short \(n)") }
    await board.run("set other new")
    let first = try #require(
      try RotatedLog(path: path).segments.last(where: { $0.stepsBefore < 9 }))
    try #require(first.stepsBefore >= 2)
    #expect(await board.run("session fork 9 \(folder.path("f"))").status == 0)
    #expect(await board.run("echo $page").output == text + "\n")
    #expect(await board.run("echo $other").output != "new\n")
    await board.board.close()
    #expect(await RunningBoard().run("session verify \(folder.path("f"))").status == 0)
  }

  @Test(
    "a command in the background that has ended since the step of a fork is a note too",
    arguments: [
      ("", "'db put' was running at this step, and does not go on in the fork\n"),
      (
        " --json",
        #""note":"'db put' was running at this step, and does not go on in the fork"}"# + "\n"
      ),
    ])
  func forkDuringBackgroundCommand(option: String, note: String) async throws {
    let folder = try TemporaryFolder()
    let board = RunningBoard()
    try board.board.record(to: folder.path("r"))
    #expect(await board.run("db put c 1 {}\(option) &; wait").status == 0)
    let fork = await board.run("session fork 1 \(folder.path("f")); echo on")
    #expect(fork.status == 0 && fork.output == "on\n", "\(fork.errors)")
    #expect(fork.errors.contains(note), "\(fork.errors)")
    #expect(!fork.errors.contains("cancelled by"), "\(fork.errors)")
    #expect(!fork.errors.contains(#""ok":false"#), "\(fork.errors)")
    await board.board.close()
  }

  @Test("a command that ran at the step of a fork is ended there, which a note says")
  func forkDuringCommand() async throws {
    let folder = try TemporaryFolder()
    let board = RunningBoard()
    try board.board.record(to: folder.path("r"))
    #expect(await board.run("db put c 1 {}").status == 0)
    let fork = await board.run("session fork 1 \(folder.path("f")); echo on")
    #expect(fork.status == 0 && fork.output == "on\n", "\(fork.errors)")
    // The command has ended long ago, and the line that forks has no error.
    #expect(!fork.errors.contains("error:"), "\(fork.errors)")
    #expect(
      fork.errors.contains("'db put' was running at this step, and does not go on in the fork\n"),
      "\(fork.errors)")
    let text = String(decoding: try folder.read("f"), as: UTF8.self)
    #expect(text.contains("cancelled by 'session fork'"), "\(text)")
    // A command that runs still is cancelled, which fails its line.
    try #require(board.board.recording?.path == folder.path("f"))
    let last = try #require(board.board.recording?.step)
    let watch = await board.run(
      "watch 1s --count 2 session fork \(last + 1) \(folder.path("g"))")
    #expect(watch.status == 130)
    #expect(watch.errors.contains("error: cancelled by 'session fork'\n"), "\(watch.errors)")
    await board.board.close()
  }

  @Test("a newest file that is not there is warned of")
  func newestMissing() async throws {
    let folder = try await Self.folder()
    let board = RunningBoard()
    let path = folder.path("files")
    #expect(await board.run("session verify \(path)").errors == "")
    unlink(path)
    let verified = await board.run("session verify \(path)")
    #expect(verified.status == 0)
    #expect(verified.errors.contains("\(path) is missing"), "\(verified.errors)")
    await board.board.close()
  }

  @Test("a fork of the running recording is rotated as it is, where no file is in the way")
  func rotatedFork() async throws {
    let folder = try TemporaryFolder()
    let board = RunningBoard()
    try board.board.record(to: folder.path("r"), rotation: .init(size: 3000))
    await board.run("set page 1")
    try folder.write("text", to: "g.2")
    let refused = await board.run("session fork end \(folder.path("g"))")
    #expect(refused.status == 73 && refused.errors.contains("g.2"), "\(refused.errors)")
    #expect(await board.run("session fork end \(folder.path("f"))").status == 0)
    for n in 1...40 { await board.run("set page \(n)") }
    await board.board.close()
    #expect(RotatedLog.numbers(beside: folder.path("f")).count > 2)
    #expect(try RotatedLog(path: folder.path("f")).check().steps > 40)
    #expect(try folder.read("g.2") == Array("text".utf8))
    #expect(!FileManager.default.fileExists(atPath: folder.path("g")))
  }

  @Test("of two forks at once, one is continued, and the other is complete")
  func overlappingForks() async throws {
    for _ in 0..<10 {
      let folder = try TemporaryFolder()
      let board = RunningBoard()
      try board.board.record(to: folder.path("r"))
      await board.run("set page 1")
      for name in ["b", "c"] { await board.run("session fork end \(folder.path(name)) &") }
      let waited = await board.run("wait all")
      await board.run("set page 2")
      await board.board.close()
      let names = ["b", "c"].filter { FileManager.default.fileExists(atPath: folder.path($0)) }
      #expect(!names.isEmpty, "\(waited.errors)")
      for name in names + ["r"] {
        let summary = try Replayer(BoardFeatures.all).verify(path: folder.path(name))
        #expect(summary.warnings == [], "\(name): \(summary.warnings)")
      }
    }
  }

  @Test("a fork whose recording has ended is complete, and ends no other recording")
  func lateFork() async throws {
    for _ in 0..<10 {
      let folder = try TemporaryFolder()
      let board = RunningBoard()
      try board.board.record(to: folder.path("r"))
      await board.run("set page 1")
      await board.run("session fork end \(folder.path("b")) &")
      await board.run("session stop")
      await board.run("session record \(folder.path("s"))")
      await board.run("wait all")
      await board.run("set page 2")
      await board.board.close()
      for name in ["b", "s", "r"] where FileManager.default.fileExists(atPath: folder.path(name)) {
        let summary = try Replayer(BoardFeatures.all).verify(path: folder.path(name))
        #expect(summary.warnings == [], "\(name): \(summary.warnings)")
      }
    }
  }

  @Test("a recording that failed is told of by everything that asks for it")
  func failedRecording() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("r")
    let board = RunningBoard()
    try board.board.record(to: path, rotation: .init(size: 3000))
    // In the way of the next file.
    #expect(mkdir(path + ".next", 0o700) == 0)
    for n in 1...40 { await board.run("set page \(n)") }
    let steps = try RotatedLog(path: path).check().steps
    #expect(steps > 5 && steps < 40)
    let status = await board.run("session status")
    #expect(status.output.contains("\(steps)\n"), "\(status.output)")
    #expect(status.output.contains("stopped before step \(steps + 1)"), "\(status.output)")
    let mark = await board.run("session mark late")
    #expect(mark.status == 74)
    #expect(mark.errors.contains("stopped before step \(steps + 1)"), "\(mark.errors)")
    #expect(board.board.hasLostRecording)
    let stop = await board.run("session stop")
    #expect(stop.status == 74)
    #expect(stop.errors.contains("how many of its \(steps) steps are there"), "\(stop.errors)")
    #expect(await board.run("session stop").status == 64)
    await board.board.close()
    rmdir(path + ".next")
  }

  @Test("one recording that is none does not keep others from being checked")
  func oneBroken() async throws {
    let folder = try await Self.folder()
    let board = RunningBoard()
    let (path, whole) = (folder.path("files"), folder.path("whole"))
    unlink(path + ".2")
    let verified = await board.run("session verify \(path) \(whole)")
    #expect(verified.status == 65)
    #expect(verified.output.contains("\(whole): 51 steps agree"), "\(verified.output)")
    #expect(verified.output.contains("\(path).1: "), "\(verified.output)")
    #expect(verified.errors.contains("\(path).2 is missing"), "\(verified.errors)")
    #expect(verified.errors.contains("help: put files.2 back"), "\(verified.errors)")
    let report = await board.run("session verify \(path) \(whole) --format tap").output
    #expect(report.contains("not ok 2 - \(path).2\n"), "\(report)")
    #expect(report.contains(" - \(whole)\n"), "\(report)")
    #expect(report.split(separator: "\n").filter { $0.hasPrefix("not ok") }.count == 1)
    await board.board.close()
  }

  @Test("damage weighs more than a newest file that is not there")
  func damagedWithoutNewest() async throws {
    let folder = try await Self.folder()
    let board = RunningBoard()
    let path = folder.path("files")
    unlink(path)
    var damaged = try folder.read("files.2")
    damaged[damaged.count / 2] ^= 1
    try folder.write(damaged, to: "files.2")
    for line in ["session verify \(path)", "session replay \(path)"] {
      let run = await board.run(line)
      #expect(run.status == 65, "\(line): \(run.errors)")
      #expect(run.errors.contains("\(path).2: line "), "\(line): \(run.errors)")
    }
    let report = await board.run("session verify \(path) --format tap").output
    #expect(!report.contains(" - \(path)\n"), "\(report)")
    await board.board.close()
  }

  @Test("where old files were removed, a check says so and a replay keeps the numbers")
  func checkedWithoutOldFiles() async throws {
    for keep in [0, 1] {
      let folder = try TemporaryFolder()
      let path = folder.path("r")
      try await Self.record(path, Self.size, keep: keep)
      let board = RunningBoard()
      let first = try RotatedLog(path: path).firstStep
      #expect(first > 5)
      for line in ["session verify \(path)", "session replay \(path)"] {
        let run = await board.run(line)
        #expect(run.status == 0)
        #expect(run.errors.contains("first \(first) steps were removed"), "\(line): \(run.errors)")
      }
      #expect(await board.run("session replay \(path) --until \(first - 1)").status == 64)
      let rest = await board.run("session replay \(path) --from \(first + 1)").output
      let all = await board.run("session replay \(path)").output
      #expect(rest == all && (keep == 0 || rest != ""))
      #expect(await board.run("session replay \(path) --from 1000").output == "")
      await board.board.close()
    }
  }

  @Test("a line that comes while everything ends is nobody's mistake")
  func lineAfterTheEnd() async throws {
    let board = RunningBoard()
    await board.board.close()
    let late = await board.run("set page 1")
    #expect(late.status == 130)
    #expect(late.errors == "")
  }

  @Test("a missing or wrong file is named, with what to do")
  func broken() async throws {
    let folder = try await Self.folder()
    let board = RunningBoard()
    let path = folder.path("files")
    let second = try folder.read("files.2")
    func expect(
      _ message: String, _ help: String?, sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) async {
      for line in [
        "session timeline \(path)", "session state --file \(path)", "session stats \(path)",
        "session diff 1 20 --file \(path)", "session graph \(path) --causes",
        "session bisect \(path) --assert 'a exists'", "session verify \(path)",
        "session fork 20 \(folder.path("f")) --file \(path)",
      ] {
        let run = await board.run(line)
        #expect(run.status == 65, "\(line): \(run.errors)", sourceLocation: sourceLocation)
        #expect(
          run.errors.contains(message), "\(line): \(run.errors)", sourceLocation: sourceLocation)
        if let help {
          #expect(
            run.errors.contains("help: \(help)"), "\(line): \(run.errors)",
            sourceLocation: sourceLocation)
        }
      }
    }
    // Another recording's file in its place.
    try folder.write(try folder.read("whole"), to: "files.2")
    await expect(
      "\(path).2 does not go on where the file before it ends",
      "files.2 or the file before it was changed")
    var damaged = second
    damaged[second.count / 2] ^= 1
    try folder.write(damaged, to: "files.2")
    await expect("\(path).2: line ", nil)
    try #require(unlink(path + ".2") == 0)
    await expect(
      "\(path).2 is missing: the files before and after it are there", "put files.2 back")
    try folder.write(second, to: "files.2")
    #expect(await board.run("session verify \(path)").status == 0)
    await board.board.close()
  }

  @Test("verifying a recording checks all of its files, each once")
  func verified() async throws {
    let folder = try await Self.folder()
    let board = RunningBoard()
    let path = folder.path("files")
    let count = RotatedLog.numbers(beside: path).count + 1
    let run = await board.run("session verify \(path) \(path).1 \(folder.path("whole"))")
    #expect(run.status == 0, "\(run.errors)")
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == count + 1)
    #expect(lines.first?.hasPrefix("\(path).1: ") == true)
    #expect(lines.dropLast().last?.hasPrefix("\(path): ") == true)
    await board.board.close()
  }

  // MARK: Cancelling

  @Test("a look ends soon after nobody wants it any more")
  func cancelled() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("r")
    let board = RunningBoard()
    try board.board.record(to: path)
    let text = String(repeating: "x", count: 100_000)
    for _ in 1...10 { await board.run("set v \(text)") }
    await board.board.close()
    let looks: [(RecordingQueries) throws -> SessionResult] = [
      { try $0.state(nil, at: nil, file: path) }, { try $0.timeline(.init(file: path)) },
      { try $0.stats(path) }, { try $0.causes(path, nil) }, { try $0.graph(path, by: nil) },
      { try $0.bisect(path, assert: "a exists", linear: true) },
      { try $0.fork(at: .end, to: folder.path("f"), from: path) },
    ]
    for (index, look) in looks.enumerated() {
      var work = RecordingQueries(
        navigators: SessionNavigators(BoardFeatures.all), moment: nil, position: nil)
      let flag = work.flag
      let heard = Mutex(0)
      work.progress = { now, file in
        #expect(file == path && now.fraction < 1)
        heard.withLock { $0 += 1 }
        flag.set()
      }
      #expect(throws: CancellationError.self, "look \(index)") { try look(work) }
      #expect(heard.withLock { $0 } == 1, "look \(index): nothing is read behind it")
    }
    #expect(throws: (any Error).self) { try folder.read("f") }
  }

  @Test("a kept recording is cancelled for who asked, and serves the next")
  func cancelledWhileKept() async throws {
    let folder = try await Self.folder()
    let navigators = SessionNavigators(BoardFeatures.all)
    func work() -> RecordingQueries {
      RecordingQueries(navigators: navigators, moment: nil, position: nil)
    }
    let path = folder.path("files")
    let state = try work().state(nil, at: .init(step: 20), file: path)
    let cancelled = work()
    cancelled.flag.set()
    #expect(throws: CancellationError.self) {
      try cancelled.bisect(path, assert: "a exists", linear: true)
    }
    var unread = work()
    unread.progress = { _, _ in Issue.record("it was read again") }
    #expect(try unread.state(nil, at: .init(step: 20), file: path) == state)
  }
}

/// What was recorded in another century replays now.
@Suite("Recordings of other days")
struct SessionDateTests {
  @Test(
    "a session of another day verifies, and prints the same today",
    arguments: [
      "1969-07-20T20:17:40.000000Z", "1999-12-31T23:59:59.999999Z", "2000-02-29T12:00:00.000000Z",
      "2038-01-19T03:14:08.000000Z", "2106-02-07T06:28:16.000001Z", "9999-12-31T23:59:59.000000Z",
    ])
  func otherDays(day: String) async throws {
    let folder = try TemporaryFolder()
    let microseconds = try #require(Timestamp.microseconds(parsing: day))
    func dependencies(_ microseconds: Int64) -> Dependencies {
      var dependencies = Dependencies.mock
      dependencies.date = DateGenerator { microseconds }
      return dependencies
    }
    let board = RunningBoard(dependencies(Int64(microseconds)))
    let path = folder.path("r")
    try board.board.record(to: path)
    for line in [
      "set a 1", "db put films f {\"n\":1}", "log note remember", "log tail", "session timeline",
      "session mark here", "characters recent", "api recent", "keychain status", "state",
      "session stop",
    ] {
      await board.run(line)
    }
    let transcript = board.output
    await board.board.close()
    #expect(transcript != "")
    #expect(try LogFile(path: path).reader().header().created == Int64(microseconds))

    // Today, and on a third day.
    for other in [Dependencies.mock, dependencies(4_000_000_000_000_000)] {
      let now = RunningBoard(other)
      let verified = await now.run("session verify \(path)")
      #expect(verified.status == 0, "\(verified.errors)")
      let replayed = await now.run("session replay \(path)")
      #expect(replayed.status == 0 && replayed.output == transcript)
      let live = await now.run("session state --at 3 --file \(path)")
      #expect(live.status == 0, "\(live.errors)")
      await now.board.close()
    }
  }
}
