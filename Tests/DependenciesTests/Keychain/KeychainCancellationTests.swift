import SwiftBoardSystem
import Synchronization
import Testing

@testable import SwiftBoardDependencies

/// A change is made completely or not at all, wherever it is cancelled.
@Suite("keychain, cancelled changes")
struct KeychainCancellationTests {
  /// Cancels the task of the call that makes a system call.
  private final class Canceller: Sendable {
    /// The call to cancel at, or `nil` for none.
    let call = Mutex<FileSystem.Call?>(nil)
    /// Whether another process holds the lock.
    let isLocked = Mutex(false)

    var system: FileSystem {
      FileSystem { call, _ in
        if call == self.call.withLock({ $0 }) { withUnsafeCurrentTask { $0?.cancel() } }
        return call == .lock && self.isLocked.withLock({ $0 }) ? .error(EWOULDBLOCK) : nil
      }
    }

    func run(
      at call: FileSystem.Call, _ body: @escaping @Sendable () async throws -> Void
    ) async -> KeychainError.Kind? {
      self.call.withLock { $0 = call }
      let thrown = await Task { await kind(body) }.value
      self.call.withLock { $0 = nil }
      return thrown
    }
  }

  private let folder: KeychainFolder
  private let canceller = Canceller()

  init() throws { folder = try KeychainFolder() }

  @Test(
    "the wait for the lock ends, also where its time has passed, and nothing is written",
    arguments: [Duration.seconds(3600), .zero])
  func whileWaiting(lockTimeout: Duration) async throws {
    let policy = KeychainPolicy(ops: 1, memory: 8192, lockTimeout: lockTimeout)
    let service = LiveKeychainService(
      path: folder.keychain, unlockSources: .none, policy: policy, system: canceller.system)
    try await service.create(with: .words("open"))
    let before = try bytes(of: folder.keychain)
    canceller.isLocked.withLock { $0 = true }
    #expect(
      await canceller.run(at: .lock) { try await service.save(Data(), forKey: "a") } == .cancelled)
    #expect(
      await canceller.run(at: .lock) {
        try await service.rekey(
          KeychainRekey(replaced: .words("open"), replacement: .words("new")))
      } == .cancelled)
    canceller.isLocked.withLock { $0 = false }
    #expect(try bytes(of: folder.keychain) == before)
    try await service.save(Data([1]), forKey: "a")
  }

  @Test(
    "before the rename nothing is changed, and nothing is left over",
    arguments: [FileSystem.Call.createFile, .write, .sync, .close])
  func beforeTheRename(call: FileSystem.Call) async throws {
    let service = try await LiveKeychainService.made(
      at: folder.keychain, system: canceller.system)
    let before = try bytes(of: folder.keychain)
    #expect(
      await canceller.run(at: call) { try await service.save(Data([1]), forKey: "a") }
        == .cancelled)
    #expect(try bytes(of: folder.keychain) == before)
    #expect(folder.names == ["keychain.sbkc", "keychain.sbkc.lock"])
    #expect(try await service.load(forKey: "a") == nil)
    let target = "\(folder.path)/export.sbkc"
    #expect(
      await canceller.run(at: call) {
        _ = try await service.export(to: target, secret: .words("other"))
      } == .cancelled)
    #expect(folder.names == ["keychain.sbkc", "keychain.sbkc.lock"])
  }

  @Test(
    "from the rename on the change is complete",
    arguments: [FileSystem.Call.rename, .syncFolder])
  func fromTheRenameOn(call: FileSystem.Call) async throws {
    let service = try await LiveKeychainService.made(
      at: folder.keychain, system: canceller.system)
    #expect(
      await canceller.run(at: call) { try await service.save(Data([1]), forKey: "a") } == nil)
    let other = try await LiveKeychainService.opened(at: folder.keychain)
    #expect(try await other.load(forKey: "a") == Data([1]))
  }

  /// Marks in a database that is busy at the first attempt to write.
  private final class BusyMarks: RollbackMarkStore {
    let base = MarksInMemory()

    func mark(forKeychainAt path: String) throws -> RollbackMark? {
      try base.mark(forKeychainAt: path)
    }
    func raise(_ mark: RollbackMark, forKeychainAt path: String) throws {
      var paused = 0
      guard BusyWait(milliseconds: 1).shouldRetry(paused: &paused) else {
        throw MarksInMemory.Unavailable()
      }
      try base.raise(mark, forKeychainAt: path)
    }
    func replace(_ mark: RollbackMark, forKeychainAt path: String) throws {
      try base.replace(mark, forKeychainAt: path)
    }
  }

  @Test("a cancelled change that is made is remembered, also by a database that is busy")
  func markOfAMadeChange() async throws {
    let marks = BusyMarks()
    let service = LiveKeychainService(
      path: folder.keychain, unlockSources: .none, policy: .fast, rollbackMarks: marks,
      system: canceller.system)
    try await service.create(with: .words("open"))
    #expect(
      await canceller.run(at: .rename) { try await service.save(Data([1]), forKey: "a") } == nil)
    #expect(marks.base.marks.withLock { $0[folder.keychain]?.generation } == 2)
    #expect(try await service.status().warnings.allSatisfy { !$0.contains("ollback") })
  }

  @Test("after a cancelled change that is made, the kept answers of the secret are removed")
  func answersOfAMadeChange() async throws {
    let folder = try DatabaseFolder()
    let (waits, continuation) = AsyncStream.makeStream(of: Void.self)
    let busyWait = BusyWait(milliseconds: 3_600_000) { continuation.yield() }
    let service = folder.service(options: .init(busyWait: busyWait))
    let key = "GET http://h/?a={{secret:k}}"
    try await service.storeResponse(
      CachedResponse(
        key: key, service: "", status: 200, headers: [], body: Data("{}".utf8), stored: 1,
        expires: nil))
    var dependencies = Dependencies.mock
    dependencies.persistence = service
    let stranger = try folder.stranger(folder.cache)
    try stranger.execute("BEGIN IMMEDIATE")
    let forgetting = Task { [dependencies] in
      withUnsafeCurrentTask { $0?.cancel() }
      await forgetAnswers(withSecret: "k", dependencies)
      continuation.finish()
    }
    for await _ in waits { break }
    try stranger.execute("COMMIT")
    await forgetting.value
    #expect(try await service.removeResponses { _ in true } == 0)
    try stranger.close()
  }
}
