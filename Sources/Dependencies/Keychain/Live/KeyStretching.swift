import CSodium
import Dispatch
import SwiftBoardSystem
import Synchronization

/// The derivation of a key from a passphrase with Argon2id, on a thread of its own.
///
/// Nothing ends a derivation early. A call that is cancelled leaves it to its thread, which then
/// erases the key that nobody waits for. All derivations of a call come before its first change.
enum KeyStretching {
  /// What the derivation that runs holds.
  final class Gate: Sendable { let lock = Mutex(()) }

  /// The gate of the process, in which one derivation runs at a time, because each needs up to
  /// 1 GiB.
  static let gate = Gate()

  /// How often a call that waits asks whether it is cancelled, since a synchronous call is not told
  /// of it.
  private static let pause = DispatchTimeInterval.milliseconds(10)

  private typealias Key = Result<GuardedBytes, KeychainError>

  /// Derives a key. The caller must check the bounds. Takes half a second by default.
  ///
  /// - Throws: `.kdfFailed`, and `.cancelled` as soon as the task is cancelled.
  static func key(
    from passphrase: GuardedBytes, salt: [UInt8], ops: UInt32, memory: UInt64, gate: Gate = gate
  ) throws(KeychainError) -> GuardedBytes {
    try KeychainError.checkCancellation()
    let result = Pending()
    let derive: @Sendable () -> Void = {
      result.set(
        Key { () throws(KeychainError) in
          try GuardedBytes(count: KeychainFormat.keySize) { output throws(KeychainError) in
            try passphrase.withBytes { bytes throws(KeychainError) in
              try stretch(bytes, salt, ops, memory, into: output, for: result, gate)
            }
          }
        })
    }
    if !DetachedThread.start(blocksSignals: true, derive) { derive() }
    while result.isSet.wait(timeout: .now() + pause) == .timedOut {
      guard Task.isCancelled else { continue }
      result.abandon()
      try KeychainError.checkCancellation()
    }
    try KeychainError.checkCancellation()
    return try result.get()
  }

  private static func stretch(
    _ passphrase: UnsafeRawBufferPointer, _ salt: [UInt8], _ ops: UInt32, _ memory: UInt64,
    into output: UnsafeMutableRawBufferPointer, for result: Pending, _ gate: Gate
  ) throws(KeychainError) {
    let code: Int32 = gate.lock.withLock { _ in
      // The wait for another derivation may have been long.
      if result.isAbandoned { return ECANCELED }
      guard let bytes = output.baseAddress?.assumingMemoryBound(to: UInt8.self),
        let text = passphrase.baseAddress?.assumingMemoryBound(to: CChar.self)
      else { return EINVAL }
      errno = 0
      let result = crypto_pwhash(
        bytes, UInt64(output.count), text, UInt64(passphrase.count), salt, UInt64(ops), Int(memory),
        crypto_pwhash_ALG_ARGON2ID13)
      return result == 0 ? 0 : (errno == 0 ? ENOMEM : errno)
    }
    guard code == 0 else {
      let cause = KeychainError.io(
        code, "the key derivation, which needs \(memory / 1_048_576) MiB, failed"
      ).message
      throw KeychainError(
        .kdfFailed, message: "\(cause) The passphrase was not judged. Free memory and try again.")
    }
  }

  /// A key that a call waits for until it is cancelled.
  private final class Pending: Sendable {
    let isSet = DispatchSemaphore(value: 0)
    private let key = Mutex<Key?>(nil)
    private let abandoned = Atomic(false)

    var isAbandoned: Bool { abandoned.load(ordering: .relaxed) }

    func abandon() { abandoned.store(true, ordering: .relaxed) }

    func set(_ key: Key) {
      self.key.withLock { $0 = key }
      isSet.signal()
    }

    /// Returns the key, once `isSet` is signaled.
    func get() throws(KeychainError) -> GuardedBytes {
      guard let key = key.withLock({ $0 }) else {
        throw .io(EIO, "the derived key is missing")
      }
      return try key.get()
    }
  }
}
