/// What a keychain's owner may choose. Parameters come from here, never from the file that was
/// read.
package struct KeychainPolicy: Sendable {
  /// How long a save waits for another process's lock before it throws `.lockTimeout`.
  package var lockTimeout: Duration
  /// Passes and bytes of new passphrase slots: 3 passes over 256 MiB, about half a second.
  let kdf: KeyDerivation

  /// A policy with the key derivation of new slots as it should be.
  ///
  /// - Parameter lockTimeout: Zero or less tries once.
  package init(lockTimeout: Duration = .seconds(10)) {
    self.init(ops: 3, memory: 268_435_456, lockTimeout: lockTimeout)
  }

  /// Smaller parameters make guessing cheap: for tests only. `ops` 1…16 passes, `memory` in bytes,
  /// a multiple of 1024 from 8 192.
  package init(ops: UInt32, memory: UInt64, lockTimeout: Duration = .seconds(10)) {
    kdf = KeyDerivation(ops: ops, memory: memory)
    self.lockTimeout = lockTimeout
  }
}
