import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardRecording
import SwiftBoardStore
import SwiftBoardTestSupport
import Synchronization
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardFeatures

/// Effects that end without the action that ends their command: the line ends all the same, with
/// 70.
@Suite("Effects that fail", .timeLimit(.minutes(20)))
struct FailingEffectTests {
  private struct Broken: Error, CustomStringConvertible {
    var description: String { "it broke at \(World.secret)" }
  }

  private static let address = "http://hang.test/"

  /// An action of no command's.
  private static let between = APIAction.succeeded(job: 99, result: .cleared(count: 0))

  private static func hangingWorld() -> World {
    let world = World()
    world.api.answer("GET", address, with: .hang)
    return world
  }

  /// Beside each request an effect that throws, at once or in an effect of its own action.
  private static func features(atOnce: Bool) -> FeatureList {
    @Sendable func breaks() -> Effect<APIAction> {
      .task(name: "outside.work") { throw Broken() }
    }
    return FeatureList(
      BoardFeatures.api.with(
        reducer: CombineReducers {
          APIReducer()
          Reduce<APIState, APIAction, Dependencies> { _, action, _ in
            switch action {
            case .run: atOnce ? [breaks()] : [.task(name: "outside.first") { between }]
            case between: [breaks()]
            default: []
            }
          }
        }),
      BoardFeatures.log)
  }

  @Test(
    "an error that nobody catches ends its command with 70, and the effect is named",
    arguments: [true, false], [true, false])
  func uncaught(atOnce: Bool, inBackground: Bool) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("r.jsonl")
    let world = Self.hangingWorld()
    world.logger.redactor.registerSecret(Array(World.secret.utf8), name: "radarr")
    let features = Self.features(atOnce: atOnce)
    let lines = Lines(world, features: features)
    try lines.board.record(to: path)
    let code = await lines.run("api get \(Self.address)" + (inBackground ? " &" : ""))
    #expect(code == (inBackground ? 0 : 70))
    let rest = await lines.session.finish(cancelledBy: nil)
    #expect(rest.exitCode == (inBackground ? 70 : 0))
    #expect(
      lines.allPrinted.contains(
        (inBackground ? "error: job 1: " : "error: ")
          + "the effect 'outside.work' threw an error that was not caught"),
      "\(lines.allPrinted)")
    #expect(lines.allPrinted.contains("it broke at «secret:radarr»"))
    let state = lines.board.store.state
    #expect(state.shell.running.isEmpty && state.api.pending.isEmpty)
    #expect(await lines.run("echo on") == 0)
    await lines.board.close()

    // The recording has the issue and the step, and replays.
    let log = String(decoding: try folder.read("r.jsonl"), as: UTF8.self)
    #expect(log.contains(#"{"k":"issue""#))
    #expect(log.contains(#""action":{"shell":{"failed":{"#))
    for form in secretForms() { #expect(!log.contains(form) && !lines.allPrinted.contains(form)) }
    let summary = try Replayer(features).replay(RotatedLog(LogFile(path: path)))
    #expect(summary.warnings == [])
  }

  @Test("a command whose effects end without a word ends with 70", arguments: [true, false])
  func silent(inBackground: Bool) async throws {
    let world = World()
    world.api.answer("GET", Self.address, with: .failure(APIError(.timeout, "too late")))
    var dependencies = world.dependencies
    // A pause between two tries that ends as though the effect had been cancelled.
    dependencies.clock = BoardClock(now: { 0 }, sleep: { _ in throw CancellationError() })
    let lines = Lines(world, dependencies: dependencies)
    let line = "api get \(Self.address) --retry 1" + (inBackground ? " &" : "")
    #expect(await lines.run(line) == (inBackground ? 0 : 70))
    #expect(await lines.session.finish(cancelledBy: nil).exitCode == (inBackground ? 70 : 0))
    #expect(
      lines.allPrinted.contains(
        (inBackground ? "error: job 1: " : "error: ")
          + "the effects of 'api.get' ended without a result"),
      "\(lines.allPrinted)")
    #expect(lines.board.store.withState { $0.shell.running.isEmpty && $0.api.pending.isEmpty })
    await lines.board.close()
  }

  @Test("what a cancelled command leaves is no failure")
  func cancelled() async throws {
    let world = Self.hangingWorld()
    let lines = Lines(world)
    #expect(await lines.run("api get \(Self.address) &") == 0)
    await world.api.waitForHanging()
    #expect(await lines.run("cancel 1") == 0)
    #expect(await lines.run("wait 1") == 130)
    await lines.board.close()
    #expect(!lines.allPrinted.contains("without a result"))
  }
}

