import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardStore
import SwiftBoardTesting
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardFeatures

/// What happens to the `watch` of job 1; docs/features.md has the same as a table.
struct ShellTransitionTests {
  enum Event: Hashable { case run, watched, watchDue, cancelled, failed }
  enum Stage: Hashable { case none, due, pausing }

  static let transitions = TransitionTable<Stage, Event> {
    From(.none).on(.run).to(.due)
    From(.due).on(.watched).to(.pausing, .none)
    From(.pausing).on(.watchDue).to(.due)
    From(.due, .pausing).on(.cancelled, .failed).to(.none)
  }

  @Test("a model: a watch has rounds and pauses until it has had enough, or is ended")
  func model() {
    let monitor = TransitionMonitor<BoardState, BoardAction, Stage, Event>(Self.transitions) {
      $0.shell.isDue(1).map { $0 ? .due : .pausing } ?? .none
    } action: { action in
      switch action {
      case .shell(.run(let context, .watch)): context.job == 1 ? .run : nil
      case .shell(.watched(job: 1, _)): .watched
      case .shell(.watchDue(job: 1)): .watchDue
      case .shell(.cancelled(job: 1, _)): .cancelled
      case .shell(.failed(job: 1, _)): .failed
      default: nil
      }
    }
    let model = ModelTest(
      initialState: BoardState(), reducer: BoardReducer(BoardFeatures.all),
      moves: [
        .send { state, random in
          guard state.shell.isDue(1) == nil else { return nil }
          let count = Int.random(in: 0...3, using: &random)
          let watch = WatchCommand(interval: 1000, count: count == 0 ? nil : count, words: [])
          return .shell(
            .run(context: context("watch 1s jobs", "watch"), command: .watch(watch: watch)))
        },
        .send(weight: 4) { state, _ in
          guard state.shell.isDue(1) == true else { return nil }
          return .shell(.watched(job: 1, status: 0))
        },
        .send { state, _ in
          guard state.shell.isDue(1) != nil else { return nil }
          return .shell(.cancelled(job: 1))
        },
        .send { state, _ in
          guard state.shell.isDue(1) != nil else { return nil }
          let failure = Failure(code: 70, error: "internal", message: "no result")
          return .shell(.failed(job: 1, failure: failure))
        },
        .advance(weight: 4, by: .seconds(1)),
      ], invariants: [.transitions(monitor)]
    ) { run in
      var dependencies = Dependencies.mock
      dependencies.clock = BoardClock(
        now: { run.clock.now.offset.microseconds },
        sleep: { try await run.clock.sleep(for: $0) })
      return dependencies
    }
    model.check(seeds: 1...40, length: 30, report: report)
    monitor.checkCoverage(report: report)
  }
}
