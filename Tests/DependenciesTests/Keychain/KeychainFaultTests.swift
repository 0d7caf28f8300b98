import SwiftBoardSystem
import Synchronization
import Testing

@testable import SwiftBoardDependencies

/// Each system call of a save fails once, in each way that matters.
@Suite struct KeychainFaultTests {
  /// Counts calls while armed and lets one of them fail, or that one and all after it.
  private final class Script: Sendable {
    private struct State {
      var isArmed = false
      var calls: [FileSystem.Call] = []
      var target = -1
      var fault = FileSystem.Fault.short
      var andAllAfter = false
      var damages = false
    }
    private let state = Mutex(State())

    var system: FileSystem {
      FileSystem { call, _ in
        self.state.withLock { state in
          guard state.isArmed else { return nil }
          let index = state.calls.count
          state.calls.append(call)
          if index == state.target { return state.fault }
          if state.damages, call == .read { return .damaged }
          return state.andAllAfter && index > state.target ? .error(EIO) : nil
        }
      }
    }

    func arm(_ target: Int = -1, _ fault: FileSystem.Fault = .short, andAllAfter: Bool = false) {
      state.withLock {
        $0 = State(
          isArmed: true, target: target, fault: fault, andAllAfter: andAllAfter && target >= 0)
      }
    }

    /// Every read from here on gives a wrong byte.
    func damageReads() { state.withLock { $0 = State(isArmed: true, damages: true) } }

    func disarm() -> [FileSystem.Call] {
      state.withLock { state in
        state.isArmed = false
        return state.calls
      }
    }
  }

  private let old = Data(repeating: 1, count: 100)
  private let new = Data(repeating: 2, count: 5000)

  private func prepared(_ folder: KeychainFolder, _ script: Script) async throws
    -> LiveKeychainService
  {
    let service = try await LiveKeychainService.made(at: folder.keychain, system: script.system)
    try await service.save(old, forKey: "a")
    return service
  }

  private func callsOfASave() async throws -> [FileSystem.Call] {
    let folder = try KeychainFolder()
    let script = Script()
    let service = try await prepared(folder, script)
    script.arm()
    try await service.save(new, forKey: "a")
    return script.disarm()
  }

  private func temporaries(_ folder: KeychainFolder) -> [String] {
    folder.names.filter { $0.hasSuffix(".tmp") }
  }

