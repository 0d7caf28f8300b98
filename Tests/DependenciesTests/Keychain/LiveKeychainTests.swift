import Dispatch
import SwiftBoardSystem
import Synchronization
import Testing

@testable import SwiftBoardDependencies

@Suite struct LiveKeychainTests {
  private let folder: KeychainFolder

  init() throws {
    folder = try KeychainFolder()
  }

  private func replaceFile(with bytes: [UInt8]) throws {
    _ = try folder.write(bytes, to: "new")
    try #require(rename("\(folder.path)/new", folder.keychain) == 0)
  }

  // MARK: Files

  @Test("the keychain and its lock are the only files, for their owner alone") func modesAndNames()
    async throws
  {
    let service = try await LiveKeychainService.made(at: folder.keychain)
    try await service.save(Data([1]), forKey: "a")
    #expect(folder.names == ["keychain.sbkc", "keychain.sbkc.lock"])
    #expect(mode(of: folder.keychain) == 0o600)
    #expect(mode(of: "\(folder.keychain).lock") == 0o600)
  }

  @Test("what was saved is there for another program's eyes")
  func survivesTheProcess() async throws {
    let service = try await LiveKeychainService.made(at: folder.keychain)
    try await service.save(Data([1, 2]), forKey: "a")
    let file = try bytes(of: folder.keychain)
    let header = try KeychainHeader(parsing: file)
    #expect(header.generation == 2)
    let (_, entries) = try KeychainCodec.open(file, header, with: .words("open"))
    #expect(try entries.value(of: "a") == Data([1, 2]))
  }

  @Test("missing folders are made for this user only")
  func makesFolders() async throws {
    let path = "\(folder.path)/one/two/keychain.sbkc"
    let service = try await LiveKeychainService.made(at: path)
    try await service.save(Data([1]), forKey: "a")
    #expect(mode(of: "\(folder.path)/one") == 0o700)
    #expect(mode(of: "\(folder.path)/one/two") == 0o700)
  }

  @Test("nothing is opened before the first call")
  func opensNothing() async throws {
    let calls = Mutex(0)
    let system = FileSystem { _, _ in
      calls.withLock { $0 += 1 }
      return nil
    }
    let service = LiveKeychainService(at: folder.keychain, system: system)
    #expect(calls.withLock { $0 } == 0)
    _ = try await service.status()
    #expect(calls.withLock { $0 } > 0)
  }

  @Test("an unchanged file is not read again")
  func readsOnce() async throws {
    let reads = Mutex(0)
    let system = FileSystem { call, _ in
      if call == .read { reads.withLock { $0 += 1 } }
      return nil
    }
    let service = try await LiveKeychainService.made(at: folder.keychain, system: system)
    try await service.save(Data([1]), forKey: "a")
    let before = reads.withLock { $0 }
    for _ in 0..<5 { _ = try await service.load(forKey: "a") }
    #expect(reads.withLock { $0 } == before)
  }

