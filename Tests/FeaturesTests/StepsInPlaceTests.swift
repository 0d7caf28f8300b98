import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardStore
import Synchronization
import Testing

/// A feature with rows, whose reducer counts the steps that copied them.
private enum Rows {
  struct State: Codable, Sendable, Equatable {
    var rows = Array(repeating: 0, count: 1000)
  }

  enum Action: FeatureAction {
    case run(context: CommandContext)
    case changed(job: Int)

    var started: CommandContext? { if case .run(let context) = self { context } else { nil } }
  }

  final class Copies: Sendable {
    let steps = Mutex<[Bool]>([])
  }

  struct Changing: Reducer {
    let copies: Copies

    func reduce(
      _ state: inout State, _ action: Action, _ dependencies: Dependencies
    ) -> [Effect<Action>] {
      let before = address(of: state)
      state.rows[0] += 1
      let isCopied = address(of: state) != before
      copies.steps.withLock { $0.append(isCopied) }
      switch action {
      case .run(let context):
        return [.task(name: "rows.change") { .changed(job: context.job) }]
      case .changed: return []
      }
    }

    private func address(of state: State) -> UInt {
      state.rows.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    }
  }

  static func feature(_ copies: Copies) -> Feature<State, Action> {
    Feature(
      name: "rows", summary: "change rows", state: State(), reducer: Changing(copies: copies),
      commands: CommandTable([
        CommandSpec(["rows", "change"], "change the first row", examples: ["rows change"]) { _ in
          FeatureCommand { .run(context: $0) }
        }
      ]),
      outcome: { action, _, _ in
        guard case .changed(let job) = action else { return nil }
        return Outcome(job: job)
      })
  }
}

@Suite("Steps of a board in place")
struct StepsInPlaceTests {
  @Test("no step but the first that changes it copies its feature's state")
  func inPlace() async {
    let copies = Rows.Copies()
    let features = FeatureList(Rows.feature(copies))
    let board = Board(
      features: features, state: BoardState(features: features), dependencies: .mock, seed: 1,
      sink: { _ in })
    let session = LineExecutor(board: board, redirects: RedirectFiles(report: { _ in }))
    for _ in 0..<4 { #expect(await session.run("rows change").exitCode == 0) }
    for _ in 0..<4 { #expect(await session.run("rows change &").exitCode == 0) }
    #expect(await session.run("wait").exitCode == 0)
    let steps = copies.steps.withLock { $0 }
    #expect(steps.count == 16)
    #expect(!steps.dropFirst().contains(true), "\(steps)")
    await board.close()
  }
}
