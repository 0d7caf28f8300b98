import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("fireAndForget")
struct FireAndForgetTests {
  @Test("its work is done, and no action comes back")
  func done() {
    let log = Journal<String>()
    let stage = TimedStage { action, _ in [.fireAndForget { log.note(action) }] }
    let handle = stage.send("go")
    #expect(log.entries == ["go"])
    #expect(stage.seen == ["go"] && handle.isFinished && stage.isQuiet)
  }

  @Test("R9 what it throws is an issue at its line, or an action", arguments: [false, true])
  func throwing(isCaught: Bool) {
    let stage = TimedStage { action, _ in
      guard action == "go" else { return [] }
      let effect = Effect<String>.fireAndForget(
        name: "log", fileID: "Board/Log.swift", line: 12
      ) { throw Broken() }
      return [isCaught ? effect.catch { "\($0)" } : effect]
    }
    stage.send("go")
    #expect(stage.seen == ["go"] + (isCaught ? ["the disk is on fire"] : []))
    #expect(
      stage.issues.entries.map(\.location.description) == (isCaught ? [] : ["Board/Log.swift:12"]))
    #expect(stage.issues.entries.allSatisfy { $0.message.contains("'log'") })
  }

  @Test("R10 handles wait for it, and it is listed")
  func handles() {
    let gate = Gate()
    let stage = TimedStage { _, _ in [.fireAndForget(name: "log") { try await gate.wait() }] }
    let handle = stage.send("go")
    #expect(!handle.isFinished)
    #expect(stage.store.effects.map(\.descriptor) == [.init(kind: .run, name: "log")])
    gate.open()
    stage.executor.run()
    #expect(handle.isFinished)
  }

  @Test("R5 cancelled before it has begun, it does not begin; nor does a poll or a stream")
  func notBegun() {
    let begun = Journal<String>()
    let stage = TimedStage { action, clock in
      let effects: [Effect<String>] = [
        .fireAndForget { begun.note("fireAndForget") },
        .poll(every: .seconds(1), clock: clock) {
          begun.note("poll")
          return nil
        },
        .stream(from: {
          begun.note("stream")
          return AsyncStream<String> { $0.finish() }
        }) { $0 },
      ]
      return action == "go" ? effects.map { $0.cancellable(id: 1) } : [.cancel(id: 1)]
    }
    stage.store.send("go")
    #expect(stage.executor.readyCount == 3, "handed over")
    stage.send("cancel")
    #expect(begun.entries == [])
    #expect(stage.isQuiet)
  }

  @Test("R5 cancelled anywhere, nobody sleeps on")
  func cancelled() {
    cancelAnywhere { clock in .fireAndForget { try await clock.sleep(for: .milliseconds(500)) } }
  }
}
