import SwiftBoardDependencies

extension KeychainConformance {
  var entryChecks: [ConformanceCheck] {
    [
      check("verifying returns the same values as status") {
        let subject = try await make()
        try await equal(kind { _ = try await subject.service.verify() }, .missing)
        try await with { keychain, _ in
          try await keychain.save(Data([1]), forKey: "a")
          try await equal(keychain.verify(), keychain.status())
          await keychain.lock()
          try await equal(keychain.verify(), keychain.status())
          try await equal(keychain.verify().unlocked, false)
        }
      },
      check("accepting opens it, and says that there was nothing to accept") {
        let subject = try await make()
        try await equal(
          kind { _ = try await subject.service.accept(with: .words("open")) }, .missing)
        try await with { keychain, _ in
          try await keychain.save(Data([1]), forKey: "a")
          await keychain.lock()
          try await equal(kind { _ = try await keychain.accept(with: nil) }, .locked)
          try await equal(
            kind { _ = try await keychain.accept(with: .words("shut")) }, .wrongSecret)
          try await equal(keychain.status().unlocked, false)
          let accepted = try await keychain.accept(with: .words("open"))
          try equal(accepted.reason, .known)
          try equal(accepted.remembered, accepted.found)
          try equal(accepted.found.generation, accepted.generation)
          try await equal(keychain.status().generation, accepted.generation)
          try await equal(keychain.load(forKey: "a"), Data([1]))
          try await equal(keychain.takeWarning(), nil)
        }
      },
      checkOpen("a value that is saved is loaded") { keychain, _ in
        try await equal(keychain.load(forKey: "a"), nil)
        try await keychain.save(Data([1, 2, 3]), forKey: "a")
        try await keychain.save(Data([4]), forKey: "b")
        try await equal(keychain.load(forKey: "a"), Data([1, 2, 3]))
        try await keychain.save(Data([5]), forKey: "a")
        try await equal(keychain.load(forKey: "a"), Data([5]))
        try await equal(keychain.load(forKey: "b"), Data([4]))
        try await equal(keychain.keys(), ["a", "b"])
      },
      checkOpen("of values that are saved at the same time none is lost") { keychain, _ in
        try await withThrowingTaskGroup { group in
          for index in 0..<10 {
            group.addTask { try await keychain.save(Data([UInt8(index)]), forKey: "\(index)") }
          }
          try await group.waitForAll()
        }
        try await equal(keychain.keys().sorted(), (0..<10).map { "\($0)" })
        for index in 0..<10 {
          try await equal(keychain.load(forKey: "\(index)"), Data([UInt8(index)]))
        }
      },
      checkOpen("a deleted value is gone") { keychain, _ in
        try await keychain.save(Data([1]), forKey: "a")
        try await keychain.save(Data([2]), forKey: "b")
        try await keychain.delete(forKey: "a")
        try await equal(keychain.load(forKey: "a"), nil)
        try await equal(keychain.keys(), ["b"])
        try await keychain.delete(forKey: "a")
        try await keychain.delete(forKey: "never there")
      },
      checkOpen("a renamed value has its new name alone") { keychain, _ in
        try await keychain.save(Data([1]), forKey: "m")
        try await keychain.save(Data([2]), forKey: "x")
        try await keychain.rename("m", to: "z")
        try await equal(keychain.keys(), ["x", "z"])
        try await equal(keychain.load(forKey: "z"), Data([1]))
        try await keychain.rename("z", to: "a")
        try await equal(keychain.keys(), ["a", "x"])
        try await equal(kind { try await keychain.rename("z", to: "y") }, .missingKey)
        try await equal(kind { try await keychain.rename("a", to: "x") }, .duplicateKey)
        try await equal(kind { try await keychain.rename("absent", to: "x") }, .missingKey)
        try await equal(kind { try await keychain.rename("a", to: "") }, .invalidKey)
        try await keychain.rename("a", to: "a")
        try await equal(keychain.load(forKey: "a"), Data([1]))
        try await equal(keychain.load(forKey: "x"), Data([2]))
      },
      checkOpen("a blank value is a value") { keychain, _ in
        try await keychain.save(Data(), forKey: "a")
        try await equal(keychain.load(forKey: "a"), Data())
        try await keychain.save(Data([1]), forKey: "a")
        try await keychain.save(Data(), forKey: "a")
        try await equal(keychain.load(forKey: "a"), Data())
        try await equal(keychain.keys(), ["a"])
      },
      check("keys are bytes") {
        let keys = [
          " ", "\u{0}", "a\u{0}b", "a\u{0}c", "\n", "é", "e\u{301}", "🔑", "/", "../x",
          String(repeating: "k", count: 1024),
          String(repeating: "é", count: 512),
        ]
        try await with { keychain, _ in
          for (index, key) in keys.enumerated() {
            try await keychain.save(Data([UInt8(index)]), forKey: key)
          }
          for (index, key) in keys.enumerated() {
            try await equal(keychain.load(forKey: key), Data([UInt8(index)]))
          }
          let expected = keys.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
          let found = try await keychain.keys()
          try equal(found.map { Array($0.utf8) }, expected)
          try await keychain.delete(forKey: "é")
          try await equal(keychain.load(forKey: "e\u{301}"), Data([6]))
          try await equal(keychain.load(forKey: "é"), nil)
          try await keychain.rename("e\u{301}", to: "é")
          try await equal(keychain.load(forKey: "é"), Data([6]))
        }
      },
      checkOpen("invalid keys are refused") { keychain, _ in
        for key in ["", String(repeating: "k", count: 1025), String(repeating: "é", count: 513)] {
          try await equal(kind { try await keychain.save(Data([1]), forKey: key) }, .invalidKey)
          try await equal(kind { _ = try await keychain.load(forKey: key) }, .invalidKey)
          try await equal(kind { try await keychain.delete(forKey: key) }, .invalidKey)
        }
        let keys = try await keychain.keys()
        try holds(keys.isEmpty, "keys.isEmpty")
      },
      checkOpen("a value of the greatest size is kept, and a greater one refused") { keychain, _ in
        let big = Data(repeating: 0xAB, count: 1_048_576)
        try await keychain.save(big, forKey: "big")
        try await equal(keychain.load(forKey: "big"), big)
        let more = Data(repeating: 0xAB, count: 1_048_577)
        try await equal(kind { try await keychain.save(more, forKey: "big") }, .limitExceeded)
        try await equal(keychain.load(forKey: "big"), big)
      },
      checkOpen("a locked keychain is locked for every call") { keychain, _ in
        try await keychain.save(Data([1]), forKey: "a")
        await keychain.lock()
        await keychain.lock()
        try await equal(kind { _ = try await keychain.load(forKey: "a") }, .locked)
        try await equal(kind { _ = try await keychain.keys() }, .locked)
        try await equal(kind { try await keychain.save(Data(), forKey: "a") }, .locked)
        try await equal(kind { try await keychain.delete(forKey: "a") }, .locked)
        try await equal(kind { try await keychain.rename("a", to: "b") }, .locked)
        try await equal(kind { try await keychain.unlock(with: nil) }, .locked)
        try await equal(kind { try await keychain.unlock(with: .words("shut")) }, .wrongSecret)
        try await equal(kind { try await keychain.unlock(with: .words("")) }, .invalidPassphrase)
        try await equal(kind { try await keychain.unlock(with: .key([1])) }, .invalidKeyFile)
        try await equal(
          kind { try await keychain.unlock(with: .key(Array(0..<32))) }, .noMatchingSlot)
        try await equal(kind { _ = try await keychain.load(forKey: "a") }, .locked)
        let status = try await keychain.status()
        try holds(
          status.exists && !status.unlocked && status.count == nil,
          "status.exists && !status.unlocked && status.count == nil")
        try await keychain.unlock(with: .words("open"))
        try await equal(keychain.load(forKey: "a"), Data([1]))
        try await equal(keychain.status().count, 1)
      },
      checkOpen("a wrong secret does not lock what is unlocked") { keychain, _ in
        try await keychain.save(Data([1]), forKey: "a")
        try await equal(kind { try await keychain.unlock(with: .words("shut")) }, .wrongSecret)
        try await equal(keychain.load(forKey: "a"), Data([1]))
      },
      check("calls unlock by themselves where there is a source") {
        let subject = try await make(passphrase: "open")
        let keychain = subject.service
        try await equal(kind { _ = try await keychain.load(forKey: "a") }, .missing)
        try await keychain.create(with: nil)
        try await keychain.save(Data([1]), forKey: "a")
        await keychain.lock()
        try await equal(keychain.load(forKey: "a"), Data([1]))
        await keychain.lock()
        try await keychain.save(Data([2]), forKey: "a")
        await keychain.lock()
        try await keychain.unlock(with: nil)
        try await equal(keychain.status().unlocked, true)
        withExtendedLifetime(subject) {}
      },
      check("a keychain that is not there is missing for every call") {
        let subject = try await make()
        let keychain = subject.service
        try await equal(kind { _ = try await keychain.load(forKey: "a") }, .missing)
        try await equal(kind { _ = try await keychain.keys() }, .missing)
        try await equal(kind { try await keychain.save(Data(), forKey: "a") }, .missing)
        try await equal(kind { try await keychain.delete(forKey: "a") }, .missing)
        try await equal(kind { try await keychain.unlock(with: .words("open")) }, .missing)
        try await equal(keychain.status().exists, false)
        try await equal(kind { try await keychain.create(with: nil) }, .locked)
        try await equal(kind { try await keychain.create(with: .words("")) }, .invalidPassphrase)
        let typed = Array("0123456789abcdef0123456789ABCDEF".utf8)
        try await equal(kind { try await keychain.create(with: .key(typed)) }, .invalidKeyFile)
        try await equal(keychain.status().exists, false)
        withExtendedLifetime(subject) {}
      },
      checkOpen("a keychain is never created over another") { keychain, _ in
        try await keychain.save(Data([1]), forKey: "a")
        try await equal(kind { try await keychain.create(with: .words("other")) }, .exists)
        try await equal(keychain.load(forKey: "a"), Data([1]))
      },
      checkOpen("errors name the path and no secret") { keychain, _ in
        try await keychain.save(Data("hidden-value".utf8), forKey: "hidden-key")
        var errors: [KeychainError] = []
        func note(_ body: () async throws -> Void) async {
          do { try await body() } catch {
            if let error = error as? KeychainError { errors.append(error) }
          }
        }
        await note { try await keychain.rename("absent-key", to: "hidden-key") }
        await note { try await keychain.rename("hidden-key", to: "") }
        await note { try await keychain.save(Data("hidden-value".utf8), forKey: "") }
        await note { try await keychain.unlock(with: .words("hidden-word")) }
        await keychain.lock()
        await note { _ = try await keychain.load(forKey: "hidden-key") }
        try equal(errors.count, 5)
        for error in errors {
          try await equal(error.path, keychain.status().path)
          try holds(error.message.hasPrefix(error.path), "error.message.hasPrefix(error.path)")
          try holds(!error.message.contains("hidden-"), #"!error.message.contains("hidden-")"#)
        }
      },
    ]
  }
}
