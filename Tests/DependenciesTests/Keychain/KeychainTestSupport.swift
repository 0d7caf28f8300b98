import SwiftBoardSystem
import SwiftBoardTestSupport
import Synchronization
import Testing

@testable import SwiftBoardDependencies

/// A folder of its own, removed with the last reference.
final class KeychainFolder: Sendable {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  var path: String { folder.path }
  var keychain: String { "\(path)/keychain.sbkc" }

  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  func write(_ bytes: [UInt8], to name: String, mode: mode_t = 0o600) throws -> String {
    let file = "\(path)/\(name)"
    try Data(bytes).write(to: URL(filePath: file))
    try #require(chmod(file, mode) == 0)
    return file
  }
}

func bytes(of path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }

func mode(of path: String) -> UInt32 {
  var raw = stat()
  return stat(path, &raw) == 0 ? UInt32(raw.st_mode) & 0o7777 : 0
}

func bytes(hex: String) -> [UInt8] {
  let digits = hex.utf8.filter { $0 > 0x20 }.map { $0 > 0x39 ? $0 - 87 : $0 - 48 }
  return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

func hex(_ bytes: some Sequence<UInt8>) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

extension KeychainSecret {
  static func words(_ text: String) throws -> KeychainSecret {
    .passphrase(try GuardedBytes(copying: Array(text.utf8)))
  }

  static func key(_ bytes: some Collection<UInt8>) throws -> KeychainSecret {
    .keyFile(try GuardedBytes(copying: bytes))
  }
}

extension KeychainPolicy {
  /// The least key derivation, so that tests are fast.
  static let fast = KeychainPolicy(ops: 1, memory: 8192, lockTimeout: .seconds(3600))
}

extension LiveKeychainService {
  convenience init(
    at path: String, _ sources: UnlockSources = .none, system: FileSystem = FileSystem(),
    clock: BoardClock = .live
  ) {
    self.init(path: path, unlockSources: sources, policy: .fast, system: system, clock: clock)
  }

  /// A new keychain with the passphrase `open`.
  static func made(at path: String, system: FileSystem = FileSystem()) async throws
    -> LiveKeychainService
  {
    let service = LiveKeychainService(at: path, system: system)
    try await service.create(with: .words("open"))
    return service
  }

  /// Another instance, unlocked.
  static func opened(at path: String, system: FileSystem = FileSystem()) async throws
    -> LiveKeychainService
  {
    let service = LiveKeychainService(at: path, system: system)
    try await service.unlock(with: .words("open"))
    return service
  }
}

/// The kind of what `body` throws; `nil` when it does not throw.
func kind(_ body: () async throws -> Void) async -> KeychainError.Kind? {
  do {
    try await body()
    return nil
  } catch {
    return (error as? KeychainError)?.kind
  }
}

/// A published test vector.
struct KeychainVector: Sendable, CustomTestStringConvertible {
  struct Description: Decodable, Sendable {
    var expect: String
    var unlock: String
    var secret: String
    var entries: [String: String]?
    var blake2b256: String
  }

  var name: String
  var file: [UInt8]
  var description: Description

  var testDescription: String { name }

  var secret: KeychainSecret {
    get throws {
      let bytes = bytes(hex: description.secret)
      return description.unlock == "keyfile"
        ? try .key(bytes) : .passphrase(try GuardedBytes(copying: bytes))
    }
  }

  static let folder = "\(SourceTree.root)/Tests/DependenciesTests/keychain-vectors"

  static let all: [KeychainVector] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".json") }.sorted().compactMap { name in
      let stem = String(name.dropLast(5))
      guard let file = try? bytes(of: "\(folder)/\(stem).sbkc"),
        let json = try? Data(contentsOf: URL(filePath: "\(folder)/\(name)")),
        let description = try? JSONDecoder().decode(Description.self, from: json)
      else { return nil }
      return KeychainVector(name: stem, file: file, description: description)
    }
  }()
}

/// Marks in memory, which can be unavailable.
final class MarksInMemory: RollbackMarkStore {
  struct Unavailable: Error {}
  let marks = Mutex<[String: RollbackMark]>([:])
  let isAvailable = Mutex(true)
  /// The error while the marks are unavailable.
  let failure = Mutex<any Error>(Unavailable())
  let isReadOnly = Mutex(false)

  private func checkWriting() throws {
    try check()
    if isReadOnly.withLock(\.self) { throw Unavailable() }
  }

  private func check() throws { if !isAvailable.withLock({ $0 }) { throw failure.withLock { $0 } } }

  func mark(forKeychainAt path: String) throws -> RollbackMark? {
    try check()
    return marks.withLock { $0[path] }
  }

  func raise(_ mark: RollbackMark, forKeychainAt path: String) throws {
    try checkWriting()
    marks.withLock { marks in
      switch marks[path]?.relation(of: mark) {
      case .newer, .successor, nil: marks[path] = mark
      case .same, .older, .different: break
      }
    }
  }

  func replace(_ mark: RollbackMark, forKeychainAt path: String) throws {
    try checkWriting()
    marks.withLock { $0[path] = mark }
  }
}
