import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardFeatures
import SwiftBoardJSON
import SwiftBoardStore
import SwiftBoardSystem
import SwiftBoardTesting
import Testing

@testable import SwiftBoardBoard

@Suite("keychain")
struct KeychainFeatureTests {
  @Test(
    "every command begins with one effect, named after it, under its job's id",
    arguments: [
      ("keychain init", "init"), ("keychain list", "list"), ("keychain set a", "set"),
      ("keychain get a --reveal", "get"), ("keychain rename a b", "rename"),
      ("keychain check", "check"), ("keychain slot add", "slot"), ("keychain rekey", "rekey"),
      ("keychain passphrase", "passphrase"), ("keychain export f", "export"),
      ("keychain import f", "import"),
    ])
  func descriptors(line: String, verb: String) throws {
    var state = BoardState()
    let world = World()
    let effects = BoardReducer(BoardFeatures.all).reduce(
      &state, try action(line, job: 3), world.dependencies)
    // What may change a file has a second effect, which is not cancelled with the first one.
    let found = try #require(effects.descriptors().first)
    let (work, end) = (found.parts.first ?? found, found.parts.dropFirst().first)
    #expect(effects.count == 1 && found.parts.count == (end == nil ? 0 : 2))
    #expect(
      work
        == EffectDescriptor(
          kind: end == nil ? .task : .run, name: "keychain.\(verb)", id: "keychain/3"))
    #expect(end.map { $0.name == "keychain.\(verb).end" && $0.ids.isEmpty } ?? true)
    #expect((end != nil) == ["init", "rename", "rekey", "passphrase"].contains(verb))
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

  @Test("a line break in a name is escaped in notes")
  func namesWithBreaks() throws {
    let world = World(MockKeychainService(entries: ["a\nb": Data("first-value".utf8)]))
    #expect(try run(#"keychain rename "a\nb" anew"#, in: world).errors == "renamed a\\nb to anew\n")
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
    store.assert { $0.keychain.names = ["pear"] }
    try run("keychain status")
    store.assert {
      $0.keychain.file?.exists = true
      $0.keychain.file?.generation = 4
      $0.keychain.file?.slots = ["passphrase"]
    }
    try run("keychain set fig --generate 24")
    store.assert {
      $0.keychain.names = ["fig", "pear"]
      $0.keychain.file?.generation = 5
    }
    try run("keychain lock")
    store.assert { $0.keychain.isUnlocked = false }
    store.finish()
  }

  @Test("an empty name is refused as empty")
  func emptyName() throws {
    for line in ["keychain set '' --generate 9", "keychain rename k ''"] {
      let world = World(MockKeychainService(entries: ["k": Data("first".utf8)]))
      let printed = try run(line, in: world)
      #expect(printed.status == 64, "\(line): \(printed.errors)")
      #expect(printed.errors.contains("the name of the secret is empty"), "\(printed.errors)")
    }
  }

  @Test(
    "a name that no line can refer to is refused, but an entry that has one can be used",
    arguments: ["a}}b", "a}", " ", "a ", "a\nb"])
  func unusableNames(name: String) throws {
    let world = World(MockKeychainService(entries: ["k": Data("first".utf8)]))
    let quoted = "'\(name)'"
    for line in ["keychain set \(quoted) --generate 9", "keychain rename k \(quoted)"] {
      let printed = try run(line, in: world)
      #expect(printed.status == 64, "\(line): \(printed.errors)")
      #expect(printed.errors.contains("can have this name"))
    }
    let existing = World(MockKeychainService(entries: [name: Data()]))
    let printed = try run("keychain set \(quoted) --generate 9", in: existing)
    #expect(printed.status == 0 && !printed.errors.contains("{{secret:"), "\(printed.errors)")
    #expect(try run("keychain rename \(quoted) new", in: existing).status == 0)
  }

  @Test(
    "a name that is shown escaped is usable, and no reference is shown that has another name",
    arguments: ["a\tb", "a\u{1B}b", "a\u{2028}b"])
  func escapedNames(name: String) throws {
    let world = World()
    let saved = try run("keychain set '\(name)' --generate 9", in: world)
    #expect(saved.status == 0 && saved.errors.contains("saved\n"), "\(saved.errors)")
    #expect(try run("keychain rename '\(name)' plain", in: world).status == 0)
  }

  @Test("a command about an entry offers none of a locked keychain, also where services name some")
  func offeredEntries() async throws {
    for isUnlocked in [true, false] {
      let world = World(MockKeychainService(entries: ["k": Data("v".utf8)], unlocked: isUnlocked))
      _ = try run("api service add s http://s.test --auth bearer:{{secret:token}}", in: world)
      for (line, expected) in [
        ("keychain get ", isUnlocked ? ["k"] : []), ("keychain rename ", isUnlocked ? ["k"] : []),
        ("keychain remove ", isUnlocked ? ["k"] : []),
        ("keychain set ", isUnlocked ? ["k", "token"] : ["token"]),
      ] {
        let completion = LineCompletion(line, in: BoardFeatures.all.commands)
        let kind = try #require(completion?.kind)
        let values = await BoardCompletion.values(
          kind, "", BoardFeatures.all, BoardState(), world.dependencies)
        #expect(Set(values.map(\.text)) == Set(expected), "\(line)")
      }
    }
  }

  @Test("what a reference can have for a name is what a line reads as one")
  func references() {
    for name in [
      "a", "a b", "a}b", "{{x", "é", "a\tb", " a", "%41", "a}}b", "a}", "a ", "a\nb", "",
    ] {
      var found: [String] = []
      if case .commands(let list) = LineParser.parse("echo \"{{secret:\(name)}}\"") {
        for case .secret(let name) in list.commands.flatMap(\.words).flatMap(\.segments) {
          found.append(name)
        }
      }
      #expect(
        (SecretReference.text(for: name) != nil) == (found == [name]), "'\(name)': \(found)")
    }
  }

  @Test("the replacement of a value is that of the entry with the same bytes in its name")
  func replacedByBytes() throws {
    let world = World(MockKeychainService(entries: ["\u{E9}": Data("first-value".utf8)]))
    let added = try run("keychain set e\u{301} --generate 9", in: world)
    #expect(added.status == 0 && !added.errors.contains("replaced"), "\(added.errors)")
    #expect(try run("keychain set \u{E9} --generate 9", in: world).errors.contains("replaced"))
  }

  @Test("failures: what the keychain says, its exit code, and what to do")
  func failures() throws {
    let none = World(MockKeychainService(exists: false))
    #expect(try run("keychain list", in: none).status == 66)
    let locked = World(MockKeychainService(unlocked: false))
    let printed = try run(["keychain list", "keychain set a", "keychain status"], in: locked)
    #expect(printed.map(\.status) == [77, 77, 0])
    #expect(printed[0].errors.contains("help: unlock it with 'keychain unlock' at"))
    // A value that cannot be stored is not asked for.
    #expect(printed[1].errors.contains("SWIFTBOARD_PASSPHRASE_FILE"))
    #expect(try run("keychain set a").errors.contains("there is no terminal to ask for the value"))
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
