/// The choices of a keychain's owner. Parameters come from here, never from a file that was read.
package struct KeychainPolicy: Sendable {
  /// The time that a save waits for another process's lock before it throws `.lockTimeout`.
  package var lockTimeout: Duration
  /// The key derivation of new passphrase slots: 3 passes over 256 MiB, about half a second.
  let kdf: KeyDerivation

  /// Creates a policy, by default with the recommended key derivation for new slots.
  ///
  /// Tests pass smaller parameters, which make guessing cheap.
  ///
  /// - Parameters:
  ///   - ops: 1…16 passes.
  ///   - memory: A number of bytes, a multiple of 1024 from 8 192.
  ///   - lockTimeout: The time to wait for the lock. Zero or less tries once.
  package init(
    ops: UInt32 = 3, memory: UInt64 = 268_435_456, lockTimeout: Duration = .seconds(10)
  ) {
    kdf = KeyDerivation(ops: ops, memory: memory)
    self.lockTimeout = lockTimeout
  }
}
