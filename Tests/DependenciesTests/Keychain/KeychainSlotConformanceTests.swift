import SwiftBoardDependencies
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What every keychain does about its slots, and about other files.
@Suite struct KeychainSlotConformanceTests {
  private static let makers = [KeychainMaker.live, .mock]
  private static let key = (0..<32).map { UInt8($0 * 7) }

  /// A keychain with the entry `a`, which the passphrase `open` opens.
  private func with(
    _ maker: KeychainMaker, source: Bool = false,
    _ body: (any KeychainService, _ folder: String) async throws -> Void
  ) async throws {
    let subject = try maker.make(source)
    try await subject.service.create(with: .words("open"))
    try await subject.service.save(Data([1]), forKey: "a")
    try await body(subject.service, subject.folder?.path ?? "")
    withExtendedLifetime(subject) {}
  }

  private func kinds(_ keychain: any KeychainService) async throws -> [String] {
    try await keychain.status().slots.map(\.kind)
  }

  /// What happens with a secret once the keychain is locked.
  private func unlock(_ keychain: any KeychainService, _ secret: KeychainSecret) async
    -> KeychainError.Kind?
  {
    await keychain.lock()
    return await kind { try await keychain.unlock(with: secret) }
  }

  @Test("a slot that is added opens it, beside the others", arguments: makers)
  func adds(_ maker: KeychainMaker) async throws {
    try await with(maker) { keychain, _ in
      try await keychain.addSlot(.key(Self.key))
      try await keychain.addSlot(.words("other"))
      #expect(try await kinds(keychain) == ["passphrase", "keyFile", "passphrase"])
      for secret in [try KeychainSecret.words("open"), try .key(Self.key), try .words("other")] {
        #expect(await unlock(keychain, secret) == nil)
        #expect(try await keychain.load(forKey: "a") == Data([1]))
      }
      #expect(await unlock(keychain, try .words("shut")) == .wrongSecret)
    }
  }

  @Test("a slot is not added twice, nor where none is free, nor for what is no secret")
  func addsNoMore() async throws {
    for maker in Self.makers {
      try await with(maker) { keychain, _ in
        #expect(await kind { try await keychain.addSlot(.words("open")) } == .duplicateKey)
        #expect(await kind { try await keychain.addSlot(.words("")) } == .invalidPassphrase)
        let typed = Array("0123456789abcdef0123456789ABCDEF".utf8)
        #expect(await kind { try await keychain.addSlot(.key(typed)) } == .invalidKeyFile)
        for number in 1..<8 { try await keychain.addSlot(.words("\(number)")) }
        #expect(await kind { try await keychain.addSlot(.words("9")) } == .limitExceeded)
        #expect(try await kinds(keychain).count == 8)
        await keychain.lock()
        #expect(await kind { try await keychain.addSlot(.words("9")) } == .locked)
      }
    }
  }

