import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardFeatures
import SwiftBoardRecording
import SwiftBoardStore
import SwiftBoardTestSupport
import Testing

// The examples of docs/writing-a-feature.md, as they stand there.

private enum Tea {
  struct State: Codable, Sendable, Equatable {
    var cups: Int?
  }

  enum Action: FeatureAction {
    case run(context: CommandContext)
    case ready(job: Int, seconds: Int)
    case bootstrap
    case counted(cups: Int)

    var started: CommandContext? { if case .run(let context) = self { context } else { nil } }
  }

  struct Brewing: Reducer {
    func reduce(
      _ state: inout State, _ action: Action, _ dependencies: Dependencies
    ) -> [Effect<Action>] {
      switch action {
      case .run(let context):
        return .task(name: "tea.brew") { .ready(job: context.job, seconds: 180) }
          .cancellable(id: context.job)
      case .ready:
        state.cups = (state.cups ?? 0) + 1
        return []
      case .bootstrap:
        return .task(name: "tea.bootstrap") {
          .counted(cups: try await dependencies.persistence.collections().count)
        }
        .catch { _ in .counted(cups: 0) }
      case .counted(let cups):
        state.cups = cups
        return []
      }
    }
  }
}

extension BoardFeatures {
  fileprivate static let tea = Feature(
    name: "tea", summary: "brew tea", state: Tea.State(), reducer: Tea.Brewing(),
    commands: CommandTable([
      CommandSpec(
        ["tea", "brew"], "say when the tea is ready",
        arguments: [ArgumentSpec("pot", "a collection", kind: .collection)],
        examples: ["tea brew pots"]
      ) { _ in FeatureCommand { .run(context: $0) } }
    ]),
    outcome: { action, state, _ in
      guard case .ready(let job, _) = action else { return nil }
      return Outcome(job: job, value: .number(String(state.cups ?? 0)))
    },
    link: { $0.path.isEmpty ? ["help", "tea"] : nil },
    events: { action, _ in
      if case .ready = action { [AnalyticsEvent("tea.ready")] } else { [] }
    },
    volatile: ["ready.seconds"],
    bootstrap: { state in state.cups == nil ? .bootstrap : nil },
    candidates: { kind, state, dependencies in
      kind == .collection ? (try? await dependencies.persistence.collections()) ?? [] : []
    },
    version: 2,
    migrations: [LogMigration(from: 1, editState: { $0.rename("cups", to: "brewed") })])
}

private enum Lists {
  public static let all = FeatureList(
    BoardFeatures.api, BoardFeatures.keychain, BoardFeatures.db, BoardFeatures.log,
    BoardFeatures.characters, BoardFeatures.tea,
    BoardFeatures.media, BoardFeatures.downloads, BoardFeatures.analytics)

  static func run(
    _ arguments: [String], _ environment: [String: String], tea: Feature<Tea.State, Tea.Action>
  ) async -> Int32 {
    let features = FeatureList(
      tea, BoardFeatures.log, program: "brd 1.0", summary: "a board for tea")
    let code = await BoardProgram.run(
      arguments: arguments, environment: environment, features: features
    ) { environment, configuration, terminal in
      let dependencies: Dependencies =
        switch environment {
        case .live: .live(configuration)
        case .mock: .demonstration
        case .preview: .preview
        }
      return dependencies.inProgram(configuration, terminal: terminal)
    }
    return code
  }
}

@Suite("docs/writing-a-feature.md")
struct WritingAFeaturePageTests {
  @Test("the page's examples are those of this file, or of the feature that the page describes")
  func sameText() throws {
    func compact(_ text: some StringProtocol) -> String {
      String(text.filter { !$0.isWhitespace })
    }
    let sources = try [
      "Tests/FeaturesTests/WritingAFeaturePageTests.swift",
      "Sources/Features/Characters/CharacterListReducer.swift",
    ].map { compact(try SourceTree.text($0)) }
    let page = try SourceTree.text("docs/writing-a-feature.md")
    let examples = page.split(separator: "```swift\n").dropFirst().compactMap {
      $0.split(separator: "\n```").first
    }
    for example in examples {
      #expect(sources.contains { $0.contains(compact(example)) }, "\(example)")
    }
    #expect(examples.count == 9)
  }

  @Test("the feature of the page runs, loads what it shows, answers links, completes and counts")
  func feature() async throws {
    let lines = Lines(features: Lists.all)
    _ = try await lines.world.persistence.putDocument(
      Document(collection: "pots", id: "1", body: "{}", updated: 0))
    #expect(await lines.run("assert tea.cups == 1") == 0, "\(lines.allPrinted)")
    #expect(await lines.run("tea brew pots") == 0)
    #expect(await lines.run("assert tea.cups == 2") == 0, "\(lines.allPrinted)")
    #expect(await lines.run("open swiftboard://tea") == 0, "\(lines.allPrinted)")
    #expect(await lines.run("open swiftboard://tea/pot") == 66)
    let values = await BoardFeatures.tea.candidates(
      .collection, Tea.State(), lines.world.dependencies)
    #expect(values == ["pots"])
    let ready = Tea.Action.ready(job: 1, seconds: 180)
    #expect(BoardFeatures.tea.events(ready, Tea.State()).map(\.name) == ["tea.ready"])
    #expect(Lists.all.schema.parts == ["tea": 2])
    #expect(Lists.all.volatile.contains("tea.ready.seconds"))
    await lines.board.close()
  }
}
