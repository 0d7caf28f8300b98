/// The header of a keychain file, which is readable without a secret. It is unverified until its
/// MAC has been checked with the data key.
struct KeychainHeader: Sendable, Equatable {
  let keyID: [UInt8]
  let generation: UInt64
  let nonce: [UInt8]
  let slots: [KeychainSlot]
  let mac: [UInt8]
  /// The range of ciphertext and tag in the file.
  let payload: Range<Int>
  let fileSize: Int

  /// The range of header and slots, which the MAC covers.
  var authenticated: Range<Int> { 0..<(payload.lowerBound - KeychainFormat.macSize) }

  /// Parses and checks everything that needs no secret: magic, checksum, version, lengths, slots
  /// and key derivation parameters, in the order of the format. No unchecked number is used for an
  /// allocation or derivation.
  init(parsing file: [UInt8]) throws(KeychainError) {
    try Self.checkChecksum(of: file)
    try Self.checkVersion(of: file)

    guard file.count >= KeychainFormat.smallestFile else {
      throw .malformed(.header, "\(file.count) bytes are too few")
    }
    let flags: UInt16 = file.integer(at: 10)
    guard flags == 0 else {
      throw KeychainError(
        .unsupportedFlags,
        message:
          "the keychain uses additions that this version does not know (flags \(flags)). Update the program."
      )
    }
    let slotCount = Int(file.integer(at: 12, as: UInt16.self))
    guard 1...KeychainFormat.maximumSlots ~= slotCount else {
      throw .malformed(.header, "it counts \(slotCount) slots")
    }
    guard file.integer(at: 14, as: UInt16.self) == KeychainFormat.slotSize else {
      throw .malformed(.header, "its slots have another size than \(KeychainFormat.slotSize)")
    }
    let generation: UInt64 = file.integer(at: 32)
    guard 1...KeychainFormat.maximumGeneration ~= generation else {
      throw .malformed(.header, "its generation is out of range")
    }
    let length: UInt64 = file.integer(at: 40)
    let block = UInt64(KeychainFormat.blockSize)
    let tag = UInt64(KeychainFormat.tagSize)
    guard length >= block + tag, (length - tag) % block == 0,
      length <= UInt64(KeychainFormat.largestFile)
    else {
      throw .malformed(.header, "its payload cannot have \(length) bytes")
    }
    let headerSize = KeychainFormat.headerSize(slots: slotCount)
    let start = headerSize + KeychainFormat.macSize
    guard file.count == start + Int(length) + KeychainFormat.checksumSize else {
      throw .malformed(.header, "its lengths do not add up to the file's \(file.count) bytes")
    }

    self.generation = generation
    keyID = Array(file[16..<32])
    nonce = Array(file[48..<72])
    slots = try Self.slots(of: file, count: slotCount)
    mac = Array(file[headerSize..<start])
    payload = start..<(start + Int(length))
    fileSize = file.count
  }

  /// Steps 3 and 4: checks that the file is a keychain and that its checksum matches.
  private static func checkChecksum(of file: [UInt8]) throws(KeychainError) {
    let known = KeychainFormat.magic.prefix(4)
    guard file.prefix(4).elementsEqual(known.prefix(file.count)) else {
      throw notAKeychain
    }
    let end = file.count - KeychainFormat.checksumSize
    guard file.count >= KeychainFormat.smallestOfAnyVersion,
      KeychainCrypto.equal(KeychainCrypto.hash(file[..<end]), file[end...])
    else {
      throw KeychainError(
        .damaged,
        message: "the keychain is damaged: its checksum does not fit\(guess(about: file)). "
          + "No secret can tell more; nothing was changed. Restore a backup.")
    }
  }

  /// Step 5: checks the version.
  private static func checkVersion(of file: [UInt8]) throws(KeychainError) {
    guard file.starts(with: KeychainFormat.magic) else { throw notAKeychain }
    let version: UInt16 = file.integer(at: 8)
    guard version == KeychainFormat.version else {
      throw KeychainError(
        .unsupportedVersion,
        message:
          "the keychain has version \(version), this program reads version \(KeychainFormat.version). "
          + (version > KeychainFormat.version ? "Update the program" : "Restore a backup")
          + "; the file was not changed.")
    }
  }

  private static let notAKeychain = KeychainError(
    .notAKeychain,
    message: "this file is not a keychain; it was not changed. Name another path or move it away."
  )

  /// Step 9: parses the slots.
  private static func slots(of file: [UInt8], count: Int) throws(KeychainError) -> [KeychainSlot] {
    var slots: [KeychainSlot] = []
    var work: UInt64 = 0
    for index in 0..<count {
      let offset = KeychainFormat.headerSize(slots: index)
      let slot = KeychainSlot(image: Array(file[offset..<(offset + KeychainFormat.slotSize)]))
      try slot.check(index: index)
      if slot.kind == .passphrase { work += UInt64(slot.ops) * slot.memory }
      slots.append(slot)
    }
    guard work <= KeychainFormat.maximumWork else {
      throw KeychainError(
        .kdfParametersRefused,
        message:
          "the keychain asks for more key derivation work over all its slots than is allowed; "
          + "no honest writer makes such a file. Restore a backup.")
    }
    return slots
  }

  /// A guess at the cause of damage, based on the unverified header.
  private static func guess(about file: [UInt8]) -> String {
    if file.count >= 7, file[4...6].elementsEqual([0x0A, 0x1A, 0x0A]) {
      return "; its line ends seem to have been converted (CRLF to LF)"
    }
    if file.count >= 7, file[4...6].elementsEqual([0x0D, 0x0D, 0x0A]) {
      return "; its line ends seem to have been converted (LF to CRLF)"
    }
    guard file.count >= KeychainFormat.fixedHeaderSize else {
      return "; \(file.count) bytes are too few"
    }
    guard file.starts(with: KeychainFormat.magic) else { return "" }
    let slots = Int(file.integer(at: 12, as: UInt16.self))
    let length: UInt64 = file.integer(at: 40)
    guard 1...KeychainFormat.maximumSlots ~= slots, length <= UInt64(KeychainFormat.largestFile)
    else { return "" }
    let expected =
      KeychainFormat.headerSize(slots: slots) + KeychainFormat.macSize + Int(length)
      + KeychainFormat.checksumSize
    if file.count < expected {
      return "; it seems to be cut short, \(file.count) of \(expected) bytes"
    }
    if file.count > expected {
      return "; \(file.count - expected) bytes seem to have been appended"
    }
    return ""
  }
}
