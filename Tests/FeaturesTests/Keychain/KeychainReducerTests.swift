import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardStore
import SwiftBoardSystem
import SwiftBoardTesting
import Testing

@testable import SwiftBoardFeatures

/// The reducer alone: how a command comes to an open keychain, and what follows.
@Suite("keychain, its reducer")
struct KeychainReducerTests {
  typealias Keychain = AnyReducer<KeychainState, KeychainAction, Dependencies>

  private func store(
    _ world: World, _ terminal: any TerminalService = SilentTerminal()
  ) -> TestStore<Keychain> {
    var dependencies = world.dependencies
    dependencies.terminal = terminal
    return TestStore(
      initialState: KeychainState(), reducer: BoardFeatures.keychain.reducer, clock: world.clock,
      dependencies: dependencies, report: report)
  }

  private func run(_ job: Int, _ command: KeychainCommand) -> KeychainAction {
    .run(context: context("keychain", "keychain", job: job), command: command)
  }

  private static func isLocked(_ action: KeychainAction) -> Bool {
    if case .refused(_, let failure) = action { failure.error == "locked" } else { false }
  }

  private static func isUnanswered(_ action: KeychainAction) -> Bool {
    if case .unanswered = action { true } else { false }
  }

  @Test("a value is stored in four steps: open, act, forget what is kept, and the end")
  func set() {
    let world = World()
    let store = store(world)
    let command = KeychainCommand.set(name: "k", input: .generate(bytes: 24))
    let saved = KeychainResult.saved(name: "k")
    let request = KeychainRequest(job: 1, command: command)
    store.send(run(1, command))
    store.receive(.opened(request: request)) {
      $0.isUnlocked = true
      $0.file?.exists = true
      $0.changes = [1]
    }
    store.receive(.stored(request: request, result: saved))
    store.receive(.succeeded(job: 1, result: saved)) { $0.changes = [] }
    store.finish()
    #expect(world.persistence.calls.map(\.name) == ["removeResponses"])
  }

  @Test("'unlock' reads the names before it ends, at the terminal too, and a lock forgets them")
  func names() throws {
    let secret = KeychainSecret.passphrase(try GuardedBytes(copying: Array("open".utf8)))
    let world = World(
      MockKeychainService(
        entries: ["radarr": Data("first".utf8)], unlocked: false, secret: secret))
    let store = store(world, ScriptedTerminal("open"))
    store.nonExhaustively { store in
      store.send(run(1, .unlock))
      store.receive(where: Self.isLocked)
      store.receive(where: { if case .opened = $0 { true } else { false } })
      store.receive(where: {
        guard case .named(let asked?, names: ["radarr"]) = $0 else { return false }
        return asked.job == 1
      })
      store.receive(.succeeded(job: 1, result: .unlocked))
      #expect(store.state.isUnlocked == true && store.state.names == ["radarr"])
      // What is known is not read again.
      store.send(run(2, .unlock))
      store.receive(where: { if case .opened = $0 { true } else { false } })
      store.receive(.succeeded(job: 2, result: .unlocked))
      store.send(run(3, .lock))
      store.receive(.succeeded(job: 3, result: .locked))
      #expect(store.state.names == nil && store.state.knowsNames == false)
      store.send(.autoLocked(milliseconds: 1))
      #expect(store.state.isUnlocked == false)
    }
    store.finish()
  }

  @Test("the status of an open keychain brings the names, of which none is a value")
  func bootstrapped() {
    let world = World(
      MockKeychainService(entries: ["k": Data("radarr-api-key".utf8), "radarr-api-key": Data()]))
    let store = store(world)
    store.nonExhaustively { store in
      store.send(.bootstrap)
      store.receive(where: { if case .bootstrapped(_?, _) = $0 { true } else { false } })
      store.receive(.named(request: nil, names: ["k", "«secret:k»"]))
      #expect(store.state.names == ["k", "«secret:k»"])
    }
    store.finish()
  }

  @Test("the state of an earlier recording reads no names, and keeps those that it has")
  func earlier() {
    var state = KeychainState()
    state.knowsNames = nil
    let world = World(MockKeychainService(entries: ["radarr": Data("first".utf8)]))
    let store = TestStore(
      initialState: state, reducer: BoardFeatures.keychain.reducer, clock: world.clock,
      dependencies: world.dependencies, report: report)
    store.nonExhaustively { store in
      store.send(.succeeded(job: 1, result: .names(names: ["radarr"])))
      store.send(.succeeded(job: 2, result: .locked))
      #expect(store.state.names == ["radarr"] && store.state.isUnlocked == false)
      store.send(.bootstrap)
      store.receive(where: { if case .bootstrapped(_?, _) = $0 { true } else { false } })
      #expect(store.state.names == ["radarr"])
    }
    store.finish()
  }

  @Test("a locked keychain is unlocked at the terminal, and the command goes on")
  func asked() throws {
    let secret = KeychainSecret.passphrase(try GuardedBytes(copying: Array("open".utf8)))
    let world = World(MockKeychainService(unlocked: false, secret: secret))
    let terminal = ScriptedTerminal("open")
    let store = store(world, terminal)
    store.nonExhaustively { store in
      store.send(run(1, .list))
      store.receive(where: Self.isLocked)
      #expect(store.state.isUnlocked == false)
      store.receive(.succeeded(job: 1, result: .names(names: [])))
      #expect(store.state.isUnlocked == true && store.state.names == [])
    }
    store.finish()
    #expect(terminal.prompts == ["passphrase of the keychain: "])
  }

  @Test("without a terminal the command fails, but a check reads what it can")
  func unanswered() {
    let world = World(MockKeychainService(unlocked: false))
    let store = store(world)
    store.nonExhaustively { store in
      store.send(run(1, .list))
      store.receive(where: Self.isLocked)
      store.receive(where: Self.isUnanswered)
      store.receive {
        guard case .failed(job: 1, let failure) = $0 else { return false }
        return failure.code == 77 && failure.error == "locked"
      }
      store.send(run(2, .check()))
      store.receive(where: Self.isLocked)
      store.receive(where: Self.isUnanswered)
      store.receive {
        guard case .succeeded(job: 2, .checked(let status)) = $0 else { return false }
        return !status.unlocked
      }
      #expect(store.state.file?.exists == true && store.state.isUnlocked == false)
    }
    store.finish()
  }

  @Test("the state has the names of secrets, the slots and the generation, and no value")
  func state() {
    let store = store(World())
    store.nonExhaustively { store in
      for (index, command) in [
        KeychainCommand.list, .status, .addSlot(secret: .keyFile(path: "k")),
        .rename(from: "radarr", to: "films"), .remove(name: "films"),
      ].enumerated() {
        store.send(run(index + 1, command))
        store.skipReceivedActions()
      }
      #expect(store.state.names == [])
      #expect(store.state.file?.slots == ["passphrase", "keyFile"])
      #expect(store.state.file?.generation == 4)
    }
    store.finish()
  }
}
