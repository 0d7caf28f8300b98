/// Encodes and decodes whole keychain files in memory.
enum KeychainCodec {
  /// Opens `file` with `secret`, from choosing the slot to the last entry. `header` must be parsed
  /// from `file`.
  static func open(
    _ file: [UInt8], _ header: KeychainHeader, with secret: KeychainSecret
  ) throws(KeychainError) -> (keys: KeychainKeys, entries: KeychainEntries) {
    let keys = try unlock(header, with: secret)
    guard try keys.fit(header, of: file) else { throw .tampered(.header) }
    return (keys, try entries(of: file, header, keys))
  }

  /// Finds the slot that `secret` opens. Requires one key derivation for each slot of the secret's
  /// kind.
  static func unlock(
    _ header: KeychainHeader, with secret: KeychainSecret
  ) throws(KeychainError) -> KeychainKeys {
    try secret.check()
    for slot in header.slots where slot.kind == secret.slotKind {
      if let keys = try slot.open(with: secret, keyID: header.keyID) { return keys }
    }
    throw .wrongSecret(secret, kinds: header.slots.map(\.kind.name))
  }

  /// Decrypts and checks the entries of a file whose header matches `keys`.
  static func entries(
    of file: [UInt8], _ header: KeychainHeader, _ keys: KeychainKeys
  ) throws(KeychainError) -> KeychainEntries {
    let size = header.payload.count - KeychainFormat.tagSize
    let region = try keys.withPayloadKey { key throws(KeychainError) in
      try GuardedBytes(count: size) { output throws(KeychainError) in
        let opened = KeychainCrypto.open(
          file[header.payload], key: key, nonce: header.nonce,
          authenticating: file[..<header.payload.lowerBound], into: output)
        guard opened else { throw .tampered(.payload) }
      }
    }
    return try KeychainEntries(padded: region)
  }

  /// Returns a file with `entries` and a new nonce. Throws `.limitExceeded` if no reader would
  /// accept it.
  static func encode(
    _ entries: KeychainEntries, keys: KeychainKeys, generation: UInt64, slots: [KeychainSlot],
    random: KeychainRandom = .system
  ) throws(KeychainError) -> [UInt8] {
    guard 1...KeychainFormat.maximumGeneration ~= generation else {
      throw KeychainError(
        .limitExceeded,
        message:
          "the keychain was saved as often as its format can count. Export it into a new one.")
    }
    guard 1...KeychainFormat.maximumSlots ~= slots.count else {
      throw KeychainError(
        .limitExceeded,
        message: "a keychain has 1 to \(KeychainFormat.maximumSlots) slots, not \(slots.count).")
    }
    let payloadSize = entries.region.count + KeychainFormat.tagSize
    let headerSize = KeychainFormat.headerSize(slots: slots.count)
    let size = headerSize + KeychainFormat.macSize + payloadSize + KeychainFormat.checksumSize
    guard size <= KeychainFormat.largestFile else {
      throw KeychainError(
        .limitExceeded,
        message:
          "the keychain would have \(size) bytes, more than the \(KeychainFormat.largestFile) that are allowed. "
          + "Delete entries first.")
    }

    let nonce = random.bytes(KeychainFormat.nonceSize)
    var file: [UInt8] = []
    file.reserveCapacity(size)
    file += KeychainFormat.magic
    file.append(littleEndian: KeychainFormat.version)
    file.append(littleEndian: UInt16(0))
    file.append(littleEndian: UInt16(slots.count))
    file.append(littleEndian: UInt16(KeychainFormat.slotSize))
    file += keys.keyID
    file.append(littleEndian: generation)
    file.append(littleEndian: UInt64(payloadSize))
    file += nonce
    for slot in slots { file += slot.image }
    file += try keys.mac(of: file[...])
    var payload = [UInt8](repeating: 0, count: payloadSize)
    let sealed = try keys.withPayloadKey { key throws(KeychainError) in
      try entries.region.withBytes { plaintext throws(KeychainError) in
        payload.withUnsafeMutableBytes {
          KeychainCrypto.seal(
            plaintext, key: key, nonce: nonce, authenticating: file[...], into: $0)
        }
      }
    }
    guard sealed else { throw .encryptionRefused }
    file += payload
    file += KeychainCrypto.hash(file[...])
    return file
  }
}
