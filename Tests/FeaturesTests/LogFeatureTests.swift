import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardFeatures
import SwiftBoardJSON
import SwiftBoardStore
import SwiftBoardTesting
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("log")
struct LogFeatureTests {
  let world = World()

  @Test("notes are counted and can be looked at, by level and text")
  func notes() throws {
    let printed = try run(
      ["log note before the update", "log note after", "log tail --grep update", "log stats"],
      in: world, settings: .output(.plain))
    #expect(printed.map(\.status) == [0, 0, 0, 0])
    #expect(
      printed[2].output == "2026-01-01T00:00:00.000000Z\tnotice\tnote\tbefore the update\t\n")
    #expect(printed[3].output.contains("notice\t2\n"))
  }

  @Test("log tail of a negative number shows nothing")
  func negativeLimit() throws {
    let store = world.looseStore()
    var query = LogQuery()
    query.limit = -1
    world.logger.log("x", level: .error, category: "c")
    store.send(.log(.run(context: context("log tail", "log.tail"), command: .tail(query: query))))
    store.receive(
      .log(.succeeded(job: 1, result: .records(records: []), counts: counts(["error": 1]))))
  }

  /// The numbers of records by level.
  private func counts(_ counts: [String: Int] = [:]) -> [String: Int] {
    MockLogger().statistics().counts.merging(counts) { $1 }
  }

  @Test("the state has the last list and the counts as of the last command")
  func listing() throws {
    let store = world.looseStore()
    for number in 0..<300 { world.logger.log("\(number)", level: .info, category: "c") }
    store.send(try action("log tail -n 290"))
    store.skipReceivedActions()
    #expect(store.state.log.query?.shown == 290 && store.state.log.query?.isComplete == true)
    #expect(store.state.log.counts == counts(["info": 300]))
    store.send(try action("log note x", job: 2))
    store.skipReceivedActions()
    #expect(store.state.log.counts == counts(["info": 300, "notice": 1]))
    #expect(store.state.shell.running.isEmpty)
  }

  @Test("a list that follows waits on the clock, and ends when it is cancelled")
  func follow() throws {
    let store = world.looseStore()
    store.send(try action("log tail -f"))
    world.logger.log("later", level: .info, category: "c")
    #expect(store.received.isEmpty)
    store.advance(by: .milliseconds(200))
    store.receive { action in
      guard case .listed(job: 1, let records, end: nil)? = action.action(of: BoardFeatures.log)
      else { return false }
      return records.map(\.message) == ["later"]
    }
    #expect(store.state.log.query?.shown == 1 && store.state.log.query?.isComplete == false)
    store.send(.shell(.cancelled(job: 1)))
    store.finish()
  }

  @Test("the level is part of the state where it is for all")
  func level() throws {
    let store = world.looseStore()
    store.send(try action("log level error"))
    let level = LogResult.level(level: .error, category: nil)
    store.receive(.log(.succeeded(job: 1, result: level, counts: counts()))) {
      $0.log.level = .error
      $0.log.counts = self.counts()
    }
    store.send(try action("log level api trace", job: 2))
    let trace = LogResult.level(level: .trace, category: "api")
    store.receive(.log(.succeeded(job: 2, result: trace, counts: counts()))) {
      $0.log.level = .error
      $0.log.levels = ["api": .trace]
    }
    #expect(world.logger.level(category: nil) == .error)
    #expect(world.logger.level(category: "api") == .trace)
  }

  @Test("export does not write over a file")
  func export() throws {
    let printed = try run(["log note x", "log export a.jsonl", "log export a.jsonl"], in: world)
    #expect(printed.map(\.status) == [0, 0, 73])
    let text = String(decoding: world.files.files["a.jsonl"] ?? Data(), as: UTF8.self)
    #expect(
      text.hasPrefix(#"{"time":"2026-01-01T00:00:00.000000Z","level":"notice","category":"note""#))
  }

  @Test("redact test shows what a sink would write")
  func redactTest() throws {
    let printed = try run("log redact test 'Authorization: Bearer abcdef'")
    #expect(printed.output == "Authorization: «redacted»\n")
  }
}