  @Test("a wrong passphrase leaves the file") func wrongPassphraseLeavesTheFile() async throws {
    _ = try await LiveKeychainService.made(at: folder.keychain)
    let before = try bytes(of: folder.keychain)
    let info = try FileSystem().info(of: folder.keychain)
    let service = LiveKeychainService(at: folder.keychain)
    do {
      try await service.unlock(with: .words("shut"))
      Issue.record("opened")
    } catch {
      #expect((error as? KeychainError)?.kind == .wrongSecret)
      #expect(
        (error as? KeychainError)?.message.contains("wrong passphrase, or the file was replaced")
          == true)
    }
    #expect(try bytes(of: folder.keychain) == before)
    #expect(try FileSystem().info(of: folder.keychain) == info)
  }

  @Test("a damaged file refuses every call and is left as it is")
  func damagedFile() async throws {
    let service = try await LiveKeychainService.made(at: folder.keychain)
    try await service.save(Data([1]), forKey: "a")
    let good = try bytes(of: folder.keychain)
    var bad = good
    bad[2000] ^= 4
    try replaceFile(with: bad)
    #expect(await kind { try await service.save(Data([2]), forKey: "a") } == .damaged)
    #expect(await kind { _ = try await service.load(forKey: "a") } == .damaged)
    #expect(await kind { try await service.delete(forKey: "a") } == .damaged)
    #expect(await kind { _ = try await service.status() } == .damaged)
    #expect(
      await kind { try await LiveKeychainService(at: folder.keychain).unlock(with: .words("open")) }
        == .damaged)
    #expect(await kind { try await service.create(with: .words("open")) } == .exists)
    #expect(try bytes(of: folder.keychain) == bad)
    try replaceFile(with: good)
    #expect(try await service.load(forKey: "a") == Data([1]))
  }

  @Test("a file in place of a folder of the path is no missing keychain", arguments: ["f", "f/g"])
  func fileInPlaceOfFolder(name: String) async throws {
    let file = "\(folder.path)/f"
    _ = try folder.write([], to: "f")
    let service = LiveKeychainService(at: "\(folder.path)/\(name)/keychain.sbkc")
    for call in [
      { _ = try await service.status() }, { try await service.create(with: .words("open")) },
      { try await service.unlock(with: .words("open")) },
    ] as [() async throws -> Void] {
      let error = await #expect(throws: KeychainError.self) { try await call() }
      #expect(error?.kind == .cannotCreate)
      #expect(error?.message.contains("'\(file)' is a file, not a folder") == true)
    }
  }

  @Test("a file that is gone is not made again by a save")
  func goneFile() async throws {
    let service = try await LiveKeychainService.made(at: folder.keychain)
    try #require(unlink(folder.keychain) == 0)
    #expect(await kind { try await service.save(Data(), forKey: "a") } == .missing)
    #expect(await kind { _ = try await service.load(forKey: "a") } == .missing)
    #expect(folder.names == ["keychain.sbkc.lock"])
  }

  @Test(
    "a path that is no file of its own is refused",
    arguments: ["directory", "fifo", "link", "dangling"])
  func insecurePath(what: String) async throws {
    let other = "\(folder.path)/other.sbkc"
    _ = try await LiveKeychainService.made(at: other)
    switch what {
    case "directory": try #require(mkdir(folder.keychain, 0o700) == 0)
    case "fifo": try #require(mkfifo(folder.keychain, 0o600) == 0)
    case "link": try #require(symlink("other.sbkc", folder.keychain) == 0)
    default: try #require(symlink("nowhere", folder.keychain) == 0)
    }
    let service = LiveKeychainService(at: folder.keychain)
    #expect(await kind { try await service.unlock(with: .words("open")) } == .insecurePath)
    #expect(await kind { _ = try await service.status() } == .insecurePath)
    #expect(await kind { try await service.create(with: .words("open")) } == .insecurePath)
    #expect(!folder.names.contains("nowhere"))
  }

  @Test("the folder may be reached through a link")
  func linkedFolder() async throws {
    try #require(mkdir("\(folder.path)/real", 0o700) == 0)
    try #require(symlink("real", "\(folder.path)/link") == 0)
    let service = try await LiveKeychainService.made(at: "\(folder.path)/link/keychain.sbkc")
    try await service.save(Data([1]), forKey: "a")
    let other = try await LiveKeychainService.opened(at: "\(folder.path)/real/keychain.sbkc")
    #expect(try await other.load(forKey: "a") == Data([1]))
  }

  @Test("a lock that is a link is refused, and not followed") func linkedLock() async throws {
    let service = try await LiveKeychainService.made(at: folder.keychain)
    try #require(unlink("\(folder.keychain).lock") == 0)
    try #require(symlink("elsewhere", "\(folder.keychain).lock") == 0)
    #expect(await kind { try await service.save(Data(), forKey: "a") } == .insecurePath)
    #expect(!folder.names.contains("elsewhere"))
  }

  @Test("a folder that others may write to is refused, unless it is sticky") func folderOfOthers()
    async throws
  {
    let service = try await LiveKeychainService.made(at: folder.keychain)
    for (mode, expected) in [
      (mode_t(0o777), KeychainError.Kind.insecurePermissions), (0o770, .insecurePermissions),
      (0o1777, nil), (0o755, nil),
    ] {
      try #require(chmod(folder.path, mode) == 0)
      #expect(await kind { try await service.save(Data(), forKey: "a") } == expected)
      #expect(try await service.load(forKey: "b") == nil)
    }
  }

  @Test("a file that others can read is opened with a warning and closed by the next save")
  func readableFile() async throws {
    let service = try await LiveKeychainService.made(at: folder.keychain)
    try #require(chmod(folder.keychain, 0o644) == 0)
    #expect(try await service.status().warnings.contains { $0.contains("644") })
    try await service.save(Data([1]), forKey: "a")
    #expect(mode(of: folder.keychain) == 0o600)
    #expect(try await service.status().warnings.allSatisfy { !$0.contains("644") })
  }

  @Test("a user's file is not taken over by root", .enabled(if: geteuid() == 0))
  func notOwner() async throws {
    let service = try await LiveKeychainService.made(at: folder.keychain)
    try #require(chown(folder.keychain, 1000, 1000) == 0)
    let before = try bytes(of: folder.keychain)
    #expect(await kind { try await service.save(Data(), forKey: "a") } == .notOwner)
    #expect(try await service.load(forKey: "a") == nil)
    #expect(try bytes(of: folder.keychain) == before)
  }

  @Test("leftovers of a save are removed") func leftovers() async throws {
    let service = try await LiveKeychainService.made(at: folder.keychain)
    _ = try folder.write([1], to: ".keychain.sbkc.0123456789abcdef.tmp")
    let kept = [
      ".keychain.sbkc.0123456789ABCDEF.tmp", ".keychain.sbkc.0123456789abcde.tmp",
      ".other.sbkc.0123456789abcdef.tmp",
      "keychain.sbkc.0123456789abcdef.tmp",
    ]
    for name in kept { _ = try folder.write([1], to: name) }
    try #require(mkdir("\(folder.path)/.keychain.sbkc.ffffffffffffffff.tmp", 0o700) == 0)
    try await service.save(Data([1]), forKey: "a")
    #expect(
      Set(folder.names)
        == Set(
          kept + ["keychain.sbkc", "keychain.sbkc.lock", ".keychain.sbkc.ffffffffffffffff.tmp"]))
  }

  @Test("a file above the greatest size is too large, and an empty one damaged") func tooLarge()
    async throws
  {
    _ = try folder.write([], to: "keychain.sbkc")
    try #require(truncate(folder.keychain, 16_777_217) == 0)
    let service = LiveKeychainService(at: folder.keychain)
    #expect(await kind { try await service.unlock(with: .words("open")) } == .tooLarge)
    try #require(truncate(folder.keychain, 0) == 0)
    #expect(await kind { try await service.unlock(with: .words("open")) } == .damaged)
  }

  @Test("a full keychain refuses more and keeps what it has")
  func full() async throws {
    let big = Data(repeating: 1, count: 1_048_576)
    var entries = try KeychainEntries()
    for index in 0..<15 { entries = try entries.setting("\(index)", to: big) }
    let keys = try KeychainKeys(random: .system)
    let slot = try KeychainSlot(
      for: .words("open"), keys: keys, kdf: KeychainPolicy.fast.kdf, random: .system)
    let before = try KeychainCodec.encode(entries, keys: keys, generation: 1, slots: [slot])
    try replaceFile(with: before)
    let service = try await LiveKeychainService.opened(at: folder.keychain)
    #expect(await kind { try await service.save(big, forKey: "15") } == .limitExceeded)
    #expect(try bytes(of: folder.keychain) == before)
    #expect(try await service.keys().count == 15)
  }

  @Test("a file of the last generation is not written again") func lastGeneration() async throws {
    let vector = try #require(KeychainVector.all.first { $0.name == "ok_generation_max" })
    try replaceFile(with: vector.file)
    let service = LiveKeychainService(at: folder.keychain)
    try await service.unlock(with: vector.secret)
    #expect(await kind { try await service.save(Data(), forKey: "a") } == .limitExceeded)
    #expect(try bytes(of: folder.keychain) == vector.file)
  }

  @Test("unknown slots survive a save")
  func unknownSlot() async throws {
    let vector = try #require(KeychainVector.all.first { $0.name == "ok_unknown_slot_kind" })
    try replaceFile(with: vector.file)
    let service = LiveKeychainService(at: folder.keychain)
    try await service.unlock(with: vector.secret)
    try await service.save(Data(), forKey: "a")
    let saved = try bytes(of: folder.keychain)
    #expect(try KeychainHeader(parsing: saved).slots == KeychainHeader(parsing: vector.file).slots)
    #expect(try await service.status().slots.contains { $0.kind.hasPrefix("unknown(") })
  }

  @Test("the default key derivation takes 256 MiB and three passes") func defaultKeyDerivation() {
    #expect(KeychainPolicy().kdf == KeyDerivation(ops: 3, memory: 268_435_456))
  }

  @Test("the status tells what is there, locked and unlocked") func status() async throws {
    let service = LiveKeychainService(at: folder.keychain)
    #expect(
      try await service.status()
        == KeychainStatus(path: folder.keychain, exists: false, unlocked: false))
    try await service.create(with: .words("open"))
    try await service.save(Data([1]), forKey: "a")
    var status = try await service.status()
    #expect(status.unlocked && status.count == 1 && status.generation == 2 && status.bytes == 4384)
    #expect(status.slots == [KeychainStatus.Slot(kind: "passphrase", ops: 1, memory: 8192)])
    #expect(status.memoryLocked != nil)
    #expect(status.warnings.contains { $0.contains("newest copy") })
    await service.lock()
    status = try await service.status()
    #expect(
      !status.unlocked && status.count == nil && status.generation == 2
        && status.memoryLocked == nil)
    #expect(status.warnings.contains { $0.contains("unverified") })
  }

  @Test("an unlock descriptor is not used up by a missing file")
  func descriptorWaits() async throws {
    let end = try pipe(holding: Array("open".utf8))
    let sources = UnlockSources(environment: ["SWIFTBOARD_PASSPHRASE_FD": "\(end)"])
    let service = LiveKeychainService(at: folder.keychain, sources)
    #expect(await kind { _ = try await service.load(forKey: "a") } == .missing)
    _ = try await LiveKeychainService.made(at: folder.keychain)
    #expect(try await service.load(forKey: "a") == nil)
  }

  // MARK: Several at once

  @Test("instances see each other") func instancesSeeEachOther() async throws {
    let first = try await LiveKeychainService.made(at: folder.keychain)
    let second = try await LiveKeychainService.opened(at: folder.keychain)
    try await first.save(Data([1]), forKey: "a")
    #expect(try await second.load(forKey: "a") == Data([1]))
    try await second.save(Data([2]), forKey: "b")
    try await first.save(Data([3]), forKey: "c")
    #expect(try await first.keys() == ["a", "b", "c"])
    #expect(try await second.keys() == ["a", "b", "c"])
    try await second.delete(forKey: "a")
    #expect(try await first.load(forKey: "a") == nil)
  }

  @Test("concurrent saves lose nothing")
  func concurrentSaves() async throws {
    _ = try await LiveKeychainService.made(at: folder.keychain)
    let path = folder.keychain
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          let service = try await LiveKeychainService.opened(at: path)
          for number in 0..<20 {
            try await service.save(Data([UInt8(number)]), forKey: "\(writer)-\(number)")
          }
        }
      }
      group.addTask {
        let service = try await LiveKeychainService.opened(at: path)
        for _ in 0..<100 { _ = try await service.keys() }
      }
      try await group.waitForAll()
    }
    let service = try await LiveKeychainService.opened(at: path)
    #expect(try await service.keys().count == 80)
    #expect(try await service.status().generation == 81)
  }

  @Test("one service takes many calls at once")
  func concurrentCalls() async throws {
    let service = try await LiveKeychainService.made(at: folder.keychain)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<30 {
        group.addTask { try await service.save(Data([1]), forKey: "\(number)") }
      }
      try await group.waitForAll()
    }
    #expect(try await service.keys().count == 30)
  }

  @Test("waiting for the lock has a limit") func lockTimeout() async throws {
    _ = try await LiveKeychainService.made(at: folder.keychain)
    // Real time: the system has no event for a lock. The lock is held until the limit has passed.
    let policy = KeychainPolicy(ops: 1, memory: 8192, lockTimeout: .milliseconds(500))
    let service = LiveKeychainService(path: folder.keychain, policy: policy)
    try await service.unlock(with: .words("open"))
    let held = open("\(folder.keychain).lock", O_RDWR | O_CLOEXEC)
    // A process that another test starts has copies of all descriptors until it runs its program.
    // So this waits for the service's own lock, and the lock is released before it is closed.
    try #require(flock(held, LOCK_EX) == 0)
    let before = try bytes(of: folder.keychain)
    #expect(await kind { try await service.save(Data(), forKey: "a") } == .lockTimeout)
    #expect(try await service.load(forKey: "a") == nil)
    #expect(try bytes(of: folder.keychain) == before)
    flock(held, LOCK_UN)
    close(held)
    try await service.save(Data(), forKey: "a")
  }

  @Test("a lock file that was replaced while waiting is not trusted")
  func replacedLock() async throws {
    let path = "\(folder.keychain).lock"
    let replaced = Mutex(false)
    let system = FileSystem { call, _ in
      if call == .lock, !replaced.withLock({ $0 }), access(path, F_OK) == 0 {
        replaced.withLock { $0 = true }
        unlink(path)
      }
      return nil
    }
    let service = try await LiveKeychainService.made(at: folder.keychain, system: system)
    #expect(replaced.withLock { $0 })
    try await service.save(Data([1]), forKey: "a")
    #expect(folder.names == ["keychain.sbkc", "keychain.sbkc.lock"])
  }

  @Test("a change by a program without a lock is noticed before the rename")
  func changedUnderneath() async throws {
    let path = folder.keychain
    let armed = Mutex(false)
    let system = FileSystem { call, _ in
      if call == .close, armed.withLock({ $0 }) {
        let file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
        write(file, "x", 1)
        close(file)
      }
      return nil
    }
    let service = try await LiveKeychainService.made(at: path, system: system)
    armed.withLock { $0 = true }
    #expect(await kind { try await service.save(Data([1]), forKey: "a") } == .changedUnderneath)
    #expect(folder.names == ["keychain.sbkc", "keychain.sbkc.lock"])
    #expect(try bytes(of: path).count == 4385)
  }

  @Test("a call that is cancelled while a key is derived does not wait for the end of that")
  func abandonedDerivation() async throws {
    // No derivation begins meanwhile. The gate of the process would hold up other tests.
    let gate = KeyStretching.Gate()
    let (begin, hasBegun) = AsyncStream.makeStream(of: Void.self)
    let end = DispatchSemaphore(value: 0)
    DetachedThread.start {
      gate.lock.withLock { _ in
        hasBegun.yield()
        end.wait()
      }
    }
    defer { end.signal() }
    for await _ in begin { break }
    let passphrase = try GuardedBytes(copying: Array("words".utf8))
    let (start, hasStarted) = AsyncStream.makeStream(of: Void.self)
    let call = Task {
      await kind {
        hasStarted.yield()
        _ = try KeyStretching.key(
          from: passphrase, salt: [UInt8](repeating: 0, count: 16), ops: 1, memory: 8192,
          gate: gate)
      }
    }
    for await _ in start { break }
    call.cancel()
    #expect(await call.value == .cancelled)
  }

  @Test("a call that is cancelled while a key is derived changes nothing")
  func cancelledDerivation() async throws {
    func cancelled(
      _ body: @escaping @Sendable () async throws -> Void
    ) async -> KeychainError.Kind? {
      await Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return await kind(body)
      }.value
    }
    let service = LiveKeychainService(at: folder.keychain)
    #expect(await cancelled { try await service.create(with: .words("open")) } == .cancelled)
    #expect(!folder.names.contains("keychain.sbkc"))
    try await service.create(with: .words("open"))
    let before = try bytes(of: folder.keychain)
    #expect(await cancelled { try await service.addSlot(.words("second")) } == .cancelled)
    #expect(
      await cancelled {
        try await service.rekey(
          KeychainRekey(replaced: .words("open"), replacement: .words("new")))
      } == .cancelled)
    #expect(try bytes(of: folder.keychain) == before)
    let other = LiveKeychainService(at: folder.keychain)
    #expect(await cancelled { try await other.unlock(with: .words("open")) } == .cancelled)
    #expect(await kind { _ = try await other.load(forKey: "a") } == .locked)
    try await other.unlock(with: .words("open"))
  }
}
