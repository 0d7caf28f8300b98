import Dispatch
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

/// Runs what it is given at once, on the thread that gives it: a task begins inside its initializer
/// and runs to its first suspension.
final class InlineExecutor: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
  }
}

/// Begins work at once, on this thread, up to where it first waits.
func begin<Value: Sendable>(
  _ work: @escaping @Sendable () async -> Value
) -> Task<Value, Never> {
  Task(executorPreference: InlineExecutor()) { await work() }
}

/// Keeps a recording in memory, and calls back while its last line is written.
private final class MemorySink: LogSink {
  private let state = Mutex((bytes: [UInt8](), isClosed: false))
  private let whileEnding: Mutex<(@Sendable () -> Void)?>

  init(whileEnding: @escaping @Sendable () -> Void) {
    self.whileEnding = Mutex(whileEnding)
  }

  /// Whether it was closed behind an end line.
  var isWhole: Bool {
    state.withLock { state in
      state.isClosed
        && String(decoding: state.bytes, as: UTF8.self).split(separator: "\n").last?
          .hasPrefix(#"{"k":"end""#) == true
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(LogIOError) -> Int {
    if String(decoding: bytes, as: UTF8.self).hasPrefix(#"{"k":"end""#) {
      whileEnding.withLock { $0.take() }?()
    }
    state.withLock { state in
      state.bytes.replaceSubrange(offset..., with: bytes)
    }
    return bytes.count
  }

  func truncate(to size: Int) throws(LogIOError) {
    state.withLock { $0.bytes.removeSubrange(size...) }
  }

  func synchronize() throws(LogIOError) {}
  func close() { state.withLock { $0.isClosed = true } }
}

/// What is set once.
private final class Slot<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  func set(_ new: Value) { value.withLock { $0 = new } }
  func get() -> Value? { value.withLock { $0 } }
}

private let address = "http://hang.test/"

private func hangingWorld() -> World {
  let world = World()
  world.api.answer("GET", address, with: .hang)
  return world
}

/// How a board ends, and what becomes of what still runs then.
@Suite("The end of a board")
struct BoardEndTests {
  @Test("a second close waits for the first, and does nothing of its own")
  func closesAreOne() async throws {
    let (second, sink) = (Slot<Task<Bool, Never>>(), Slot<MemorySink>())
    let wasWhole = Mutex<[Bool]>([])
    let board = Self.board {
      wasWhole.withLock { $0.append(sink.get()?.isWhole == true) }
    }
    let memory = MemorySink {
      // The recorder is taken by now, and its last line not written.
      second.set(
        begin {
          await board.close()
          return sink.get()?.isWhole == true
        })
    }
    sink.set(memory)
    try board.recordings.record(into: memory, path: "memory")
    await board.close()
    #expect(memory.isWhole)
    #expect(await second.get()?.value == true)
    await board.close()
    #expect(wasWhole.withLock { $0 } == [true], "the log is flushed once, behind the recording")
  }

  @Test("a close waits for the last line of a recording that somebody else is ending")
  func aCloseWaitsForTheLastLine() async throws {
    for _ in 0..<20 {
      let (close, sink) = (Slot<Task<Void, Never>>(), Slot<MemorySink>())
      let wasWhole = Slot<Bool>()
      let isClosing = DispatchSemaphore(value: 0)
      let board = Self.board { wasWhole.set(sink.get()?.isWhole == true) }
      let waiter = begin {
        let code = await board.wait(for: 1)
        isClosing.signal()
        return code
      }
      let memory = MemorySink {
        close.set(begin { await board.close() })
        isClosing.wait()
        // As slow a disk as makes a close that does not wait come first.
        for _ in 0..<20 {
          let hop = DispatchSemaphore(value: 0)
          DispatchQueue.global().async { hop.signal() }
          hop.wait()
        }
      }
      sink.set(memory)
      try board.recordings.record(into: memory, path: "memory")
      await DetachedThread.run { _ = board.stopRecording() }
      await close.get()?.value
      #expect(await waiter.value == ExitCode.interrupted)
      #expect(wasWhole.get() == true)
    }
  }

  @Test("no recording begins that nobody would end")
  func nothingIsRecordedBehindTheEnd() async throws {
    let lines = Lines()
    await lines.board.close()
    let memory = MemorySink {}
    let error = #expect(throws: RecordingError.self) {
      try lines.board.recordings.record(into: memory, path: "memory")
    }
    #expect(error == .closing)
    #expect(lines.board.recording == nil)
    #expect(lines.board.stopRecording() == nil)
  }

  @Test("who waits for a command that runs when the board is closed gets 130")
  func aRunningCommandIsResumed() async {
    let world = hangingWorld()
    let lines = Lines(world)
    let code = begin { await lines.run("api get \(address)") }
    await world.api.waitForHanging()
    await lines.board.close()
    #expect(await code.value == ExitCode.interrupted)
  }

  @Test("a command in the background that runs when the board is closed ends with 130")
  func aBackgroundCommandIsResumed() async throws {
    let world = hangingWorld()
    let lines = Lines(world)
    #expect(await lines.run("api get \(address) &") == 0)
    await world.api.waitForHanging()
    let job = try #require(lines.board.store.withState { $0.shell.running.first?.job })
    let waits = [
      begin { await lines.board.wait(for: job) }, begin { await lines.board.wait(for: job) },
    ]
    await lines.board.close()
    for wait in waits { #expect(await wait.value == ExitCode.interrupted) }
    #expect(await lines.board.wait(for: job) == ExitCode.interrupted, "late as well")
  }

  @Test("a command that comes between the board's last look and the store's end gets 130")
  func aLateCommandIsResumed() async throws {
    let lines = Lines()
    // The store takes nothing any more, and the board does not know it yet.
    await lines.board.store.shutdown(deadline: .zero)
    let early = begin { await lines.run("echo early") }
    let late = context("echo late", "echo", job: lines.board.nextJob())
    lines.board.start(try action("echo late", job: late.job), late)
    await lines.board.close()
    #expect(await early.value == ExitCode.interrupted)
    #expect(await lines.board.wait(for: late.job) == ExitCode.interrupted)
    #expect(await lines.run("echo closed") == ExitCode.interrupted)
  }

  @Test("a command whose end is being told when the board is closed keeps its code")
  func anEndBeingToldCounts() async throws {
    let (board, close) = (Slot<Board>(), Slot<Task<Void, Never>>())
    let isResumed = DispatchSemaphore(value: 0)
    let made = Board(
      features: BoardFeatures.all, state: BoardState(), dependencies: .mock, seed: 1,
      sink: { _ in
        close.set(begin { await board.get()?.close() })
        isResumed.wait()
      })
    board.set(made)
    let echo = context("echo x", "echo", job: made.nextJob())
    let start = try action("echo x", job: echo.job)
    let waiter = begin {
      let code = await made.wait(for: echo.job)
      isResumed.signal()
      return code
    }
    await DetachedThread.run { made.start(start, echo) }
    #expect(await waiter.value == 0)
    await close.get()?.value
  }

  @Test("a close ends the value of JSON that a command has begun to print")
  func aCloseEndsAValue() async throws {
    let lines = Lines(settings: .output(.json))
    #expect(await lines.run("log note first") == 0)
    let tail = Task { await lines.run("log tail -f") }
    await lines.waitForSteps { $0.contains("\"listed\"") }
    await lines.board.close(waitingForValues: .seconds(3600))
    #expect(await tail.value == ExitCode.interrupted)
    let printed = lines.allPrinted.split(separator: "\n")
    let row = try #require(printed.first { $0.contains("\"command\":\"log.tail\"") })
    let value = try JSON(parsing: String(row))
    #expect(value["value"]?[0]?["message"] == "first", "\(lines.allPrinted)")
    #expect(value["ok"] == false && value["code"] == 130, "\(lines.allPrinted)")
  }

  @Test("while the output is blocked, a close ends the recording and flushes the log")
  func aBlockedOutputHoldsUpNoEnd() async throws {
    let memory = MemorySink {}
    let (flushes, flushed) = AsyncStream.makeStream(of: Bool.self)
    let (blocks, isBlocked) = AsyncStream.makeStream(of: Void.self)
    let blocksNext = Atomic(false)
    let (board, release) = (Slot<Board>(), DispatchSemaphore(value: 0))
    var dependencies = World().dependencies
    let log = FlushedSink {
      // `log tail` flushes the log, too.
      if board.get()?.isClosing == true { flushed.yield(memory.isWhole) }
    }
    dependencies.logger = LiveLogger(sinks: [log], level: .trace)
    let lines = Lines(settings: .output(.json), dependencies: dependencies) {
      guard blocksNext.exchange(false, ordering: .relaxed) else { return }
      isBlocked.yield()
      release.wait()
    }
    board.set(lines.board)
    try lines.board.recordings.record(into: memory, path: "memory")
    #expect(await lines.run("log note first") == 0)
    // It has begun a value of JSON, whose end cannot be written.
    let tail = Task { await lines.run("log tail -f") }
    await lines.waitForSteps { $0.contains("\"listed\"") }
    await lines.board.store.waitUntilDelivered()
    blocksNext.store(true, ordering: .relaxed)
    let echo = context("echo x", "echo", job: lines.board.nextJob())
    let start = try action("echo x", job: echo.job)
    let printing = Task { await DetachedThread.run { lines.board.start(start, echo) } }
    for await _ in blocks { break }
    let close = Task { await lines.board.close(waitingForValues: .zero) }
    for await isRecordingWhole in flushes {
      #expect(isRecordingWhole, "the recording ends before the log")
      break
    }
    release.signal()
    await printing.value
    await close.value
    #expect(await tail.value == ExitCode.interrupted)
  }

  /// A board without output that calls back when the log is flushed, which comes last of all.
  private static func board(onFlush: @escaping @Sendable () -> Void) -> Board {
    var dependencies = Dependencies.mock
    dependencies.logger = LiveLogger(sinks: [FlushedSink(onFlush: onFlush)])
    return Board(
      features: BoardFeatures.all, state: BoardState(), dependencies: dependencies, seed: 1,
      sink: { _ in })
  }
}

/// Interrupts, at every moment that a line has.
@Suite("Interrupts")
struct InterruptTests {
  /// Lines that are interrupted once, while the first output is printed: the command has ended
  /// then, and its waiting callers have not resumed.
  private static func interruptedLines(_ world: World = World()) -> Lines {
    let session = Slot<LineExecutor>()
    let isFirst = Atomic(true)
    let lines = Lines(world) {
      guard isFirst.exchange(false, ordering: .relaxed) else { return }
      #expect(session.get()?.interrupt() == .command)
    }
    session.set(lines.session)
    return lines
  }

  @Test("an interrupt that a command has just escaped ends the line")
  func theLineTakesIt() async {
    let lines = Self.interruptedLines()
    #expect(await lines.run("echo one") == ExitCode.interrupted)
    #expect(lines.allPrinted == "one\n", "what was done was done")
    #expect(await lines.run("echo two") == 0, "the next line has nothing to do with it")
    #expect(lines.allPrinted == "one\ntwo\n")
  }

  @Test(
    "an interrupt that a command has just escaped keeps the line's next one from beginning",
    arguments: ["echo one; echo two", "- echo one; echo two", "echo one; echo two &"])
  func theNextCommandTakesIt(line: String) async {
    let lines = Self.interruptedLines()
    #expect(await lines.run(line) == ExitCode.interrupted)
    #expect(lines.allPrinted.hasPrefix("one\n"))
    #expect(lines.allPrinted.contains("cancelled"))
    #expect(!lines.allPrinted.contains("\ntwo"))
    #expect(await lines.run("echo three") == 0)
  }

  @Test("an interrupt that a line of a file has just escaped ends the file")
  func theFileTakesIt() async throws {
    let folder = try TemporaryFolder()
    try folder.write("echo one\necho two\necho three\n", to: "x.sb")
    let lines = Self.interruptedLines()
    #expect(await lines.run("source \(folder.path("x.sb"))") == ExitCode.interrupted)
    #expect(lines.allPrinted.hasPrefix("one\n"))
    #expect(!lines.allPrinted.contains("\ntwo") && !lines.allPrinted.contains("three"))
  }

  @Test("an interrupt before a job is waited for ends the wait")
  func theWaitTakesIt() async {
    let world = hangingWorld()
    let lines = Self.interruptedLines(world)
    #expect(await lines.run("api get \(address) &") == 0)
    await world.api.waitForHanging()
    #expect(await lines.run("echo one; wait") == ExitCode.interrupted)
    #expect(lines.board.store.withState { $0.shell.running.count } == 1, "the job continues")
    #expect(await lines.run("cancel all") == 0)
  }

  @Test("an interrupt cancels the running command, and the next line runs")
  func theCommandTakesIt() async {
    let world = hangingWorld()
    let lines = Lines(world)
    let code = begin { await lines.run("api get \(address)") }
    await world.api.waitForHanging()
    #expect(lines.session.interrupt() == .command)
    #expect(await code.value == ExitCode.interrupted)
    #expect(await lines.run("echo on") == 0)
  }

  @Test("of lines that run at once, cancelling the task of one interrupts no other")
  func linesAtOnce() async {
    let world = hangingWorld()
    world.api.answer("GET", address + "/two", with: .hang)
    let lines = Lines(world)
    let first = begin { await lines.run("api get \(address)") }
    await world.api.waitForHanging()
    let second = Task { await lines.run("api get \(address)/two") }
    await world.api.waitForHanging(2)
    second.cancel()
    #expect(await second.value == ExitCode.interrupted)
    #expect(lines.board.store.withState { $0.shell.running.count } == 1, "the first goes on")
    #expect(await lines.run("echo on") == 0)
    #expect(lines.session.interrupt() == .command)
    #expect(await first.value == ExitCode.interrupted)
  }

  @Test("an interrupt between lines is the caller's, and cancels no line")
  func nothingTakesIt() async {
    let lines = Lines()
    #expect(lines.session.interrupt() == .nothing)
    #expect(await lines.run("echo one") == 0)
    #expect(lines.session.interrupt() == .nothing)
    #expect(await lines.run("echo two") == 0)
    #expect(lines.allPrinted == "one\ntwo\n")
  }
}

/// What signals make of a run of the program.
@Suite("The program's end")
struct ProgramEndTests {
  @Test("what must not be lost has more time than the lines")
  func seals() async {
    let (events, continuation) = AsyncStream.makeStream(of: String.self)
    let end = SignalEnd(patience: .milliseconds(1)) { _ in
      continuation.yield("left")
      continuation.finish()
    }
    end.limit(.terminate) {
      // Real time: a disk takes longer than the patience with lines.
      usleep(50_000)
      continuation.yield("sealed")
    }
    #expect(await events.reduce(into: []) { $0.append($1) } == ["sealed", "left"])
  }

  private typealias Handler = @Sendable (Signal) async -> Void

  /// Runs a request that hangs, and more lines behind it, and brings signals while it does.
  ///
  /// - Returns: The run's code, and those with which the process would have been left.
  private static func run(_ signals: [Signal], keepsGoing: Bool = false) async throws -> (
    code: Int32, left: [Int32]
  ) {
    let world = hangingWorld()
    let options = try ProgramOptions.parse(
      arguments: (keepsGoing ? ["-k"] : []) + ["-c", "-api get \(address)", "-c", "set a 1"],
      environment: [:])
    let left = Mutex<[Int32]>([])
    let handler = Slot<Handler>()
    let run = BoardRun(
      options, [:], BoardFeatures.all, { _, _, _ in world.dependencies }, patience: .seconds(3600)
    ) { code in
      left.withLock { $0.append(code) }
    }
    let code = begin {
      await run.run { onArrival, answer in
        handler.set {
          onArrival($0)
          await answer($0)
        }
      }
    }
    await world.api.waitForHanging()
    let bring = try #require(handler.get())
    for signal in signals { await bring(signal) }
    return (await code.value, left.withLock { $0 })
  }

  @Test(
    "a signal's code is the program's, whatever its lines make of the closed board",
    arguments: Signal.allCases.filter { ![.interrupt, .windowChanged, .continued].contains($0) },
    [false, true])
  func theSignalsCode(signal: Signal, keepsGoing: Bool) async throws {
    let (code, left) = try await Self.run([signal], keepsGoing: keepsGoing)
    #expect(code == ExitCode.of(signal))
    #expect(left == [ExitCode.of(signal)], "the process is left once, and not by its last line")
  }

  @Test("the first signal that ends the program gives the code")
  func theFirstSignalsCode() async throws {
    let (code, left) = try await Self.run([.terminate, .hangup, .interrupt, .terminate])
    #expect(code == 143)
    #expect(left == [143])
  }

  @Test("an interrupt of the running command ends a script by its own code")
  func anInterruptsCode() async throws {
    let (code, left) = try await Self.run([.interrupt], keepsGoing: true)
    #expect(code == 130)
    #expect(left == [], "the script's end leaves the process")
  }

  @Test(
    "a signal that arrives before the end gives the code if it is handled behind the lines",
    arguments: [Signal.interrupt, .terminate, .hangup])
  func aSignalAtTheEnd(signal: Signal) async throws {
    let options = try ProgramOptions.parse(arguments: ["-c", "set a 1"], environment: [:])
    let handler = Slot<Handler>()
    let run = BoardRun(
      options, [:], BoardFeatures.all, { _, _, _ in World().dependencies }, patience: .seconds(3600)
    ) { _ in }
    let code = await run.run(listen: { handler.set($1) }) { await handler.get()?(signal) }
    #expect(code == ExitCode.of(signal))
  }

  @Test("a signal for something else ends nothing")
  func otherSignals() async throws {
    let (code, left) = try await Self.run([.windowChanged, .continued, .terminate])
    #expect(code == 143)
    #expect(left == [143])
  }
}
