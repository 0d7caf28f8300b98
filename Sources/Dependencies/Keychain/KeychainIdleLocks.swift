/// Locks a keychain whenever no call has used its entries for a time, and gives an element each
/// time. Has no end.
package struct KeychainIdleLocks: AsyncSequence, Sendable {
  /// Waits for the next lock.
  package struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let locks: KeychainIdleLocks

    /// Returns once the keychain has been locked.
    ///
    /// - Throws: `CancellationError`.
    package func next() async throws -> Duration? {
      while true {
        switch await locks.keychain.lock(unusedFor: locks.limit) {
        case .wasLocked: try await locks.clock.sleep(for: locks.limit)
        case .inUse(let left): try await locks.clock.sleep(for: left)
        case .locked: return locks.limit
        }
      }
    }
  }

  fileprivate let keychain: any KeychainService
  fileprivate let limit: Duration
  fileprivate let clock: BoardClock

  /// Locks the keychain of these dependencies, on their clock.
  package init(_ dependencies: Dependencies, unusedFor limit: Duration) {
    keychain = dependencies.keychainService
    clock = dependencies.clock
    self.limit = limit
  }

  package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(locks: self) }
}
