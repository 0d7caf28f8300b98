import SwiftBoardSystem
import Synchronization

/// A keychain that registers all its values with a redactor, before a call that unlocks or changes
/// it returns.
///
/// A value stays registered after `lock` and `delete`, because text that contains it may still be
/// in use. All other behavior is that of the wrapped keychain.
package final class RedactingKeychain: KeychainService {
  fileprivate let base: any KeychainService
  private let redactor: Redactor
  /// The revision whose values are registered.
  private let known = Mutex<KeychainRevision?>(nil)

  /// Creates a wrapper without calling the keychain or the redactor.
  package init(_ base: any KeychainService, redactor: Redactor) {
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
    _ body: @autoclosure () async throws(KeychainError) -> Result
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
  package func save(_ data: Data, forKey key: String) async throws(KeychainError) {
    data.withUnsafeBytes { value in
      var batch = redactor.batch()
      batch.add(value, name: key)
      redactor.register(batch)
    }
    try await learning(try await base.save(data, forKey: key))
  }

  package func load(forKey key: String) async throws(KeychainError) -> Data? {
    try await learning(try await base.load(forKey: key))
  }

  /// The value stays registered.
  package func delete(forKey key: String) async throws(KeychainError) {
    try await learning(try await base.delete(forKey: key))
  }

  /// Renames the value's mark as well.
  package func rename(_ key: String, to newKey: String) async throws(KeychainError) {
    try await learning(try await base.rename(key, to: newKey))
    redactor.renameSecret(key, to: newKey)
  }

  package func keys() async throws(KeychainError) -> [String] {
    try await learning(try await base.keys())
  }

  /// Passphrases are not registered.
  package func create(with secret: KeychainSecret?) async throws(KeychainError) {
    try await base.create(with: secret)
  }

  /// Passphrases are not registered.
  package func unlock(with secret: KeychainSecret?) async throws(KeychainError) {
    try await learning(try await base.unlock(with: secret))
  }

  /// Registers values that another process has stored.
  package func refresh() async {
    await base.refresh()
    await learn()
  }

  /// Registers the same values, unless the keychain is busy. Does nothing before a call has
  /// unlocked the keychain.
  package func refreshUnlessBusy() async -> Bool {
    guard known.withLock({ $0 }) != nil else { return true }
    guard await base.refreshUnlessBusy() else { return false }
    await learn()
    return true
  }

  /// Values stay registered.
  package func lock() async {
    await base.lock()
    redactor.noteLock()
  }

  /// The name of the file has marks in place of values.
  package func status() async throws(KeychainError) -> KeychainStatus {
    masked(try await learning(try await base.status()))
  }

  /// The name of the file has marks in place of values.
  package func verify() async throws(KeychainError) -> KeychainStatus {
    masked(try await learning(try await base.verify()))
  }

  private func masked(_ status: KeychainStatus) -> KeychainStatus {
    var status = status
    status.path = redactor.mask(status.path).value
    status.warnings = status.warnings.map { redactor.mask($0).value }
    return status
  }

  /// Passphrases are not registered.
  package func accept(with secret: KeychainSecret?) async throws(KeychainError)
    -> KeychainAcceptance
  {
    try await learning(try await base.accept(with: secret))
  }

  package func verify(fileAt path: String) async throws(KeychainError) -> KeychainStatus {
    try await base.verify(fileAt: path)
  }

  /// The secret is not registered.
  package func secret(from source: KeychainSecretSource) async throws(KeychainError)
    -> KeychainSecret
  { try await base.secret(from: source) }

  /// Secrets of slots are not registered.
  package func addSlot(_ secret: KeychainSecret) async throws(KeychainError) {
    try await learning(try await base.addSlot(secret))
  }

  /// Secrets of slots are not registered.
  package func rekey(_ change: KeychainRekey) async throws(KeychainError) {
    try await learning(try await base.rekey(change))
  }

  package func export(
    to path: String, secret: KeychainSecret
  ) async throws(KeychainError) -> Int {
    try await learning(try await base.export(to: path, secret: secret))
  }

  /// Registers the imported values.
  package func importEntries(
    from path: String, secret: KeychainSecret, existing: ImportDuplicates
  ) async throws(KeychainError) -> KeychainImport {
    try await learning(try await base.importEntries(from: path, secret: secret, existing: existing))
  }

  /// Values stay registered.
  package func lock(unusedFor duration: Duration) async -> IdleLockResult {
    let result = await base.lock(unusedFor: duration)
    if case .locked = result { redactor.noteLock() }
    return result
  }

  /// Values stay registered.
  package func shutDown(within duration: Duration) async -> Bool {
    await base.shutDown(within: duration)
  }

  package func takeWarning() async -> String? { await base.takeWarning() }

  package func visitEntries(
    since revision: KeychainRevision?,
    _ body: @Sendable (_ key: String, _ value: UnsafeRawBufferPointer) -> Void
  ) async -> KeychainRevision? {
    await base.visitEntries(since: revision, body)
  }
}

extension RedactingKeychain: CheckedMock {
  /// The issues of a wrapped mock.
  package var issues: [MockIssue] { (base as? any CheckedMock)?.issues ?? [] }
}
