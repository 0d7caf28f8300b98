extension Effect {
  /// Sends an action for each element of a sequence, until that ends or the effect is cancelled.
  ///
  /// ```swift
  /// .stream(dependencies.socket.messages()) { .received($0) }.cancellable(id: "socket")
  /// ```
  /// The effect throws the errors of the sequence: `catch` makes an action of it, else it is an
  /// issue. The next element is asked for when the action of the one before is reduced or queued.
  ///
  /// - Parameters:
  ///   - sequence: Evaluated when the effect starts, each time it does, and not in the reducer.
  ///   - action: Makes an action of an element; `nil` leaves the element out.
  /// - Complexity: One task.
  @inlinable
  public static func stream<S: AsyncSequence>(
    _ sequence: @autoclosure @escaping @Sendable () -> S, name: String = "stream",
    fileID: StaticString = #fileID, line: UInt32 = #line,
    _ action: @escaping @Sendable (S.Element) -> Action?
  ) -> Effect where S: SendableMetatype, S.AsyncIterator: SendableMetatype {
    stream(from: { sequence() }, name: name, fileID: fileID, line: line, action)
  }

  /// Sends an action for each element of a sequence that has to be waited for, or that may fail to
  /// be had. Else as `stream(_:name:_:)`.
  ///
  /// - Parameter make: Called when the effect starts; what it throws, the effect throws.
  /// - Complexity: One task.
  @inlinable
  public static func stream<S: AsyncSequence>(
    from make: @escaping @Sendable () async throws -> S, name: String = "stream",
    fileID: StaticString = #fileID, line: UInt32 = #line,
    _ action: @escaping @Sendable (S.Element) -> Action?
  ) -> Effect where S: SendableMetatype, S.AsyncIterator: SendableMetatype {
    Effect(
      .run { send in
        try Task.checkCancellation()
        for try await element in try await make() {
          if let action = action(element) { send(action) }
        }
      }, name: name, location: SourceLocation(fileID: fileID, line: line))
  }
}