  @Test("a slot that is removed opens nothing, and those that stay give their secrets")
  func removes() async throws {
    for maker in Self.makers {
      try await with(maker) { keychain, _ in
        try await keychain.addSlot(.key(Self.key))
        try await keychain.addSlot(.words("other"))
        func error(_ change: KeychainRekey) async -> KeychainError? {
          do {
            try await keychain.rekey(change)
            return nil
          } catch { return error }
        }
        let generation = try await keychain.status().generation
        var needed = await error(KeychainRekey(removing: [1]))
        #expect(needed?.kind == .slotSecretNeeded)
        #expect(needed?.slot == .init(number: 2, kind: "keyFile"))
        #expect(needed?.category == "slotSecretNeeded(2, keyFile)")
        needed = await error(KeychainRekey(removing: [1], secrets: [try .key(Self.key)]))
        #expect(needed?.slot == .init(number: 3, kind: "passphrase"))
        let wrong = await error(KeychainRekey(removing: [1], secrets: [try .words("shut")]))
        #expect(wrong?.kind == .wrongSecret)
        #expect(await error(KeychainRekey(removing: [4]))?.kind == .limitExceeded)
        #expect(await error(KeychainRekey(removing: [1, 2, 3]))?.kind == .limitExceeded)
        #expect(try await keychain.status().generation == generation)

        // The secret of the slot that goes may be given too.
        let secrets = [
          try KeychainSecret.words("other"), try .key(Self.key), try .words("open"),
        ]
        #expect(await error(KeychainRekey(removing: [1], secrets: secrets)) == nil)
        #expect(try await kinds(keychain) == ["keyFile", "passphrase"])
        #expect(await unlock(keychain, try .words("open")) == .wrongSecret)
        #expect(await unlock(keychain, try .words("other")) == nil)
        #expect(await unlock(keychain, try .key(Self.key)) == nil)
        #expect(try await keychain.load(forKey: "a") == Data([1]))
        #expect(
          await error(KeychainRekey(removing: [1], secrets: [try .words("other")])) == nil)
        #expect(await error(KeychainRekey(removing: [1]))?.kind == .limitExceeded)
        #expect(try await kinds(keychain) == ["passphrase"])
      }
    }
  }

  @Test("a passphrase is changed with the old one, also from the source, also while it is locked")
  func changesPassphrase() async throws {
    for maker in Self.makers {
      try await with(maker) { keychain, _ in
        let change = KeychainRekey(replaced: try .words("open"), replacement: try .words("new"))
        #expect(await kind { try await keychain.rekey(change) } == nil)
        #expect(await unlock(keychain, try .words("open")) == .wrongSecret)
        #expect(await unlock(keychain, try .words("new")) == nil)
        #expect(try await keychain.load(forKey: "a") == Data([1]))
        #expect(await kind { try await keychain.rekey(change) } == .wrongSecret)
        let sourceless = KeychainRekey(replacement: try .words("newer"))
        #expect(await kind { try await keychain.rekey(sourceless) } == .locked)
        await keychain.lock()
        #expect(await kind { try await keychain.rekey(KeychainRekey()) } == .locked)
        #expect(
          await kind {
            try await keychain.rekey(
              KeychainRekey(replaced: try .words("new"), replacement: try .words("newer")))
          } == nil)
        #expect(await unlock(keychain, try .words("newer")) == nil)
      }
      try await with(maker, source: true) { keychain, _ in
        await keychain.lock()
        try await keychain.rekey(KeychainRekey(replacement: .words("new")))
        #expect(await unlock(keychain, try .words("new")) == nil)
      }
    }
  }

  @Test("with the source's secret nothing need be given to draw a new data key", arguments: makers)
  func rekeysWithSource(_ maker: KeychainMaker) async throws {
    try await with(maker, source: true) { keychain, _ in
      let generation = try await keychain.status().generation
      try await keychain.rekey(KeychainRekey())
      #expect(try await keychain.status().generation == generation.map { $0 + 1 })
      await keychain.lock()
      #expect(try await keychain.load(forKey: "a") == Data([1]))
    }
  }

  @Test("what was exported is imported: refused, kept or replaced where names are taken")
  func exportsAndImports() async throws {
    for maker in Self.makers {
      try await with(maker) { keychain, folder in
        let path = folder + "/copy.sbkc"
        let words = try KeychainSecret.words("copy")
        try await keychain.save(Data([2]), forKey: "b")
        #expect(try await keychain.export(to: path, secret: words) == 2)
        #expect(await kind { _ = try await keychain.export(to: path, secret: words) } == .exists)
        func take(_ existing: ImportDuplicates) async throws -> KeychainImport {
          try await keychain.importEntries(from: path, secret: words, existing: existing)
        }
        try await keychain.save(Data([9]), forKey: "a")
        try await keychain.delete(forKey: "b")
        try await keychain.save(Data([3]), forKey: "c")
        let generation = try await keychain.status().generation
        #expect(await kind { _ = try await take(.refuse) } == .duplicateKey)
        #expect(try await keychain.keys() == ["a", "c"])
        #expect(try await keychain.status().generation == generation)
        #expect(try await take(.keep) == KeychainImport(added: 1, replaced: 0, kept: 1))
        #expect(try await keychain.keys() == ["a", "b", "c"])
        #expect(try await keychain.load(forKey: "a") == Data([9]))
        #expect(try await take(.keep) == KeychainImport(added: 0, replaced: 0, kept: 2))
        #expect(try await keychain.status().generation == generation.map { $0 + 1 })
        #expect(try await take(.replace) == KeychainImport(added: 0, replaced: 2, kept: 0))
        #expect(try await keychain.load(forKey: "a") == Data([1]))
        #expect(try await keychain.load(forKey: "c") == Data([3]))
        #expect(
          await kind {
            _ = try await keychain.importEntries(
              from: path, secret: .words("shut"), existing: .keep)
          } == .wrongSecret)
        #expect(
          await kind {
            _ = try await keychain.importEntries(
              from: path + "x", secret: words, existing: .keep)
          } == .missing)
      }
    }
  }

  @Test("the mock is locked when its clock says that it was not used for so long")
  func idleMock() async throws {
    let time = ManualClock()
    let keychain = MockKeychainService(clock: time.clock)
    try await idles(keychain, time)
  }

  @Test("the live one is locked when its clock says that it was not used for so long")
  func idleLive() async throws {
    let time = ManualClock()
    let folder = try KeychainFolder()
    let keychain = LiveKeychainService(at: folder.keychain, clock: time.clock)
    try await keychain.create(with: .words("open"))
    try await idles(keychain, time)
  }

  private func idles(_ keychain: any KeychainService, _ time: ManualClock) async throws {
    let limit = Duration.seconds(300)
    #expect(await keychain.lock(unusedFor: limit) == .inUse(left: limit))
    time.advance(by: .seconds(200))
    // Looking is no use.
    _ = try await keychain.status()
    _ = try await keychain.verify()
    #expect(await keychain.lock(unusedFor: limit) == .inUse(left: .seconds(100)))
    _ = try await keychain.load(forKey: "a")
    #expect(await keychain.lock(unusedFor: limit) == .inUse(left: limit))
    time.advance(by: .seconds(299))
    #expect(await keychain.lock(unusedFor: limit) == .inUse(left: .seconds(1)))
    time.advance(by: .seconds(1))
    #expect(await keychain.lock(unusedFor: limit) == .locked)
    #expect(try await keychain.status().unlocked == false)
    #expect(await keychain.lock(unusedFor: limit) == .wasLocked)
  }
}
