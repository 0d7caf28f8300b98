import SwiftBoardDependencies
import SwiftBoardTestSupport
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardFeatures

/// A fork goes back to the state of an earlier step, and services do not go back.
@Suite("what services hold when the board continues in a fork")
struct ForkedServicesTests {
  @Test("a request goes to the present address of a service")
  func request() async throws {
    let folder = try TemporaryFolder()
    let lines = Lines()
    lines.world.api.answer { _ in .json("{}") }
    try lines.board.record(to: folder.path("r"))
    for line in [
      "api service add box http://a.test --auth bearer:{{secret:radarr}}", "api get box/echo",
      "session mark m", "api service remove box", "api service add box http://b.test",
      "session fork @m \(folder.path("f"))", "api get box/echo",
    ] { #expect(await lines.run(line) == 0, "\(line): \(lines.allPrinted)") }
    #expect(
      lines.world.api.requests.map(\.url) == ["http://a.test/echo", "http://b.test/echo"])
    let headers = try #require(lines.world.api.requests.last).headers
    #expect(!headers.contains { $0.name.lowercased() == "authorization" })
    // A service that is gone is not known anymore.
    for line in [
      "session mark n", "api service remove box", "session fork @n \(folder.path("g"))",
    ] { #expect(await lines.run(line) == 0, "\(line): \(lines.allPrinted)") }
    #expect(await lines.run("api get box/echo") != 0)
    #expect(lines.world.api.requests.count == 2)
    await lines.board.close()
    for name in ["f", "g"] {
      #expect(await RunningBoard().run("session verify \(folder.path(name))").status == 0)
    }
  }

  @Test("a line that shows the state reads the services again")
  func state() async throws {
    let folder = try TemporaryFolder()
    let secret = KeychainSecret.passphrase(try GuardedBytes(copying: Array("open".utf8)))
    let lines = Lines(World(MockKeychainService(entries: [:], secret: secret)))
    try lines.board.record(to: folder.path("r"))
    for line in [
      "db put films 1 {}", "db put songs 1 {}", "analytics on", "log level error",
      "log level api trace", "state", "session mark m", "db put films 2 {}",
      "db put books 1 {}", "db remove songs 1", "analytics off", "log level debug",
      "keychain lock", "session fork @m \(folder.path("f"))",
      "assert 'db.collections.films == 2 and db.collections.books == 1'",
      "!assert 'db.collections.songs exists'", "assert 'analytics.consent == false'",
      "assert 'log.level == 1 and log.levels.api == 0'", "assert 'keychain.isUnlocked == false'",
    ] { #expect(await lines.run(line) == 0, "\(line): \(lines.allPrinted)") }
    // What commands have done in the session is that of the mark.
    #expect(lines.board.store.state.db.writes == 2)
    await lines.board.close()
    #expect(await RunningBoard().run("session verify \(folder.path("f"))").status == 0)
  }

  @Test("recent searches and names of secrets are read again")
  func names() async throws {
    let folder = try TemporaryFolder()
    let lines = Lines()
    try lines.board.record(to: folder.path("r"))
    for line in ["state characters", "state keychain", "session mark m"] {
      #expect(await lines.run(line) == 0, "\(line): \(lines.allPrinted)")
    }
    try await lines.world.persistence.addSearch("name==rick", scope: "characters", at: 0)
    try await lines.world.keychain.save(Data("a value".utf8), forKey: "sab")
    for line in [
      "session fork @m \(folder.path("f"))", #"assert 'characters.recent[0] == "name==rick"'"#,
      #"assert 'keychain.names[1] == "sab"'"#,
    ] { #expect(await lines.run(line) == 0, "\(line): \(lines.allPrinted)") }
    await lines.board.close()
  }

  @Test("a line that forks ends when the state has no copies of what services held")
  func end() async throws {
    let folder = try TemporaryFolder()
    let lines = Lines()
    try lines.board.record(to: folder.path("r"))
    let (ends, end) = AsyncStream<Bool>.makeStream()
    lines.board.store.observe { [weak board = lines.board] step, _ in
      if case .resumed(_, _, let job) = step.action { end.yield(board?.hasEnded(job) == true) }
    }
    for line in [
      "db put films 1 {}", "session mark m", "db put films 2 {}",
      "session fork @m \(folder.path("f")); assert 'db.collections.films == 2'",
    ] { #expect(await lines.run(line) == 0, "\(line): \(lines.allPrinted)") }
    #expect(await ends.first { _ in true } == false)
    await lines.board.close()
  }

  @Test("a change that ran at the step of a fork is not in the state")
  func change() async throws {
    let folder = try TemporaryFolder()
    let lines = Lines()
    try lines.board.record(to: folder.path("r"))
    for line in [
      "db put c 1 {}", "db put c 2 {}", "session fork 2 \(folder.path("f"))",
      "assert 'db.collections.c == 2'",
    ] { #expect(await lines.run(line) == 0, "\(line): \(lines.allPrinted)") }
    let state = lines.board.store.state.db
    #expect(state.changes == [] && state.pending == nil && state.isLoaded == true)
    await lines.board.close()
    #expect(await RunningBoard().run("session verify \(folder.path("f"))").status == 0)
  }

  @Test("a state keeps the form of an earlier recording")
  func earlierState() {
    var state = BoardState()
    state.analytics.consent = true
    state.db.isLoaded = nil
    state.keychain.file = nil
    state.keychain.knowsNames = nil
    state.log.levels = nil
    state.log.changes = nil
    for feature in BoardFeatures.all.features { feature.changes.continued(&state) }
    // Members that earlier recordings lack stay away.
    #expect(state.db.isLoaded == nil && state.keychain.file == nil && state.log.levels == nil)
    #expect(state.keychain.knowsNames == nil && state.analytics.consent == nil)
    #expect(state.log.changes == nil)
  }
}
