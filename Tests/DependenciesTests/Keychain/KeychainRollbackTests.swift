import Dispatch
import SwiftBoardSystem
import Synchronization
import Testing

@testable import SwiftBoardDependencies

@Suite struct KeychainRollbackTests {
  private let folder: KeychainFolder
  private let marks = MarksInMemory()

  init() throws {
    folder = try KeychainFolder()
  }

  private func put(_ bytes: [UInt8]) throws {
    _ = try folder.write(bytes, to: "new")
    try #require(rename("\(folder.path)/new", folder.keychain) == 0)
  }

  private func marked() -> LiveKeychainService {
    LiveKeychainService(path: folder.keychain, policy: .fast, rollbackMarks: marks)
  }

  @Test("an older file is refused inside the process, unlocked or locked")
  func older() async throws {
    let service = try await LiveKeychainService.made(at: folder.keychain)
    let old = try bytes(of: folder.keychain)
    try await service.save(Data([1]), forKey: "a")
    let new = try bytes(of: folder.keychain)
    try put(old)
    #expect(await kind { _ = try await service.load(forKey: "a") } == .rolledBack)
    #expect(await kind { try await service.save(Data(), forKey: "a") } == .rolledBack)
    await service.lock()
    #expect(await kind { try await service.unlock(with: .words("open")) } == .rolledBack)
    #expect(try bytes(of: folder.keychain) == old)
    try put(new)
    try await service.unlock(with: .words("open"))
    #expect(try await service.load(forKey: "a") == Data([1]))
  }

  @Test("two files of one generation are not the same")
  func sibling() async throws {
    let first = try await LiveKeychainService.made(at: folder.keychain)
    let base = try bytes(of: folder.keychain)
    let copy = try folder.write(base, to: "copy.sbkc")
    let second = try await LiveKeychainService.opened(at: copy)
    try await first.save(Data([1]), forKey: "a")
    try await second.save(Data([2]), forKey: "a")
    try put(bytes(of: copy))
    #expect(await kind { _ = try await first.load(forKey: "a") } == .rolledBack)
  }

  @Test("another keychain locks, and is refused at the next unlock")
  func different() async throws {
    let service = try await LiveKeychainService.made(at: folder.keychain)
    let other = "\(folder.path)/other.sbkc"
    _ = try await LiveKeychainService.made(at: other)
    try put(bytes(of: other))
    #expect(await kind { _ = try await service.load(forKey: "a") } == .locked)
    #expect(try await service.status().unlocked == false)
    #expect(await kind { try await service.unlock(with: .words("open")) } == .differentKeychain)
    #expect(await kind { try await service.unlock(with: .words("shut")) } == .wrongSecret)
  }

  @Test("with a source the reason is told at once")
  func differentWithSource() async throws {
    let secret = try folder.write(Array("open".utf8), to: "p")
    let sources = UnlockSources(environment: ["SWIFTBOARD_PASSPHRASE_FILE": secret])
    let service = LiveKeychainService(at: folder.keychain, sources)
    try await service.create(with: nil)
    let other = "\(folder.path)/other.sbkc"
    _ = try await LiveKeychainService.made(at: other)
    try put(bytes(of: other))
    #expect(await kind { _ = try await service.load(forKey: "a") } == .differentKeychain)
  }

  @Test("a forged header locks, and is tampering at the next unlock")
  func forged() async throws {
    let service = try await LiveKeychainService.made(at: folder.keychain)
    var file = try bytes(of: folder.keychain)
    file[32] = 9
    file.replaceSubrange(
      (file.count - 32)..., with: KeychainCrypto.hash(file[..<(file.count - 32)]))
    try put(file)
    #expect(try await service.status().unlocked == false)
    #expect(await kind { _ = try await service.load(forKey: "a") } == .locked)
    #expect(await kind { try await service.unlock(with: .words("open")) } == .tamperedHeader)
  }

  @Test("the mark refuses an older file across processes")
  func olderAcross() async throws {
    let first = marked()
    try await first.create(with: .words("open"))
    let old = try bytes(of: folder.keychain)
    try await first.save(Data([1]), forKey: "a")
    #expect(try await first.status().warnings.isEmpty)
    try put(old)
    let second = marked()
    #expect(await kind { try await second.unlock(with: .words("open")) } == .rolledBack)
  }

  @Test("a file that is saved while its key is derived is read again with the same key")
  func savedWhileDeriving() async throws {
    let writer = marked()
    try await writer.create(with: .words("open"))
    let derivations = Mutex(0)
    let reader = LiveKeychainService(
      path: folder.keychain, policy: .fast, rollbackMarks: marks,
      onDerivation: { isRunning in
        guard isRunning else { return }
        let number = derivations.withLock { count -> Int in
          count += 1
          return count
        }
        let done = DispatchSemaphore(value: 0)
        Task.detached {
          try? await writer.save(Data([UInt8(number)]), forKey: "a")
          done.signal()
        }
        done.wait()
      })
    try await reader.unlock(with: .words("open"))
    #expect(try await reader.load(forKey: "a") == Data([1]))
    #expect(derivations.withLock(\.self) == 1)
  }

