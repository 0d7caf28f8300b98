extension ResponseCache {
  /// Removes the kept answers that contain a known secret: they were kept before it was known. All
  /// bodies are read.
  package func removeResponses(
    withSecretsOf redactor: Redactor
  ) async throws(PersistenceError) {
    _ = try await removeResponses { response in
      !redactor.mask([UInt8](response.body)).names.isEmpty
        || response.headers.contains { !redactor.mask($0.value).names.isEmpty }
        || !redactor.mask(response.key).names.isEmpty
    }
  }
}
