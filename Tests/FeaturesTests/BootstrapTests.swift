import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardRecording
import SwiftBoardStore
import SwiftBoardSystem
import SwiftBoardTestSupport
import SwiftBoardTesting
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardFeatures

/// What a line that reads the state loads before.
@Suite("Loading the state that a line shows")
struct BootstrapTests {
  private let sab = APIService(name: "sab", baseURL: "http://nas.test", preset: "sabnzbd")

  private func lines() async throws -> Lines {
    let world = World()
    var dependencies = world.dependencies
    // Nothing but the lines asks for the consent.
    dependencies.analytics = MockAnalytics()
    dependencies.analytics.setConsent(false)
    let lines = Lines(world, dependencies: dependencies)
    try await lines.world.persistence.saveService(sab, replacing: false)
    try await lines.world.persistence.setPreference("analytics.consent", to: "true")
    _ = try await lines.world.persistence.putDocument(
      Document(collection: "films", id: "1", body: "{}", updated: 0))
    try await lines.world.persistence.addSearch("name==rick", scope: "characters", at: 0)
    try await lines.world.keychain.save(Data("a value".utf8), forKey: "sab")
    return lines
  }

  @Test(
    "a condition on a fresh board knows what is stored",
    arguments: [
      #"api.services[0].name == "sab""#, "api.saved exists", "keychain.isUnlocked == true",
      "keychain.file.exists == true", #"keychain.names[1] == "sab""#, "log.level exists",
      #"characters.recent[0] == "name==rick""#, "analytics.consent == true",
      "db.collections.films == 1", #"shell.lastStatus == 7 or db.collections.films == 1"#,
      "analytics.consent == true and db.collections.films == 1",
    ])
  func conditions(condition: String) async throws {
    let lines = try await lines()
    #expect(await lines.run("assert '\(condition)'") == 0, "\(lines.allPrinted)")
    await lines.board.close()
  }

  @Test("the whole state has all of it, and is loaded once")
  func wholeState() async throws {
    let lines = try await lines()
    #expect(await lines.run("state") == 0)
    let state = lines.board.store.state
    #expect(state.api.services == [sab] && state.analytics.consent == true)
    #expect(state.keychain.isUnlocked == true && state.log.level != nil)
    #expect(state.keychain.names == ["radarr", "sab"] && state.characters.recent == ["name==rick"])
    #expect(state.db.collections == ["films": 1])
    let steps = lines.allSteps
    #expect(await lines.run("state") == 0)
    #expect(!lines.allSteps.dropFirst(steps.count).contains("bootstrap"))
    await lines.board.close()
  }

  @Test("a line that reads another part loads nothing")
  func otherParts() async throws {
    let lines = try await lines()
    for line in [
      "state shell", "assert shell.lastStatus == 0", "state media", "echo x", "state 'a['",
    ] { _ = await lines.run(line) }
    #expect(!lines.allSteps.contains("bootstrap"))
    #expect(await lines.run("state api.services") == 0)
    #expect(lines.allSteps.components(separatedBy: #"{"bootstrap":{}}"#).count == 2)
    await lines.board.close()
  }

  @Test("the names of a locked keychain are not known, and are once it is unlocked")
  func lockedKeychain() async throws {
    let secret = KeychainSecret.passphrase(try GuardedBytes(copying: Array("open".utf8)))
    let keychain = MockKeychainService(entries: ["sab": Data("first".utf8)], secret: secret)
    let lines = Lines(World(keychain))
    #expect(await lines.run("keychain lock") == 0)
    #expect(await lines.run("assert 'keychain.names exists'") != 0)
    // As a request does that needs a secret.
    try await keychain.unlock(with: secret)
    #expect(await lines.run(#"assert 'keychain.names[0] == "sab"'"#) == 0)
    #expect(await lines.run("keychain lock") == 0)
    #expect(lines.board.store.state.keychain.names == nil)
    await lines.board.close()
  }

  @Test("a part that a command has loaded leaves the others to be loaded")
  func partOfTheState() async throws {
    let lines = try await lines()
    #expect(await lines.run("api service list") == 0)
    #expect(lines.board.store.state.api.saved == nil)
    #expect(await lines.run("assert api.saved exists") == 0)
    await lines.board.close()
  }

  @Test("names that were loaded for a command since stay as they are")
  func laterNames() async throws {
    let lines = try await lines()
    #expect(await lines.run("assert db.collections.films == 1") == 0)
    lines.board.store.send(.db(.contents(job: 0, contents: DatabaseContents())))
    #expect(lines.board.store.state.db.collections == ["films": 1])
    await lines.board.close()
  }

