import SwiftBoardDependencies

/// Replaces known secrets in the result of an effect by marks, including secrets that another
/// process has stored in the meantime.
public func masking<Value: Codable>(
  _ value: Value, _ dependencies: Dependencies
) async throws -> (value: Value, masked: MaskedValues?) {
  await dependencies.keychainService.refresh()
  return try dependencies.logger.redactor.masking(value)
}

/// Throws a failure if what is to be sent again contains the value of a secret that became known
/// after the first attempt.
public func refuseRepeatedSecret<Value: Codable>(
  in value: Value, _ dependencies: Dependencies
) async throws {
  guard let name = try await masking(value, dependencies).masked?.names.first else { return }
  throw Failure(
    code: ExitCode.usage, error: "usage",
    message: "not sent again: the line contains the value of the secret '\(name)', "
      + "which became known while it ran",
    help: SecretReference.text(for: name).map { "write \($0)" })
}
