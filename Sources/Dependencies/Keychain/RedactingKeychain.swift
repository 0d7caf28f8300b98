import SwiftBoardSystem
import Synchronization

/// A keychain that registers all its values with a redactor, before a call that unlocks or changes
/// it returns.
///
/// A value stays registered after `lock` and `delete`, because text that contains it may still be
/// in use. All other behavior is that of the wrapped keychain.
public final class RedactingKeychain: KeychainService {
  fileprivate let base: any KeychainService
  private let redactor: Redactor
  /// The revision whose values are registered.
  private let known = Mutex<KeychainRevision?>(nil)

  /// Creates a wrapper without calling the keychain or the redactor.
  public init(_ base: any KeychainService, redactor: Redactor) {
    self.base = base
    self.redactor = redactor
  }

  /// Registers all new values, and marks those of removed secrets. Costs one call of the keychain,
  /// and O(size) if it has changed.
  private func learn() async {
    let old = known.withLock { $0 }
    let batch = Mutex(redactor.batch())
    let now = await base.visitEntries(since: old) { key, value in
      batch.withLock { $0.add(value, name: key) }
    }
    guard let now, now != old else { return }
    redactor.register(batch.withLock { $0 }, isComplete: true)
    known.withLock { $0 = now }
  }

  private func learning<Result>(
    _ body: () async throws(KeychainError) -> Result
  ) async throws(KeychainError) -> Result {
    do throws(KeychainError) {
      let result = try await body()
      await learn()
      return result
    } catch {
      // A call may have unlocked the keychain before it failed.
      await learn()
      throw error
    }
  }

  /// Registers the value first, even if saving it then fails.
  ///
  /// - Throws: The error of the wrapped keychain, like all other methods.
  public func save(_ data: Data, forKey key: String) async throws(KeychainError) {
    data.withUnsafeBytes { value in
      var batch = redactor.batch()
      batch.add(value, name: key)
      redactor.register(batch)
    }
    try await learning { () throws(KeychainError) in try await base.save(data, forKey: key) }
  }

  /// Forwards to the wrapped keychain.
  public func load(forKey key: String) async throws(KeychainError) -> Data? {
    try await learning { () throws(KeychainError) in try await base.load(forKey: key) }
  }

  /// The value stays registered.
  public func delete(forKey key: String) async throws(KeychainError) {
    try await learning { () throws(KeychainError) in try await base.delete(forKey: key) }
  }

  /// Renames the value's mark as well.
  public func rename(_ key: String, to newKey: String) async throws(KeychainError) {
    try await learning { () throws(KeychainError) in try await base.rename(key, to: newKey) }
    redactor.renameSecret(key, to: newKey)
  }

  /// Forwards to the wrapped keychain.
  public func keys() async throws(KeychainError) -> [String] {
    try await learning { () throws(KeychainError) in try await base.keys() }
  }

  /// Forwards to the wrapped keychain. Passphrases are not registered.
  public func create(with secret: KeychainSecret?) async throws(KeychainError) {
    try await base.create(with: secret)
  }

  /// Forwards to the wrapped keychain. Passphrases are not registered.
  public func unlock(with secret: KeychainSecret?) async throws(KeychainError) {
    try await learning { () throws(KeychainError) in try await base.unlock(with: secret) }
  }

  /// Registers values that another process has stored.
  public func refresh() async {
    await base.refresh()
    await learn()
  }

  /// Registers the same values, unless the keychain is busy. Does nothing before a call has
  /// unlocked the keychain.
  public func refreshUnlessBusy() async -> Bool {
    guard known.withLock({ $0 }) != nil else { return true }
    guard await base.refreshUnlessBusy() else { return false }
    await learn()
    return true
  }

  /// Values stay registered.
  public func lock() async {
    await base.lock()
    redactor.noteLock()
  }

  /// Forwards to the wrapped keychain. The name of the file has marks in place of values.
  public func status() async throws(KeychainError) -> KeychainStatus {
    masked(try await learning { () throws(KeychainError) in try await base.status() })
  }

  /// Forwards to the wrapped keychain. The name of the file has marks in place of values.
  public func verify() async throws(KeychainError) -> KeychainStatus {
    masked(try await learning { () throws(KeychainError) in try await base.verify() })
  }

  private func masked(_ status: KeychainStatus) -> KeychainStatus {
    var status = status
    status.path = redactor.mask(status.path).value
    status.warnings = status.warnings.map { redactor.mask($0).value }
    return status
  }

  /// Forwards to the wrapped keychain. Passphrases are not registered.
  public func accept(with secret: KeychainSecret?) async throws(KeychainError)
    -> KeychainAcceptance
  {
    try await learning { () throws(KeychainError) in try await base.accept(with: secret) }
  }

  /// Forwards to the wrapped keychain.
  public func verify(fileAt path: String) async throws(KeychainError) -> KeychainStatus {
    try await base.verify(fileAt: path)
  }

  /// Forwards to the wrapped keychain. The secret is not registered.
  public func secret(from source: KeychainSecretSource) async throws(KeychainError)
    -> KeychainSecret
  { try await base.secret(from: source) }

  /// Forwards to the wrapped keychain. Secrets of slots are not registered.
  public func addSlot(_ secret: KeychainSecret) async throws(KeychainError) {
    try await learning { () throws(KeychainError) in try await base.addSlot(secret) }
  }

  /// Forwards to the wrapped keychain. Secrets of slots are not registered.
  public func rekey(_ change: KeychainRekey) async throws(KeychainError) {
    try await learning { () throws(KeychainError) in try await base.rekey(change) }
  }

  /// Forwards to the wrapped keychain.
  public func export(
    to path: String, secret: KeychainSecret
  ) async throws(KeychainError) -> Int {
    try await learning { () throws(KeychainError) in
      try await base.export(to: path, secret: secret)
    }
  }

  /// Registers the imported values.
  public func importEntries(
    from path: String, secret: KeychainSecret, existing: ImportDuplicates
  ) async throws(KeychainError) -> KeychainImport {
    try await learning { () throws(KeychainError) in
      try await base.importEntries(from: path, secret: secret, existing: existing)
    }
  }

  /// Forwards to the wrapped keychain. Values stay registered.
  public func lock(unusedFor duration: Duration) async -> IdleLockResult {
    let result = await base.lock(unusedFor: duration)
    if case .locked = result { redactor.noteLock() }
    return result
  }

  /// Forwards to the wrapped keychain. Values stay registered.
  public func shutDown(within duration: Duration) async -> Bool {
    await base.shutDown(within: duration)
  }

  /// Forwards to the wrapped keychain.
  public func takeWarning() async -> String? { await base.takeWarning() }

  /// Forwards to the wrapped keychain.
  public func visitEntries(
    since revision: KeychainRevision?,
    _ body: @Sendable (_ key: String, _ value: UnsafeRawBufferPointer) -> Void
  ) async -> KeychainRevision? {
    await base.visitEntries(since: revision, body)
  }
}

extension RedactingKeychain: CheckedMock {
  /// The issues of a wrapped mock.
  public var issues: [MockIssue] { (base as? any CheckedMock)?.issues ?? [] }
}
