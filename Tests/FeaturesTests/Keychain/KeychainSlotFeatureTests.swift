import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardFeatures
import SwiftBoardJSON
import SwiftBoardStore
import SwiftBoardSystem
import SwiftBoardTestSupport
import SwiftBoardTesting
import Testing

/// What opens the keychain, other files, and locking after a time: by commands.
@Suite struct KeychainSlotFeatureTests {
  private static func words(_ text: String) throws -> KeychainSecret {
    .passphrase(try GuardedBytes(copying: Array(text.utf8)))
  }

  /// A locked or unlocked keychain that `open` opens.
  private static func keychain(unlocked: Bool = true, source: String? = nil) throws
    -> MockKeychainService
  {
    MockKeychainService(
      entries: ["a": Data("first".utf8)], unlocked: unlocked, secret: try words("open"),
      unlockSource: try source.map(words))
  }

  /// Runs lines with a person at the terminal.
  private func run(
    _ lines: [String], _ keychain: MockKeychainService,
    _ terminal: ScriptedTerminal = ScriptedTerminal()
  ) throws -> [Printed] {
    let world = World(keychain)
    var dependencies = world.dependencies
    dependencies.terminal = terminal
    let store = NonExhaustiveTestStore(
      initialState: BoardState(), reducer: BoardReducer(BoardFeatures.all), clock: world.clock,
      dependencies: dependencies, report: report)
    var renderer = BoardRenderer(BoardFeatures.all, isReplay: false)
    var all: [Printed] = []
    for (index, line) in lines.enumerated() {
      var printed = Printed()
      let first = try action(line, job: index + 1)
      store.send(first)
      while let next = store.received.first {
        store.receive(next)
        for output in renderer.outputs(of: next, in: store.state, at: 0) {
          if output.stream == .standardOutput {
            printed.output += output.text
          } else {
            printed.errors += output.text
          }
        }
      }
      printed.status = store.state.shell.lastStatus
      all.append(printed)
    }
    store.finish()
    #expect(terminal.hidden == 0)
    return all
  }

  private func opens(_ keychain: MockKeychainService, _ text: String) async -> Bool {
    await keychain.lock()
    do {
      try await keychain.unlock(with: Self.words(text))
      return true
    } catch {
      return false
    }
  }

  @Test("at a terminal the old passphrase is asked for, and the new one twice")
  func passphrase() async throws {
    let keychain = try Self.keychain()
    let terminal = ScriptedTerminal("open", "new")
    let printed = try run(["keychain passphrase"], keychain, terminal)
    #expect(printed[0].status == 0, "\(printed[0].errors)")
    #expect(printed[0].errors.contains("passphrase changed"))
    #expect(terminal.prompts == ["old passphrase: ", "new passphrase: (twice)"])
    #expect(await !opens(keychain, "open"))
    #expect(await opens(keychain, "new"))
  }

  @Test("a wrong old passphrase is told before the new one is asked for")
  func wrongOld() async throws {
    let keychain = try Self.keychain()
    let terminal = ScriptedTerminal("shut", "new")
    #expect(try run(["keychain passphrase"], keychain, terminal)[0].status == 77)
    #expect(terminal.prompts == ["old passphrase: "])
    #expect(await opens(keychain, "open"))
  }

  @Test(
    "without a person the old one is the source's, and the new one is in a file or standard input",
    arguments: [
      ("keychain passphrase --new-from-file new", "new"),
      ("keychain passphrase --new-from-stdin", "typed"),
    ])
  func passphraseWithoutPerson(line: String, new: String) async throws {
    let keychain = try Self.keychain(unlocked: false, source: "open")
    let terminal = ScriptedTerminal()
    let printed = try run([line], keychain, terminal)
    #expect(printed[0].status == 0, "\(printed[0].errors)")
    #expect(terminal.prompts.isEmpty)
    #expect(await opens(keychain, new))
    // Neither a source nor a person.
    let locked = try Self.keychain()
    #expect(try run([line], locked)[0].status == 77)
    #expect(await opens(locked, "open"))
  }

