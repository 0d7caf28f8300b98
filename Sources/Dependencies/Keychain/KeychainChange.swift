import Synchronization

/// The result of calls that change the keychain, from the effect that makes them to the effect that
/// reports it. The first one may be cancelled, and then reports nothing itself.
package final class KeychainChange<Value: Sendable>: Sendable {
  private let result = Mutex<Result<Value, any Error>>(.failure(cancelled))

  /// Creates the result of calls that were cancelled before they began.
  package init() {}

  /// Makes the calls. If the task is cancelled, an error means that nothing was changed, except for
  /// `durabilityUnknown`.
  package func run(_ body: () async throws -> Value) async {
    let result: Result<Value, any Error>
    do {
      result = .success(try await body())
    } catch let error as KeychainError where error.kind == .durabilityUnknown {
      result = .failure(error)
    } catch {
      result = .failure(Task.isCancelled ? Self.cancelled : error)
    }
    self.result.withLock { $0 = result }
  }

  /// Returns the value of the calls.
  ///
  /// - Throws: Their error, or `KeychainError` of kind `cancelled`. An effect would not report a
  ///   `CancellationError`.
  package func end() throws -> Value { try result.withLock { $0 }.get() }

  private static var cancelled: KeychainError { KeychainError(.cancelled, message: "cancelled") }
}
