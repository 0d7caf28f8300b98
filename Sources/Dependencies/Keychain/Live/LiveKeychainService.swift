import SwiftBoardSystem
import Synchronization

/// A keychain in one encrypted file.
///
/// Nothing is opened before the first call. Calls run one after the other. Most of them run on a
/// thread of their own, because unlocking takes half a second and a save waits for the disk, which
/// must not block a shared pool. A call that only looks at an unlocked, unchanged file, such as a
/// load, runs on its caller's thread. Other processes and instances may use the same file at the
/// same time: each call checks whether the file has changed, and saves exclude each other.
public final class LiveKeychainService: KeychainService {
  private struct State {
    let session: KeychainSession
    /// The clock's time when a call last used the unlocked entries.
    var lastUse: Int64
  }

  private let state: ExclusiveValue<State>
  private let path: String
  private let marks: (any RollbackMarkStore)?
  private let clock: BoardClock
  /// Whether a call has looked at the file. Before that there is nothing unlocked and nothing to
  /// warn of.
  private let wasUsed = Atomic(false)

  /// Creates a keychain that only `unlock(with:)` unlocks. Rollback to an older file is detected
  /// only within this process, which `status()` reports.
  ///
  /// - Parameter path: The keychain's file. The path of its folder may contain symbolic links, but
  ///   the file itself must not be one.
  public convenience init(path: String) {
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
    rollbackMarks: (any RollbackMarkStore)? = nil, system: FileSystem = FileSystem(),
    random: KeychainRandom = .system, clock: BoardClock = .live,
    onDerivation: (@Sendable (_ isRunning: Bool) -> Void)? = nil
  ) {
    self.path = path
    self.clock = clock
    marks = rollbackMarks
    state = ExclusiveValue(
      State(
        session: KeychainSession(
          path: path, sources: unlockSources, policy: policy, marks: rollbackMarks, system: system,
          random: random, onDerivation: onDerivation), lastUse: clock.now),
      label: "swiftboard.keychain")
  }

  /// Reads, changes and rewrites the whole file under its lock. The new file is written next to the
  /// old one, renamed, and synchronized to the disk: some milliseconds, and O(size).
  ///
  /// - Throws: `KeychainError`. After `durabilityUnknown`, the new file is in place but may not
  ///   survive a power failure.
  public func save(_ data: Data, forKey key: String) async throws(KeychainError) {
    try await perform { session throws(KeychainError) in try session.save(data, for: key) }
  }

  /// Reads the file again if it has changed since it was read. Otherwise costs a `stat`, and
  /// O(entries) for the first load from a file.
  public func load(forKey key: String) async throws(KeychainError) -> Data? {
    wasUsed.store(true, ordering: .releasing)
    return try await state.useBriefly(
      here: { (state) throws(KeychainError) in
        try using(&state) { session throws(KeychainError) in try session.valueIfUnchanged(of: key) }
      },
      onThread: { (state) throws(KeychainError) in
        try using(&state) { session throws(KeychainError) in try session.value(of: key) }
      })
  }

  /// Saves like `save`. Writes nothing if the key is absent.
  public func delete(forKey key: String) async throws(KeychainError) {
    try await perform { session throws(KeychainError) in try session.delete(key) }
  }

  /// Saves once, like `save`.
  public func rename(_ key: String, to newKey: String) async throws(KeychainError) {
    try await perform { session throws(KeychainError) in try session.rename(key, to: newKey) }
  }

  /// Reads like `load`, and copies all names.
  public func keys() async throws(KeychainError) -> [String] {
    try await perform { session throws(KeychainError) in try session.keys() }
  }

  /// Creates the keychain and leaves it unlocked.
  public func create(with secret: KeychainSecret?) async throws(KeychainError) {
    try await perform { session throws(KeychainError) in try session.create(with: secret) }
  }

  /// Requires one key derivation, about half a second, for each slot of the secret's kind until one
  /// matches. A given secret is always checked, even if the keychain is unlocked. Without one, an
  /// unlocked keychain stays unlocked. A failure does not lock the keychain.
  public func unlock(with secret: KeychainSecret?) async throws(KeychainError) {
    try await perform { session throws(KeychainError) in try session.unlock(with: secret) }
  }

  /// O(size). A later call that needs the entries unlocks the keychain if there is an unlock
  /// source.
  public func lock() async {
    await state.use { $0.session.lock() }
  }

  /// Locks the keychain and closes the store of rollback marks. A later call opens it again.
  public func close() async {
    await state.use { [marks] state in
      state.session.lock()
      marks?.closeStore()
    }
  }

  /// Closes the keychain. The duration has no effect, because closing does not wait.
  public func shutDown(within duration: Duration) async -> Bool {
    await close()
    return true
  }

  /// Reads only the header if the keychain is locked. Does not ask for a secret.
  public func status() async throws(KeychainError) -> KeychainStatus {
    try await look { session throws(KeychainError) in try session.status() }
  }

  /// O(size), even if the file was read before: a disk may return other bytes than before. Does not
  /// ask for a secret.
  ///
  /// - Throws: `missing`, or the error in the file.
  public func verify() async throws(KeychainError) -> KeychainStatus {
    try await look { session throws(KeychainError) in try session.verify() }
  }

  /// Costs a `stat`, and O(size) if the file has changed.
  public func refresh() async {
    guard wasUsed.load(ordering: .acquiring) else { return }
    await state.useBriefly(
      here: { state in
        let isCurrent = state.session.unlocked == nil || (try? state.session.unchanged()) != nil
        return isCurrent ? () : nil
      },
      onThread: { state in
        guard state.session.unlocked != nil else { return }
        _ = try? state.session.status()
      })
  }

