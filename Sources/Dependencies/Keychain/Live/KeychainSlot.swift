import CSodium

/// A slot, which stores the data key for one secret: 136 bytes of the header.
struct KeychainSlot: Sendable, Equatable {
  struct Kind: RawRepresentable, Sendable, Equatable {
    var rawValue: UInt8
    static let passphrase = Kind(rawValue: 1)
    static let keyFile = Kind(rawValue: 2)

    var name: String {
      switch self {
      case .passphrase: "passphrase"
      case .keyFile: "keyFile"
      default: "unknown(\(rawValue))"
      }
    }
  }

  /// The bytes of the slot in the file. Unchanged slots are written back byte for byte.
  let image: [UInt8]

  /// Creates a slot from `image`, which must have 136 bytes.
  init(image: [UInt8]) {
    self.image = image
  }

  var kind: Kind { Kind(rawValue: image[0]) }
  var algorithm: UInt8 { image[1] }
  var ops: UInt32 { image.integer(at: 4) }
  var memory: UInt64 { image.integer(at: 8) }
  var salt: [UInt8] { Array(image[16..<32]) }
  private var nonce: [UInt8] { Array(image[32..<56]) }
  private var check: ArraySlice<UInt8> { image[56..<88] }
  private var wrapped: ArraySlice<UInt8> { image[88..<136] }

  /// Throws if no writer can have created the slot or if its key derivation is too expensive.
  /// Ignores kinds of later versions.
  func check(index: Int) throws(KeychainError) {
    guard kind == .passphrase || kind == .keyFile else { return }
    guard image.integer(at: 2, as: UInt16.self) == 0 else {
      throw .malformed(.slot, "slot \(index + 1) sets reserved bytes")
    }
    if kind == .keyFile {
      guard algorithm == 0, ops == 0, memory == 0 else {
        throw .malformed(.slot, "key file slot \(index + 1) has key derivation parameters")
      }
      return
    }
    guard algorithm == UInt8(crypto_pwhash_ALG_ARGON2ID13), KeychainFormat.opsBounds ~= ops,
      KeychainFormat.memoryBounds ~= memory, memory % 1024 == 0
    else {
      throw KeychainError(
        .kdfParametersRefused,
        message:
          "slot \(index + 1) asks for a key derivation outside the allowed bounds (algorithm \(algorithm), "
          + "\(ops) passes over \(memory) bytes); no honest writer makes such a file. Restore a backup."
      )
    }
  }

  /// Creates a slot that opens `keys` with `secret`, with its own salt and nonce. Requires one key
  /// derivation.
  init(
    for secret: KeychainSecret, keys: KeychainKeys, kdf: KeyDerivation, random: KeychainRandom
  ) throws(KeychainError) {
    try secret.check()
    let salt = random.bytes(KeychainFormat.saltSize)
    let nonce = random.bytes(KeychainFormat.nonceSize)
    var image: [UInt8] = []
    image.reserveCapacity(KeychainFormat.slotSize)
    switch secret {
    case .passphrase:
      image += [Kind.passphrase.rawValue, UInt8(crypto_pwhash_ALG_ARGON2ID13), 0, 0]
      image.append(littleEndian: kdf.ops)
      image.append(littleEndian: kdf.memory)
    case .keyFile:
      image += [Kind.keyFile.rawValue, 0, 0, 0]
      image.append(littleEndian: UInt32(0))
      image.append(littleEndian: UInt64(0))
    }
    image += salt
    image += nonce
    let wrapping = try SlotKeys(secret, salt: salt, kdf: kdf)
    image += wrapping.check
    let authenticated = Self.associatedData(keyID: keys.keyID, image: image)
    var wrapped = [UInt8](repeating: 0, count: KeychainFormat.keySize + KeychainFormat.tagSize)
    let sealed = try wrapping.key.withBytes { key throws(KeychainError) in
      try keys.withDataKey { dataKey throws(KeychainError) in
        wrapped.withUnsafeMutableBytes {
          KeychainCrypto.seal(
            dataKey, key: key, nonce: nonce, authenticating: authenticated[...], into: $0)
        }
      }
    }
    guard sealed else { throw .encryptionRefused }
    image += wrapped
    self.image = image
  }

  /// Returns the keys, or `nil` if `secret`, which must be of this slot's kind, is wrong. Requires
  /// one key derivation. Throws `.tamperedSlot` if the secret is right and the slot was changed,
  /// and `.kdfFailed`.
  func open(with secret: KeychainSecret, keyID: [UInt8]) throws(KeychainError) -> KeychainKeys? {
    let wrapping = try SlotKeys(secret, salt: salt, kdf: KeyDerivation(ops: ops, memory: memory))
    guard KeychainCrypto.equal(wrapping.check, check) else { return nil }
    let authenticated = Self.associatedData(keyID: keyID, image: image)
    return try wrapping.key.withBytes { key throws(KeychainError) in
      try KeychainKeys(keyID: keyID) { dataKey throws(KeychainError) in
        guard
          KeychainCrypto.open(
            wrapped, key: key, nonce: nonce, authenticating: authenticated[...], into: dataKey)
        else { throw .tampered(.slot) }
      }
    }
  }

  private static func associatedData(keyID: [UInt8], image: [UInt8]) -> [UInt8] {
    Array("SBKC-slot-v1".utf8) + keyID + image[0..<32]
  }
}

/// The parameters of Argon2id: passes, and memory in bytes.
struct KeyDerivation: Sendable, Equatable {
  var ops: UInt32
  var memory: UInt64
}

/// The keys of a slot: the wrapping key, and the value that verifies the secret.
private struct SlotKeys {
  let key: GuardedBytes
  let check: [UInt8]

  init(_ secret: KeychainSecret, salt: [UInt8], kdf: KeyDerivation) throws(KeychainError) {
    let root: GuardedBytes
    switch secret {
    case .passphrase(let passphrase):
      root = try KeyStretching.key(
        from: passphrase, salt: salt, ops: kdf.ops, memory: kdf.memory)
    case .keyFile(let key):
      root = try GuardedBytes(count: KeychainFormat.keySize) { output throws(KeychainError) in
        try key.withBytes { key throws(KeychainError) in
          let message = Array("SBKC-keyfile-v1".utf8) + salt
          message.withUnsafeBytes { KeychainCrypto.hash($0, key: key, into: output) }
        }
      }
    }
    var check = [UInt8](repeating: 0, count: KeychainFormat.keySize)
    key = try root.withBytes { root throws(KeychainError) in
      let derived = check.withUnsafeMutableBytes {
        KeychainCrypto.derive(from: root, 2, KeychainCrypto.slotContext, into: $0)
      }
      guard derived else { throw .encryptionRefused }
      return try GuardedBytes(count: KeychainFormat.keySize) { output throws(KeychainError) in
        guard KeychainCrypto.derive(from: root, 1, KeychainCrypto.slotContext, into: output)
        else { throw .encryptionRefused }
      }
    }
    self.check = check
  }
}