/// Background commands when no line follows.
@Suite("The end of a session")
struct SessionEndTests {
  private static let address = "http://hang.test/"

  private static func lines() -> Lines {
    let world = World()
    world.api.answer("GET", address, with: .hang)
    return Lines(world)
  }

  @Test("a job that failed before 'exit' counts, and one that 'exit' cancels does not")
  func failedBeforeExit() async throws {
    let lines = Self.lines()
    let world = lines.world
    #expect(await lines.run("api get \(Self.address) &") == 0)
    await world.api.waitForHanging()
    world.api.release(with: .failure(APIError(.refused, "refused")))
    for await state in lines.board.store.states where state.shell.running.isEmpty { break }
    #expect(await lines.run("api get \(Self.address) &") == 0)
    await world.api.waitForHanging()
    #expect(await lines.session.finish(cancelledBy: "'exit'").exitCode == 69)
    #expect(lines.board.store.withState { $0.shell.running.isEmpty })
    #expect(lines.allPrinted.contains("[2] cancelled by 'exit': api get"), "\(lines.allPrinted)")
    #expect(await lines.session.finish(cancelledBy: nil) == .success, "none counts twice")
  }

  @Test("an interrupt while jobs are waited for cancels them all, and is told")
  func interrupted() async throws {
    let lines = Self.lines()
    #expect(await lines.run("-api get \(Self.address) &; api get \(Self.address) &") == 0)
    await lines.world.api.waitForHanging(2)
    let outcome = begin { await lines.session.finish(cancelledBy: nil) }
    #expect(lines.session.interrupt() == .command)
    #expect(await outcome.value == LineOutcome(exitCode: 130, isInterrupted: true))
    #expect(lines.board.store.withState { $0.shell.running.isEmpty })
    #expect(lines.session.interrupt() == .nothing)
  }

  @Test("an interrupt ends a wait for jobs, and the jobs continue")
  func interruptedWait() async throws {
    let lines = Self.lines()
    #expect(await lines.run("-api get \(Self.address) &; api get \(Self.address) &") == 0)
    await lines.world.api.waitForHanging(2)
    let code = begin { await lines.run("-wait") }
    #expect(lines.session.interrupt() == .line)
    #expect(await code.value == 130, "no prefix forgives an interrupt")
    #expect(lines.board.store.withState { $0.shell.running.count } == 2)
    #expect(await lines.run("cancel all") == 0)
  }

  @Test("a file whose line waits for a cancelled job goes on where the prefix lets it")
  func cancelledInAFile() async throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "api get \(Self.address) &\ncancel 2\n-wait 2\necho on\n", to: "x.sb")
    let lines = Self.lines()
    #expect(await lines.run("source \(folder.path("x.sb"))") == 0)
    #expect(lines.allPrinted.hasSuffix("on\n"), "\(lines.allPrinted)")
  }

  @Test("a prefix is about each background command by itself, and about the others together")
  func prefixes() async throws {
    for (line, own, end) in [
      ("!echo a &", 0, 1), ("!echo a &; echo b", 1, 1), ("!echo a; nothing", 0, 0),
      ("!nothing &", 0, 0), ("-db get a 1 &", 0, 0), ("db get a 1 &; db get a 2", 66, 66),
      // So is one that fails before it starts, except wrong usage.
      ("wait 99 &; echo b", 0, 66), ("!wait 99 &", 0, 0), ("unalias no &; echo b", 0, 66),
      ("open swiftboard://nope/x &; echo b", 0, 66), ("echo a > /no/f &; echo b", 0, 73),
      ("-echo a > /no/f &", 0, 0), ("source no &; echo b", 64, 0),
    ] as [(String, Int32, Int32)] {
      let lines = Self.lines()
      #expect(await lines.run(line) == own, "\(line)")
      #expect(await lines.session.finish(cancelledBy: nil).exitCode == end, "\(line)")
    }
  }
}
