import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardFeatures
import SwiftBoardStore
import Testing

/// A feature whose commands forget the action that ends them.
private enum Odd {
  struct State: Codable, Sendable, Equatable {}

  enum Action: FeatureAction {
    case run(context: CommandContext, kind: String)
    case ended(job: Int)
    case other

    var started: CommandContext? { if case .run(let context, _) = self { context } else { nil } }
  }

  struct Forgetful: Reducer {
    func reduce(
      _ state: inout State, _ action: Action, _ dependencies: Dependencies
    ) -> [Effect<Action>] {
      guard case .run(let context, let kind) = action else { return [] }
      switch kind {
      case "work": return [.task(name: "odd.work") { .other }.cancellable(id: context.job)]
      case "job": return [.send(.ended(job: context.job + 100))]
      case "failure":
        return [
          .task(name: "odd.failure") { throw APIError(.timeout, "too late") }
            .catchFailure(dependencies) { _ in .ended(job: context.job) }
        ]
      default: return []
      }
    }
  }

  static let feature = Feature(
    name: "odd", summary: "forget the end", state: State(), reducer: Forgetful(),
    commands: CommandTable([
      CommandSpec(
        ["odd", "do"], "do it", arguments: [ArgumentSpec("kind", "what is forgotten")],
        examples: ["odd do work"]
      ) { invocation throws(UsageError) in
        let kind = try invocation.text("kind") ?? ""
        return FeatureCommand { .run(context: $0, kind: kind) }
      }
    ]),
    outcome: { action, _, _ in
      guard case .ended(let job) = action else { return nil }
      return Outcome(job: job, value: .number("1"))
    })
}

@Suite("Commands that nothing ends", .timeLimit(.minutes(20)))
struct AbandonedCommandTests {
  @Test(
    "a command whose effects end at once, without effects or with another job's outcome ends with 70",
    arguments: ["nothing", "work", "job"])
  func ends(_ kind: String) async {
    let lines = Lines(features: FeatureList(Odd.feature, BoardFeatures.log))
    #expect(await lines.run("odd do \(kind)") == 70)
    #expect(lines.allPrinted.contains("the effects of 'odd.do' ended without a result"))
    #expect(lines.board.store.state.shell.running.isEmpty)
    #expect(await lines.run("odd do \(kind) &") == 0)
    #expect(await lines.session.finish(cancelledBy: nil).exitCode == 70)
    await lines.board.close()
  }

  @Test("errors of a single effect become an action, as those of several do")
  func singleEffect() async {
    let lines = Lines(features: FeatureList(Odd.feature, BoardFeatures.log))
    #expect(await lines.run("odd do failure") == 0)
    await lines.board.close()
  }

  @Test("no line runs after exit, in any executor of the board")
  func exit() async throws {
    let lines = Lines()
    let before = await lines.session.run("exit 3")
    #expect(before.exitCode == 3 && before.stop)
    let other = LineExecutor(board: lines.board, redirects: RedirectFiles { _ in })
    for executor in [lines.session, other] {
      let after = await executor.run("db put c x 1")
      #expect(after.exitCode == 3 && after.stop)
    }
    #expect(try await lines.world.dependencies.persistence.collections() == [])
    await lines.board.close()
  }

  @Test("an exit code that no program can have counts as 70", arguments: [0, 256, -1])
  func impossibleCode(_ code: Int32) {
    #expect(Failure(code: code, error: "odd", message: "odd").code == 70)
  }
}
