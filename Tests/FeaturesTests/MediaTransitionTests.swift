import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardSystem
import SwiftBoardTesting
import Testing

@testable import SwiftBoardFeatures

/// What happens to the command of job 1 of `media`; docs/features.md has the same as a table.
struct MediaTransitionTests {
  enum Event: Hashable {
    case run, resolved, answered, begin, found, options, chose, added, failed
  }
  enum Stage: Hashable { case none, resolving, asking, choosing, sending }

  static let transitions = TransitionTable<Stage, Event> {
    From(.none).on(.run).to(.resolving)
    From(.resolving).on(.resolved).to(.resolving, .asking)
    From(.resolving).on(.failed).to(.none)
    From(.asking).on(.answered).to(.none, .asking)
    From(.asking).on(.begin).stays
    From(.asking).on(.found).to(.asking, .choosing)
    From(.asking).on(.options).to(.asking, .choosing, .sending)
    From(.choosing).on(.chose).to(.choosing, .asking, .sending)
    From(.sending).on(.added).to(.none)
    From(.asking, .choosing, .sending).on(.failed).to(.none)
  }

  private static func stage(_ state: MediaState) -> Stage {
    guard let pending = state.pending.first(where: { $0.job == 1 }) else { return .none }
    switch state.additions[id: 1]?.phase {
    case .choosing: return .choosing
    case .sending: return .sending
    case .asking: return .asking
    case nil: return pending.server == nil ? .resolving : .asking
    }
  }

  @Test("a model: a command takes only the transitions of its table")
  func model() {
    let monitor = TransitionMonitor<MediaState, MediaAction, Stage, Event>(Self.transitions) {
      Self.stage($0)
    } action: { action in
      switch action {
      case .run(let context, _): context.job == 1 ? .run : nil
      case .resolved(job: 1, _): .resolved
      case .answered(job: 1, _, _): .answered
      case .addition(job: 1, .begin): .begin
      case .addition(job: 1, .found): .found
      case .addition(job: 1, .options): .options
      case .addition(job: 1, .chose): .chose
      case .addition(job: 1, .added): .added
      case .failed(job: 1, _): .failed
      default: nil
      }
    }
    let requests: [MediaCommand.Request] = [
      .list, .monitor(id: 1, isMonitored: true), .show(id: 99), .add(order: MediaOrder("dune")),
      .add(order: MediaOrder("arrival", options: [.qualityProfile: "Any"])),
      .add(order: MediaOrder("dune", pick: 9)), .add(order: MediaOrder("dune", pick: 1)),
    ]
    let model = ModelTest(
      initialState: MediaState(), reducer: BoardFeatures.media.reducer,
      moves: [
        .send { state, random in
          guard !state.pending.contains(where: { $0.job == 1 }),
            let request = requests.randomElement(using: &random)
          else { return nil }
          let service = Int.random(in: 0..<8, using: &random) == 0 ? "unknown" : "films"
          return .run(
            context: context("media", "media"), command: MediaCommand(request, of: service))
        }
      ], invariants: [.transitions(monitor)], interleaves: true
    ) { run in
      var dependencies = Dependencies.mock
      let media = MockMediaService()
      var content = MockMediaService.Content.sample(.radarr)
      // With one folder, it is taken; with two, the user chooses.
      if run.seed % 3 == 0 {
        content.options[.rootFolder]?.append(MediaOption(id: 2, name: "/more"))
      }
      media.set(content, for: "films")
      if run.seed % 4 == 0 {
        let error = ProgramError(.status(503), program: "Radarr", service: "films")
        for call in ["add", "options"] { media.failNext(call, with: error) }
      }
      dependencies.mediaService = media
      // The user chooses the first, the second, or leaves.
      let seed = Int(run.seed % 7)
      dependencies.terminal = ScriptedTerminal(choice: { number in
        (seed + number) % 4 == 0 ? nil : (seed + number) % 2
      })
      dependencies.persistence = MockPersistenceService.preview
      dependencies.clock = BoardClock(
        now: { run.clock.now.offset.microseconds },
        sleep: { try await run.clock.sleep(for: $0) })
      return dependencies
    }
    model.check(seeds: 1...80, length: 30, report: report)
    monitor.checkCoverage(report: report)
  }
}
