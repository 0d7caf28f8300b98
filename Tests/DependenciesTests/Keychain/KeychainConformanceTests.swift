import SwiftBoardDependencies
import SwiftBoardServiceTesting
import SwiftBoardSystem
import Testing

/// What every keychain does, by each of them.
@Suite struct KeychainConformanceTests {
  static let live = KeychainConformance { setting in
    let folder = try KeychainFolder()
    var sources = UnlockSources.none
    if let passphrase = setting.passphrase {
      let file = try folder.write(Array("\(passphrase)\n".utf8), to: "p")
      sources = UnlockSources(environment: ["SWIFTBOARD_PASSPHRASE_FILE": file])
    }
    return KeychainConformance.Subject(
      LiveKeychainService(at: folder.keychain, sources, clock: setting.clock),
      folder: folder.path, keeping: folder
    ) { change in
      switch change {
      case .keep: _ = try folder.write(bytes(of: folder.keychain), to: "copy")
      case .restore: try #require(rename("\(folder.path)/copy", folder.keychain) == 0)
      case .replace:
        let other = "\(folder.path)/other.sbkc"
        _ = try await LiveKeychainService.made(at: other)
        try #require(rename(other, folder.keychain) == 0)
      }
    } write: { bytes, name in
      try folder.write(bytes, to: name)
    }
  }

  private static func subject(_ mock: MockKeychainService, _ service: (any KeychainService)? = nil)
    -> KeychainConformance.Subject
  {
    KeychainConformance.Subject(service ?? mock) { change in
      switch change {
      case .keep: break
      case .restore: mock.replaceFile(generation: 1, isOther: false)
      case .replace: mock.replaceFile(generation: 1, isOther: true)
      }
    }
  }

  private static func unmade(_ setting: KeychainConformance.Setting) throws -> MockKeychainService {
    MockKeychainService(
      exists: false, unlockSource: try setting.passphrase.map { try .words($0) },
      clock: setting.clock)
  }

  static let mock = KeychainConformance { subject(try unmade($0)) }

  /// The one of `.mock` and `.preview`, which tells the redactor what it gives out.
  static let redacting = KeychainConformance { setting in
    let mock = try unmade(setting)
    return subject(mock, RedactingKeychain(mock, redactor: Redactor()))
  }

  @Test("the live one keeps every rule", arguments: live.checks)
  func liveConforms(_ check: ConformanceCheck) async throws { try await check.run() }

  @Test("the mock keeps every rule", arguments: mock.checks)
  func mockConforms(_ check: ConformanceCheck) async throws { try await check.run() }

  /// Registering a value of 1 MiB takes many seconds without optimisation, and its length makes no
  /// difference here.
  @Test(
    "one that registers secrets keeps every rule",
    arguments: redacting.checks.filter {
      $0.rule != "a value of the greatest size is kept, and a greater one refused"
    })
  func redactingConforms(_ check: ConformanceCheck) async throws { try await check.run() }
}

@Suite struct KeychainMockTests {
  @Test("the mock records every call") func recordsEveryCall() async throws {
    let mock = MockKeychainService()
    try await mock.save(Data([1]), forKey: "a")
    _ = try await mock.load(forKey: "a")
    await mock.lock()
    #expect(await kind { _ = try await mock.keys() } == .locked)
    #expect(mock.calls == [.save(bytes: 1, key: "a"), .load(key: "a"), .lock, .keys])
  }

  @Test("the mock fails once where it is asked to") func failsOnce() async throws {
    let mock = MockKeychainService(entries: ["a": Data([1])])
    mock.failNext(with: KeychainError(.durabilityUnknown, message: "disk"))
    #expect(await kind { try await mock.save(Data([2]), forKey: "a") } == .durabilityUnknown)
    #expect(try await mock.load(forKey: "a") == Data([1]))
  }

  @Test("the mock starts as asked") func startsAsAsked() async throws {
    let locked = MockKeychainService(entries: ["a": Data([1])], unlocked: false)
    #expect(await kind { _ = try await locked.load(forKey: "a") } == .locked)
    try await locked.unlock(with: .words("anything"))
    #expect(try await locked.load(forKey: "a") == Data([1]))
    let missing = MockKeychainService(exists: false)
    #expect(await kind { _ = try await missing.load(forKey: "a") } == .missing)
  }

  @Test("previews are worlds of their own") func previewsAreWorldsOfTheirOwn() async throws {
    let first = MockKeychainService.preview
    #expect(try await first.keys() == ["indexer", "radarr", "sabnzbd", "sonarr"])
    try await first.delete(forKey: "radarr")
    let second = MockKeychainService.preview
    #expect(try await second.load(forKey: "radarr") != nil)
  }

  @Test("samples go with the first keychain that is created, and the next one exists")
  func samplesStandIn() async throws {
    let mock = MockKeychainService.preview
    try await mock.create(with: nil)
    #expect(try await mock.keys() == [])
    try await mock.save(Data([1]), forKey: "a")
    #expect(await kind { try await mock.create(with: nil) } == .exists)
    #expect(try await mock.keys() == ["a"])
  }
}
