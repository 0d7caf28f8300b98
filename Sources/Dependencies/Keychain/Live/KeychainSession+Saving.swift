import SwiftBoardSystem

/// Saves, each under the lock of the file.
extension KeychainSession {
  func save(_ value: Data, for key: String) throws(KeychainError) {
    try KeychainError.check(key: key)
    try KeychainError.check(value: value)
    try change { entries throws(KeychainError) in try entries.setting(key, to: value) }
  }

  func delete(_ key: String) throws(KeychainError) {
    try KeychainError.check(key: key)
    try change { entries throws(KeychainError) in try entries.removing(key) }
  }

  func rename(_ key: String, to newKey: String) throws(KeychainError) {
    try KeychainError.check(key: key)
    try KeychainError.check(key: newKey)
    try change { entries throws(KeychainError) in try entries.renaming(key, to: newKey) }
  }

  /// Applies `operation` to the state found under the lock and saves the result. `nil` means no
  /// change.
  func change(
    _ operation: (KeychainEntries) throws(KeychainError) -> KeychainEntries?
  ) throws(KeychainError) {
    try followingRekeys { () throws(KeychainError) in
      // This precedes the lock, because deriving a key takes as long as hundreds of saves.
      _ = try current()
      try file.withLock { folder throws(KeychainError) in
        let (state, expected) = try stateUnderLock(folder)
        guard let entries = try operation(state.entries) else { return }
        let bytes = try KeychainCodec.encode(
          entries, keys: state.keys, generation: state.header.generation + 1,
          slots: state.header.slots,
          random: random)
        try write(bytes, entries, state.keys, in: folder, expecting: expected, made: [])
      }
    }
  }

  /// Makes a change. If another process has changed the keys before the change has the lock, and
  /// the sources have a secret, makes it again with the new keys.
  func followingRekeys(_ change: () throws(KeychainError) -> Void) throws(KeychainError) {
    for _ in 0..<8 {
      do throws(KeychainError) { return try change() } catch {
        guard error.kind == .locked, hasSourceSecret else { throw error }
      }
    }
    try change()
  }

  /// Returns the state of the file under the lock, and the file that it was read from.
  func stateUnderLock(
    _ folder: KeychainFile.Folder
  ) throws(KeychainError) -> (Unlocked, FileInfo) {
    guard let info = try file.info(in: folder) else { throw .missing }
    try requireOwner(of: info)
    guard var state = unlocked else { throw .locked }
    if state.held?.info != info { state = try refresh(state.keys, in: folder) }
    // `refresh` may have read a newer file than `info`.
    return (state, state.held?.info ?? info)
  }

  private func requireOwner(of info: FileInfo) throws(KeychainError) {
    guard info.owner == geteuid() else {
      throw KeychainError(
        .notOwner,
        message:
          "the keychain belongs to another user (uid \(info.owner)); a save would take it away from them. "
          + "Nothing was written. Run as that user.")
    }
  }

  /// Steps 6 to 11. Afterwards, the file, the memory and the mark have the new state.
  func write(
    _ bytes: [UInt8], _ entries: KeychainEntries, _ keys: KeychainKeys,
    in folder: KeychainFile.Folder, expecting expected: FileInfo?, made folders: [String],
    commit: () throws(KeychainError) -> Void = {}
  ) throws(KeychainError) {
    let header = try KeychainHeader(parsing: bytes)
    var saved = try file.replace(
      with: bytes, in: folder, expecting: expected, random: random,
      verify: { copy throws(KeychainError) in try check(copy, keys, entries) }, commit: commit)
    file.sync(made: folders, into: &saved)
    let state = Unlocked(keys: keys, header: header, entries: entries, held: saved.held)
    unlocked = state
    folderCannotBeSynced = saved.folderCannotBeSynced
    if let uncertain = saved.uncertain {
      rollback.remembered = state.mark
      throw uncertain
    }
    // The new file is in place, so its mark is stored even if the task was cancelled.
    BusyWait.$ignoresCancellation.withValue(true) {
      if expected == nil { replaceMark(state.mark) } else { remember(state.mark) }
    }
  }

  /// Checks that the bytes that were read back decrypt to the same entries.
  func check(
    _ copy: [UInt8], _ keys: KeychainKeys, _ entries: KeychainEntries
  ) throws(KeychainError) {
    let header = try KeychainHeader(parsing: copy)
    guard try keys.fit(header, of: copy),
      try KeychainCodec.entries(of: copy, header, keys).isIdentical(to: entries)
    else { throw KeychainError.io(EIO, "the new keychain does not open") }
  }

  /// Creates a keychain with one slot and unlocks it.
  func create(with secret: KeychainSecret?) throws(KeychainError) {
    guard try file.info() == nil else { throw .exists }
    var given = secret
    if given == nil { given = try sourceSecret() }
    guard let secret = given else {
      throw KeychainError(
        .locked,
        message: "a new keychain needs a passphrase or a key file, and there is none.",
        remedy: .provideSecret)
    }
    try secret.checkNew()
    let keys = try KeychainKeys(random: random)
    let slot = try makeSlot(for: secret, keys)
    let entries = try KeychainEntries()
    let bytes = try KeychainCodec.encode(
      entries, keys: keys, generation: 1, slots: [slot], random: random)
    let folders = try file.makeFolders()
    try file.withLock(creates: true) { folder throws(KeychainError) in
      guard try file.info(in: folder) == nil else { throw .exists }
      try write(bytes, entries, keys, in: folder, expecting: nil, made: folders)
    }
  }

  /// Saves the entries of a file unchanged, with the generation after `newest`, if the file has not
  /// changed.
  func saveAnew(_ state: Unlocked, above newest: UInt64) throws(KeychainError) {
    let bytes = try KeychainCodec.encode(
      state.entries, keys: state.keys, generation: newest + 1, slots: state.header.slots,
      random: random)
    try file.withLock { folder throws(KeychainError) in
      guard let info = try file.info(in: folder) else { throw .missing }
      try requireOwner(of: info)
      guard info == state.held?.info else {
        throw KeychainError(
          .changedUnderneath,
          message:
            "the keychain was replaced while it was being accepted. Nothing was written. Try again."
        )
      }
      openness.note(info)
      try write(bytes, state.entries, state.keys, in: folder, expecting: info, made: [])
    }
  }
}