  /// Costs what `refresh()` does.
  public func refreshUnlessBusy() async -> Bool {
    guard !state.isInUse else { return false }
    await refresh()
    return true
  }

  /// O(size) for a new revision, otherwise O(1).
  public func visitEntries(
    since revision: KeychainRevision?,
    _ body: @Sendable (_ key: String, _ value: UnsafeRawBufferPointer) -> Void
  ) async -> KeychainRevision? {
    guard wasUsed.load(ordering: .acquiring) else { return nil }
    return await state.useBriefly(
      here: { state -> KeychainRevision?? in
        let now = state.session.unlocked?.revision
        return now == nil || now == revision ? .some(now) : nil
      },
      onThread: { state in
        guard let unlocked = state.session.unlocked else { return nil }
        guard unlocked.revision != revision else { return revision }
        do throws(KeychainError) {
          try unlocked.entries.forEach(body)
          return unlocked.revision
        } catch {
          return nil
        }
      })
  }

  /// Unlocks like `unlock(with:)`, but uses the current keys if they open the file and no secret is
  /// given. An older copy is saved like in `save`.
  ///
  /// - Throws: `KeychainError`. Then the remembered mark is unchanged.
  public func accept(with secret: KeychainSecret?) async throws(KeychainError) -> KeychainAcceptance
  {
    try await perform { session throws(KeychainError) in try session.accept(with: secret) }
  }

  /// Returns a warning if others can read the file, once in the service's life.
  public func takeWarning() async -> String? {
    guard wasUsed.load(ordering: .acquiring) else { return nil }
    return await state.useBriefly(
      here: { .some($0.session.takeWarning()) }, onThread: { $0.session.takeWarning() })
  }

  /// O(size). Does not ask for a secret and stores nothing.
  public func verify(fileAt path: String) async throws(KeychainError) -> KeychainStatus {
    try await state.use { (state) throws(KeychainError) in
      let session = state.session
      return try located(at: path) { () throws(KeychainError) in
        do throws(KeychainError) {
          return try KeychainSession(
            path: path, sources: .none, policy: session.policy, marks: nil,
            system: session.file.system, random: session.random
          ).verify()
        } catch {
          throw error.kind == .missing ? .missingFile : error
        }
      }
    }
  }

  /// Reads a secret without a keychain.
  public func secret(
    from source: KeychainSecretSource
  ) async throws(KeychainError) -> KeychainSecret {
    try await state.use { (state) throws(KeychainError) in
      try state.session.sources.secret(from: source)
    }
  }

  /// Saves like `save`, after one key derivation for each slot of the secret's kind and two for the
  /// new one. The data key stays the same.
  public func addSlot(_ secret: KeychainSecret) async throws(KeychainError) {
    try await perform { session throws(KeychainError) in try session.addSlot(secret) }
  }

  /// Saves like `save`, after up to three key derivations for each remaining slot. The new key id
  /// is stored in the rollback mark first. If this fails, nothing is changed.
  public func rekey(_ change: KeychainRekey) async throws(KeychainError) {
    try await perform { session throws(KeychainError) in try session.rekey(change) }
  }

  /// Writes the new file with mode 0600 and renames it. Does not create folders.
  public func export(to path: String, secret: KeychainSecret) async throws(KeychainError) -> Int {
    try await perform { session throws(KeychainError) in try session.export(to: path, secret) }
  }

  /// Saves like `save`, after the key derivation of the other file.
  public func importEntries(
    from path: String, secret: KeychainSecret, existing: ImportDuplicates
  ) async throws(KeychainError) -> KeychainImport {
    try await perform { session throws(KeychainError) in
      try session.importEntries(from: path, secret, existing)
    }
  }

  /// Locks an unused keychain. `status()`, `verify()` and `refresh()` do not count as use. A locked
  /// keychain counts as used while it keeps the secret of a descriptor for another rekey.
  public func lock(unusedFor duration: Duration) async -> IdleLockResult {
    await state.use { [clock] state in
      let isLocked = state.session.unlocked == nil
      if isLocked, state.session.rekeySource == nil { return .wasLocked }
      let left = duration - .microseconds(clock.now - state.lastUse)
      if left > .zero { return .inUse(left: left) }
      state.session.lock()
      return isLocked ? .wasLocked : .locked
    }
  }

  /// Runs an operation that uses the entries.
  private func perform<Result: Sendable>(
    _ operation: @Sendable (KeychainSession) throws(KeychainError) -> Result
  ) async throws(KeychainError) -> Result {
    wasUsed.store(true, ordering: .releasing)
    return try await state.use { (state) throws(KeychainError) in try using(&state, operation) }
  }

  /// Runs an operation that does not count as use.
  private func look<Result: Sendable>(
    _ operation: @Sendable (KeychainSession) throws(KeychainError) -> Result
  ) async throws(KeychainError) -> Result {
    wasUsed.store(true, ordering: .releasing)
    return try await state.use { (state) throws(KeychainError) in
      try located(at: path) { () throws(KeychainError) in try operation(state.session) }
    }
  }

  private func using<Result>(
    _ state: inout State, _ operation: (KeychainSession) throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    defer { state.lastUse = clock.now }
    return try located(at: path) { () throws(KeychainError) in try operation(state.session) }
  }
}