  @Test("empty standard input is a usage error that names the option for a file")
  func emptyInput() throws {
    for (line, option) in [
      ("keychain slot add --new-from-stdin", "--new-from-file FILE"),
      ("keychain export f --new-from-stdin", "--new-from-file FILE"),
      ("keychain set b --from-stdin", "--from-file FILE"),
    ] {
      let printed = try run([line], Self.keychain(), ScriptedTerminal(input: nil))[0]
      #expect(printed.status == 64, "\(line): \(printed.errors)")
      #expect(
        printed.errors.contains("write the value to standard input, or use \(option)"),
        "\(printed.errors)")
    }
  }

  @Test("no terminal for the new passphrase is a usage error that says how, and changes nothing")
  func nobodyToAsk() async throws {
    let keychain = try Self.keychain(source: "open")
    for line in ["keychain passphrase", "keychain slot add", "keychain export f"] {
      let printed = try run([line], keychain)[0]
      #expect(printed.status == 64, "\(line): \(printed.errors)")
      #expect(printed.errors.contains("--new-from-file"), "\(printed.errors)")
    }
    let missing = try run(["keychain import g"], keychain)[0]
    #expect(missing.status == 66, "\(missing.errors)")
    _ = try await keychain.export(to: "f", secret: Self.words("other"))
    let printed = try run(["keychain import f"], keychain)[0]
    #expect(printed.status == 64)
    #expect(printed.errors.contains("--passphrase-file"), "\(printed.errors)")
    #expect(await opens(keychain, "open"))
    // Neither a source nor a person.
    #expect(try run(["keychain passphrase"], try Self.keychain(unlocked: false))[0].status == 77)
  }

  @Test("slots are listed, added and removed, and those that stay are asked for")
  func slots() async throws {
    let keychain = try Self.keychain()
    let terminal = ScriptedTerminal("other", "open", "other")
    let printed = try run(
      [
        "keychain slot add --key-file k", "keychain slot add", "keychain slot list",
        "keychain slot remove 2",
      ], keychain, terminal)
    #expect(printed.map(\.status) == [0, 0, 0, 0], "\(printed.map(\.errors))")
    #expect(
      printed[2].output == """
        slot  kind        passes  MiB
        ----  ----------  ------  ---
        1     passphrase
        2     keyFile
        3     passphrase

        """, "\(printed[2].output)")
    #expect(
      terminal.prompts == [
        "new passphrase: (twice)", "passphrase of slot 1: ", "passphrase of slot 3: ",
      ])
    #expect(await opens(keychain, "open"))
    #expect(await opens(keychain, "other"))
    #expect(try await keychain.status().slots.count == 2)
  }

  @Test("a key file that stays is named by an option, and the error says so")
  func keyFileThatStays() async throws {
    let keychain = try Self.keychain(source: "open")
    let printed = try run(
      [
        "keychain slot add --key-file k", "keychain rekey", "keychain rekey --key-file k",
        "keychain slot remove 1 --key-file k", "keychain slot remove 1",
      ], keychain)
    #expect(printed.map(\.status) == [0, 77, 0, 0, 64], "\(printed.map(\.errors))")
    #expect(printed[1].errors.contains("--key-file FILE"), "\(printed[1].errors)")
    #expect(printed[4].errors.contains("last slot"), "\(printed[4].errors)")
  }

  @Test("a new keychain is made for a key file or for a passphrase in a file")
  func initialise() async throws {
    for line in ["keychain init --key-file k", "keychain init --new-from-file p"] {
      let keychain = MockKeychainService(exists: false)
      let printed = try run([line, line], keychain)
      #expect(printed.map(\.status) == [0, 73], "\(printed.map(\.errors))")
      let kind = line.contains("--key-file") ? "keyFile" : "passphrase"
      #expect(try await keychain.status().slots.map(\.kind) == [kind])
    }
    #expect(throws: UsageError.self) { try action("keychain init --key-file k --new-from-file p") }
  }

  @Test("export and import say what became of the entries")
  func exportImport() async throws {
    let keychain = try Self.keychain()
    let printed = try run(
      [
        "keychain export f --new-from-file p", "keychain set b --generate 9",
        "keychain remove a", "keychain import f --passphrase-file p",
        "keychain import f --passphrase-file p",
        "keychain import f --passphrase-file p --existing replace",
        "keychain export f --new-from-file p", "keychain import g --passphrase-file p",
        "keychain check f", "keychain check g",
      ], keychain)
    #expect(
      printed.map(\.status) == [0, 0, 0, 0, 73, 0, 73, 66, 0, 66], "\(printed.map(\.errors))")
    #expect(printed[8].errors.contains("whole, but unverified"), "\(printed[8].errors)")
    #expect(printed[0].errors.contains("1 secret written to f"))
    #expect(printed[3].errors.contains("1 added, 0 replaced, 0 kept"))
    #expect(printed[4].errors.contains("help: --existing keep leaves"), "\(printed[4].errors)")
    #expect(printed[5].errors.contains("0 added, 1 replaced, 0 kept"))
    #expect(try await keychain.load(forKey: "a") == Data("first".utf8))
  }

  @Test("no action of these commands holds a secret")
  func noSecretInActions() throws {
    for line in [
      "keychain passphrase --new-from-file p", "keychain slot add", "keychain export f",
      "keychain import f --key-file k",
    ] {
      #expect(!("\(try action(line))".contains("open")))
    }
    for line in ["keychain passphrase secret", "keychain slot add secret", "keychain rekey secret"]
    {
      #expect(throws: UsageError.self) { try action(line) }
    }
  }

  @Test("a recorded 'keychain init' of before there were key files is the same command")
  func earlierCommand() throws {
    let recorded = Data(#"{"create":{}}"#.utf8)
    let command = try JSONDecoder().decode(KeychainCommand.self, from: recorded)
    #expect(command == .create())
    #expect(try CanonicalEncoder.encode(command) == Array(recorded))
    let check = Data(#"{"check":{}}"#.utf8)
    #expect(try JSONDecoder().decode(KeychainCommand.self, from: check) == .check())
    #expect(try CanonicalEncoder.encode(KeychainCommand.check()) == Array(check))
    let state = try JSONDecoder().decode(KeychainState.self, from: Data(#"{"names":[]}"#.utf8))
    #expect(state.autoLock == nil)
  }

  // MARK: Locking by itself

  private func locking(
    _ autoLock: Int64?
  ) throws -> (TestStore<BoardReducer>, MockKeychainService, World) {
    let base = World()
    let keychain = MockKeychainService(
      entries: ["a": Data("first".utf8)], secret: try Self.words("open"),
      clock: base.dependencies.clock)
    var dependencies = base.dependencies
    dependencies.keychainService = RedactingKeychain(keychain, redactor: base.logger.redactor)
    var state = BoardState()
    state.keychain.autoLock = autoLock
    let store = TestStore(
      initialState: state, reducer: BoardReducer(BoardFeatures.all), clock: base.clock,
      dependencies: dependencies, report: report)
    return (store, keychain, base)
  }

  @Test("a keychain that is not used for the time in the state is locked, by a step")
  func autoLock() async throws {
    let (store, keychain, world) = try locking(300_000)
    world.clock.advance(by: .seconds(299))
    #expect(try await keychain.status().unlocked)
    // A use begins the time anew.
    _ = try await keychain.load(forKey: "a")
    world.clock.advance(by: .seconds(1))
    #expect(try await keychain.status().unlocked)
    // Not a moment later than the time after the use.
    world.clock.advance(by: .seconds(298) + .milliseconds(999))
    #expect(try await keychain.status().unlocked)
    world.clock.advance(by: .milliseconds(1))
    store.receive(.keychain(.autoLocked(milliseconds: 300_000))) {
      $0.keychain.isUnlocked = false
    }
    #expect(try await keychain.status().unlocked == false)
    // It goes on: what is unlocked later, by whatever command, is locked as well.
    world.clock.advance(by: .seconds(100))
    try await keychain.unlock(with: Self.words("open"))
    world.clock.advance(by: .seconds(299))
    #expect(try await keychain.status().unlocked)
    world.clock.advance(by: .seconds(1))
    store.receive(.keychain(.autoLocked(milliseconds: 300_000)))
    store.finish()
  }

  @Test("however short the time is, the keychain is looked at once a second and not more often")
  func autoLockInterval() async throws {
    let (store, keychain, world) = try locking(1)
    world.clock.advance(by: .seconds(1))
    store.receive(.keychain(.autoLocked(milliseconds: 1))) { $0.keychain.isUnlocked = false }
    try await keychain.unlock(with: Self.words("open"))
    world.clock.advance(by: .milliseconds(999))
    #expect(try await keychain.status().unlocked)
    world.clock.advance(by: .milliseconds(1))
    store.receive(.keychain(.autoLocked(milliseconds: 1)))
    #expect(try await keychain.status().unlocked == false)
    store.finish()
  }

  @Test("without a time in the state nothing is locked, and the command sets and ends it")
  func autoLockSetting() async throws {
    let (store, keychain, world) = try locking(nil)
    world.clock.advance(by: .seconds(100_000))
    #expect(try await keychain.status().unlocked)
    _ = try await keychain.load(forKey: "a")
    let printed = try run(
      [
        "keychain autolock", "keychain autolock 90s", "keychain autolock",
        "keychain autolock off",
      ], keychain)
    #expect(
      printed.map(\.errors) == [
        "not locked by itself\n", "locked after 90s without use\n",
        "locked after 90s without use\n", "not locked by itself\n",
      ])
    for line in ["keychain autolock 0s", "keychain autolock soon"] {
      #expect(throws: UsageError.self) { try action(line) }
    }
    let error = #expect(throws: UsageError.self) { try action("keychain autolock 0") }
    #expect(error?.help == "for example 500ms, 2s, 5m or 1h")
    store.finish()
  }

  @Test("a keychain that was locked by itself is so in a recording and its replay")
  func autoLockIsRecorded() async throws {
    let clock = ManualClock()
    let keychain = MockKeychainService(
      entries: ["a": Data("first".utf8)], secret: try Self.words("open"), clock: clock.clock)
    var dependencies = Dependencies.mock(clock: clock)
    dependencies.keychainService = RedactingKeychain(
      keychain, redactor: dependencies.logger.redactor)
    let folder = try TemporaryFolder()
    let board = RunningBoard(dependencies)
    try board.board.record(to: folder.path("r"))
    await board.run("keychain list")
    await board.run("keychain autolock 5m")
    await clock.waitForSleepers()
    clock.advance(by: .seconds(300))
    try await board.board.store.wait { $0.keychain.isUnlocked == false }
    #expect(try await keychain.status().unlocked == false)
    await board.run("echo end")
    await board.board.close()

    let text = String(decoding: try folder.read("r"), as: UTF8.self)
    #expect(text.contains(#""autoLocked":{"milliseconds":300000}"#), "\(text)")
    let other = RunningBoard()
    let verified = await other.run("session verify \(folder.path("r"))")
    #expect(verified.status == 0, "\(verified.errors)")
    let locked = await other.run(
      "session bisect \(folder.path("r")) --assert 'keychain.isUnlocked != false'")
    #expect(locked.output.contains("autoLocked"), "\(locked.output)\(locked.errors)")
    // No time passes there, so nothing waits for the step.
    try await keychain.unlock(with: Self.words("open"))
    let live = await RunningBoard(dependencies).run(
      "session replay \(folder.path("r")) --live")
    #expect(live.status == 0, "\(live.output)\(live.errors)")
    await other.board.close()
  }
}