  @Test("a save calls what the protocol prescribes, in its order")
  func order() async throws {
    let steps = try await callsOfASave().filter {
      [
        .openFolder, .openLock, .lock, .createFile, .changeMode, .write, .sync, .read, .close,
        .rename, .syncFolder,
      ]
      .contains($0)
    }
    #expect(
      steps == [
        .openFolder, .openLock, .lock, .createFile, .changeMode, .write, .sync, .read, .close,
        .rename, .syncFolder,
      ]
        || steps == [
          .openFolder, .openLock, .lock, .createFile, .changeMode, .write, .sync, .read, .read,
          .close, .rename,
          .syncFolder,
        ])
  }

  @Test(
    "after any failure the file is the old one or the new one, and nothing is left over",
    arguments: [EIO, ENOSPC, EXDEV, EACCES])
  func failures(code: Int32) async throws {
    let calls = try await callsOfASave()
    for index in calls.indices {
      let folder = try KeychainFolder()
      let script = Script()
      let service = try await prepared(folder, script)
      script.arm(index, .error(code))
      let thrown = await kind { try await service.save(new, forKey: "a") }
      // How often a file is read differs by chance: what failed is the call that this save made at
      // that place, if it came so far.
      let made = script.disarm()
      guard index < made.count else { continue }
      let call = made[index]
      let place: Comment = "\(call) (call \(index)), errno \(code): \(String(describing: thrown))"
      #expect(temporaries(folder).isEmpty, place)
      let expected = thrown == nil || thrown == .durabilityUnknown ? new : old
      let fresh = try await LiveKeychainService.opened(at: folder.keychain)
      #expect(try await fresh.load(forKey: "a") == expected, place)
      #expect(try await service.load(forKey: "a") == expected, place)
      if call == .syncFolder { #expect(thrown == .durabilityUnknown) }
      if [.createFile, .changeMode, .write, .sync, .read, .close, .rename].contains(call) {
        #expect(thrown == .io, place)
      }
      try await service.save(Data([3]), forKey: "a")
      #expect(try await fresh.load(forKey: "a") == Data([3]), place)
    }
  }

  @Test("interrupted and short calls are carried on")
  func interruptions() async throws {
    let calls = try await callsOfASave()
    for (index, call) in calls.enumerated() {
      for fault in [FileSystem.Fault.error(EINTR), .short] {
        let folder = try KeychainFolder()
        let script = Script()
        let service = try await prepared(folder, script)
        script.arm(index, fault)
        let thrown = await kind { try await service.save(new, forKey: "a") }
        _ = script.disarm()
        // A close must not be repeated: whether the file is closed is not known.
        if case .error = fault, call == .close {
          #expect(thrown == .io)
        } else {
          #expect(thrown == nil, "\(call), \(fault)")
          #expect(try await service.load(forKey: "a") == new)
        }
      }
    }
  }

  @Test(
    "a save that ends at any call leaves the old file or the new one, and the next one cleans up")
  func crashes() async throws {
    let calls = try await callsOfASave()
    var left = 0
    for (index, call) in calls.enumerated() {
      for fault in [FileSystem.Fault.error(EIO), .short] {
        let folder = try KeychainFolder()
        let script = Script()
        let service = try await prepared(folder, script)
        script.arm(index, fault, andAllAfter: true)
        _ = await kind { try await service.save(new, forKey: "a") }
        _ = script.disarm()
        left += temporaries(folder).count
        let fresh = try await LiveKeychainService.opened(at: folder.keychain)
        let value = try await fresh.load(forKey: "a")
        #expect(value == old || value == new, "\(call)")
        try await fresh.save(Data([3]), forKey: "b")
        #expect(temporaries(folder).isEmpty, "\(call)")
      }
    }
    #expect(left > 0, "no crash left a temporary file, so cleaning up was not tested")
  }

  @Test(
    "verifying reads a file whose name, size and times are those of the one read last",
    arguments: [true, false])
  func damageBehindAnUnchangedFile(isUnlocked: Bool) async throws {
    let folder = try KeychainFolder()
    let script = Script()
    let service = try await prepared(folder, script)
    if !isUnlocked { await service.lock() }
    #expect(try await service.verify().unlocked == isUnlocked)
    script.damageReads()
    #expect(await kind { _ = try await service.verify() } == .damaged)
    #expect(script.disarm().contains(.read))
    // The disk gives the right bytes again: nothing was lost by looking.
    #expect(try await service.verify().unlocked == isUnlocked)
    try await service.unlock(with: .words("open"))
    #expect(try await service.load(forKey: "a") == old)
  }

  @Test("a failed creation leaves no keychain")
  func creation() async throws {
    func made(_ folder: KeychainFolder, _ script: Script) -> LiveKeychainService {
      LiveKeychainService(at: "\(folder.path)/sub/keychain.sbkc", system: script.system)
    }
    let first = try KeychainFolder()
    let script = Script()
    script.arm()
    try await made(first, script).create(with: .words("open"))
    let calls = script.disarm()
    #expect(calls.contains(.makeFolder) && calls.contains(.renameWithoutReplacing))
    #expect(calls.filter { $0 == .syncFolder }.count >= 2)
    for (index, call) in calls.enumerated() {
      let folder = try KeychainFolder()
      let script = Script()
      let service = made(folder, script)
      script.arm(index, .error(EIO))
      let thrown = await kind { try await service.create(with: .words("open")) }
      _ = script.disarm()
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/sub")) ?? []
      #expect(!names.contains { $0.hasSuffix(".tmp") }, "\(call)")
      #expect(
        names.contains("keychain.sbkc") == (thrown == nil || thrown == .durabilityUnknown),
        "\(call)")
    }
  }

  @Test("where the file system cannot rename without replacing, the name is looked up first")
  func renameFallback() async throws {
    let system = FileSystem { call, _ in call == .renameWithoutReplacing ? .error(EINVAL) : nil }
    let folder = try KeychainFolder()
    let service = try await LiveKeychainService.made(at: folder.keychain, system: system)
    #expect(try await service.keys() == [])
  }

  @Test("a file that appears during a creation is not replaced", arguments: [nil, EINVAL])
  func creationRace(code: Int32?) async throws {
    let folder = try KeychainFolder()
    let path = folder.keychain
    let system = FileSystem { call, _ in
      guard call == .renameWithoutReplacing else { return nil }
      close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
      return code.map { .error($0) }
    }
    let service = LiveKeychainService(at: path, system: system)
    #expect(await kind { try await service.create(with: .words("open")) } == .exists)
    #expect(try bytes(of: path).isEmpty)
    #expect(temporaries(folder).isEmpty)
  }

  @Test("a folder that cannot be synced is no failure, and is told")
  func unsyncedFolder() async throws {
    let system = FileSystem { call, _ in call == .syncFolder ? .error(EINVAL) : nil }
    let folder = try KeychainFolder()
    let service = try await LiveKeychainService.made(at: folder.keychain, system: system)
    #expect(try await service.status().warnings.contains { $0.contains("cannot sync folders") })
  }

  @Test("without locks there is reading and no saving")
  func noLocks() async throws {
    let folder = try KeychainFolder()
    _ = try await LiveKeychainService.made(at: folder.keychain)
    let system = FileSystem { call, _ in call == .lock ? .error(EOPNOTSUPP) : nil }
    let service = try await LiveKeychainService.opened(at: folder.keychain, system: system)
    #expect(try await service.keys() == [])
    #expect(await kind { try await service.save(Data(), forKey: "a") } == .io)
  }

  @Test("a memory error while unlocking is never a wrong passphrase")
  func keyDerivationFails() throws {
    let passphrase = try GuardedBytes(copying: Array("open".utf8))
    do throws(KeychainError) {
      // Less memory than Argon2 can work with: the library refuses.
      _ = try KeyStretching.key(from: passphrase, salt: Array(0..<16), ops: 1, memory: 1024)
      Issue.record("derived")
    } catch {
      #expect(error.kind == .kdfFailed)
    }
  }
}
