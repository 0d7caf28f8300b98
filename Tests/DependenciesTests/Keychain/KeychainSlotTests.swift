import SwiftBoardSystem
import Synchronization
import Testing

@testable import SwiftBoardDependencies

/// What is in the files when slots change, and what other processes make of it.
@Suite struct KeychainSlotTests {
  private let folder: KeychainFolder
  private let marks = MarksInMemory()

  init() throws {
    folder = try KeychainFolder()
  }

  private func header() throws -> KeychainHeader {
    try KeychainHeader(parsing: bytes(of: folder.keychain))
  }

  /// Another process: it shares the file and the record of the last save, and nothing else.
  private func process(_ words: String? = nil) async throws -> LiveKeychainService {
    let service = LiveKeychainService(path: folder.keychain, policy: .fast, rollbackMarks: marks)
    if let words { try await service.unlock(with: .words(words)) }
    return service
  }

  /// A process with a passphrase in a descriptor, which can be read once.
  private func process(
    withDescriptor words: String, system: FileSystem = FileSystem(), clock: BoardClock = .live
  ) throws -> LiveKeychainService {
    let end = try pipe(holding: Array("\(words)\n".utf8))
    return LiveKeychainService(
      path: folder.keychain,
      unlockSources: UnlockSources(environment: ["SWIFTBOARD_PASSPHRASE_FD": "\(end)"]),
      policy: .fast, rollbackMarks: marks, system: system, clock: clock)
  }

  private func put(_ bytes: [UInt8]) throws {
    _ = try folder.write(bytes, to: "new")
    try #require(rename("\(folder.path)/new", folder.keychain) == 0)
  }

  @Test("a slot that is added leaves key, key id and the other slots as they are")
  func addKeepsKey() async throws {
    let service = try await LiveKeychainService.made(at: folder.keychain)
    let before = try header()
    try await service.addSlot(.words("other"))
    let after = try header()
    #expect(after.keyID == before.keyID)
    #expect(after.generation == before.generation + 1)
    #expect(Array(after.slots.prefix(1)) == before.slots)
    #expect(after.slots.count == 2)
  }

  @Test("a rekey draws key, key id, salts and nonces anew")
  func rekeyDrawsAnew() async throws {
    let service = try await LiveKeychainService.made(at: folder.keychain)
    let before = try header()
    let old = try KeychainCodec.unlock(before, with: .words("open"))
    try await service.rekey(KeychainRekey(secrets: [.words("open")]))
    let after = try header()
    #expect(after.keyID != before.keyID)
    #expect(after.generation == before.generation + 1)
    #expect(after.slots[0].salt != before.slots[0].salt)
    #expect(try KeychainCodec.unlock(after, with: .words("open")).region != old.region)
    #expect(throws: KeychainError.self) { try KeychainCodec.unlock(after, with: .words("shut")) }
  }

