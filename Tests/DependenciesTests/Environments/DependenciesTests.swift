import Dispatch
import SwiftBoardSystem
import SwiftBoardTestSupport
import Synchronization
import Testing

@testable import SwiftBoardDependencies

struct DependenciesTests {
  @Test("two mentions of mock share nothing") func twoMentionsOfMockShareNothing() async throws {
    let first = Dependencies.mock
    let second = Dependencies.mock
    try await first.keychainService.save(Data("v".utf8), forKey: "k")
    try await first.persistence.setPreference("p", to: "1")
    first.logger.log("x")
    first.analytics.setConsent(true)
    _ = first.uuid()
    let drawn = first.random.next()
    #expect(try await second.keychainService.load(forKey: "k") == nil)
    #expect(try await second.persistence.preference("p") == nil)
    #expect(second.logger.recent(limit: 9).isEmpty)
    #expect(!second.analytics.hasConsent)
    #expect(second.uuid().uuidString == "00000000-0000-0000-0000-000000000001")
    #expect(second.random.next() == drawn)
    #expect(second.date.now == DateGenerator.mockStart)
    #expect(second.clock.now == 0)
  }

  @Test("copies share their services") func copiesShareTheirServices() async throws {
    let first = Dependencies.mock
    var copy = first
    copy.date = .fixed(5)
    try await copy.keychainService.save(Data("v".utf8), forKey: "k")
    #expect(try await first.keychainService.load(forKey: "k") == Data("v".utf8))
    #expect(first.date.now == DateGenerator.mockStart)
    #expect(copy.date.now == 5)
    _ = copy.uuid()
    #expect(first.uuid().uuidString.hasSuffix("2"))
  }

