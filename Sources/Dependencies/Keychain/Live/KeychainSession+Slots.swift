import SwiftBoardSystem

/// Manages the slots, and imports and exports entries.
extension KeychainSession {
  // MARK: Slots

  /// Adds a slot. The data key stays the same, so existing secrets still open the keychain.
  func addSlot(_ secret: KeychainSecret) throws(KeychainError) {
    try secret.checkNew()
    try followingRekeys { () throws(KeychainError) in
      let state = try current()
      let slots = state.header.slots
      guard slots.count < KeychainFormat.maximumSlots else {
        throw .noFreeSlot(slots.count)
      }
      for (index, slot) in slots.enumerated() where slot.kind == secret.slotKind {
        guard try !opens(slot, with: secret, state.keys.keyID) else {
          throw .duplicateSlot(index + 1, secret)
        }
      }
      let slot = try makeSlot(for: secret, state.keys)
      try replaceSlots(slots, with: slots + [slot], keys: state.keys)
    }
  }

  /// Generates a new data key, so that removed secrets cannot open later saves.
  func rekey(_ change: KeychainRekey) throws(KeychainError) {
    try change.replacement?.checkNew()
    // A descriptor can be read only once, so its secret is read before the keychain is unlocked
    // with it.
    let own = try secretForRekey()
    let state: Unlocked
    if unlocked == nil, let first = change.replaced ?? own ?? change.secrets.first {
      state = try open(with: first)
    } else {
      state = try current()
    }
    let slots = state.header.slots
    let plan = try secrets(after: change, own, slots, state.keys.keyID)
    let keys = try KeychainKeys(random: random)
    var images: [KeychainSlot] = []
    for secret in plan { images.append(try makeSlot(for: secret, keys)) }
    do throws(KeychainError) {
      try replaceSlots(slots, with: images, keys: keys)
    } catch {
      // The file has the new slots, which the old secret does not open.
      if error.kind == .durabilityUnknown { endRekey() }
      throw error
    }
    endRekey()
  }

  /// Returns the secrets of all remaining slots in order.
  private func secrets(
    after change: KeychainRekey, _ own: KeychainSecret?, _ slots: [KeychainSlot], _ keyID: [UInt8]
  ) throws(KeychainError) -> [KeychainSecret] {
    for number in change.removing where !(1...slots.count ~= number) {
      throw .noSlot(number, of: slots.count)
    }
    guard change.removing.count < slots.count else { throw .lastSlot }
    let replaced = try change.secretToReplace(own)
    var given = change.secrets
    if let replaced { given.append(replaced) }
    // The secret of the unlock source need not open a remaining slot.
    let known = given + (own.map { [$0] } ?? [])
    var fits = [Bool](repeating: false, count: known.count)
    var plan: [KeychainSecret] = []
    var needed: KeychainError?
    for (index, slot) in slots.enumerated() {
      let goes = change.removing.contains(index + 1)
      var found: Int?
      for (number, secret) in known.enumerated() where secret.slotKind == slot.kind {
        if goes, fits[number] { continue }
        guard try opens(slot, with: secret, keyID) else { continue }
        fits[number] = true
        found = number
        break
      }
      if goes { continue }
      guard let found else {
        if needed == nil {
          needed = .slotSecretNeeded(.init(number: index + 1, kind: slot.kind.name))
        }
        continue
      }
      if let replacement = change.replacement, let replaced, known[found].isSame(as: replaced) {
        plan.append(replacement)
      } else {
        guard change.replacement?.isSame(as: known[found]) != true else {
          throw .duplicateSlot(index + 1, known[found])
        }
        plan.append(known[found])
      }
    }
    // A given secret that opens nothing is a mistake of the user and is reported first.
    for (number, secret) in given.enumerated() where !fits[number] {
      let isTwice = known[..<number].contains { $0.isSame(as: secret) }
      guard isTwice else {
        throw .wrongSecret(secret, kinds: slots.map(\.kind.name), isForChange: true)
      }
    }
    if let needed { throw needed }
    return plan
  }

