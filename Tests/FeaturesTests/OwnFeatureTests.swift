import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardFeatures
import SwiftBoardJSON
import SwiftBoardRecording
import SwiftBoardStore
import SwiftBoardTestSupport
import Synchronization
import Testing

/// A feature of a package outside, as the README has it. Nothing here is `@testable`.
private enum Tea {
  struct State: Codable, Sendable, Equatable {
    var cups = 0
  }

  enum Action: FeatureAction {
    case run(context: CommandContext, time: Duration)
    case ready(job: Int)

    var started: CommandContext? { if case .run(let context, _) = self { context } else { nil } }
  }

  struct Brewing: Reducer {
    func reduce(
      _ state: inout State, _ action: Action, _ dependencies: Dependencies
    ) -> [Effect<Action>] {
      switch action {
      case .run(let context, let time):
        return [
          .task(name: "tea.brew") {
            try await dependencies.clock.sleep(for: time)
            return .ready(job: context.job)
          }.cancellable(id: context.job)
        ]
      case .ready:
        state.cups += 1
        return []
      }
    }
  }

  static let feature = Feature(
    name: "tea", summary: "brew tea", state: State(), reducer: Brewing(),
    commands: CommandTable([
      CommandSpec(
        ["tea", "brew"], "say when the tea is ready",
        arguments: [ArgumentSpec("time", "like 3m", kind: .duration)],
        examples: ["tea brew 3m", "tea brew 3m &"]
      ) { invocation throws(UsageError) in
        let time = try invocation.duration("time") ?? .zero
        return FeatureCommand { .run(context: $0, time: time) }
      }
    ]),
    outcome: { action, state, _ in
      guard case .ready(let job) = action else { return nil }
      return Outcome(
        job: job, value: .number(String(state.cups)), presentation: .text("ready\n"))
    },
    link: { link in link.path.count == 1 ? ["tea", "brew", link.path[0]] : nil })
}

@Suite("A board of other features")
struct OwnFeatureTests {
  private let features = FeatureList(Tea.feature, BoardFeatures.log)

  /// A board in memory, and what it prints.
  private final class Running: Sendable {
    final class Output: Sendable {
      let text = Mutex("")
      func add(_ more: String) { text.withLock { $0 += more } }
    }

    let board: Board
    let session: LineExecutor
    private let output: Output

    var printed: String { output.text.withLock { $0 } }

    init(_ features: FeatureList) {
      let output = Output()
      self.output = output
      board = Board(
        features: features, state: BoardState(features: features), dependencies: .mock, seed: 1,
        sink: { output.add($0.text) })
      session = LineExecutor(board: board, redirects: RedirectFiles(report: { output.add($0) }))
    }

    func run(_ line: String) async -> LineOutcome {
      await session.run(line)
    }
  }

  @Test("its commands, help, link and state are those of a feature of ours")
  func lines() async throws {
    let running = Running(features)
    #expect(await running.run("tea brew 0s").exitCode == 0)
    #expect(await running.run("open swiftboard://tea/0s").exitCode == 0)
    #expect(await running.run("assert 'shell.last == \"2\"'").exitCode == 0)
    #expect(await running.run("assert tea.cups == 2").exitCode == 0)
    #expect(running.board.store.state[Tea.feature].cups == 2)
    #expect(running.printed.hasPrefix("ready\nready\n"), "\(running.printed)")
    #expect(await running.run("help tea").exitCode == 0)
    #expect(running.printed.contains("brew"))
    // What the list does not have is no command, and has no link.
    #expect(await running.run("db list c").exitCode == 64)
    #expect(await running.run("open swiftboard://db/c").exitCode == 66)
    await running.board.close()
  }

