extension EffectProtocol {
  /// Returns work without a result, for example writing a log. An error that it throws is an issue
  /// unless `catch` turns it into an action.
  ///
  /// It is treated like other effects: it is listed, handles wait for it, and it ends with the
  /// store. If it is cancelled before it has begun, it does not begin. Use
  /// `Store.shutdown(deadline:)` to wait for work that must not be interrupted.
  ///
  /// - Complexity: One task.
  @inlinable
  public static func fireAndForget(
    name: String = "fireAndForget", fileID: StaticString = #fileID, line: UInt32 = #line,
    _ work: @escaping @Sendable () async throws -> Void
  ) -> Self {
    .run(name: name, fileID: fileID, line: line) { _ in
      try Task.checkCancellation()
      try await work()
    }
  }
}
