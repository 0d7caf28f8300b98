extension Effect {
  /// Work of which no action comes back: to write a log, to ring a bell. What it throws is an issue
  /// unless `catch` makes an action of it.
  ///
  /// It is an effect like others: it is listed, handles wait for it, and it ends with the store.
  /// Cancelled before it has begun, it does not begin. What must not be cut off should be waited
  /// for with `Store.shutdown(deadline:)`.
  ///
  /// - Complexity: One task.
  @inlinable
  public static func fireAndForget(
    name: String = "fireAndForget", fileID: StaticString = #fileID, line: UInt32 = #line,
    _ work: @escaping @Sendable () async throws -> Void
  ) -> Effect {
    Effect(
      .run { _ in
        try Task.checkCancellation()
        try await work()
      }, name: name, location: SourceLocation(fileID: fileID, line: line))
  }
}
