/// The choices of a keychain's owner. Parameters come from here, never from a file that was read.
package struct KeychainPolicy: Sendable {
  /// The time that a save waits for another process's lock before it throws `.lockTimeout`.
  package var lockTimeout: Duration
  /// The key derivation of new passphrase slots: 3 passes over 256 MiB, about half a second.
  let kdf: KeyDerivation

  /// Creates a policy with the recommended key derivation for new slots.
  ///
  /// - Parameter lockTimeout: The time to wait for the lock. Zero or less tries once.
  package init(lockTimeout: Duration = .seconds(10)) {
    self.init(ops: 3, memory: 268_435_456, lockTimeout: lockTimeout)
  }

  /// Creates a policy for tests. Smaller parameters make guessing cheap. `ops` is 1…16 passes, and
  /// `memory` is in bytes, a multiple of 1024 from 8 192.
  package init(ops: UInt32, memory: UInt64, lockTimeout: Duration = .seconds(10)) {
    kdf = KeyDerivation(ops: ops, memory: memory)
    self.lockTimeout = lockTimeout
  }
}
