import SwiftBoardDependencies
import SwiftBoardSystem

/// Returns a secret's value. Unlocks the keychain if needed.
func secret(_ name: String, _ dependencies: Dependencies) async throws -> Data {
  try await KeychainAccess(dependencies).value(of: name)
}

/// Performs the work. If the keychain is locked and the terminal can ask for a passphrase, asks
/// once and retries.
func unlocking<Result>(
  _ dependencies: Dependencies, _ work: () async throws(KeychainError) -> Result
) async throws -> Result {
  try await KeychainAccess(dependencies).unlocking(work)
}
