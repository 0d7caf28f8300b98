import Synchronization
import Testing

@testable import SwiftBoardDependencies

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

@Suite struct KeychainRollbackTests {
  private final class Marks: RollbackMarkStore {
    struct Unavailable: Error {}
    let marks = Mutex<[String: RollbackMark]>([:])
    let isAvailable = Mutex(true)

    private func check() throws { if !isAvailable.withLock({ $0 }) { throw Unavailable() } }

    func mark(forKeychainAt path: String) throws -> RollbackMark? {
      try check()
      return marks.withLock { $0[path] }
    }

    func raise(_ mark: RollbackMark, forKeychainAt path: String) throws {
      try check()
      marks.withLock { marks in
        switch marks[path]?.judge(mark) {
        case .newer, .successor, nil: marks[path] = mark
        case .same, .older, .different: break
        }
      }
    }

    func replace(_ mark: RollbackMark, forKeychainAt path: String) throws {
      try check()
      marks.withLock { $0[path] = mark }
    }
  }

  private let folder: KeychainFolder
  private let marks = Marks()

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
    #expect(marks.marks.withLock { $0[folder.keychain] } == RollbackMark(header))
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
