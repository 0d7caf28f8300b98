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

@Suite("keychain")
struct KeychainFeatureTests {
  @Test(
    "every command is one effect, named after it, under its job's id",
    arguments: [
      ("keychain init", "init"), ("keychain list", "list"), ("keychain set a", "set"),
      ("keychain get a --reveal", "get"), ("keychain rename a b", "rename"),
      ("keychain check", "check"),
    ])
  func descriptors(line: String, verb: String) throws {
    var state = BoardState()
    let world = World()
    let effects = BoardReducer(BoardFeatures.all).reduce(
      &state, try action(line, job: 3), world.dependencies)
    #expect(
      effects.descriptors() == [
        EffectDescriptor(kind: .task, name: "keychain.\(verb)", id: "keychain/3")
      ])
    #expect(world.keychain.calls.isEmpty)
  }

  @Test("check verifies the file, whatever is known of it, and damage is 65")
  func check() throws {
    let world = World()
    #expect(try run("keychain check", in: world).errors.contains("the file is whole\n"))
    #expect(world.keychain.calls == [.unlock, .verify])
    let locked = World(MockKeychainService(unlocked: false))
    let unverified = try run("keychain check", in: locked)
    #expect(unverified.status == 0)
    #expect(unverified.errors.contains("the file is whole, but unverified"))
    let source = MockKeychainService(
      unlocked: false, unlockSource: .passphrase(try GuardedBytes(copying: [1])))
    #expect(try run("keychain check", in: World(source)).errors.contains("the file is whole\n"))
    world.keychain.failNext(with: KeychainError(.damaged, message: "a byte is wrong"))
    #expect(try run("keychain check", in: world).status == 65)
    let none = World(MockKeychainService(exists: false))
    #expect(try run("keychain check", in: none).status == 66)
  }

  @Test("the state follows: names, set, removed, locked")
  func state() throws {
    let world = World()
    let store = world.looseStore()
    func run(_ line: String) throws {
      store.send(try action(line, job: store.state.shell.running.count + 1))
      store.skipReceivedActions()
    }
    try run("keychain list")
    store.assert { $0.keychain.names = ["radarr"] }
    try run("keychain set apple --generate 24")
    store.assert {
      $0.keychain.names = ["apple", "radarr"]
      $0.shell.last = #"{"saved":"apple"}"#
    }
    try run("keychain remove radarr")
    store.assert { $0.keychain.names = ["apple"] }
    try run("keychain rename apple pear")
    store.assert { $0.keychain.names = nil }
    try run("keychain lock")
    store.assert { $0.keychain.isUnlocked = false }
    store.finish()
  }

  @Test("failures: what the keychain says, its exit code, and what to do")
  func failures() throws {
    let none = World(MockKeychainService(exists: false))
    #expect(try run("keychain list", in: none).status == 66)
    let locked = World(MockKeychainService(unlocked: false))
    let printed = try run(["keychain list", "keychain set a", "keychain status"], in: locked)
    #expect(printed.map(\.status) == [77, 77, 0])
    #expect(
      printed[0].errors.contains("help: name a passphrase file in SWIFTBOARD_PASSPHRASE_FILE"))
    // Of a value that cannot be stored nobody is asked.
    #expect(printed[1].errors.contains("SWIFTBOARD_PASSPHRASE_FILE"))
    #expect(try run("keychain set a").errors.contains("there is nobody to ask for the value"))
    #expect(try run("keychain set a --generate 9", in: none).status == 66)
    #expect(try run("keychain remove x").status == 66)
    #expect(try run("keychain get x --reveal").status == 66)
    #expect(try run("keychain init").status == 73)
  }

  @Test("an older file is refused with the way out, which shows both and takes it")
  func accept() throws {
    let world = World()
    _ = try run(["keychain set a --generate 9", "keychain set b --generate 9"], in: world)
    world.keychain.replaceFile(generation: 2, isOther: false)
    let any = try GuardedBytes(copying: [1])
    let source = MockKeychainService(unlockSource: .passphrase(any))
    source.replaceFile(generation: 7, isOther: true)
    let printed = try run(
      ["keychain list", "keychain accept", "keychain list"], in: World(source))
    #expect(printed.map(\.status) == [65, 0, 0])
    #expect(printed[0].errors.contains("keychain accept"))
    #expect(
      printed[1].output == """
        file         generation  written
        -----------  ----------  -------
        seen before  1           unknown
        there now    7           unknown

        """)
    let json = try run("keychain accept", in: World(source), settings: .output(.json)).output
    #expect(
      json.contains(
        #""value":{"reason":"known","remembered":{"generation":7,"written":null},"found":{"generation":7,"#
      ), "\(json)")
    // Without a secret there is nothing to accept it with.
    #expect(try run("keychain accept", in: world).status == 77)
  }

  @Test("what is to be told of the file is a note of the command that opened it, once")
  func warning() throws {
    let world = World()
    world.keychain.warnNext("others may read it")
    let printed = try run(["keychain list", "keychain list"], in: world)
    #expect(printed.map(\.errors) == ["warning: others may read it\n", ""])
    #expect(printed[0].output == printed[1].output)
    // A status says it itself.
    world.keychain.warnNext("others may read it")
    #expect(!(try run("keychain status", in: world).errors.contains("warning: ")))
  }

  @Test("generated keys are URL-safe, differ, and are as long as asked")
  func generate() async throws {
    let world = World()
    _ = try run(["keychain set a --generate 30", "keychain set b --generate 30"], in: world)
    let a = try #require(try await world.keychain.load(forKey: "a"))
    let b = try #require(try await world.keychain.load(forKey: "b"))
    #expect(a.count == 40 && a != b)
    let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=".utf8)
    #expect(a.allSatisfy { allowed.contains($0) })
  }
}

