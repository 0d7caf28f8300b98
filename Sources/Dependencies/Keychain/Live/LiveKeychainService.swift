import Dispatch
import SwiftBoardSystem

/// The keychain in one encrypted file.
///
/// Nothing is opened before the first call. Calls run one after the other on a thread of their own:
/// unlocking takes half a second and a save waits for the disk, which must not hold up a pool that
/// others share. Another process, or another instance, may use the same file at the same time: each
/// call looks whether the file changed, and saves take turns.
public actor LiveKeychainService: KeychainService {
  private let vault: KeychainVault
  private let executor: KeychainExecutor
  private let marks: (any RollbackMarkStore)?
  private let clock: BoardClock
  /// When a call last needed what is unlocked, as the clock counts.
  private var lastUse: Int64

  /// The executor of this actor's calls.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// A keychain that unlocks by `unlock(with:)` alone. An older file that is put in its place is
  /// noticed only inside this process, and `status()` says so.
  ///
  /// - Parameter path: The keychain's file. Its folder may be reached through symbolic links, the
  ///   file itself may not.
  public init(path: String) {
    self.init(path: path, unlockSources: .none)
  }

  /// - Parameters:
  ///   - path: As in `init(path:)`.
  ///   - unlockSources: Where a secret comes from when a call needs one.
  ///   - policy: How long a save waits for its turn.
  ///   - rollbackMarks: Remembers the last save outside the file.
  ///   - clock: Tells how long it was not used.
  ///   - onDerivation: Called before and after each key derivation, on the keychain's thread.
  package init(
    path: String, unlockSources: UnlockSources = .none, policy: KeychainPolicy = KeychainPolicy(),
    rollbackMarks: (any RollbackMarkStore)? = nil, clock: BoardClock = .live,
    onDerivation: (@Sendable (_ isRunning: Bool) -> Void)? = nil
  ) {
    self.init(
      path: path, unlockSources: unlockSources, policy: policy, rollbackMarks: rollbackMarks,
      system: FileSystem(), random: .system, clock: clock, onDerivation: onDerivation)
  }

  init(
    path: String, unlockSources: UnlockSources, policy: KeychainPolicy,
    rollbackMarks: (any RollbackMarkStore)? = nil, system: FileSystem,
    random: KeychainRandom = .system, clock: BoardClock = .live,
    onDerivation: (@Sendable (_ isRunning: Bool) -> Void)? = nil
  ) {
    self.clock = clock
    lastUse = clock.now
    vault = KeychainVault(
      path: path, sources: unlockSources, policy: policy, marks: rollbackMarks, system: system,
      random: random, onDerivation: onDerivation)
    executor = KeychainExecutor()
    marks = rollbackMarks
  }

  /// Reads, changes and rewrites the whole file under its lock, beside it and renamed, and waits
  /// for the disk: some milliseconds, and O(size).
  ///
  /// - Throws: `KeychainError`; after `durabilityUnknown` the new file is there and may not survive
  ///   a loss of power.
  public func save(_ data: Data, forKey key: String) throws(KeychainError) {
    try perform { vault throws(KeychainError) in try vault.save(data, for: key) }
  }

  /// Looks whether the file changed since it was read, and reads it again where it did. Else a
  /// `stat` and O(log n).
  public func load(forKey key: String) throws(KeychainError) -> Data? {
    try perform { vault throws(KeychainError) in try vault.value(of: key) }
  }

  /// As `save`; where the key is absent nothing is written.
  public func delete(forKey key: String) throws(KeychainError) {
    try perform { vault throws(KeychainError) in try vault.delete(key) }
  }

  /// As `save`, once.
  public func rename(_ key: String, to newKey: String) throws(KeychainError) {
    try perform { vault throws(KeychainError) in try vault.rename(key, to: newKey) }
  }

  /// As `load`; a copy of all names.
  public func keys() throws(KeychainError) -> [String] {
    try perform { vault throws(KeychainError) in try vault.keys() }
  }

  /// Leaves the new keychain unlocked.
  public func create(with secret: KeychainSecret?) throws(KeychainError) {
    try perform { vault throws(KeychainError) in try vault.create(with: secret) }
  }

  /// One key derivation for each slot of the secret's kind until one fits, about half a second
  /// each, also where it is unlocked: a secret that is given is always checked. Without one an
  /// unlocked keychain stays as it is. What was unlocked stays so when this fails.
  public func unlock(with secret: KeychainSecret?) throws(KeychainError) {
    try perform { vault throws(KeychainError) in try vault.unlock(with: secret) }
  }

  /// O(size). A later call that needs the entries unlocks again where there is an unlock source.
  public func lock() {
    vault.lock()
  }

  /// Locks it and closes where the rollback marks are kept. A later call opens again what it needs.
  public func close() {
    lock()
    marks?.closeStore()
  }

  /// Closes; the duration has no effect, since nothing is waited for.
  public func shutDown(within duration: Duration) -> Bool {
    close()
    return true
  }

  /// Reads the header where the keychain is locked. Asks for no secret.
  public func status() throws(KeychainError) -> KeychainStatus {
    try look { vault throws(KeychainError) in try vault.status() }
  }

  /// O(size), also where the file is the one that was read last: a disk may give other bytes than
  /// before. Asks for no secret.
  ///
  /// - Throws: `missing`, or what is wrong with the file.
  public func verify() throws(KeychainError) -> KeychainStatus {
    try look { vault throws(KeychainError) in try vault.verify() }
  }

  /// A `stat`, and O(size) where the file has changed.
  public func refresh() {
    guard vault.unlocked != nil else { return }
    _ = try? vault.status()
  }

  /// O(size) for a new revision, else O(1).
  public func visitEntries(
    since revision: KeychainRevision?,
    _ body: @Sendable (_ key: String, _ value: UnsafeRawBufferPointer) -> Void
  ) -> KeychainRevision? {
    guard let unlocked = vault.unlocked else { return nil }
    let now = KeychainRevision(
      keyID: unlocked.header.keyID, generation: unlocked.header.generation)
    guard now != revision else { return now }
    do throws(KeychainError) {
      try unlocked.entries.forEach(body)
      return now
    } catch {
      return nil
    }
  }

  /// As `unlock(with:)`; with the keys that are held already where they open the file and no secret
  /// is given. An older copy is saved as `save` does.
  ///
  /// - Throws: `KeychainError`; what was remembered is unchanged then.
  public func accept(with secret: KeychainSecret?) throws(KeychainError) -> KeychainAcceptance {
    try perform { vault throws(KeychainError) in try vault.accept(with: secret) }
  }

  /// That others may read the file, once in the service's life.
  public func takeWarning() -> String? { vault.takeWarning() }

  /// O(size). Asks for no secret and remembers nothing.
  public func verify(fileAt path: String) throws(KeychainError) -> KeychainStatus {
    try located(at: path) { () throws(KeychainError) in
      try KeychainVault(
        path: path, sources: .none, policy: vault.policy, marks: nil, system: vault.file.system,
        random: vault.random
      ).verify()
    }
  }

  /// Touches no keychain and needs none.
  public func secret(from source: KeychainSecretSource) throws(KeychainError) -> KeychainSecret {
    try vault.sources.secret(from: source)
  }

  /// As `save`, after one key derivation for each slot of the secret's kind and two for the new
  /// one. The data key stays.
  public func addSlot(_ secret: KeychainSecret) throws(KeychainError) {
    try perform { vault throws(KeychainError) in try vault.addSlot(secret) }
  }

  /// As `save`, after up to three key derivations for each slot that stays. The record of the last
  /// save is told of the new key first: where it cannot be written, nothing is changed.
  public func rekey(_ change: KeychainRekey) throws(KeychainError) {
    try perform { vault throws(KeychainError) in try vault.rekey(change) }
  }

  /// Writes the new file beside its name and renames it, mode 0600. Makes no folder.
  public func export(to path: String, secret: KeychainSecret) throws(KeychainError) -> Int {
    try perform { vault throws(KeychainError) in try vault.export(to: path, secret) }
  }

  /// As `save`, after the key derivation of the other file.
  public func importEntries(
    from path: String, secret: KeychainSecret, existing: ImportDuplicates
  ) throws(KeychainError) -> KeychainImport {
    try perform { vault throws(KeychainError) in
      try vault.importEntries(from: path, secret, existing)
    }
  }

  /// A `status()`, a `verify()` and a `refresh()` are no use.
  public func lock(unusedFor duration: Duration) -> KeychainIdleness {
    guard vault.unlocked != nil else { return .wasLocked }
    let left = duration - .microseconds(clock.now - lastUse)
    if left > .zero { return .inUse(left: left) }
    vault.lock()
    return .locked
  }

  private func perform<Result>(
    _ operation: (KeychainVault) throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    defer { lastUse = clock.now }
    return try look(operation)
  }

  private func look<Result>(
    _ operation: (KeychainVault) throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    try located(at: vault.file.path) { () throws(KeychainError) in try operation(vault) }
  }
}

/// One job after the other, on a thread outside the cooperative pool.
private final class KeychainExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "swiftboard.keychain")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async {
      job.runSynchronously(on: self.asUnownedSerialExecutor())
    }
  }
}
