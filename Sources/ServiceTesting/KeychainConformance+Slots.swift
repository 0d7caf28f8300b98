import SwiftBoardDependencies

extension KeychainConformance {
  var slotChecks: [ConformanceCheck] {
    [
      checkOpen("a slot that is added opens it, beside the others") { keychain, _ in
        try await keychain.save(Data([1]), forKey: "a")
        try await keychain.addSlot(.key(Self.key))
        try await keychain.addSlot(.words("other"))
        try await equal(kinds(keychain), ["passphrase", "keyFile", "passphrase"])
        for secret in [try KeychainSecret.words("open"), try .key(Self.key), try .words("other")] {
          try await equal(unlock(keychain, secret), nil)
          try await equal(keychain.load(forKey: "a"), Data([1]))
        }
        try await equal(unlock(keychain, try .words("shut")), .wrongSecret)
      },
      checkOpen("a slot is not added twice, nor where none is free, nor for what is not a secret") {
        keychain, _ in
        try await equal(kind { try await keychain.addSlot(.words("open")) }, .duplicateKey)
        try await equal(kind { try await keychain.addSlot(.words("")) }, .invalidPassphrase)
        let typed = Array("0123456789abcdef0123456789ABCDEF".utf8)
        try await equal(kind { try await keychain.addSlot(.key(typed)) }, .invalidKeyFile)
        for number in 1..<8 { try await keychain.addSlot(.words("\(number)")) }
        try await equal(kind { try await keychain.addSlot(.words("9")) }, .limitExceeded)
        try await equal(kinds(keychain).count, 8)
        await keychain.lock()
        try await equal(kind { try await keychain.addSlot(.words("9")) }, .locked)
      },
      checkOpen("a slot that is removed opens nothing, and those that stay give their secrets") {
        keychain, _ in
        try await keychain.save(Data([1]), forKey: "a")
        try await keychain.addSlot(.key(Self.key))
        try await keychain.addSlot(.words("other"))
        func error(_ change: KeychainRekey) async -> KeychainError? {
          await failure(KeychainError.self) { try await keychain.rekey(change) }
        }
        let generation = try await keychain.status().generation
        var needed = await error(KeychainRekey(removing: [1]))
        try equal(needed?.kind, .slotSecretNeeded)
        try equal(needed?.slot, .init(number: 2, kind: "keyFile"))
        try equal(needed?.category, "slotSecretNeeded(2, keyFile)")
        needed = await error(KeychainRekey(removing: [1], secrets: [try .key(Self.key)]))
        try equal(needed?.slot, .init(number: 3, kind: "passphrase"))
        let wrong = await error(KeychainRekey(removing: [1], secrets: [try .words("shut")]))
        try equal(wrong?.kind, .wrongSecret)
        try await equal(error(KeychainRekey(removing: [4]))?.kind, .limitExceeded)
        try await equal(error(KeychainRekey(removing: [1, 2, 3]))?.kind, .limitExceeded)
        try await equal(keychain.status().generation, generation)

        // The secret of the removed slot may also be passed.
        let secrets = [
          try KeychainSecret.words("other"), try .key(Self.key), try .words("open"),
        ]
        try await equal(error(KeychainRekey(removing: [1], secrets: secrets)), nil)
        try await equal(kinds(keychain), ["keyFile", "passphrase"])
        try await equal(unlock(keychain, try .words("open")), .wrongSecret)
        try await equal(unlock(keychain, try .words("other")), nil)
        try await equal(unlock(keychain, try .key(Self.key)), nil)
        try await equal(keychain.load(forKey: "a"), Data([1]))
        try await equal(error(KeychainRekey(removing: [1], secrets: [try .words("other")])), nil)
        try await equal(error(KeychainRekey(removing: [1]))?.kind, .limitExceeded)
        try await equal(kinds(keychain), ["passphrase"])
      },
      check(
        "a passphrase is changed with the old one, also from the source, also while it is locked"
      ) {
        try await with { keychain, _ in
          try await keychain.save(Data([1]), forKey: "a")
          let change = KeychainRekey(replaced: try .words("open"), replacement: try .words("new"))
          try await equal(kind { try await keychain.rekey(change) }, nil)
          try await equal(unlock(keychain, try .words("open")), .wrongSecret)
          try await equal(unlock(keychain, try .words("new")), nil)
          try await equal(keychain.load(forKey: "a"), Data([1]))
          try await equal(kind { try await keychain.rekey(change) }, .wrongSecret)
          let sourceless = KeychainRekey(replacement: try .words("newer"))
          try await equal(kind { try await keychain.rekey(sourceless) }, .locked)
          await keychain.lock()
          try await equal(kind { try await keychain.rekey(KeychainRekey()) }, .locked)
          try await equal(
            kind {
              try await keychain.rekey(
                KeychainRekey(replaced: try .words("new"), replacement: try .words("newer")))
            }, nil)
          try await equal(unlock(keychain, try .words("newer")), nil)
        }
        try await with { keychain, _ in
          try await keychain.addSlot(.words("other"))
          let generation = try await keychain.status().generation
          let change = KeychainRekey(
            replaced: try .words("open"), replacement: try .words("other"),
            secrets: [try .words("other")])
          try await equal(kind { try await keychain.rekey(change) }, .duplicateKey)
          try await equal(keychain.status().generation, generation)
          try await equal(unlock(keychain, try .words("open")), nil)
        }
        try await with(source: true) { keychain, _ in
          await keychain.lock()
          try await keychain.rekey(KeychainRekey(replacement: .words("new")))
          try await equal(unlock(keychain, try .words("new")), nil)
        }
      },
      checkOpen(
        "with the source's secret nothing need be given to draw a new data key", source: true
      ) { keychain, _ in
        try await keychain.save(Data([1]), forKey: "a")
        let generation = try await keychain.status().generation
        try await keychain.rekey(KeychainRekey())
        try await equal(keychain.status().generation, generation.map { $0 + 1 })
        await keychain.lock()
        try await equal(keychain.load(forKey: "a"), Data([1]))
      },
      checkOpen("what was exported is imported: refused, kept or replaced where names are taken") {
        keychain, folder in
        try await keychain.save(Data([1]), forKey: "a")
        let path = folder + "/copy.sbkc"
        let words = try KeychainSecret.words("copy")
        try await keychain.save(Data([2]), forKey: "b")
        try await equal(keychain.export(to: path, secret: words), 2)
        try await equal(kind { _ = try await keychain.export(to: path, secret: words) }, .exists)
        func take(_ existing: ImportDuplicates) async throws -> KeychainImport {
          try await keychain.importEntries(from: path, secret: words, existing: existing)
        }
        try await keychain.save(Data([9]), forKey: "a")
        try await keychain.delete(forKey: "b")
        try await keychain.save(Data([3]), forKey: "c")
        let generation = try await keychain.status().generation
        try await equal(kind { _ = try await take(.refuse) }, .duplicateKey)
        try await equal(keychain.keys(), ["a", "c"])
        try await equal(keychain.status().generation, generation)
        try await equal(take(.keep), KeychainImport(added: 1, replaced: 0, kept: 1))
        try await equal(keychain.keys(), ["a", "b", "c"])
        try await equal(keychain.load(forKey: "a"), Data([9]))
        try await equal(take(.keep), KeychainImport(added: 0, replaced: 0, kept: 2))
        try await equal(keychain.status().generation, generation.map { $0 + 1 })
        try await equal(take(.replace), KeychainImport(added: 0, replaced: 2, kept: 0))
        try await equal(keychain.load(forKey: "a"), Data([1]))
        try await equal(keychain.load(forKey: "c"), Data([3]))
        try await equal(
          kind {
            _ = try await keychain.importEntries(
              from: path, secret: .words("shut"), existing: .keep)
          }, .wrongSecret)
        try await equal(
          kind {
            _ = try await keychain.importEntries(
              from: path + "x", secret: words, existing: .keep)
          }, .missing)
      },
      checkOpen("another file is verified without its secret") { keychain, folder in
        try await keychain.save(Data([1]), forKey: "a")
        let path = folder + "/copy.sbkc"
        try await equal(kind { _ = try await keychain.verify(fileAt: path) }, .missing)
        _ = try await keychain.export(to: path, secret: .words("copy"))
        let status = try await keychain.verify(fileAt: path)
        try equal(status.path, path)
        try equal([status.exists, status.unlocked], [true, false])
        try equal(status.generation, 1)
        try equal(status.slots.map(\.kind), ["passphrase"])
        try await equal(keychain.status().unlocked, true)
      },
    ]
  }

  private static let key = (0..<32).map { UInt8($0 * 7) }

  private func kinds(_ keychain: any KeychainService) async throws -> [String] {
    try await keychain.status().slots.map(\.kind)
  }

  /// Locks the keychain and unlocks it with a secret. Returns the kind of the error, or `nil` if
  /// there is none.
  private func unlock(_ keychain: any KeychainService, _ secret: KeychainSecret) async
    -> KeychainError.Kind?
  {
    await keychain.lock()
    return await kind { try await keychain.unlock(with: secret) }
  }
}
