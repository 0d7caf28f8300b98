import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardFeatures
import SwiftBoardJSON
import SwiftBoardStore
import SwiftBoardSystem
import SwiftBoardTesting
import Testing

@Suite("session")
struct SessionFeatureTests {
  let world = World()

  @Test("session: recording is the state's as soon as its beginning is reduced")
  func session() throws {
    let store = world.looseStore()
    store.send(try action("session record a.jsonl"))
    #expect(
      store.effects == [EffectDescriptor(kind: .task, name: "session.record")])
    store.skipInFlightEffects()
    store.send(.session(.succeeded(job: 1, result: .recording(path: "a.jsonl")))) {
      $0.session.recording = "a.jsonl"
      $0.shell.running = []
    }
    store.send(.session(.succeeded(job: 1, result: .stopped(path: "a.jsonl", steps: 3)))) {
      $0.session.recording = nil
    }
    store.send(try action("session verify a.jsonl b.jsonl", job: 2))
    #expect(
      store.effects == [EffectDescriptor(kind: .run, name: "session.verify", id: "session/2")])
    store.skipInFlightEffects()
  }

  @Test("verify of a recording that is not there: the work is off the pool, its end is waited for")
  func verifyMissing() async throws {
    let store = world.looseStore()
    store.send(try action("session verify /nowhere/at/all.jsonl"))
    await store.waitForAction(patience: .seconds(3600))
    store.receive(where: {
      guard case .session(.succeeded(job: 1, .verified(let checks, _), _, _)) = $0 else {
        return false
      }
      return checks.map(\.code) == [66]
    }) { $0.shell.lastStatus = 66 }
  }

  @Test("files whose names have the same characters in other bytes are each verified")
  func verifySimilarNames() async throws {
    let store = world.looseStore()
    store.send(try action("session verify /nowhere/\u{e9}.jsonl /nowhere/e\u{301}.jsonl"))
    await store.waitForAction(patience: .seconds(3600))
    store.receive(where: {
      guard case .session(.succeeded(job: 1, .verified(let checks, _), _, _)) = $0 else {
        return false
      }
      return checks.map(\.code) == [66, 66]
    }) { $0.shell.lastStatus = 66 }
  }
}