  @Test("the first use sets the mark, another keychain is refused")
  func firstUse() async throws {
    _ = try await LiveKeychainService.made(at: folder.keychain)
    try await marked().unlock(with: .words("open"))
    #expect(marks.marks.withLock { $0[folder.keychain]?.generation } == 1)
    let other = "\(folder.path)/other.sbkc"
    _ = try await LiveKeychainService.made(at: other)
    try put(bytes(of: other))
    #expect(await kind { try await marked().unlock(with: .words("open")) } == .differentKeychain)
  }

  @Test("the recorded successor is promoted, also where this process knew the old key")
  func successor() async throws {
    let service = marked()
    try await service.create(with: .words("open"))
    let other = "\(folder.path)/other.sbkc"
    _ = try await LiveKeychainService.made(at: other)
    let header = try KeychainHeader(parsing: bytes(of: other))
    marks.marks.withLock { $0[folder.keychain]?.successor = header.keyID }
    try put(bytes(of: other))
    #expect(await kind { _ = try await service.load(forKey: "a") } == .locked)
    try await service.unlock(with: .words("open"))
    var mark = marks.marks.withLock { $0[folder.keychain] }
    mark?.written = nil
    #expect(mark == RollbackMark(header))
  }

  private func other() async throws -> [UInt8] {
    let other = "\(folder.path)/other.sbkc"
    _ = try await LiveKeychainService.made(at: other)
    return try bytes(of: other)
  }

