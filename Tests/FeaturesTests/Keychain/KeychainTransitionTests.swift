import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardSystem
import SwiftBoardTesting
import Testing

@testable import SwiftBoardFeatures

/// What the reducer of `keychain` knows of the keychain; docs/features.md has the same as a table.
struct KeychainTransitionTests {
  enum Event: Hashable { case opened, named, refused, succeeded, bootstrapped, autoLocked }
  enum Stage: Hashable { case unknown, locked, open, named }

  static let transitions = TransitionTable<Stage, Event> {
    From(.unknown, .locked).on(.opened).to(.open)
    From(.open, .named).on(.opened).stays
    From(.open).on(.named).to(.named)
    From(.unknown, .locked).on(.refused).to(.locked)
    From(.unknown).on(.succeeded).to(.unknown, .locked, .open, .named)
    From(.locked, .open, .named).on(.succeeded).to(.locked, .open, .named)
    From(.unknown, .locked).on(.bootstrapped).to(.locked, .open)
    From(.open, .named).on(.bootstrapped).stays
    From(.unknown, .locked, .open, .named).on(.autoLocked).to(.locked)
  }

  @Test("a model: names are known of an open keychain alone")
  func model() throws {
    let secret = KeychainSecret.passphrase(try GuardedBytes(copying: Array("open".utf8)))
    let monitor = TransitionMonitor<KeychainState, KeychainAction, Stage, Event>(
      Self.transitions
    ) { state in
      switch state.isUnlocked {
      case nil: .unknown
      case false?: .locked
      case true?: state.knowsNames == true ? .named : .open
      }
    } action: { action in
      switch action {
      case .opened: .opened
      case .named: .named
      case .refused(let request, let failure):
        failure.error == "locked" && request.failure == nil ? .refused : nil
      case .succeeded: .succeeded
      case .bootstrapped(_?, _): .bootstrapped
      case .autoLocked: .autoLocked
      default: nil
      }
    }
    @Sendable func run(
      _ command: KeychainCommand, _ random: inout SeededRandom
    ) -> KeychainAction {
      .run(
        context: context(
          "keychain", "keychain", job: Int.random(in: 1...Int(Int32.max), using: &random)),
        command: command)
    }
    let model = ModelTest(
      initialState: KeychainState(), reducer: BoardFeatures.keychain.reducer,
      moves: [
        .send { _, random in run(.unlock, &random) }, .send { _, random in run(.lock, &random) },
        .send { _, random in run(.list, &random) }, .send { _, random in run(.status, &random) },
        .send { _, random in
          run(.set(name: "k", input: .generate(bytes: 24)), &random)
        },
        .send { _, random in run(.remove(name: "k"), &random) },
        .send { _, random in run(.accept, &random) },
        .send { _, random in
          run(.autoLock(milliseconds: Bool.random(using: &random) ? 60_000 : 0), &random)
        },
        .send(.bootstrap), .advance(by: .seconds(61)),
        // A request may have unlocked what a command has locked.
        .send(.autoLocked(milliseconds: 60_000)),
      ],
      invariants: [
        .transitions(monitor),
        Invariant("names are those of an open keychain") { (state: KeychainState) in
          state.names == nil || state.isUnlocked == true && state.knowsNames == true
        },
      ]
    ) { run in
      var dependencies = Dependencies.mock
      let clock = BoardClock(
        now: { run.clock.now.offset.microseconds },
        sleep: { try await run.clock.sleep(for: $0) })
      dependencies.clock = clock
      dependencies.keychainService = MockKeychainService(
        entries: ["radarr": Data("first".utf8)], unlocked: run.seed % 2 == 0, secret: secret,
        clock: clock)
      dependencies.terminal =
        run.seed % 3 == 0 ? SilentTerminal() : ScriptedTerminal { _ in "open" }
      return dependencies
    }
    model.check(seeds: 1...60, length: 30, report: report)
    monitor.checkCoverage(report: report)
  }
}