  @Test("what cannot be loaded is not known, and is tried again")
  func failures() async throws {
    let lines = try await lines()
    let parts = ["api", "analytics", "db", "characters"]
    for call in ["services", "preference", "contents", "searches"] {
      lines.world.persistence.failNext(call, with: .full)
    }
    for part in parts { #expect(await lines.run("state \(part)") == 0) }
    #expect(lines.board.store.state.api.services == nil)
    #expect(lines.board.store.state.analytics.consent == nil)
    #expect(lines.board.store.state.db.collections == nil)
    #expect(lines.board.store.state.characters.recent == [])
    for part in parts { #expect(await lines.run("state \(part)") == 0) }
    #expect(lines.board.store.state.api.services == [sab])
    #expect(lines.board.store.state.analytics.consent == true)
    #expect(lines.board.store.state.db.collections == ["films": 1])
    #expect(lines.board.store.state.characters.recent == ["name==rick"])
    await lines.board.close()
  }

  @Test("what could not be loaded is said by the line that shows it, until it is loaded")
  func unloaded() async throws {
    let lines = try await lines()
    lines.world.persistence.failNext("services", with: .full)
    #expect(await lines.run("state api") == 0)
    let warning = "warning: not all of the state was loaded: api: "
    #expect(lines.allPrinted.contains(warning), "\(lines.allPrinted)")
    var printed = lines.allPrinted.count
    // Another part is whole.
    #expect(await lines.run("state shell.lastStatus; state db.collections") == 0)
    #expect(!lines.allPrinted.dropFirst(printed).contains("warning"))
    printed = lines.allPrinted.count
    lines.world.persistence.failNext("services", with: .full)
    #expect(await lines.run("assert 'api.services exists'") != 0)
    #expect(lines.allPrinted.dropFirst(printed).contains(warning))
    printed = lines.allPrinted.count
    #expect(await lines.run("state api") == 0)
    #expect(!lines.allPrinted.dropFirst(printed).contains("warning"))
    #expect(lines.board.store.state.shell.unloaded == nil)
    await lines.board.close()
  }

  @Test("a command that loads the rest ends the warning, and one that cannot is the reason of it")
  func loadedByACommand() async throws {
    let lines = try await lines()
    lines.world.persistence.failNext("contents", with: .full)
    #expect(await lines.run("state db") == 0)
    #expect(lines.board.store.state.shell.unloaded?.map(\.feature) == ["db"])
    lines.world.persistence.failNext("contents", with: .full)
    _ = await lines.run("db list films")
    #expect(lines.board.store.state.shell.unloaded?.map(\.feature) == ["db"])
    #expect(await lines.run("db stats") == 0)
    #expect(lines.board.store.state.shell.unloaded == nil)
    let printed = lines.allPrinted.count
    #expect(await lines.run("state db") == 0)
    #expect(!lines.allPrinted.dropFirst(printed).contains("warning"))
    await lines.board.close()
  }

  @Test("a database that stays locked is waited for once")
  func busy() async throws {
    let lines = try await lines()
    let asked = lines.world.persistence.calls.count
    lines.world.persistence.failNext("services", with: .busy)
    #expect(await lines.run("state") == 0)
    #expect(lines.world.persistence.calls.dropFirst(asked).map(\.name) == ["services"])
    #expect(lines.board.store.state.shell.unloaded?.map(\.feature) == ["api"])
    #expect(lines.allPrinted.contains("warning: not all of the state was loaded: api: "))
    // The next line tries all of it again.
    #expect(await lines.run("state") == 0)
    #expect(lines.board.store.state.db.collections == ["films": 1])
    #expect(lines.board.store.state.shell.unloaded == nil)
    await lines.board.close()
  }

  @Test("a recording of it replays")
  func recording() async throws {
    let lines = try await lines()
    let folder = try TemporaryFolder()
    try lines.board.record(to: folder.path("r"))
    #expect(await lines.run("state api") == 0)
    #expect(await lines.run("assert db.collections.films == 1") == 0)
    #expect(await lines.run("state characters.recent") == 0)
    #expect(await lines.run("state keychain.names") == 0)
    lines.board.stopRecording()
    let summary = try Replayer(BoardFeatures.all).replay(RotatedLog(path: folder.path("r")))
    #expect(summary.steps == 13)
    await lines.board.close()
  }

  @Test("'api service list' makes the services known, and a request asks for none")
  func serviceList() throws {
    let world = World()
    let store = world.store()
    store.nonExhaustively { store in
      store.send(
        .api(
          .run(
            context: context("api service add", "api.service.add"),
            command: .serviceAdd(service: sab))))
      store.skipReceivedActions()
      #expect(store.state.api.services == nil)
      store.send(
        .api(
          .run(
            context: context("api service list", "api.service.list", job: 2), command: .serviceList)
        ))
      store.receive(.api(.looked(job: 2, command: .serviceList, services: [sab])))
      #expect(store.state.api.services == [sab])
      store.receive(.api(.succeeded(job: 2, result: .services(services: [sab]))))
    }
    store.finish()
  }
}
