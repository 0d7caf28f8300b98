import SwiftBoardSystem
import Synchronization

/// A keychain whose values the redactor knows: all of them, from the moment of unlocking, before a
/// call returns that unlocked it or changed it.
///
/// A value stays known after `lock` and `delete`: text that was made with it may still be on its
/// way. Everything else is the other keychain's.
public final class RedactingKeychain: KeychainService {
  fileprivate let base: any KeychainService
  private let redactor: Redactor
  /// What the redactor knows.
  private let known = Mutex<KeychainRevision?>(nil)

  /// Neither of the two is touched.
  public init(_ base: any KeychainService, redactor: Redactor) {
    self.base = base
    self.redactor = redactor
  }

  /// Registers all values that are new. One call of the keychain, and O(size) where it has changed.
  private func learn() async {
    let old = known.withLock { $0 }
    let batch = Mutex(redactor.batch())
    let now = await base.visitEntries(since: old) { key, value in
      batch.withLock { $0.add(value, name: key) }
    }
    redactor.register(batch.withLock { $0 })
    guard let now, now != old else { return }
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
      // A call that unlocked and then failed has unlocked nevertheless.
      await learn()
      throw error
    }
  }

  /// Registers the value first, also where saving it then fails.
  ///
  /// - Throws: What the wrapped keychain throws, as do the others.
  public func save(_ data: Data, forKey key: String) async throws(KeychainError) {
    data.withUnsafeBytes { value in
      var batch = redactor.batch()
      batch.add(value, name: key)
      redactor.register(batch)
    }
    try await learning { () throws(KeychainError) in try await base.save(data, forKey: key) }
  }

  /// As the wrapped keychain.
  public func load(forKey key: String) async throws(KeychainError) -> Data? {
    try await learning { () throws(KeychainError) in try await base.load(forKey: key) }
  }

  /// The value stays registered.
  public func delete(forKey key: String) async throws(KeychainError) {
    try await learning { () throws(KeychainError) in try await base.delete(forKey: key) }
  }

  /// The value's mark has the new name from then on.
  public func rename(_ key: String, to newKey: String) async throws(KeychainError) {
    try await learning { () throws(KeychainError) in try await base.rename(key, to: newKey) }
    redactor.renameSecret(key, to: newKey)
  }

  /// As the wrapped keychain.
  public func keys() async throws(KeychainError) -> [String] {
    try await learning { () throws(KeychainError) in try await base.keys() }
  }

  /// As the wrapped keychain; passphrases are not registered.
  public func create(with secret: KeychainSecret?) async throws(KeychainError) {
    try await base.create(with: secret)
  }

  /// As the wrapped keychain; passphrases are not registered.
  public func unlock(with secret: KeychainSecret?) async throws(KeychainError) {
    try await learning { () throws(KeychainError) in try await base.unlock(with: secret) }
  }

  /// Registers what another process has saved.
  public func refresh() async {
    await base.refresh()
    await learn()
  }

  /// Values stay registered.
  public func lock() async { await base.lock() }

  /// As the wrapped keychain.
  public func status() async throws(KeychainError) -> KeychainStatus {
    try await learning { () throws(KeychainError) in try await base.status() }
  }

  /// As the wrapped keychain.
  public func verify() async throws(KeychainError) -> KeychainStatus {
    try await learning { () throws(KeychainError) in try await base.verify() }
  }

  /// As the wrapped keychain; passphrases are not registered.
  public func accept(with secret: KeychainSecret?) async throws(KeychainError)
    -> KeychainAcceptance
  {
    try await learning { () throws(KeychainError) in try await base.accept(with: secret) }
  }

  /// As the wrapped keychain.
  public func verify(fileAt path: String) async throws(KeychainError) -> KeychainStatus {
    try await base.verify(fileAt: path)
  }

  /// As the wrapped keychain; the secret is not registered.
  public func secret(from source: KeychainSecretSource) async throws(KeychainError)
    -> KeychainSecret
  { try await base.secret(from: source) }

  /// As the wrapped keychain; secrets of slots are not registered.
  public func addSlot(_ secret: KeychainSecret) async throws(KeychainError) {
    try await learning { () throws(KeychainError) in try await base.addSlot(secret) }
  }

  /// As the wrapped keychain; secrets of slots are not registered.
  public func rekey(_ change: KeychainRekey) async throws(KeychainError) {
    try await learning { () throws(KeychainError) in try await base.rekey(change) }
  }

  /// As the wrapped keychain.
  public func export(
    to path: String, secret: KeychainSecret
  ) async throws(KeychainError) -> Int {
    try await learning { () throws(KeychainError) in
      try await base.export(to: path, secret: secret)
    }
  }

  /// Registers what was taken over.
  public func importEntries(
    from path: String, secret: KeychainSecret, existing: ImportDuplicates
  ) async throws(KeychainError) -> KeychainImport {
    try await learning { () throws(KeychainError) in
      try await base.importEntries(from: path, secret: secret, existing: existing)
    }
  }

  /// As the wrapped keychain. Values stay registered.
  public func lock(unusedFor duration: Duration) async -> KeychainIdleness {
    await base.lock(unusedFor: duration)
  }

  /// As the wrapped keychain. Values stay registered.
  public func shutDown(within duration: Duration) async -> Bool {
    await base.shutDown(within: duration)
  }

  /// As the wrapped keychain.
  public func takeWarning() async -> String? { await base.takeWarning() }

  /// As the wrapped keychain.
  public func visitEntries(
    since revision: KeychainRevision?,
    _ body: @Sendable (_ key: String, _ value: UnsafeRawBufferPointer) -> Void
  ) async -> KeychainRevision? {
    await base.visitEntries(since: revision, body)
  }
}

extension RedactingKeychain: CheckedMock {
  /// Those of a mock behind it.
  public var issues: [MockIssue] { (base as? any CheckedMock)?.issues ?? [] }
}
