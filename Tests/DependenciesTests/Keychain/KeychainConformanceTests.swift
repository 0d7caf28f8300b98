import SwiftBoardDependencies
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An implementation of `KeychainService`, made anew for each test.
struct KeychainMaker: Sendable, CustomTestStringConvertible {
  var testDescription: String
  /// A service without a keychain; with `source` it unlocks by itself with the passphrase `open`.
  var make: @Sendable (_ source: Bool) throws -> Subject

  struct Subject {
    var service: any KeychainService
    /// Kept as long as the service is used.
    var folder: KeychainFolder?
  }

  static let live = KeychainMaker(testDescription: "live") { source in
    let folder = try KeychainFolder()
    var sources = UnlockSources.none
    if source {
      sources = UnlockSources(
        environment: ["SWIFTBOARD_PASSPHRASE_FILE": try folder.write(Array("open\n".utf8), to: "p")]
      )
    }
    return Subject(service: LiveKeychainService(at: folder.keychain, sources), folder: folder)
  }

  static let mock = KeychainMaker(testDescription: "mock") { source in
    Subject(
      service: MockKeychainService(exists: false, unlockSource: source ? try .words("open") : nil))
  }
}

/// What every keychain does.
@Suite struct KeychainConformanceTests {
  private static let makers = [KeychainMaker.live, .mock]

  private func with(
    _ maker: KeychainMaker, _ body: (any KeychainService) async throws -> Void
  ) async throws {
    let subject = try maker.make(false)
    try await subject.service.create(with: .words("open"))
    try await body(subject.service)
    withExtendedLifetime(subject) {}
  }

  @Test("verifying tells what status tells", arguments: makers) func verifyingTellsWhatStatusTells(
    _ maker: KeychainMaker
  ) async throws {
    let subject = try maker.make(false)
    #expect(await kind { _ = try await subject.service.verify() } == .missing)
    try await with(maker) { keychain in
      try await keychain.save(Data([1]), forKey: "a")
      #expect(try await keychain.verify() == keychain.status())
      await keychain.lock()
      #expect(try await keychain.verify() == keychain.status())
      #expect(try await keychain.verify().unlocked == false)
    }
  }

