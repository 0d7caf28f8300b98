import SwiftBoardDependencies
import Synchronization

/// The rules of secrets that are read from files, and of visits of all entries.
extension KeychainConformance {
  var accessChecks: [ConformanceCheck] {
    [
      check("a new key file opens what was created with it, and is not replaced") {
        let subject = try await make()
        let keychain = subject.service
        let path = subject.folder + "/new.key"
        try await keychain.create(with: keychain.secret(from: .newKeyFile(path: path)))
        try await keychain.save(Data([1]), forKey: "a")
        for source in [KeychainSecretSource.keyFile(path: path), .newKeyFile(path: path)] {
          await keychain.lock()
          try await keychain.unlock(with: keychain.secret(from: source))
          try await equal(keychain.load(forKey: "a"), Data([1]))
        }
        withExtendedLifetime(subject) {}
      },
      check("a passphrase file has the passphrase and one line end at most") {
        let subject = try await make()
        guard let write = subject.write else { return }
        let keychain = subject.service
        try await keychain.create(with: .words("open"))
        for (text, error) in [
          ("open", nil), ("open\n", nil), ("open\r\n", nil), ("open\n\n", .wrongSecret),
          (" open", .wrongSecret),
        ] as [(String, KeychainError.Kind?)] {
          let path = try await write(Array(text.utf8), "passphrase")
          await keychain.lock()
          try await equal(
            kind {
              try await keychain.unlock(with: keychain.secret(from: .passphraseFile(path: path)))
            }, error)
        }
        withExtendedLifetime(subject) {}
      },
      check("a file that is missing or has no secret is refused with its path") {
        let subject = try await make()
        guard let write = subject.write else { return }
        let keychain = subject.service
        func expect(_ kind: KeychainError.Kind, _ source: KeychainSecretSource, _ path: String)
          async throws
        {
          let found = await failure(KeychainError.self) {
            try await keychain.secret(from: source)
          }
          try equal(found?.kind, kind)
          try equal(found?.path, path)
          try lacks(found?.message, "hidden")
        }
        let absent = subject.folder + "/absent"
        try await expect(.missingUnlockSource, .passphraseFile(path: absent), absent)
        try await expect(.missingUnlockSource, .keyFile(path: absent), absent)
        for text in ["", "\n", "\r\n", String(repeating: "hidden", count: 200)] {
          let path = try await write(Array(text.utf8), "words")
          try await expect(.invalidPassphrase, .passphraseFile(path: path), path)
        }
        for count in [0, 31, 33] {
          let path = try await write([UInt8](repeating: 7, count: count), "key")
          try await expect(.invalidKeyFile, .keyFile(path: path), path)
          try await expect(.invalidKeyFile, .newKeyFile(path: path), path)
        }
        withExtendedLifetime(subject) {}
      },
      check("all entries are visited, again only after a change, and never while locked") {
        let subject = try await make()
        let keychain = subject.service
        try await equal(visit(keychain, since: nil).revision, nil)
        try await keychain.create(with: .words("open"))
        try await keychain.save(Data([1, 2]), forKey: "b")
        try await keychain.save(Data(), forKey: "a")
        let first = try await visit(keychain, since: nil)
        try equal(first.entries, ["a": Data(), "b": Data([1, 2])])
        try holds(first.revision != nil, "first.revision != nil")
        try await equal(visit(keychain, since: first.revision).entries, [:])
        try await equal(visit(keychain, since: first.revision).revision, first.revision)

        try await keychain.delete(forKey: "a")
        let second = try await visit(keychain, since: first.revision)
        try equal(second.entries, ["b": Data([1, 2])])
        try holds(second.revision != first.revision, "second.revision != first.revision")
        await keychain.lock()
        try await equal(visit(keychain, since: nil).revision, nil)
        try await equal(visit(keychain, since: nil).entries, [:])
        withExtendedLifetime(subject) {}
      },
      check("a visit unlocks nothing, even where there is a source") {
        let subject = try await make(passphrase: "open")
        let keychain = subject.service
        try await keychain.create(with: nil)
        try await keychain.save(Data([1]), forKey: "a")
        await keychain.lock()
        try await equal(visit(keychain, since: nil).revision, nil)
        try await equal(keychain.status().unlocked, false)
        withExtendedLifetime(subject) {}
      },
    ]
  }

  private func visit(
    _ keychain: any KeychainService, since revision: KeychainRevision?
  ) async throws -> (entries: [String: Data], revision: KeychainRevision?) {
    let entries = Mutex<[String: Data]>([:])
    let now = await keychain.visitEntries(since: revision) { key, value in
      entries.withLock { $0[key] = Data(value) }
    }
    return (entries.withLock { $0 }, now)
  }
}