  private func opens(
    _ slot: KeychainSlot, with secret: KeychainSecret, _ keyID: [UInt8]
  ) throws(KeychainError) -> Bool {
    try deriving(with: secret) { () throws(KeychainError) in
      try slot.open(with: secret, keyID: keyID) != nil
    }
  }

  /// Creates a slot and opens it again from its bytes, so that a memory error cannot lock the user
  /// out.
  func makeSlot(
    for secret: KeychainSecret, _ keys: KeychainKeys
  ) throws(KeychainError) -> KeychainSlot {
    try deriving(with: secret) { () throws(KeychainError) in
      let slot = try KeychainSlot(for: secret, keys: keys, kdf: policy.kdf, random: random)
      guard let again = try slot.open(with: secret, keyID: keys.keyID), again.region == keys.region
      else {
        throw .io(EIO, "the new slot does not open")
      }
      return slot
    }
  }

  /// Saves the entries found under the lock with new slots, if the file still has the `old` ones.
  private func replaceSlots(
    _ old: [KeychainSlot], with new: [KeychainSlot], keys: KeychainKeys
  ) throws(KeychainError) {
    try file.withLock { folder throws(KeychainError) in
      let (state, expected) = try stateUnderLock(folder)
      guard state.header.slots == old else {
        throw KeychainError(
          .changedUnderneath,
          message: "another process changed the keychain's slots in the meantime. "
            + "Nothing was written; look at its slots and try again.")
      }
      let bytes = try KeychainCodec.encode(
        state.entries, keys: keys, generation: state.header.generation + 1, slots: new,
        random: random)
      try write(bytes, state.entries, keys, in: folder, expecting: expected, made: []) {
        () throws(KeychainError) in
        if keys.keyID != state.keys.keyID { try announce(keys.keyID, after: state.mark) }
      }
    }
  }

  /// Records the key id of a rekey in advance, so that other processes and later runs accept the
  /// new key.
  private func announce(_ keyID: [UInt8], after mark: RollbackMark) throws(KeychainError) {
    var mark = mark
    mark.successor = keyID
    try storeMark(mark) {
      "what opens the keychain was not changed, since the record of the last save cannot be "
        + "written, without which the new file would be refused: \($0)"
    }
  }

  // MARK: Other files

  /// Writes all entries into a new file with its own data key.
  func export(to path: String, _ secret: KeychainSecret) throws(KeychainError) -> Int {
    try secret.checkNew()
    let entries = try current().entries
    let target = KeychainFile(
      path: path, system: file.system, lockTimeout: policy.lockTimeout)
    try located(at: path) { () throws(KeychainError) in
      do throws(KeychainError) {
        guard try target.info() == nil else { throw .exists }
        let keys = try KeychainKeys(random: random)
        let slot = try makeSlot(for: secret, keys)
        let bytes = try KeychainCodec.encode(
          entries, keys: keys, generation: 1, slots: [slot], random: random)
        let saved = try target.replace(
          with: bytes, in: target.unlockedFolder(), expecting: nil, random: random
        ) { copy throws(KeychainError) in try check(copy, keys, entries) }
        if let uncertain = saved.uncertain { throw uncertain }
      } catch {
        guard error.kind == .exists || error.kind == .insecurePath else { throw error }
        throw .fileExists
      }
    }
    return entries.count
  }

  /// Imports the entries of another file. Ignores its rollback mark.
  func importEntries(
    from path: String, _ secret: KeychainSecret, _ existing: ImportDuplicates
  ) throws(KeychainError) -> KeychainImport {
    let other = try located(at: path) { () throws(KeychainError) in
      let source = KeychainFile(
        path: path, system: file.system, lockTimeout: policy.lockTimeout)
      let bytes: [UInt8]
      do throws(KeychainError) { bytes = try source.read().bytes } catch {
        throw error.kind == .missing ? .missingFile : error
      }
      let header = try KeychainHeader(parsing: bytes)
      return try deriving(with: secret) { () throws(KeychainError) in
        try KeychainCodec.open(bytes, header, with: secret).entries
      }
    }
    var report = KeychainImport(added: 0, replaced: 0, kept: 0)
    try change { entries throws(KeychainError) in
      let merged = try entries.merging(other, existing)
      report = merged.report
      return merged.entries
    }
    return report
  }
}