  @Test("accepting opens it, and says that there was nothing to accept", arguments: makers)
  func acceptsWhatIsKnown(_ maker: KeychainMaker) async throws {
    let subject = try maker.make(false)
    #expect(
      await kind { _ = try await subject.service.accept(with: .words("open")) } == .missing)
    try await with(maker) { keychain in
      try await keychain.save(Data([1]), forKey: "a")
      await keychain.lock()
      #expect(await kind { _ = try await keychain.accept(with: nil) } == .locked)
      #expect(await kind { _ = try await keychain.accept(with: .words("shut")) } == .wrongSecret)
      #expect(try await keychain.status().unlocked == false)
      let accepted = try await keychain.accept(with: .words("open"))
      #expect(accepted.reason == .known)
      #expect(accepted.remembered == accepted.found)
      #expect(accepted.found.generation == accepted.generation)
      #expect(try await keychain.status().generation == accepted.generation)
      #expect(try await keychain.load(forKey: "a") == Data([1]))
      #expect(await keychain.takeWarning() == nil)
    }
  }

  @Test("an older copy and another keychain are refused until they are accepted", arguments: makers)
  func acceptsWhatWasPutThere(_ maker: KeychainMaker) async throws {
    for isOther in [false, true] {
      let subject = try maker.make(false)
      let keychain = subject.service
      try await keychain.create(with: .words("open"))
      let old = try subject.folder.map { try bytes(of: $0.keychain) }
      for value in [1, 2] as [UInt8] { try await keychain.save(Data([value]), forKey: "a") }
      if let folder = subject.folder {
        let other = "\(folder.path)/other.sbkc"
        _ = try await LiveKeychainService.made(at: other)
        let file = try folder.write(try isOther ? bytes(of: other) : old ?? [], to: "new")
        try #require(rename(file, folder.keychain) == 0)
      } else {
        (keychain as? MockKeychainService)?.replaceFile(generation: 1, isOther: isOther)
      }
      await keychain.lock()
      let refusal: KeychainError.Kind = isOther ? .differentKeychain : .rolledBack
      #expect(await kind { try await keychain.unlock(with: .words("open")) } == refusal)
      #expect(await kind { _ = try await keychain.accept(with: .words("shut")) } == .wrongSecret)
      #expect(await kind { try await keychain.unlock(with: .words("open")) } == refusal)
      let accepted = try await keychain.accept(with: .words("open"))
      #expect(accepted.reason == (isOther ? .replaced : .rolledBack))
      #expect(accepted.remembered?.generation == 3)
      #expect([accepted.found.generation, accepted.generation] == [1, isOther ? 1 : 4])
      #expect(try await keychain.status().generation == accepted.generation)
      await keychain.lock()
      try await keychain.unlock(with: .words("open"))
      withExtendedLifetime(subject) {}
    }
  }

  @Test("a value that is saved is loaded", arguments: makers) func savesAndLoads(
    _ maker: KeychainMaker
  ) async throws {
    try await with(maker) { keychain in
      #expect(try await keychain.load(forKey: "a") == nil)
      try await keychain.save(Data([1, 2, 3]), forKey: "a")
      try await keychain.save(Data([4]), forKey: "b")
      #expect(try await keychain.load(forKey: "a") == Data([1, 2, 3]))
      try await keychain.save(Data([5]), forKey: "a")
      #expect(try await keychain.load(forKey: "a") == Data([5]))
      #expect(try await keychain.load(forKey: "b") == Data([4]))
      #expect(try await keychain.keys() == ["a", "b"])
    }
  }

  @Test("a deleted value is gone", arguments: makers) func deletes(_ maker: KeychainMaker)
    async throws
  {
    try await with(maker) { keychain in
      try await keychain.save(Data([1]), forKey: "a")
      try await keychain.save(Data([2]), forKey: "b")
      try await keychain.delete(forKey: "a")
      #expect(try await keychain.load(forKey: "a") == nil)
      #expect(try await keychain.keys() == ["b"])
      try await keychain.delete(forKey: "a")
      try await keychain.delete(forKey: "never there")
    }
  }

  @Test("a renamed value has its new name alone", arguments: makers) func renames(
    _ maker: KeychainMaker
  ) async throws {
    try await with(maker) { keychain in
      try await keychain.save(Data([1]), forKey: "m")
      try await keychain.save(Data([2]), forKey: "x")
      try await keychain.rename("m", to: "z")
      #expect(try await keychain.keys() == ["x", "z"])
      #expect(try await keychain.load(forKey: "z") == Data([1]))
      try await keychain.rename("z", to: "a")
      #expect(try await keychain.keys() == ["a", "x"])
      #expect(await kind { try await keychain.rename("z", to: "y") } == .missingKey)
      #expect(await kind { try await keychain.rename("a", to: "x") } == .duplicateKey)
      #expect(await kind { try await keychain.rename("absent", to: "x") } == .missingKey)
      #expect(await kind { try await keychain.rename("a", to: "") } == .invalidKey)
      try await keychain.rename("a", to: "a")
      #expect(try await keychain.load(forKey: "a") == Data([1]))
      #expect(try await keychain.load(forKey: "x") == Data([2]))
    }
  }

  @Test("a blank value is a value", arguments: makers)
  func blankValue(_ maker: KeychainMaker) async throws {
    try await with(maker) { keychain in
      try await keychain.save(Data(), forKey: "a")
      #expect(try await keychain.load(forKey: "a") == Data())
      try await keychain.save(Data([1]), forKey: "a")
      try await keychain.save(Data(), forKey: "a")
      #expect(try await keychain.load(forKey: "a") == Data())
      #expect(try await keychain.keys() == ["a"])
    }
  }

  @Test("keys are bytes", arguments: makers)
  func difficultKeys(_ maker: KeychainMaker) async throws {
    let keys = [
      " ", "\u{0}", "a\u{0}b", "a\u{0}c", "\n", "é", "e\u{301}", "🔑", "/", "../x",
      String(repeating: "k", count: 1024),
      String(repeating: "é", count: 512),
    ]
    try await with(maker) { keychain in
      for (index, key) in keys.enumerated() {
        try await keychain.save(Data([UInt8(index)]), forKey: key)
      }
      for (index, key) in keys.enumerated() {
        #expect(try await keychain.load(forKey: key) == Data([UInt8(index)]))
      }
      let expected = keys.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
      let found = try await keychain.keys()
      #expect(found.map { Array($0.utf8) } == expected)
      try await keychain.delete(forKey: "é")
      #expect(try await keychain.load(forKey: "e\u{301}") == Data([6]))
      #expect(try await keychain.load(forKey: "é") == nil)
      try await keychain.rename("e\u{301}", to: "é")
      #expect(try await keychain.load(forKey: "é") == Data([6]))
    }
  }

  @Test("invalid keys are refused", arguments: makers) func invalidKeys(_ maker: KeychainMaker)
    async throws
  {
    try await with(maker) { keychain in
      for key in ["", String(repeating: "k", count: 1025), String(repeating: "é", count: 513)] {
        #expect(await kind { try await keychain.save(Data([1]), forKey: key) } == .invalidKey)
        #expect(await kind { _ = try await keychain.load(forKey: key) } == .invalidKey)
        #expect(await kind { try await keychain.delete(forKey: key) } == .invalidKey)
      }
      let keys = try await keychain.keys()
      #expect(keys.isEmpty)
    }
  }

  @Test("a value of the greatest size is kept, and a greater one refused", arguments: makers)
  func bigValues(_ maker: KeychainMaker) async throws {
    try await with(maker) { keychain in
      let big = Data(repeating: 0xAB, count: 1_048_576)
      try await keychain.save(big, forKey: "big")
      #expect(try await keychain.load(forKey: "big") == big)
      let more = Data(repeating: 0xAB, count: 1_048_577)
      #expect(await kind { try await keychain.save(more, forKey: "big") } == .limitExceeded)
      #expect(try await keychain.load(forKey: "big") == big)
    }
  }

  @Test("a locked keychain is locked for every call", arguments: makers) func locked(
    _ maker: KeychainMaker
  ) async throws {
    try await with(maker) { keychain in
      try await keychain.save(Data([1]), forKey: "a")
      await keychain.lock()
      await keychain.lock()
      #expect(await kind { _ = try await keychain.load(forKey: "a") } == .locked)
      #expect(await kind { _ = try await keychain.keys() } == .locked)
      #expect(await kind { try await keychain.save(Data(), forKey: "a") } == .locked)
      #expect(await kind { try await keychain.delete(forKey: "a") } == .locked)
      #expect(await kind { try await keychain.rename("a", to: "b") } == .locked)
      #expect(await kind { try await keychain.unlock(with: nil) } == .locked)
      #expect(await kind { try await keychain.unlock(with: .words("shut")) } == .wrongSecret)
      #expect(await kind { try await keychain.unlock(with: .words("")) } == .invalidPassphrase)
      #expect(await kind { try await keychain.unlock(with: .key([1])) } == .invalidKeyFile)
      #expect(
        await kind { try await keychain.unlock(with: .key(Array(0..<32))) } == .noMatchingSlot)
      #expect(await kind { _ = try await keychain.load(forKey: "a") } == .locked)
      let status = try await keychain.status()
      #expect(status.exists && !status.unlocked && status.count == nil)
      try await keychain.unlock(with: .words("open"))
      #expect(try await keychain.load(forKey: "a") == Data([1]))
      #expect(try await keychain.status().count == 1)
    }
  }

  @Test("a wrong secret does not lock what is unlocked", arguments: makers)
  func wrongSecretWhileUnlocked(_ maker: KeychainMaker) async throws {
    try await with(maker) { keychain in
      try await keychain.save(Data([1]), forKey: "a")
      #expect(await kind { try await keychain.unlock(with: .words("shut")) } == .wrongSecret)
      #expect(try await keychain.load(forKey: "a") == Data([1]))
    }
  }

  @Test("calls unlock by themselves where there is a source", arguments: makers)
  func source(_ maker: KeychainMaker) async throws {
    let subject = try maker.make(true)
    let keychain = subject.service
    #expect(await kind { _ = try await keychain.load(forKey: "a") } == .missing)
    try await keychain.create(with: nil)
    try await keychain.save(Data([1]), forKey: "a")
    await keychain.lock()
    #expect(try await keychain.load(forKey: "a") == Data([1]))
    await keychain.lock()
    try await keychain.save(Data([2]), forKey: "a")
    await keychain.lock()
    try await keychain.unlock(with: nil)
    #expect(try await keychain.status().unlocked == true)
    withExtendedLifetime(subject) {}
  }

  @Test("a keychain that is not there is missing for every call", arguments: makers) func missing(
    _ maker: KeychainMaker
  ) async throws {
    let subject = try maker.make(false)
    let keychain = subject.service
    #expect(await kind { _ = try await keychain.load(forKey: "a") } == .missing)
    #expect(await kind { _ = try await keychain.keys() } == .missing)
    #expect(await kind { try await keychain.save(Data(), forKey: "a") } == .missing)
    #expect(await kind { try await keychain.delete(forKey: "a") } == .missing)
    #expect(await kind { try await keychain.unlock(with: .words("open")) } == .missing)
    #expect(try await keychain.status().exists == false)
    #expect(await kind { try await keychain.create(with: nil) } == .locked)
    #expect(await kind { try await keychain.create(with: .words("")) } == .invalidPassphrase)
    let typed = Array("0123456789abcdef0123456789ABCDEF".utf8)
    #expect(await kind { try await keychain.create(with: .key(typed)) } == .invalidKeyFile)
    #expect(try await keychain.status().exists == false)
    withExtendedLifetime(subject) {}
  }

  @Test("a keychain is never created over another", arguments: makers)
  func createTwice(_ maker: KeychainMaker) async throws {
    try await with(maker) { keychain in
      try await keychain.save(Data([1]), forKey: "a")
      #expect(await kind { try await keychain.create(with: .words("other")) } == .exists)
      #expect(try await keychain.load(forKey: "a") == Data([1]))
    }
  }

  @Test("errors name the path and no secret", arguments: makers)
  func errorTexts(_ maker: KeychainMaker) async throws {
    try await with(maker) { keychain in
      try await keychain.save(Data("hidden-value".utf8), forKey: "hidden-key")
      var errors: [KeychainError] = []
      func note(_ body: () async throws -> Void) async {
        do { try await body() } catch {
          if let error = error as? KeychainError { errors.append(error) }
        }
      }
      await note { try await keychain.rename("absent-key", to: "hidden-key") }
      await note { try await keychain.rename("hidden-key", to: "") }
      await note { try await keychain.unlock(with: .words("hidden-word")) }
      await keychain.lock()
      await note { _ = try await keychain.load(forKey: "hidden-key") }
      #expect(errors.count == 4)
      for error in errors {
        #expect(error.path.hasSuffix(".sbkc"))
        #expect(error.message.hasPrefix(error.path))
        #expect(!error.message.contains("hidden-"))
      }
    }
  }
}

@Suite struct KeychainMockTests {
  @Test("the mock records every call") func recordsEveryCall() async throws {
    let mock = MockKeychainService()
    try await mock.save(Data([1]), forKey: "a")
    _ = try await mock.load(forKey: "a")
    await mock.lock()
    #expect(await kind { _ = try await mock.keys() } == .locked)
    #expect(mock.calls == [.save(Data([1]), key: "a"), .load(key: "a"), .lock, .keys])
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
    #expect(try await first.keys() == ["radarr", "sonarr"])
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