  @Test("a mark that cannot be written is a warning, unless it is there already")
  func unwritableMark() async throws {
    let service = marked()
    try await service.create(with: .words("open"))
    let old = try bytes(of: folder.keychain)
    marks.isReadOnly.withLock { $0 = true }
    let reader = marked()
    try await reader.unlock(with: .words("open"))
    #expect(try await reader.status().warnings.filter { $0.contains("record") } == [])

    try await reader.save(Data([1]), forKey: "a")
    let unwritten = try await reader.status().warnings.filter { $0.contains("record") }
    #expect(unwritten.count == 1)
    #expect(unwritten.first?.hasPrefix("The record of the last save cannot be written: ") == true)
    marks.isReadOnly.withLock { $0 = false }
    try await reader.save(Data([2]), forKey: "a")
    #expect(try await reader.status().warnings.filter { $0.contains("record") } == [])
    try put(old)
    #expect(await kind { try await marked().unlock(with: .words("open")) } == .rolledBack)

    marks.isAvailable.withLock { $0 = false }
    try await marked().unlock(with: .words("open"))
    let unread = marked()
    try await unread.unlock(with: .words("open"))
    #expect(
      try await unread.status().warnings.contains {
        $0.hasSuffix("the record of the last save cannot be read.")
      })
  }

  @Test("an older copy that is accepted is saved above both, and the newer one is refused then")
  func acceptOlder() async throws {
    let first = marked()
    try await first.create(with: .words("open"))
    try await first.save(Data([1]), forKey: "a")
    let old = try bytes(of: folder.keychain)
    for value in [2, 3] as [UInt8] { try await first.save(Data([value]), forKey: "a") }
    let newest = try bytes(of: folder.keychain)
    let newestDate = marks.marks.withLock { $0[folder.keychain]?.written }
    try #require(newestDate != nil)
    try put(old)

    let second = marked()
    #expect(await kind { _ = try await second.accept(with: nil) } == .locked)
    #expect(await kind { _ = try await second.accept(with: .words("shut")) } == .wrongSecret)
    #expect(try bytes(of: folder.keychain) == old)
    let accepted = try await second.accept(with: .words("open"))
    #expect(accepted.reason == .rolledBack)
    #expect(accepted.remembered == .init(generation: 4, written: newestDate))
    #expect(accepted.found.generation == 2)
    #expect(accepted.found.written != nil && accepted.found.written != newestDate)
    #expect(accepted.generation == 5)
    #expect(try KeychainHeader(parsing: bytes(of: folder.keychain)).generation == 5)
    #expect(try await second.load(forKey: "a") == Data([1]))
    // The process that knew the newer one, and a new one, go on with it.
    try await first.unlock(with: .words("open"))
    #expect(try await first.load(forKey: "a") == Data([1]))
    #expect(try await second.accept(with: nil).reason == .known)
    try put(newest)
    #expect(await kind { try await marked().unlock(with: .words("open")) } == .rolledBack)
  }

  @Test("keys that are held open the older copy too, and nothing is asked")
  func acceptUnlocked() async throws {
    let service = try await LiveKeychainService.made(at: folder.keychain)
    let old = try bytes(of: folder.keychain)
    try await service.save(Data([1]), forKey: "a")
    try put(old)
    #expect(await kind { _ = try await service.keys() } == .rolledBack)
    let accepted = try await service.accept(with: nil)
    #expect(accepted.reason == .rolledBack)
    #expect([accepted.remembered?.generation, accepted.generation] == [2, 3])
    #expect(try await service.keys() == [])
  }

  @Test("another keychain that is accepted is left as it is, and the one before is refused then")
  func acceptOther() async throws {
    let first = marked()
    try await first.create(with: .words("open"))
    try await first.save(Data([1]), forKey: "a")
    let before = try bytes(of: folder.keychain)
    let other = try await other()
    try put(other)
    let second = marked()
    #expect(await kind { try await second.unlock(with: .words("open")) } == .differentKeychain)
    let accepted = try await second.accept(with: .words("open"))
    #expect(accepted.reason == .replaced)
    #expect(accepted.remembered?.generation == 2)
    #expect([accepted.found.generation, accepted.generation] == [1, 1])
    #expect(try bytes(of: folder.keychain) == other)
    #expect(try await second.keys() == [])
    try await marked().unlock(with: .words("open"))
    try put(before)
    #expect(await kind { try await marked().unlock(with: .words("open")) } == .differentKeychain)
  }

  @Test("what cannot be remembered is not accepted")
  func acceptWithoutStore() async throws {
    let service = marked()
    try await service.create(with: .words("open"))
    try put(try await other())
    await service.lock()
    marks.isAvailable.withLock { $0 = false }
    #expect(await kind { _ = try await service.accept(with: .words("open")) } == .io)
    #expect(await kind { try await service.unlock(with: .words("open")) } == .differentKeychain)
  }

  @Test("what was seen before is not accepted, and a locked status says so, if it cannot be read")
  func acceptWithoutRecord() async throws {
    try await marked().create(with: .words("open"))
    marks.isAvailable.withLock { $0 = false }
    let service = marked()
    let isWarned = { (status: KeychainStatus) in
      status.warnings.contains { $0.contains("Rollback across processes was not checked") }
    }
    #expect(isWarned(try await service.status()))
    #expect(await kind { _ = try await service.accept(with: .words("open")) } == .io)
    marks.isAvailable.withLock { $0 = true }
    #expect(!isWarned(try await service.status()))
    #expect(try await service.accept(with: .words("open")).reason == .known)
  }

  @Test("while another process keeps the record locked, accepting and a locked status say so")
  func acceptWithBusyRecord() async throws {
    try await marked().create(with: .words("open"))
    marks.failure.withLock { $0 = PersistenceError(.busy, operation: "mark", message: "busy") }
    marks.isAvailable.withLock { $0 = false }
    let service = marked()
    #expect(try await service.status().warnings.contains { $0.contains("locked. Try again") })
    let error = await #expect(throws: KeychainError.self) {
      try await service.accept(with: .words("open"))
    }
    #expect(error?.message.contains("locked. Try again") == true)
  }

  @Test("an older copy that cannot be saved is not accepted")
  func acceptOnAFullDisk() async throws {
    let isFull = Mutex(false)
    let system = FileSystem(intercept: { call, _ in
      call == .write && isFull.withLock { $0 } ? .error(ENOSPC) : nil
    })
    let service = try await LiveKeychainService.made(at: folder.keychain, system: system)
    let old = try bytes(of: folder.keychain)
    try await service.save(Data([1]), forKey: "a")
    try put(old)
    isFull.withLock { $0 = true }
    #expect(await kind { _ = try await service.accept(with: nil) } == .io)
    #expect(await kind { _ = try await service.keys() } == .rolledBack)
    #expect(try bytes(of: folder.keychain) == old)
  }

  @Test("a tampered file is never accepted")
  func acceptTampered() async throws {
    let service = try await LiveKeychainService.made(at: folder.keychain)
    var file = try bytes(of: folder.keychain)
    file[file.count - 100] ^= 1
    file.replaceSubrange(
      (file.count - 32)..., with: KeychainCrypto.hash(file[..<(file.count - 32)]))
    try put(file)
    await service.lock()
    #expect(
      await kind { _ = try await service.accept(with: .words("open")) } == .tamperedPayload)
  }

  @Test("without the store the keychain goes on and says so")
  func unavailable() async throws {
    let service = marked()
    try await service.create(with: .words("open"))
    marks.isAvailable.withLock { $0 = false }
    try await service.save(Data([1]), forKey: "a")
    #expect(try await service.status().warnings.contains { $0.contains("Rollback") })
    marks.isAvailable.withLock { $0 = true }
    let second = marked()
    try await second.unlock(with: .words("open"))
    #expect(marks.marks.withLock { $0[folder.keychain]?.generation } == 2)
  }
}
