extension EffectProtocol {
  /// Sends an action for each element of a sequence, until the sequence ends or the effect is
  /// cancelled.
  ///
  /// ```swift
  /// .stream(dependencies.socket.messages()) { .received($0) }.cancellable(id: "socket")
  /// ```
  /// The effect throws the errors of the sequence. Use `catch` to turn them into actions; otherwise
  /// they are issues. The next element is requested after the action of the previous one has been
  /// reduced or queued.
  ///
  /// - Parameters:
  ///   - sequence: Evaluated in the effect, each time it starts, and not in the reducer.
  ///   - action: Creates an action from an element, or returns `nil` to skip the element.
  /// - Complexity: One task.
  @inlinable
  public static func stream<S: AsyncSequence>(
    _ sequence: @autoclosure @escaping @Sendable () -> S, name: String = "stream",
    fileID: StaticString = #fileID, line: UInt32 = #line,
    _ action: @escaping @Sendable (S.Element) -> Action?
  ) -> Self where S: SendableMetatype, S.AsyncIterator: SendableMetatype {
    stream(from: { sequence() }, name: name, fileID: fileID, line: line, action)
  }

  /// Sends an action for each element of a sequence whose creation is asynchronous or can fail.
  /// Otherwise the same as `stream(_:name:_:)`.
  ///
  /// - Parameter make: Called when the effect starts. The effect throws its error.
  /// - Complexity: One task.
  @inlinable
  public static func stream<S: AsyncSequence>(
    from make: @escaping @Sendable () async throws -> S, name: String = "stream",
    fileID: StaticString = #fileID, line: UInt32 = #line,
    _ action: @escaping @Sendable (S.Element) -> Action?
  ) -> Self where S: SendableMetatype, S.AsyncIterator: SendableMetatype {
    .run(name: name, fileID: fileID, line: line) { send in
      try Task.checkCancellation()
      for try await element in try await make() {
        if let action = action(element) { send(action) }
      }
    }
  }
}
