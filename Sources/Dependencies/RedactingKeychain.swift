#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A keychain that tells the logger's redactor every value it gives out or takes, under its key, before anybody has it.
///
/// A value stays registered after `lock` and `delete`: text that was made with it may still be on its way. Everything
/// else is the other keychain's.
public final class RedactingKeychain: KeychainService {
  /// The keychain behind it.
  public let base: any KeychainService
  private let logger: any Logger

  /// Neither of the two is touched.
  public init(_ base: any KeychainService, logger: any Logger) {
    self.base = base
    self.logger = logger
  }

  /// Registers the value first, also where saving it then fails.
  ///
  /// - Throws: What the keychain behind it throws, as do the others.
  public func save(_ data: Data, forKey key: String) async throws(KeychainError) {
    logger.registerSecret(Array(data), name: key)
    try await base.save(data, forKey: key)
  }

  /// Registers the value before it is given out.
  public func load(forKey key: String) async throws(KeychainError) -> Data? {
    let data = try await base.load(forKey: key)
    if let data { logger.registerSecret(Array(data), name: key) }
    return data
  }

  /// The value stays registered.
  public func delete(forKey key: String) async throws(KeychainError) {
    try await base.delete(forKey: key)
  }

  /// A value that is registered keeps its old name in redacted text.
  public func rename(_ key: String, to newKey: String) async throws(KeychainError) {
    try await base.rename(key, to: newKey)
  }

  /// As the keychain behind it.
  public func keys() async throws(KeychainError) -> [String] { try await base.keys() }

  /// As the keychain behind it; passphrases are not registered.
  public func create(with secret: KeychainSecret?) async throws(KeychainError) {
    try await base.create(with: secret)
  }

  /// As the keychain behind it; passphrases are not registered.
  public func unlock(with secret: KeychainSecret?) async throws(KeychainError) {
    try await base.unlock(with: secret)
  }

  /// Values stay registered.
  public func lock() async { await base.lock() }

  /// As the keychain behind it.
  public func status() async throws(KeychainError) -> KeychainStatus { try await base.status() }

  /// As the keychain behind it.
  public func verify() async throws(KeychainError) -> KeychainStatus { try await base.verify() }

  /// As the keychain behind it; passphrases are not registered.
  public func accept(with secret: KeychainSecret?) async throws(KeychainError)
    -> KeychainAcceptance
  {
    try await base.accept(with: secret)
  }

  /// As the keychain behind it.
  public func takeWarning() async -> String? { await base.takeWarning() }
}