@Suite("db")
struct DatabaseFeatureTests {
  let world = World()

  @Test("documents: put, get, list, remove; what is not there is missing")
  func documents() throws {
    let printed = try run(
      [
        #"db put people 1 {"name": "Rick", "age": 70}"#,
        #"db put people 2 {"name": "Morty", "age": 14}"#, "db get people 1",
        "db list people --where name=Morty", "db list people --sort -age --limit 1",
        "db remove people 1", "db get people 1", "db remove people 1",
      ], in: world, settings: .output(.plain))
    #expect(printed.map(\.status) == [0, 0, 0, 0, 0, 0, 66, 66])
    #expect(printed[0].errors == "saved people/1\n")
    #expect(printed[2].output == "{\"name\":\"Rick\",\"age\":70}\n")
    #expect(
      printed[3].output == "2\t2026-01-01T00:00:00.000000Z\t{\"name\":\"Morty\",\"age\":14}\n")
    #expect(printed[4].output.hasPrefix("1\t"))
    #expect(
      printed[6].errors == """
        test.sb:7:1: error: there is no document people/1
          db get people 1
          ^~~~~~~~~~~~~~~
        help: 'db list people' shows what there is

        """)
  }

  @Test("the state counts writes and knows the collection")
  func state() throws {
    let store = world.looseStore()
    store.send(try action("db put people 1 1"))
    #expect(store.effects.map(\.name) == ["db.put"])
    #expect(store.state.db.writes == 0)
    store.receive(.db(.succeeded(job: 1, result: .put(collection: "people", id: "1")))) {
      $0.db.writes = 1
      $0.db.collection = "people"
    }
  }

  @Test("a document from a file, and a file that is no JSON")
  func files() async throws {
    try await world.files.write(Data("[1,\n2,]".utf8), to: "bad.json", mode: .create)
    try await world.files.write(Data("[1, 2]".utf8), to: "good.json", mode: .create)
    let printed = try run(
      ["db put a 1 @good.json", "db get a 1", "db put a 2 @bad.json", "db put a 3 @none"],
      in: world, settings: .output(.plain))
    #expect(printed.map(\.status) == [0, 0, 65, 66])
    #expect(printed[1].output == "[1,2]\n")
    #expect(printed[2].errors.contains("error: bad.json:2:3: "))
  }

  @Test("preferences: JSON or text, listed by name")
  func preferences() throws {
    let printed = try run(
      [
        "db preference set theme dark", "db preference set size 20", "db preference get size",
        "db preference list", "db preference unset size", "db preference get size",
      ], in: world)
    #expect(printed.map(\.status) == [0, 0, 0, 0, 0, 66])
    #expect(printed[2].output == "20\n")
    #expect(printed[3].output == "name   value\n-----  ------\nsize   20\ntheme  \"dark\"\n")
  }

  @Test("stats, check, path")
  func rest() throws {
    let printed = try run(["db stats", "db check", "db path"], in: world)
    #expect(printed.map(\.status) == [0, 0, 0])
    #expect(printed[1].errors == "the database is whole\n")
  }
}

