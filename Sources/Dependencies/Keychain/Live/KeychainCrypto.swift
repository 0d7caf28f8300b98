import CSodium

/// The format's algorithms, using libsodium on memory of the caller. It allocates no memory for
/// secrets.
enum KeychainCrypto {
  static let slotContext = "SBKCslot"
  static let fileContext = "SBKC_v1_"

  /// Returns BLAKE2b-256 of `message`, keyed if `key` is given.
  static func hash(
    _ message: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer? = nil,
    into output: UnsafeMutableRawBufferPointer
  ) {
    guard let bytes = output.bytes else { return }
    _ = crypto_generichash(
      bytes, output.count, message.bytes, UInt64(message.count), key?.bytes, key?.count ?? 0)
  }

  static func hash(_ message: ArraySlice<UInt8>, key: UnsafeRawBufferPointer? = nil) -> [UInt8] {
    var output = [UInt8](repeating: 0, count: KeychainFormat.checksumSize)
    message.withUnsafeBytes { message in
      output.withUnsafeMutableBytes { hash(message, key: key, into: $0) }
    }
    return output
  }

  /// Derives subkey `index` of `key` in `context`, which has 8 characters. Returns false, without a
  /// key, if libsodium refused.
  static func derive(
    from key: UnsafeRawBufferPointer, _ index: UInt64, _ context: String,
    into output: UnsafeMutableRawBufferPointer
  ) -> Bool {
    guard let key = key.bytes, let bytes = output.bytes else { return false }
    return context.withCString {
      crypto_kdf_derive_from_key(bytes, output.count, index, $0, key) == 0
    }
  }

  /// Compares in constant time.
  static func equal(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
    let left = Array(left)
    let right = Array(right)
    return left.count == right.count && sodium_memcmp(left, right, left.count) == 0
  }

  /// Encrypts `message` into `output`, which is 16 bytes longer. Returns false if libsodium
  /// refused.
  static func seal(
    _ message: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer, nonce: [UInt8],
    authenticating data: ArraySlice<UInt8>, into output: UnsafeMutableRawBufferPointer
  ) -> Bool {
    guard let key = key.bytes, let bytes = output.bytes else { return false }
    return data.withUnsafeBytes { data in
      crypto_aead_xchacha20poly1305_ietf_encrypt(
        bytes, nil, message.bytes, UInt64(message.count), data.bytes, UInt64(data.count), nil,
        nonce, key) == 0
    }
  }

  /// Decrypts `sealed` into `output`, which is 16 bytes shorter. Returns false if it was not sealed
  /// with this key.
  static func open(
    _ sealed: ArraySlice<UInt8>, key: UnsafeRawBufferPointer, nonce: [UInt8],
    authenticating data: ArraySlice<UInt8>, into output: UnsafeMutableRawBufferPointer
  ) -> Bool {
    guard let key = key.bytes else { return false }
    return sealed.withUnsafeBytes { sealed in
      data.withUnsafeBytes { data in
        guard let bytes = sealed.bytes else { return false }
        return crypto_aead_xchacha20poly1305_ietf_decrypt(
          output.bytes, nil, nil, bytes, UInt64(sealed.count), data.bytes, UInt64(data.count),
          nonce, key) == 0
      }
    }
  }
}

extension UnsafeRawBufferPointer {
  fileprivate var bytes: UnsafePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}

extension UnsafeMutableRawBufferPointer {
  fileprivate var bytes: UnsafeMutablePointer<UInt8>? {
    baseAddress?.assumingMemoryBound(to: UInt8.self)
  }
}
