import Dispatch
import SwiftBoardSystem
import Synchronization

/// A keychain in one encrypted file.
///
/// Nothing is opened before the first call. Calls run one after the other on a thread of their own,
/// because unlocking takes half a second and a save waits for the disk, which must not block a
/// shared pool. Other processes and instances may use the same file at the same time: each call
/// checks whether the file has changed, and saves exclude each other.
public actor LiveKeychainService: KeychainService {
  private let vault: KeychainVault
  private let executor: KeychainExecutor
  private let marks: (any RollbackMarkStore)?
  private let clock: BoardClock
  /// The clock's time when a call last used the unlocked entries.
  private var lastUse: Int64
  /// Whether a call has looked at the file. Asked without a change of threads: before that there is
  /// nothing unlocked and nothing to warn of.
  private nonisolated let wasUsed = Atomic(false)

  /// The executor of this actor's calls.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// Creates a keychain that only `unlock(with:)` unlocks. Rollback to an older file is detected
  /// only within this process, which `status()` reports.
  ///
  /// - Parameter path: The keychain's file. The path of its folder may contain symbolic links, but
  ///   the file itself must not be one.
  public init(path: String) {
    self.init(path: path, unlockSources: .none)
  }

  /// - Parameters:
  ///   - path: The keychain's file, as in `init(path:)`.
  ///   - unlockSources: The source of a secret when a call needs one.
  ///   - policy: The time that a save waits for the lock.
  ///   - rollbackMarks: A store, outside the file, for the mark of the last save.
  ///   - clock: The clock that measures the time without use.
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

  /// Reads, changes and rewrites the whole file under its lock. The new file is written next to the
  /// old one, renamed, and synchronized to the disk: some milliseconds, and O(size).
  ///
  /// - Throws: `KeychainError`. After `durabilityUnknown`, the new file is in place but may not
  ///   survive a power failure.
  public func save(_ data: Data, forKey key: String) throws(KeychainError) {
    try perform { vault throws(KeychainError) in try vault.save(data, for: key) }
  }

  /// Reads the file again if it has changed since it was read. Otherwise costs a `stat` and O(log
  /// n).
  public func load(forKey key: String) throws(KeychainError) -> Data? {
    try perform { vault throws(KeychainError) in try vault.value(of: key) }
  }

  /// Saves like `save`. Writes nothing if the key is absent.
  public func delete(forKey key: String) throws(KeychainError) {
    try perform { vault throws(KeychainError) in try vault.delete(key) }
  }

  /// Saves once, like `save`.
  public func rename(_ key: String, to newKey: String) throws(KeychainError) {
    try perform { vault throws(KeychainError) in try vault.rename(key, to: newKey) }
  }

  /// Reads like `load`, and copies all names.
  public func keys() throws(KeychainError) -> [String] {
    try perform { vault throws(KeychainError) in try vault.keys() }
  }

  /// Creates the keychain and leaves it unlocked.
  public func create(with secret: KeychainSecret?) throws(KeychainError) {
    try perform { vault throws(KeychainError) in try vault.create(with: secret) }
  }

  /// Requires one key derivation, about half a second, for each slot of the secret's kind until one
  /// matches. A given secret is always checked, even if the keychain is unlocked. Without one, an
  /// unlocked keychain stays unlocked. A failure does not lock the keychain.
  public func unlock(with secret: KeychainSecret?) throws(KeychainError) {
    try perform { vault throws(KeychainError) in try vault.unlock(with: secret) }
  }

  /// O(size). A later call that needs the entries unlocks the keychain if there is an unlock
  /// source.
  public func lock() {
    vault.lock()
  }

  /// Locks the keychain and closes the store of rollback marks. A later call opens it again.
  public func close() {
    lock()
    marks?.closeStore()
  }

  /// Closes the keychain. The duration has no effect, because closing does not wait.
  public func shutDown(within duration: Duration) -> Bool {
    close()
    return true
  }

  /// Reads only the header if the keychain is locked. Does not ask for a secret.
  public func status() throws(KeychainError) -> KeychainStatus {
    try look { vault throws(KeychainError) in try vault.status() }
  }

  /// O(size), even if the file was read before: a disk may return other bytes than before. Does not
  /// ask for a secret.
  ///
  /// - Throws: `missing`, or the error in the file.
  public func verify() throws(KeychainError) -> KeychainStatus {
    try look { vault throws(KeychainError) in try vault.verify() }
  }

  /// Costs a `stat`, and O(size) if the file has changed.
  public nonisolated func refresh() async {
    guard wasUsed.load(ordering: .acquiring) else { return }
    await lookAgain()
  }

  private func lookAgain() {
    guard vault.unlocked != nil else { return }
    _ = try? vault.status()
  }

  /// O(size) for a new revision, otherwise O(1).
  public nonisolated func visitEntries(
    since revision: KeychainRevision?,
    _ body: @Sendable (_ key: String, _ value: UnsafeRawBufferPointer) -> Void
  ) async -> KeychainRevision? {
    guard wasUsed.load(ordering: .acquiring) else { return nil }
    return await visitUnlocked(since: revision, body)
  }

  private func visitUnlocked(
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

  /// Unlocks like `unlock(with:)`, but uses the current keys if they open the file and no secret is
  /// given. An older copy is saved like in `save`.
  ///
  /// - Throws: `KeychainError`. Then the remembered mark is unchanged.
  public func accept(with secret: KeychainSecret?) throws(KeychainError) -> KeychainAcceptance {
    try perform { vault throws(KeychainError) in try vault.accept(with: secret) }
  }

  /// Returns a warning if others can read the file, once in the service's life.
  public nonisolated func takeWarning() async -> String? {
    guard wasUsed.load(ordering: .acquiring) else { return nil }
    return await takeVaultWarning()
  }

  private func takeVaultWarning() -> String? { vault.takeWarning() }

  /// O(size). Does not ask for a secret and stores nothing.
  public func verify(fileAt path: String) throws(KeychainError) -> KeychainStatus {
    try located(at: path) { () throws(KeychainError) in
      try KeychainVault(
        path: path, sources: .none, policy: vault.policy, marks: nil, system: vault.file.system,
        random: vault.random
      ).verify()
    }
  }

  /// Reads a secret without a keychain.
  public func secret(from source: KeychainSecretSource) throws(KeychainError) -> KeychainSecret {
    try vault.sources.secret(from: source)
  }

  /// Saves like `save`, after one key derivation for each slot of the secret's kind and two for the
  /// new one. The data key stays the same.
  public func addSlot(_ secret: KeychainSecret) throws(KeychainError) {
    try perform { vault throws(KeychainError) in try vault.addSlot(secret) }
  }

  /// Saves like `save`, after up to three key derivations for each remaining slot. The new key id
  /// is stored in the rollback mark first. If this fails, nothing is changed.
  public func rekey(_ change: KeychainRekey) throws(KeychainError) {
    try perform { vault throws(KeychainError) in try vault.rekey(change) }
  }

  /// Writes the new file with mode 0600 and renames it. Does not create folders.
  public func export(to path: String, secret: KeychainSecret) throws(KeychainError) -> Int {
    try perform { vault throws(KeychainError) in try vault.export(to: path, secret) }
  }

  /// Saves like `save`, after the key derivation of the other file.
  public func importEntries(
    from path: String, secret: KeychainSecret, existing: ImportDuplicates
  ) throws(KeychainError) -> KeychainImport {
    try perform { vault throws(KeychainError) in
      try vault.importEntries(from: path, secret, existing)
    }
  }

  /// Locks an unused keychain. `status()`, `verify()` and `refresh()` do not count as use.
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
    wasUsed.store(true, ordering: .releasing)
    return try located(at: vault.file.path) { () throws(KeychainError) in try operation(vault) }
  }
}

/// Runs one job after the other, on a thread outside the cooperative pool.
private final class KeychainExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "swiftboard.keychain")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async {
      job.runSynchronously(on: self.asUnownedSerialExecutor())
    }
  }
}
