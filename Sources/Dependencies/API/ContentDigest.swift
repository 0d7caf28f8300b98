import CSodium
import SwiftBoardSystem

/// A BLAKE2b digest of 256 bits of bytes that come piece by piece. For one task at a time.
package final class ContentDigest {
  private let memory: UnsafeMutableRawPointer
  private var state: OpaquePointer { OpaquePointer(memory) }

  /// Of nothing yet.
  package init() {
    memory = .allocate(byteCount: crypto_generichash_statebytes(), alignment: 64)
    crypto_generichash_init(state, nil, 0, 32)
  }

  deinit { memory.deallocate() }

  /// Takes the next bytes in; about a nanosecond a byte.
  package func add(_ data: Data) {
    data.withUnsafeBytes { bytes in
      _ = crypto_generichash_update(
        state, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt64(bytes.count))
    }
  }

  /// 64 hexadecimal digits. Ends the digest.
  package func finish() -> String {
    var digest = [UInt8](repeating: 0, count: 32)
    crypto_generichash_final(state, &digest, digest.count)
    return digest.map { byte in
      let text = String(byte, radix: 16)
      return byte < 16 ? "0" + text : text
    }.joined()
  }
}
