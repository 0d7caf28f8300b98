import SwiftBoardDependencies

/// Replaces known secrets in the result of an effect by marks, including secrets that another
/// process has stored in the meantime.
public func masking<Value: Codable>(
  _ value: Value, _ dependencies: Dependencies
) async throws -> (value: Value, masked: MaskedValues?) {
  await dependencies.keychainService.refresh()
  return try dependencies.logger.redactor.masking(value)
}