  @Test("a slot of an unknown kind is kept by an addition, and goes by name alone")
  func unknownSlot() async throws {
    let vector = try #require(KeychainVector.all.first { $0.name == "ok_unknown_slot_kind" })
    try put(vector.file)
    let service = LiveKeychainService(at: folder.keychain)
    try await service.unlock(with: vector.secret)
    let before = try header()
    let unknown = try #require(before.slots.firstIndex { $0.kind.name.hasPrefix("unknown") })
    try await service.addSlot(.words("other"))
    #expect(try header().slots[unknown] == before.slots[unknown])
    let secrets = [try vector.secret, try KeychainSecret.words("other")]
    #expect(
      await kind { try await service.rekey(KeychainRekey(secrets: secrets)) } == .slotSecretNeeded)
    #expect(
      await kind {
        try await service.rekey(KeychainRekey(removing: [unknown + 1], secrets: secrets))
      } == nil)
    #expect(try header().slots.allSatisfy { !$0.kind.name.hasPrefix("unknown") })
  }

  @Test("another process is locked by a rekey, and opens with the new passphrase")
  func otherProcess() async throws {
    let first = try await process()
    try await first.create(with: .words("open"))
    try await first.save(Data([1]), forKey: "a")
    let second = try await process("open")
    #expect(try await second.load(forKey: "a") == Data([1]))

    try await first.rekey(KeychainRekey(replaced: .words("open"), replacement: .words("new")))
    #expect(try await first.load(forKey: "a") == Data([1]), "this process goes on")
    try await first.save(Data([2]), forKey: "b")
    #expect(await kind { _ = try await second.load(forKey: "a") } == .locked)
    #expect(await kind { try await second.save(Data(), forKey: "c") } == .locked)
    #expect(try await second.status().unlocked == false)
    #expect(await kind { try await second.unlock(with: .words("open")) } == .wrongSecret)
    try await second.unlock(with: .words("new"))
    #expect(try await second.load(forKey: "b") == Data([2]))
    #expect(try await second.status().warnings.isEmpty)
  }

  @Test("without a record a rekey by another process is told from no other keychain")
  func otherProcessWithoutMarks() async throws {
    let first = try await LiveKeychainService.made(at: folder.keychain)
    let second = try await LiveKeychainService.opened(at: folder.keychain)
    try await first.rekey(KeychainRekey(secrets: [.words("open")]))
    #expect(await kind { _ = try await second.load(forKey: "a") } == .locked)
    #expect(await kind { try await second.unlock(with: .words("open")) } == .differentKeychain)
    #expect(try await second.accept(with: .words("open")).reason == .replaced)
    #expect(try await second.keys() == [])
  }

  @Test("after a rekey the old file is refused, though its passphrase is known")
  func oldFileAfterRekey() async throws {
    let first = try await process()
    try await first.create(with: .words("open"))
    let old = try bytes(of: folder.keychain)
    try await first.rekey(KeychainRekey(secrets: [.words("open")]))
    try put(old)
    #expect(await kind { _ = try await process("open") } == .differentKeychain)
    #expect(await kind { _ = try await first.load(forKey: "a") } == .locked)
  }

  @Test("a rekey that cannot be recorded changes nothing")
  func unrecordedRekey() async throws {
    let first = try await process()
    try await first.create(with: .words("open"))
    let before = try bytes(of: folder.keychain)
    marks.isAvailable.withLock { $0 = false }
    let change = KeychainRekey(secrets: [try .words("open")])
    #expect(await kind { try await first.rekey(change) } == .io)
    #expect(try bytes(of: folder.keychain) == before)
    #expect(folder.names == ["keychain.sbkc", "keychain.sbkc.lock"])
    marks.isAvailable.withLock { $0 = true }
    try await first.rekey(change)
  }

  @Test(
    "a change that meets another process's rekey is made again with the new key, given a source")
  func changeMeetsRekey() async throws {
    let (path, next) = (folder.keychain, "\(folder.path)/next")
    try await process().create(with: .words("open"))
    let copy = try folder.write(try bytes(of: path), to: "copy")
    try await LiveKeychainService.opened(at: copy).rekey(
      KeychainRekey(secrets: [.words("open")]))
    let rekeyed = try bytes(of: copy)
    let mark = RollbackMark(try KeychainHeader(parsing: rekeyed))
    // The rekey comes after the look at the file and before the lock.
    let system = FileSystem { [marks] call, _ in
      if call == .openLock, rename(next, path) == 0 { marks.marks.withLock { $0[path] = mark } }
      return nil
    }
    let passphrase = try folder.write(Array("open".utf8), to: "passphrase")
    let service = LiveKeychainService(
      path: path,
      unlockSources: UnlockSources(environment: ["SWIFTBOARD_PASSPHRASE_FILE": passphrase]),
      policy: .fast, rollbackMarks: marks, system: system)
    try await service.unlock(with: nil)
    _ = try folder.write(rekeyed, to: "next")
    try await service.save(Data([1]), forKey: "a")
    #expect(try header().keyID == mark.keyID)
    #expect(try await service.load(forKey: "a") == Data([1]))
  }

  @Test("a file with a name that no reference can have is imported like any other")
  func importOfUnusableNames() async throws {
    let service = try await LiveKeychainService.made(at: folder.keychain)
    try await service.save(Data([1]), forKey: "a}}b")
    let path = "\(folder.path)/export"
    _ = try await service.export(to: path, secret: .words("copy"))
    let other = try await LiveKeychainService.made(at: "\(folder.path)/other")
    let report = try await other.importEntries(
      from: path, secret: .words("copy"), existing: .refuse)
    #expect(report.added == 1)
    #expect(try await other.load(forKey: "a}}b") == Data([1]))
  }

  @Test("slots that another process changed meanwhile are not overwritten")
  func concurrentSlots() async throws {
    let path = folder.keychain
    let next = "\(folder.path)/next"
    let other = try await LiveKeychainService.made(at: path)
    let old = try bytes(of: path)
    try await other.addSlot(.words("other"))
    _ = try folder.write(try bytes(of: path), to: "next")
    try put(old)
    // The slot is made before the lock is taken; then the newer file is there.
    let system = FileSystem { call, _ in
      if call == .openLock { rename(next, path) }
      return nil
    }
    let service = try await LiveKeychainService.opened(at: path, system: system)
    #expect(await kind { try await service.addSlot(.words("third")) } == .changedUnderneath)
    #expect(try header().slots.count == 2)
    try await service.addSlot(.words("third"))
    #expect(try header().slots.count == 3)
  }

  // MARK: Faults

  @Test(
    "a rekey that fails at any call leaves the old file or the new one", arguments: [EIO, ENOSPC])
  func faults(code: Int32) async throws {
    // Counted in a run of its own.
    var index = 0
    var failed = 0
    while true {
      let folder = try KeychainFolder()
      let count = Mutex(-1)
      let target = index
      let system = FileSystem { _, _ in
        count.withLock { count in
          guard count >= 0 else { return nil }
          count += 1
          return count == target + 1 ? .error(code) : nil
        }
      }
      let service = try await LiveKeychainService.made(at: folder.keychain, system: system)
      try await service.save(Data([1]), forKey: "a")
      count.withLock { $0 = 0 }
      let thrown = await kind {
        try await service.rekey(
          KeychainRekey(replaced: .words("open"), replacement: .words("new")))
      }
      let calls = count.withLock { count in
        let calls = count
        count = -1
        return calls
      }
      guard target < calls else { break }
      let isNew = thrown == nil || thrown == .durabilityUnknown
      let fresh = LiveKeychainService(at: folder.keychain)
      try await fresh.unlock(with: .words(isNew ? "new" : "open"))
      #expect(try await fresh.load(forKey: "a") == Data([1]), "call \(index)")
      #expect(try await service.load(forKey: "a") == Data([1]), "call \(index)")
      #expect(!folder.names.contains { $0.hasSuffix(".tmp") }, "call \(index)")
      failed += isNew ? 0 : 1
      index += 1
    }
    #expect(failed > 5)
  }

  // MARK: Other files

  @Test("an export is a keychain of its own, for its owner alone, and nothing else is left there")
  func export() async throws {
    let service = try await LiveKeychainService.made(at: folder.keychain)
    try await service.save(Data([1]), forKey: "a")
    try #require(mkdir("\(folder.path)/out", 0o700) == 0)
    let path = "\(folder.path)/out/copy.sbkc"
    _ = try await service.export(to: path, secret: .words("copy"))
    #expect(mode(of: path) == 0o600)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/out") == ["copy.sbkc"])
    let copy = try KeychainHeader(parsing: bytes(of: path))
    let own = try header()
    #expect(copy.generation == 1)
    #expect(copy.keyID != own.keyID)
    let status = try await service.verify(fileAt: path)
    #expect(status.path == path && status.generation == 1 && !status.unlocked)
    #expect(try await service.status().unlocked, "it is another keychain's")
    #expect(await kind { _ = try await service.verify(fileAt: path + "x") } == .missing)
    let other = LiveKeychainService(at: path)
    #expect(await kind { try await other.unlock(with: .words("open")) } == .wrongSecret)
    try await other.unlock(with: .words("copy"))
    #expect(try await other.load(forKey: "a") == Data([1]))
  }

  @Test("an export goes over nothing and makes no folder", arguments: ["file", "link", "folder"])
  func exportOverNothing(what: String) async throws {
    let service = try await LiveKeychainService.made(at: folder.keychain)
    let path = "\(folder.path)/there"
    switch what {
    case "file": _ = try folder.write([1], to: "there")
    case "link": try #require(symlink("nowhere", path) == 0)
    default: try #require(mkdir(path, 0o700) == 0)
    }
    let names = folder.names
    #expect(await kind { _ = try await service.export(to: path, secret: .words("c")) } == .exists)
    #expect(
      await kind {
        _ = try await service.export(to: "\(folder.path)/no/where", secret: .words("c"))
      } == .cannotCreate)
    #expect(folder.names == names)
  }

  @Test("a damaged or planted file is not imported, and the keychain stays as it is")
  func importDamaged() async throws {
    let service = try await LiveKeychainService.made(at: folder.keychain)
    let before = try bytes(of: folder.keychain)
    let path = "\(folder.path)/copy.sbkc"
    _ = try await service.export(to: path, secret: .words("copy"))
    var copy = try bytes(of: path)
    copy[3000] ^= 1
    _ = try folder.write(copy, to: "copy.sbkc")
    func take() async -> KeychainError.Kind? {
      await kind {
        _ = try await service.importEntries(from: path, secret: .words("copy"), existing: .keep)
      }
    }
    #expect(await take() == .damaged)
    #expect(await kind { _ = try await service.verify(fileAt: path) } == .damaged)
    _ = try folder.write([], to: "copy.sbkc")
    #expect(await take() == .damaged)
    try #require(unlink(path) == 0)
    try #require(mkfifo(path, 0o600) == 0)
    #expect(await take() == .insecurePath)
    #expect(try bytes(of: folder.keychain) == before)
  }

  @Test("an import of many entries is one save")
  func importMany() async throws {
    let other = try await LiveKeychainService.made(at: "\(folder.path)/other.sbkc")
    var entries = try KeychainEntries()
    for index in 0..<300 {
      entries = try entries.setting("k\(index)", to: Data(repeating: UInt8(index % 251), count: 40))
    }
    let keys = try KeychainKeys(random: .system)
    let slot = try KeychainSlot(
      for: .words("open"), keys: keys, kdf: KeychainPolicy.fast.kdf, random: .system)
    _ = try folder.write(
      try KeychainCodec.encode(entries, keys: keys, generation: 1, slots: [slot]),
      to: "many.sbkc")
    try await other.save(Data([9]), forKey: "k100")
    try await other.save(Data([8]), forKey: "z")
    let report = try await other.importEntries(
      from: "\(folder.path)/many.sbkc", secret: .words("open"), existing: .keep)
    #expect(report == KeychainImport(added: 299, replaced: 0, kept: 1))
    #expect(try await other.status().generation == 4)
    #expect(try await other.keys().count == 301)
    #expect(try await other.load(forKey: "k100") == Data([9]))
    #expect(try await other.load(forKey: "k250") == Data(repeating: 250, count: 40))
  }

  @Test("what is too much for one keychain is not imported in part")
  func importTooMuch() async throws {
    let big = Data(repeating: 1, count: 1_048_576)
    for name in ["first", "second"] {
      var entries = try KeychainEntries()
      for index in 0..<9 { entries = try entries.setting("\(name)\(index)", to: big) }
      let keys = try KeychainKeys(random: .system)
      let slot = try KeychainSlot(
        for: .words("open"), keys: keys, kdf: KeychainPolicy.fast.kdf, random: .system)
      _ = try folder.write(
        try KeychainCodec.encode(entries, keys: keys, generation: 1, slots: [slot]), to: name)
    }
    let service = try await LiveKeychainService.opened(at: "\(folder.path)/first")
    #expect(
      await kind {
        _ = try await service.importEntries(
          from: "\(folder.path)/second", secret: .words("open"), existing: .refuse)
      } == .limitExceeded)
    #expect(try await service.keys().count == 9)
  }

  // MARK: Secrets in files

  @Test("a secret that a line names is judged as an unlock source's is")
  func secretFiles() async throws {
    let service = LiveKeychainService(at: folder.keychain)
    func take(_ place: KeychainSecretSource) async -> KeychainError.Kind? {
      await kind { _ = try await service.secret(from: place) }
    }
    let words = try folder.write(Array("open\r\n".utf8), to: "words")
    guard
      case .passphrase(let passphrase) = try await service.secret(
        from: .passphraseFile(path: words))
    else {
      Issue.record("no passphrase")
      return
    }
    #expect(passphrase == (try GuardedBytes(copying: Array("open".utf8))))
    #expect(await take(.keyFile(path: words)) == .invalidKeyFile)
    #expect(await take(.passphraseFile(path: words + "x")) == .missingUnlockSource)
    let open = try folder.write(Array("open".utf8), to: "open", mode: 0o644)
    #expect(await take(.passphraseFile(path: open)) == .insecurePermissions)
    let made = "\(folder.path)/made"
    #expect(await take(.newKeyFile(path: made)) == nil)
    #expect(mode(of: made) == 0o600)
    #expect(try bytes(of: made).count == 32)
    let first = try bytes(of: made)
    #expect(await take(.newKeyFile(path: made)) == nil)
    #expect(try bytes(of: made) == first, "what is there is used")
    #expect(await take(.newKeyFile(path: "\(folder.path)/no/where")) == .cannotCreate)
  }

  @Test("a derivation is told of before and after it; a key file needs none")
  func derivations() async throws {
    let notes = Mutex<[Bool]>([])
    let service = LiveKeychainService(
      path: folder.keychain, policy: .fast,
      onDerivation: { isRunning in notes.withLock { $0.append(isRunning) } })
    try await service.create(with: .key(Array(0..<32)))
    #expect(notes.withLock { $0 }.isEmpty)
    try await service.addSlot(.words("open"))
    await service.lock()
    _ = await kind { try await service.unlock(with: .words("shut")) }
    let heard = notes.withLock { $0 }
    #expect(heard.count >= 4)
    #expect(heard == (0..<heard.count).map { $0 % 2 == 0 })
    // A file that asks for 4 TiB is refused before anything is derived.
    let vector = try #require(KeychainVector.all.first { $0.name == "kdf_4tib" })
    try put(vector.file)
    await service.lock()
    #expect(await kind { try await service.unlock(with: vector.secret) } == .kdfParametersRefused)
    #expect(notes.withLock { $0.count } == heard.count)
  }

  @Test("a rekey that needs another secret still has that of the descriptor when it is tried again")
  func rekeyWithDescriptor() async throws {
    let first = try await process()
    try await first.create(with: .words("open"))
    try await first.addSlot(.words("other"))
    let service = try process(withDescriptor: "open")
    do throws(KeychainError) {
      try await service.rekey(KeychainRekey())
      Issue.record("a slot lost its secret")
    } catch {
      #expect(error.kind == .slotSecretNeeded && error.slot?.number == 2)
    }
    let before = try header().keyID
    await #expect(throws: KeychainError.self) {
      try await service.rekey(KeychainRekey(secrets: [.words("mistyped")]))
    }
    #expect(try header().keyID == before)
    try await service.rekey(KeychainRekey(secrets: [.words("other")]))
    let after = try header()
    #expect(after.keyID != before && after.slots.count == 2)
    for words in ["open", "other"] {
      #expect(throws: Never.self) { try KeychainCodec.unlock(after, with: .words(words)) }
    }
  }

  @Test("a rekey with a mistyped old secret leaves that of the descriptor to later calls")
  func rekeyWithMistypedSecret() async throws {
    try await process().create(with: .words("open"))
    let service = try process(withDescriptor: "open")
    let change = KeychainRekey(replaced: try .words("mistyped"), replacement: try .words("new"))
    #expect(await kind { try await service.rekey(change) } == .wrongSecret)
    #expect(try await service.keys() == [])
    try await service.rekey(KeychainRekey(replacement: .words("new")))
    let after = try header()
    #expect(throws: Never.self) { try KeychainCodec.unlock(after, with: .words("new")) }
    // After a success it is not needed.
    await service.lock()
    #expect(await kind { _ = try await service.keys() } == .locked)
  }

  @Test("a rekey that cannot be written leaves the descriptor's secret to the next attempt")
  func rekeyOnFullDisk() async throws {
    try await process().create(with: .words("open"))
    let isFull = Mutex(true)
    let system = FileSystem { call, _ in
      call == .write && isFull.withLock { $0 } ? .error(ENOSPC) : nil
    }
    let service = try process(withDescriptor: "open", system: system)
    let change = KeychainRekey(replacement: try .words("new"))
    #expect(await kind { try await service.rekey(change) } == .io)
    isFull.withLock { $0 = false }
    try await service.rekey(change)
    let after = try header()
    #expect(throws: Never.self) { try KeychainCodec.unlock(after, with: .words("new")) }
  }

  @Test("a rekey of a keychain that another process changed opens it with the descriptor's secret")
  func rekeyAfterAnotherRekey() async throws {
    let other = try await process()
    try await other.create(with: .words("open"))
    let service = try process(withDescriptor: "open")
    try await service.unlock(with: .words("open"))
    try await other.rekey(KeychainRekey(secrets: [.words("open")]))
    try await service.rekey(KeychainRekey(replacement: .words("new")))
    let after = try header()
    #expect(throws: Never.self) { try KeychainCodec.unlock(after, with: .words("new")) }
  }

  @Test("a descriptor's secret that opens nothing is not tried again")
  func rekeyWithWrongDescriptor() async throws {
    try await process().create(with: .words("open"))
    let service = try process(withDescriptor: "wrong")
    #expect(await kind { try await service.rekey(KeychainRekey()) } == .wrongSecret)
    #expect(await kind { _ = try await service.keys() } == .locked)
  }

  @Test("a locked keychain forgets the descriptor's secret when it is locked or unused")
  func lockForgetsDescriptor() async throws {
    try await process().create(with: .words("open"))
    let change = KeychainRekey(replaced: try .words("mistyped"), replacement: try .words("new"))
    let locked = try process(withDescriptor: "open")
    #expect(await kind { try await locked.rekey(change) } == .wrongSecret)
    await locked.lock()
    #expect(await kind { _ = try await locked.keys() } == .locked)

    let time = Shared(Int64(0))
    let clock = BoardClock(now: { time.value.withLock { $0 } }, sleep: { _ in })
    let unused = try process(withDescriptor: "open", clock: clock)
    #expect(await kind { try await unused.rekey(change) } == .wrongSecret)
    #expect(await unused.lock(unusedFor: .seconds(60)) == .inUse(left: .seconds(60)))
    time.value.withLock { $0 = 60_000_000 }
    #expect(await unused.lock(unusedFor: .seconds(60)) == .wasLocked)
    #expect(await kind { _ = try await unused.keys() } == .locked)
  }
}