@Suite("log and session")
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

  @Test("session: recording is the state's as soon as its beginning is reduced")
  func session() throws {
    let store = world.looseStore()
    store.send(try action("session record a.jsonl"))
    #expect(
      store.effects == [EffectDescriptor(kind: .task, name: "session.record", id: "session/1")])
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
      guard case .session(.succeeded(job: 1, .verified(let checks, _), _)) = $0 else {
        return false
      }
      return checks.map(\.code) == [66]
    }) { $0.shell.lastStatus = 66 }
  }
}

@Suite("shell")
struct ShellFeatureTests {
  let world = World()

  @Test("a command that ends at once begins and ends in one step")
  func oneStep() throws {
    let store = world.store()
    let set = try action("set page 2")
    let context = try #require(set.started)
    store.send(set) {
      $0.shell.variables = ["page": "2"]
      $0.shell.last = #"{"page":"2"}"#
      $0.shell.finished = FinishedJob(context: context, status: 0)
    }
    #expect(store.effects == [])
    let wrong = self.context(2)
    let failure = Failure(code: 64, error: "usage", message: "no")
    store.send(.shell(.reject(context: wrong, failure: failure))) {
      $0.shell.finished = FinishedJob(context: wrong, status: 64)
      $0.shell.lastStatus = 64
    }
    store.finish()
  }

  private func context(_ job: Int) -> CommandContext {
    CommandContext(job: job, line: job, source: "test.sb", text: "x", name: "line")
  }

  @Test("assert and state look into the state")
  func assertions() throws {
    let printed = try run(
      [
        "set page 2", #"assert 'shell.variables.page == "2"'"#, "assert shell.lastStatus == 7",
        "state shell.lastStatus", "state nothing.here", "assert 'api.requests > 0 or db exists'",
      ], in: world)
    #expect(printed.map(\.status) == [0, 0, 1, 0, 66, 0])
    #expect(printed[2].errors.contains("error: assertion failed: shell.lastStatus == 7\n"))
    #expect(printed[3].output == "1\n")
  }

  @Test("state and assert find what was there before them, in status and in print")
  func before() throws {
    let printed = try run(
      [
        "db get a 1", "assert shell.lastStatus == 66", "state shell.lastStatus", "set x 1",
        "state shell.last", "state shell.running", "echo y", "assert 'shell.last == \"\\\"y\\\"\"'",
      ], in: world)
    #expect(printed.map(\.status) == [66, 0, 0, 0, 0, 0, 0, 0])
    #expect(printed[1].errors == "")
    #expect(printed[2].output == "0\n")
    #expect(printed[4].output == #""{\"x\":\"1\"}""# + "\n")
    #expect(printed[5].output == "[]\n")
    #expect(printed[7].errors == "")
  }

  @Test("cancel: every other job, each with 130; a job that is none is missing")
  func cancel() throws {
    world.api.answer("GET", prefix: "http://rm.test/", with: .hang)
    let store = world.looseStore()
    store.send(try action("api get http://rm.test/1", job: 1))
    store.send(try action("api get http://rm.test/2", job: 2))
    store.send(try action("cancel 9", job: 3)) { $0.shell.lastStatus = 66 }
    store.send(try action("cancel", job: 4))
    #expect(store.effects.map(\.kind) == [.send, .send])
    store.receive(.shell(.cancelled(job: 1))) { $0.shell.lastStatus = 130 }
    #expect(store.effects.map(\.kind) == [.cancel])
    store.receive(.shell(.cancelled(job: 2)))
    #expect(store.inFlight.isEmpty)
    #expect(store.state.shell.running.isEmpty)
  }

  @Test("exit sets the code, and echo prints its words")
  func rest() throws {
    #expect(try run("echo a 'b  c' \"d\\te\"").output == "a b  c d\te\n")
    let store = world.looseStore()
    store.send(try action("exit 3")) { $0.shell.exitCode = 3 }
  }
}
