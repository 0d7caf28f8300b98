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

  @Test("the wait for the lock ends, and nothing is written")
  func whileWaiting() async throws {
    let service = try await LiveKeychainService.made(
      at: folder.keychain, system: canceller.system)
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
}
