/// The keys of an unlocked keychain in one guarded region: the data key and the keys derived from
/// it.
struct KeychainKeys: Sendable {
  /// The identifier, generated together with the data key.
  let keyID: [UInt8]
  /// The data key, the MAC key and the payload key, concatenated.
  let region: GuardedBytes

  /// Creates keys. `fill` writes the 32 bytes of the data key.
  init(
    keyID: [UInt8], dataKey fill: (UnsafeMutableRawBufferPointer) throws(KeychainError) -> Void
  ) throws(KeychainError) {
    self.keyID = keyID
    let size = KeychainFormat.keySize
    region = try GuardedBytes(count: 3 * size) { buffer throws(KeychainError) in
      let dataKey = UnsafeMutableRawBufferPointer(rebasing: buffer[..<size])
      try fill(dataKey)
      for index in 1...2 {
        let derived = KeychainCrypto.derive(
          from: UnsafeRawBufferPointer(dataKey), UInt64(index), KeychainCrypto.fileContext,
          into: UnsafeMutableRawBufferPointer(
            rebasing: buffer[(index * size)..<((index + 1) * size)]))
        guard derived else { throw .encryptionRefused }
      }
    }
  }

  /// Generates a new key and its id.
  init(random: KeychainRandom) throws(KeychainError) {
    try self.init(keyID: random.bytes(KeychainFormat.keyIDSize)) { buffer throws(KeychainError) in
      random.fill(buffer)
    }
  }

  func withDataKey<Result>(
    _ body: (UnsafeRawBufferPointer) throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result { try withKey(0, body) }

  func withPayloadKey<Result>(
    _ body: (UnsafeRawBufferPointer) throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result { try withKey(2, body) }

  /// Returns the MAC of a header. It binds the whole file to this data key, which the payload's own
  /// tag does not.
  func mac(of header: ArraySlice<UInt8>) throws(KeychainError) -> [UInt8] {
    try withKey(1) { key throws(KeychainError) in KeychainCrypto.hash(header, key: key) }
  }

  /// Returns whether `header`, parsed from `file`, was written with these keys.
  func fit(_ header: KeychainHeader, of file: [UInt8]) throws(KeychainError) -> Bool {
    KeychainCrypto.equal(try mac(of: file[header.authenticated]), header.mac)
  }

  private func withKey<Result>(
    _ index: Int, _ body: (UnsafeRawBufferPointer) throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    let size = KeychainFormat.keySize
    return try region.withBytes { bytes throws(KeychainError) in
      try body(UnsafeRawBufferPointer(rebasing: bytes[(index * size)..<((index + 1) * size)]))
    }
  }
}