  @Test("mock answers nothing by itself") func mockAnswersNothingByItself() async {
    let error = await #expect(throws: APIError.self) {
      try await Dependencies.mock.apiClient.send(APIRequest(url: "http://h/"))
    }
    #expect(error?.kind == .unanswered)
  }

  @Test("the time of a mock is the test's") func mockTimeIsTheTests() async throws {
    let clock = ManualClock()
    let dependencies = Dependencies.mock(clock: clock)
    let task = Task { try await dependencies.clock.sleep(for: .seconds(3600)) }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(3600))
    try await task.value
    #expect(dependencies.clock.now == 3_600_000_000)
  }

  @Test(
    "the environments with samples answer and know their secret",
    arguments: [Dependencies.preview, .demonstration])
  func samples(dependencies: Dependencies) async throws {
    let answer = try await dependencies.apiClient.send(
      APIRequest(url: "http://127.0.0.1:1/api/character/1"))
    #expect(answer.status == 200)
    let value = try #require(try await dependencies.keychainService.load(forKey: "radarr"))
    #expect(
      dependencies.logger.redact("<\(String(decoding: value, as: UTF8.self))>")
        == "<«secret:radarr»>")
    #expect(dependencies.date.now == DateGenerator.mockStart)
    #expect(await dependencies.shutDown())
  }

  @Test("preview has samples") func previewHasSamples() async throws {
    let preview = Dependencies.preview
    #expect(preview.logger.recent(limit: 99).count == 5)
    #expect(preview.logger.recent(limit: 1)[0].time == DateGenerator.mockStart)
    #expect(try await !preview.persistence.services().isEmpty)
  }

  @Test("intercepted sees every draw") func interceptedSeesEveryDraw() {
    let notes = DrawNotes()
    let plain = Dependencies.mock
    let dependencies = plain.intercepted(by: notes.interceptor)
    let date = dependencies.date.now
    let uuid = dependencies.uuid()
    let random = dependencies.random.next()
    let clock = dependencies.clock.now
    #expect(notes.all == [.date(date), .uuid(uuid), .random(random), .clock(clock)])
    dependencies.logger.log("x")
    _ = plain.uuid()
    #expect(notes.all.count == 4)

    // Given back, the draws make another world draw the same.
    let left = Shared(notes.all)
    let replayed = Dependencies.preview.intercepted { _, live in
      left.value.withLock { $0.isEmpty ? nil : $0.removeFirst() } ?? live()
    }
    #expect(replayed.date.now == date)
    #expect(replayed.uuid() == uuid)
    #expect(replayed.random.next() == random)
    #expect(replayed.clock.now == clock)
  }

  @Test("making live touches nothing") func makingLiveTouchesNothing() async throws {
    let folder = try TemporaryFolder()
    let home = folder.path("home")
    let dependencies = Dependencies.live(LiveConfiguration(home: home, environment: [:]))
    _ = dependencies.uuid()
    dependencies.logger.log("below the level", level: .debug)
    #expect(await dependencies.shutDown())
    #expect(access(home, F_OK) != 0)
  }

  @Test("live logs and stores") func liveLogsAndStores() async throws {
    let folder = try TemporaryFolder()
    let configuration = LiveConfiguration(home: folder.path("home"), environment: [:])
    let dependencies = Dependencies.live(configuration)
    dependencies.logger.redactor.registerSecret(Array("s3cr3t-value".utf8), name: "n")
    dependencies.logger.log("only the file")
    #expect(await dependencies.shutDown(within: .seconds(3600)))
    #expect(access(configuration.paths.log, F_OK) == 0)
    #expect(access(configuration.paths.cacheDatabase, F_OK) != 0)
    dependencies.logger.log("both s3cr3t-value", level: .warning)
    #expect(await dependencies.shutDown(within: .seconds(3600)))
    let records = try await dependencies.persistence.logRecords(limit: 9, atLeast: nil)
    #expect(records.map(\.message) == ["both «secret:n»"])
    let text = String(decoding: try folder.read("home/log.jsonl"), as: UTF8.self)
    #expect(text.split(separator: "\n").count == 2)
    // What still waits to be written is cleared as well.
    dependencies.logger.log("another", level: .warning)
    try await dependencies.logger.removeAll(in: dependencies.persistence)
    #expect(try await dependencies.persistence.logRecords(limit: 9, atLeast: nil) == [])
    #expect(try folder.read("home/log.jsonl").isEmpty)
    #expect(await dependencies.shutDown(within: .seconds(3600)))
  }

  @Test("seed decides identifiers and chance") func seedDecidesIdentifiersAndChance() {
    func draw(_ seed: UInt64?) -> (UUID, UInt64) {
      let live = Dependencies.live(
        LiveConfiguration(home: "/nowhere", environment: [:], seed: seed))
      return (live.uuid(), live.random.next())
    }
    #expect(draw(4) == draw(4))
    #expect(draw(4) != draw(5))
    #expect(draw(nil) != draw(nil))
  }

  @Test("offline sends nothing") func offlineSendsNothing() async {
    let dependencies = Dependencies.live(
      LiveConfiguration(home: "/nowhere", environment: [:], isOffline: true))
    let error = await #expect(throws: APIError.self) {
      try await dependencies.apiClient.send(APIRequest(url: "http://127.0.0.1:1/"))
    }
    #expect(error?.kind == .offline)
  }

  @Test(
    "rule 2: all values are known from the moment of unlocking, also those that no command has loaded"
  )
  func unlockingMakesAllValuesKnown() async throws {
    let secret = KeychainSecret.passphrase(try GuardedBytes(copying: Array("open sesame".utf8)))
    let (first, second) = ("first-secret", "second-secret")
    for locked in [true, false] {
      let redactor = Redactor()
      let base = MockKeychainService(
        entries: ["a": Data(first.utf8), "b": Data(second.utf8)], unlocked: false, secret: secret,
        unlockSource: locked ? nil : secret)
      let keychain = RedactingKeychain(base, redactor: redactor)
      #expect(try await !keychain.status().unlocked)
      #expect(redactor.mask(first + second).names == [])
      if locked {
        try await keychain.unlock(with: secret)
      } else {
        // Any call that unlocks by itself will do.
        #expect(try await keychain.load(forKey: "nothing") == nil)
      }
      #expect(redactor.mask("\(first) \(second)").value == "«secret:a» «secret:b»")
      await keychain.lock()
      #expect(redactor.mask(first).names == ["a"], "a value stays known")
    }
  }

  @Test(
    "rule 2: the values of a keychain file are known once it is open, those of other processes too")
  func aFileThatAnotherProcessChanges() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("k.sbkc")
    let key = KeychainSecret.keyFile(try GuardedBytes.random(count: 32))
    let other = LiveKeychainService(path: path)
    try await other.create(with: key)
    try await other.save(Data("first-secret".utf8), forKey: "a")
    let redactor = Redactor()
    let keychain = RedactingKeychain(LiveKeychainService(path: path), redactor: redactor)
    try await keychain.unlock(with: key)
    #expect(redactor.mask("first-secret").names == ["a"])
    try await other.save(Data("second-secret".utf8), forKey: "b")
    #expect(try await keychain.keys() == ["a", "b"])
    #expect(redactor.mask("second-secret").names == ["b"])
    // Every line asks so, before it is judged.
    try await other.save(Data("third-secret".utf8), forKey: "c")
    #expect(await keychain.refreshUnlessBusy())
    #expect(redactor.mask("third-secret").names == ["c"])
    try folder.write("no keychain", to: "k.sbkc")
    #expect(await keychain.refreshUnlessBusy(), "what cannot be read fails no line")
  }

  @Test("a line does not wait for a call that derives a key or waits for another process")
  func busyKeychain() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("k.sbkc")
    let secret = KeychainSecret.passphrase(try GuardedBytes(copying: Array("pass".utf8)))
    let looked = EventLog<Bool>()
    let service = Mutex<LiveKeychainService?>(nil)
    let keychain = LiveKeychainService(path: path, policy: .fast) { isRunning in
      guard isRunning, let keychain = service.withLock(\.self) else { return }
      let done = DispatchSemaphore(value: 0)
      Task.detached {
        let result = await keychain.refreshUnlessBusy()
        looked.append(result)
        done.signal()
      }
      done.wait()
    }
    service.withLock { $0 = keychain }
    try await keychain.create(with: secret)
    #expect(looked.events == [false])
    service.withLock { $0 = nil }
  }

  @Test("keychain registers what it takes and gives") func keychainRegistersWhatItTakesAndGives()
    async throws
  {
    let logger = MockLogger()
    let base = MockKeychainService(entries: ["old": Data("old-secret".utf8)])
    let keychain = RedactingKeychain(base, redactor: logger.redactor)
    #expect(logger.redact("old-secret new-secret") == "old-secret new-secret")
    try await keychain.save(Data("new-secret".utf8), forKey: "new")
    _ = try await keychain.load(forKey: "old")
    #expect(logger.redact("old-secret new-secret") == "«secret:old» «secret:new»")
    try await keychain.rename("old", to: "older")
    #expect(logger.redact("old-secret") == "«secret:older»")
    try await keychain.delete(forKey: "new")
    #expect(try await keychain.keys() == ["older"])
    await keychain.lock()
    #expect(try await !keychain.status().unlocked)
    #expect(logger.redact("new-secret") == "«secret:new»")
    #expect(logger.redactor.lockCount == 1)
  }
}
