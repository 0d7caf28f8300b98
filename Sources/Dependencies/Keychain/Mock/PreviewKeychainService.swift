import SwiftBoardSystem
import Synchronization

/// An unlocked keychain in memory with the entries `radarr` and `sonarr`: for demonstrations. Each
/// is a world of its own.
public final class PreviewKeychainService: KeychainService {
  /// What it starts with.
  static let samples: KeyValuePairs<String, Data> = [
    "radarr": Data("0123456789abcdef0123456789abcdef".utf8),
    "sonarr": Data("fedcba9876543210fedcba9876543210".utf8),
  ]

  private let base = MockKeychainService(entries: samples, path: "preview.sbkc")

  private let wasCreated = Mutex(false)

  /// With both samples, unlocked.
  public init() {}

  /// As `MockKeychainService`.
  public func save(_ data: Data, forKey key: String) async throws(KeychainError) {
    try await base.save(data, forKey: key)
  }

  /// As `MockKeychainService`.
  public func load(forKey key: String) async throws(KeychainError) -> Data? {
    try await base.load(forKey: key)
  }

  /// As `MockKeychainService`.
  public func delete(forKey key: String) async throws(KeychainError) {
    try await base.delete(forKey: key)
  }

  /// As `MockKeychainService`.
  public func rename(_ key: String, to newKey: String) async throws(KeychainError) {
    try await base.rename(key, to: newKey)
  }

  /// As `MockKeychainService`.
  public func keys() async throws(KeychainError) -> [String] {
    try await base.keys()
  }

  /// The samples stand in for a keychain of the user's until one is made: the first call empties
  /// it, later ones throw `.exists`.
  public func create(with secret: KeychainSecret?) async throws(KeychainError) {
    let isFirst = wasCreated.withLock { wasCreated in
      defer { wasCreated = true }
      return !wasCreated
    }
    guard isFirst else { return try await base.create(with: secret) }
    for key in try await base.keys() { try await base.delete(forKey: key) }
  }

  /// As `MockKeychainService`; any secret opens it.
  public func unlock(with secret: KeychainSecret?) async throws(KeychainError) {
    try await base.unlock(with: secret)
  }

  /// Throws nothing; whatever is called next needs `unlock(with:)` first.
  public func lock() async {
    await base.lock()
  }

  /// As `MockKeychainService`.
  public func status() async throws(KeychainError) -> KeychainStatus {
    try await base.status()
  }

  /// As `MockKeychainService`.
  public func verify() async throws(KeychainError) -> KeychainStatus {
    try await base.verify()
  }

  /// As `MockKeychainService`.
  public func visitEntries(
    since revision: KeychainRevision?,
    _ body: @Sendable (_ key: String, _ value: UnsafeRawBufferPointer) -> Void
  ) async -> KeychainRevision? {
    await base.visitEntries(since: revision, body)
  }

  /// As `MockKeychainService`: there is never anything to accept.
  public func accept(with secret: KeychainSecret?) async throws(KeychainError)
    -> KeychainAcceptance
  {
    try await base.accept(with: secret)
  }

  /// Always `nil`.
  public func takeWarning() async -> String? { nil }
}
