import SwiftBoardDependencies

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A keychain in memory. Exports are in memory as well; key files and passphrase files are files.
actor Drawer: KeychainService {
  private typealias Entries = [[UInt8]: Data]

  private let path: String
  private let source: KeychainSecret?
  private let clock: BoardClock
  private var entries: Entries = [:]
  private var secrets: [KeychainSecret] = []
  private var exports: [String: (secret: KeychainSecret, entries: Entries)] = [:]
  private var isUnlocked = false
  private var generation: UInt64 = 0
  private var lastUse: Int64 = 0

  /// - Parameter source: The secret that unlocks the drawer, or `nil` for none.
  init(path: String = "drawer", source: KeychainSecret? = nil, clock: BoardClock) {
    self.path = path
    self.source = source
    self.clock = clock
  }

  // MARK: Entries

  func save(_ data: Data, forKey key: String) throws(KeychainError) {
    try using { () throws(KeychainError) in
      try KeychainError.check(key: key)
      try KeychainError.check(value: data)
      try open()
      entries[Array(key.utf8)] = data
      generation += 1
    }
  }

  func load(forKey key: String) throws(KeychainError) -> Data? {
    try using { () throws(KeychainError) in
      try KeychainError.check(key: key)
      try open()
      return entries[Array(key.utf8)]
    }
  }

  func delete(forKey key: String) throws(KeychainError) {
    try using { () throws(KeychainError) in
      try KeychainError.check(key: key)
      try open()
      if entries.removeValue(forKey: Array(key.utf8)) != nil { generation += 1 }
    }
  }

  func rename(_ key: String, to newKey: String) throws(KeychainError) {
    try using { () throws(KeychainError) in
      try KeychainError.check(key: key)
      try KeychainError.check(key: newKey)
      try open()
      let (old, new) = (Array(key.utf8), Array(newKey.utf8))
      guard let value = entries[old] else { throw .missingKey }
      if old == new { return }
      guard entries[new] == nil else { throw .duplicateKey }
      entries[old] = nil
      entries[new] = value
      generation += 1
    }
  }

  func keys() throws(KeychainError) -> [String] {
    try using { () throws(KeychainError) in
      try open()
      return sorted.map { String(decoding: $0.key, as: UTF8.self) }
    }
  }

  func visitEntries(
    since revision: KeychainRevision?,
    _ body: @Sendable (_ key: String, _ value: UnsafeRawBufferPointer) -> Void
  ) -> KeychainRevision? {
    guard isUnlocked else { return nil }
    let now = KeychainRevision(keyID: [], generation: generation)
    guard now != revision else { return now }
    for (key, value) in sorted {
      value.withUnsafeBytes { body(String(decoding: key, as: UTF8.self), $0) }
    }
    return now
  }

  private var sorted: [Entries.Element] {
    entries.sorted { $0.key.lexicographicallyPrecedes($1.key) }
  }

  // MARK: Locking

  func create(with secret: KeychainSecret?) throws(KeychainError) {
    try using { () throws(KeychainError) in
      guard secrets.isEmpty else {
        throw KeychainError(.exists, message: "there is a drawer already.")
      }
      guard let secret = secret ?? source else { throw locked }
      try secret.checkNew()
      secrets = [secret]
      isUnlocked = true
      generation = 1
    }
  }

  func unlock(with secret: KeychainSecret?) throws(KeychainError) {
    try using { () throws(KeychainError) in
      if let secret { try open(with: secret) } else { try open() }
    }
  }

  func lock() { isUnlocked = false }

  func lock(unusedFor duration: Duration) -> IdleLockResult {
    guard isUnlocked else { return .wasLocked }
    let left = duration - .microseconds(clock.now - lastUse)
    if left > .zero { return .inUse(left: left) }
    isUnlocked = false
    return .locked
  }

  func accept(with secret: KeychainSecret?) throws(KeychainError) -> KeychainAcceptance {
    try unlock(with: secret)
    let version = KeychainAcceptance.Version(generation: generation)
    return KeychainAcceptance(
      reason: .known, remembered: version, found: version, generation: generation)
  }

  func secret(from source: KeychainSecretSource) throws(KeychainError) -> KeychainSecret {
    try source.read()
  }

  // MARK: Status

  func status() -> KeychainStatus {
    guard !secrets.isEmpty else {
      return KeychainStatus(path: path, exists: false, unlocked: false)
    }
    return KeychainStatus(
      path: path, exists: true, unlocked: isUnlocked, count: isUnlocked ? entries.count : nil,
      generation: generation, slots: secrets.map { .init(kind: $0.kind, ops: 0, memory: 0) })
  }

  func verify() throws(KeychainError) -> KeychainStatus {
    guard !secrets.isEmpty else { throw missing.located(at: path) }
    return status()
  }

  func verify(fileAt path: String) throws(KeychainError) -> KeychainStatus {
    guard let other = exports[path] else { throw missing.located(at: path) }
    return KeychainStatus(
      path: path, exists: true, unlocked: false, generation: 1,
      slots: [.init(kind: other.secret.kind, ops: 0, memory: 0)])
  }

  func takeWarning() -> String? { nil }

  // MARK: Slots

  func addSlot(_ secret: KeychainSecret) throws(KeychainError) {
    try using { () throws(KeychainError) in
      try secret.checkNew()
      try open()
      guard secrets.count < 8 else { throw .noFreeSlot(secrets.count) }
      guard !secrets.contains(where: { $0.isSame(as: secret) }) else {
        throw KeychainError(.duplicateKey, message: "a slot has this secret already.")
      }
      secrets.append(secret)
      generation += 1
    }
  }

  func rekey(_ change: KeychainRekey) throws(KeychainError) {
    try using { () throws(KeychainError) in
      try change.replacement?.checkNew()
      let replaced = change.replaced ?? source
      if !isUnlocked, let first = replaced ?? change.secrets.first { try open(with: first) }
      try open()
      if change.replacement != nil, replaced == nil { throw locked }
      for number in change.removing where !(1...secrets.count ~= number) {
        throw KeychainError(.limitExceeded, message: "there is no slot \(number).")
      }
      guard change.removing.count < secrets.count else { throw .lastSlot }
      let given = change.secrets + (change.replaced.map { [$0] } ?? [])
      for secret in given where !secrets.contains(where: { $0.isSame(as: secret) }) {
        throw wrong
      }
      let known = given + (source.map { [$0] } ?? [])
      var kept: [KeychainSecret] = []
      for (index, secret) in secrets.enumerated() where !change.removing.contains(index + 1) {
        guard known.contains(where: { $0.isSame(as: secret) }) else {
          throw .slotSecretNeeded(.init(number: index + 1, kind: secret.kind))
        }
        if let replacement = change.replacement, replaced?.isSame(as: secret) == true {
          kept.append(replacement)
        } else {
          guard change.replacement?.isSame(as: secret) != true else {
            throw KeychainError(.duplicateKey, message: "a slot has this secret already.")
          }
          kept.append(secret)
        }
      }
      secrets = kept
      generation += 1
    }
  }

  // MARK: Exports

  func export(to path: String, secret: KeychainSecret) throws(KeychainError) -> Int {
    try using { () throws(KeychainError) in
      try secret.checkNew()
      try open()
      guard exports[path] == nil else {
        throw KeychainError(.exists, path: path, message: "\(path) exists already.")
      }
      exports[path] = (secret, entries)
      return entries.count
    }
  }

  func importEntries(
    from path: String, secret: KeychainSecret, existing: ImportDuplicates
  ) throws(KeychainError) -> KeychainImport {
    try using { () throws(KeychainError) in
      guard let other = exports[path] else { throw missing.located(at: path) }
      guard other.secret.isSame(as: secret) else { throw wrong.located(at: path) }
      try open()
      let taken = other.entries.keys.count { entries[$0] != nil }
      guard taken == 0 || existing != .refuse else {
        throw KeychainError(.duplicateKey, message: "\(taken) of the names exist.")
      }
      entries.merge(other.entries) { existing == .replace ? $1 : $0 }
      let result = KeychainImport(
        added: other.entries.count - taken, replaced: existing == .replace ? taken : 0,
        kept: existing == .replace ? 0 : taken)
      if result.added + result.replaced > 0 { generation += 1 }
      return result
    }
  }

  // MARK: Errors

  /// Performs a call that counts as use. Its errors name the drawer.
  private func using<Result>(
    _ call: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    lastUse = clock.now
    do throws(KeychainError) { return try call() } catch { throw error.located(at: path) }
  }

  private func open() throws(KeychainError) {
    guard !secrets.isEmpty else { throw missing }
    if isUnlocked { return }
    guard let source else { throw locked }
    try open(with: source)
  }

  private func open(with secret: KeychainSecret) throws(KeychainError) {
    guard !secrets.isEmpty else { throw missing }
    try secret.check()
    guard secrets.contains(where: { $0.kind == secret.kind }) else {
      throw KeychainError(.noMatchingSlot, message: "no slot has a secret of this kind.")
    }
    guard secrets.contains(where: { $0.isSame(as: secret) }) else { throw wrong }
    isUnlocked = true
  }

  private var missing: KeychainError {
    KeychainError(.missing, message: "there is no drawer here.", remedy: .create)
  }

  private var locked: KeychainError {
    KeychainError(.locked, message: "the drawer is locked.", remedy: .unlock)
  }

  private var wrong: KeychainError {
    KeychainError(.wrongSecret, message: "this is not the secret of the drawer.")
  }
}
