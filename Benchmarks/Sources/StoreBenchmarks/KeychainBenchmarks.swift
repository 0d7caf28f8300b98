import CSystemSodium
import SwiftBoardDependencies

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// K1 to K3: what the keychain costs beside the key derivation and the disk that it cannot do
/// without. With real files, on a disk.
func keychainBenchmarks() async -> [Measurement] {
  let folder = "/var/tmp/swiftboard-keychain-benchmarks.\(getpid())"
  guard sodium_init() >= 0, mkdir(folder, 0o700) == 0 else {
    print("no folder for files in /var/tmp: the keychain is not measured")
    return []
  }
  defer { try? FileManager.default.removeItem(atPath: folder) }
  do {
    return try await unlocking(in: folder) + saving(in: folder) + loading(in: folder)
  } catch {
    print("the keychain is not measured: \(error)")
    return []
  }
}

/// The names of `count` entries of about 40 bytes each.
private func name(_ index: Int) -> String { "service.\(index).token" }

private let value = Data(repeating: UInt8(ascii: "v"), count: 24)

private func keyFile() throws -> KeychainSecret {
  .keyFile(try GuardedBytes(copying: (0..<32).map { UInt8($0 * 7 + 1) }))
}

/// A keychain with so many entries, open.
private func keychain(_ path: String, _ count: Int) async throws -> LiveKeychainService {
  let keychain = LiveKeychainService(path: path)
  try await keychain.create(with: keyFile())
  // In parts, since each save writes the whole file, and in memory, since each waits for the disk.
  let memory = "/dev/shm/swiftboard-keychain-benchmarks.\(getpid())"
  let parts = mkdir(memory, 0o700) == 0 ? "\(memory)/part" : path
  defer { try? FileManager.default.removeItem(atPath: memory) }
  let size = 500
  for start in stride(from: 0, to: count, by: size) {
    let part = "\(parts).\(start)"
    let other = LiveKeychainService(path: part)
    try await other.create(with: keyFile())
    for index in start..<min(start + size, count) {
      try await other.save(value, forKey: name(index))
    }
    _ = try await keychain.importEntries(from: part, secret: keyFile(), existing: .refuse)
  }
  return keychain
}

// MARK: K1

private func unlocking(in folder: String) async throws -> [Measurement] {
  let words = "correct horse battery staple"
  let secret = KeychainSecret.passphrase(try GuardedBytes(copying: Array(words.utf8)))
  let keychain = LiveKeychainService(path: "\(folder)/passphrase.sbkc")
  try await keychain.create(with: secret)
  let salt = [UInt8](repeating: 7, count: 16)
  var key = [UInt8](repeating: 0, count: 32)
  let times = await pair(rounds: 5, operations: 1) {
    await keychain.lock()
    try? await keychain.unlock(with: secret)
  } limit: {
    _ = crypto_pwhash(
      &key, 32, words, UInt64(words.utf8.count), salt, 3, 268_435_456, crypto_pwhash_ALG_ARGON2ID13)
  }
  // 5 ms for all that is no derivation.
  let limit = times.limit * 1.05 + 5_000_000
  return [
    Measurement(
      id: "K1", name: "unlock with a passphrase", ours: times.ours / 1e6, limit: limit / 1e6,
      limitName: "the derivation, 5 %, 5 ms", goal: 1, unit: "ms")
  ]
}

// MARK: K2

private func saving(in folder: String) async throws -> [Measurement] {
  let few = try await keychain("\(folder)/few.sbkc", 100)
  let many = try await keychain("\(folder)/many.sbkc", 1000)
  let saves = 20
  let bytes = [UInt8](repeating: 1, count: 8480)
  let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  defer { close(descriptor) }
  let times = await pair(operations: saves) {
    for _ in 0..<saves { try? await few.save(value, forKey: name(50)) }
  } limit: {
    for _ in 0..<saves {
      let file = open("\(folder)/bare.tmp", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
      _ = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      fsync(file)
      close(file)
      rename("\(folder)/bare.tmp", "\(folder)/bare")
      fsync(descriptor)
    }
  }
  let sizes = await pair(operations: saves) {
    for _ in 0..<saves { try? await many.save(value, forKey: name(500)) }
  } limit: {
    for _ in 0..<saves { try? await few.save(value, forKey: name(50)) }
  }
  return [
    Measurement(
      id: "K2", name: "save, 100 entries", ours: times.ours / 1000, limit: times.limit / 1000,
      limitName: "write, sync, rename, sync", goal: 3, unit: "us"),
    Measurement(
      id: "K2", name: "save, 1 000 entries", ours: sizes.ours / 1000, limit: sizes.limit / 1000,
      limitName: "save, 100 entries", goal: 1.5, unit: "us"),
  ]
}

// MARK: K3

private func loading(in folder: String) async throws -> [Measurement] {
  let many = try await keychain("\(folder)/most.sbkc", 10_000)
  let loads = 1000
  let secret = try keyFile()
  var found = 0
  let load = await pair(operations: loads) {
    for index in 0..<loads where (try? await many.load(forKey: name(index))) != nil { found += 1 }
  } limit: {
  }
  guard found > 0 else { return [] }
  let decode = await pair(operations: 1) {
    await many.lock()
    try? await many.unlock(with: secret)
  } limit: {
  }
  return [
    Measurement(
      id: "K3", name: "load, 10 000 entries", ours: load.ours / 1000, limit: 20,
      limitName: "20 us", goal: 1, unit: "us"),
    Measurement(
      id: "K3", name: "open 10 000 entries with a key file", ours: decode.ours / 1e6, limit: 5,
      limitName: "5 ms", goal: 1, unit: "ms"),
  ]
}