  @Test("its steps are recorded under its name, verified and replayed")
  func recording() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("tea.jsonl")
    let running = Running(features)
    try running.board.record(to: path)
    #expect(await running.run("tea brew 0s").exitCode == 0)
    await running.board.close()
    let log = String(decoding: try folder.read("tea.jsonl"), as: UTF8.self)
    #expect(log.contains(#""action":{"tea":{"ready":{"job":1}}}"#), "\(log)")
    #expect(log.contains(#""tea":{"cups":0}"#))
    var cups: [Int] = []
    let summary = try Replayer(features).replay(RotatedLog(LogFile(path: path))) { _, state, _ in
      cups.append(state[Tea.feature].cups)
    }
    #expect(summary.warnings == [] && cups == [0, 1])
    // A board without the feature says which one it lacks.
    let error = #expect(throws: ReplayError.self) {
      try Replayer(BoardFeatures.all).verify(path: path)
    }
    #expect("\(try #require(error))".contains("no feature named 'tea'"), "\(error as Any)")
  }

  @Test("a feature outside brings its migrations, and those of the board come by themselves")
  func migrations() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("tea.jsonl")
    let running = Running(features)
    try running.board.record(to: path)
    #expect(await running.run("tea brew 0s").exitCode == 0)
    await running.board.close()

    // The next version calls its number of cups otherwise.
    enum Later {
      struct State: Codable, Sendable, Equatable { var brewed = 0 }
      struct Counting: Reducer {
        func reduce(
          _ state: inout State, _ action: Tea.Action, _ dependencies: Dependencies
        ) -> [Effect<Tea.Action>] {
          var tea = Tea.State(cups: state.brewed)
          defer { state.brewed = tea.cups }
          return Tea.Brewing().reduce(&tea, action, dependencies)
        }
      }
    }
    func later(_ migrations: [LogMigration]) -> FeatureList {
      FeatureList(
        Feature(
          name: "tea", summary: "brew tea", state: Later.State(), reducer: Later.Counting(),
          commands: Tea.feature.commands, outcome: { _, _, _ in nil }, version: 2,
          migrations: migrations), BoardFeatures.log)
    }
    #expect(throws: ReplayError.self) { try Replayer(later([])).verify(path: path) }
    let renaming = LogMigration(from: 1, editState: { $0.rename("cups", to: "brewed") })
    #expect(later([renaming]).schema.parts == ["tea": 2])
    let summary = try Replayer(later([renaming])).verify(path: path)
    #expect(summary.grade == .fine && summary.steps == 2)

    // Recordings of schema 2 to 4, on a board of the same features and another one.
    let all = FeatureList(
      Tea.feature, BoardFeatures.api, BoardFeatures.keychain, BoardFeatures.db, BoardFeatures.log)
    let recordings = "\(SourceTree.root)/Tests/IntegrationTests/Recordings"
    for name in ["every-feature", "marks", "values"] {
      let summary = try Replayer(all).verify(path: "\(recordings)/\(name).actions.jsonl")
      #expect(summary.grade == .fine && summary.digests > 0, "\(name)")
      // A request that is kept under a name goes through other states since schema 6.
      #expect(
        summary.warnings == (name == "values" ? [.digestsNotCompared] : []),
        "\(name)")
    }
  }

  @Test("a feature that is added leaves recordings as they are, digests included")
  func added() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("log.jsonl")
    let running = Running(FeatureList(BoardFeatures.log))
    try running.board.record(to: path)
    #expect(await running.run("log note hello").exitCode == 0)
    await running.board.close()
    let summary = try Replayer(features).verify(path: path)
    #expect(summary.grade == .fine && summary.steps == 2 && summary.digests > 0)
    #expect(summary.warnings == [])
  }

  @Test("a line gives a program its value, what it printed, and why it failed")
  func ends() async {
    let running = Running(features)
    var outcome = await running.run("tea brew 0s")
    #expect(outcome.exitCode == 0 && outcome.value == 1 && outcome.text == "ready\n")
    #expect(outcome.failure == nil)
    outcome = await running.run("assert tea.cups == 5")
    #expect(outcome.exitCode == 1 && outcome.failure?.error == "assertionFailed")
    #expect(outcome.text == "")
    outcome = await running.run("!assert tea.cups == 5")
    #expect(outcome.exitCode == 0 && outcome.failure?.error == "assertionFailed")
    outcome = await running.run("tea pour")
    #expect(outcome.exitCode == 64 && outcome.failure?.error == "usage")
    outcome = await running.run("tea brew 0s &")
    #expect(outcome.exitCode == 0 && outcome.value == .null && outcome.text == "")
    await running.board.close()
  }

  @Test("cancelling the task that runs a line cancels its command")
  func cancelled() async {
    let running = Running(features)
    let line = Task { await running.run("tea brew 1h; echo never") }
    for await state in running.board.store.states where !state.shell.running.isEmpty { break }
    line.cancel()
    let outcome = await line.value
    #expect(outcome.isInterrupted && outcome.exitCode == 130)
    #expect(running.board.store.effects.isEmpty)
    #expect(!"\n\(running.printed)".contains("\nnever\n"))
    #expect(await running.run("echo again").exitCode == 0)
    // A task that is cancelled before its line begins runs none of it.
    let never = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await running.run("echo late")
    }
    #expect(await never.value.isInterrupted)
    #expect(!"\n\(running.printed)".contains("\nlate\n"))
    await running.board.close()
  }

  @Test("a board that is dropped leaves nothing behind")
  func dropped() async throws {
    final class Token: Sendable {}
    weak var kept: Token?
    do {
      let token = Token()
      kept = token
      let board = Board(
        features: features, state: BoardState(features: features), dependencies: .mock, seed: 1,
        sink: { _ in _ = token })
      await board.close()
    }
    #expect(kept == nil)
  }

  @Test("a copy of the state keeps what it had")
  func copies() {
    var state = BoardState(features: features)
    let before = state
    state[Tea.feature].cups = 3
    let after = state
    state[Tea.feature].cups += 1
    #expect(before[Tea.feature].cups == 0 && after[Tea.feature].cups == 3)
    #expect(state[Tea.feature].cups == 4 && before != after)
    // The initial state, where the board has no such feature.
    #expect(BoardState(features: FeatureList(BoardFeatures.log))[Tea.feature].cups == 0)
  }
}
