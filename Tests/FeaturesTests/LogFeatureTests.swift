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
    store.receive(.log(.succeeded(job: 1, result: .records(records: []))))
  }

  @Test("the level is part of the state where it is for all")
  func level() throws {
    let store = world.looseStore()
    store.send(try action("log level error"))
    store.receive(.log(.succeeded(job: 1, result: .level(level: .error, category: nil)))) {
      $0.log.level = .error
    }
    store.send(try action("log level api trace", job: 2))
    store.receive(.log(.succeeded(job: 2, result: .level(level: .trace, category: "api")))) {
      $0.log.level = .error
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
