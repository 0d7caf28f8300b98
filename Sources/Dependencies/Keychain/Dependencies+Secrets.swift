import SwiftBoardSystem

extension Dependencies {
  /// The value of a secret. If the keychain is locked and the terminal can ask for the passphrase,
  /// it is asked for.
  ///
  /// - Throws: `KeychainError`, `missingKey` if there is no such secret; `TerminalError`.
  package func secret(_ name: String) async throws -> Data {
    let keychain = keychainService
    guard
      let value = try await unlockingKeychain(
        { () throws(KeychainError) in try await keychain.load(forKey: name) })
    else {
      throw KeychainError(.missingKey, message: "the keychain has no secret named '\(name)'")
    }
    return value
  }

  /// Performs the work. If the keychain is locked and the terminal can ask for a passphrase, asks
  /// once and performs it again.
  package func unlockingKeychain<Result>(
    _ work: () async throws(KeychainError) -> Result
  ) async throws -> Result {
    do throws(KeychainError) {
      return try await work()
    } catch {
      terminal.hideInput()
      defer { terminal.showInput() }
      guard error.kind == .locked,
        let passphrase = try await terminal.askPassphrase(
          prompt: "passphrase of the keychain: ", isNew: false)
      else { throw error }
      try await keychainService.unlock(with: .passphrase(passphrase))
      return try await work()
    }
  }
}
