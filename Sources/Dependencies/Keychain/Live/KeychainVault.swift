import SwiftBoardSystem

/// Manages one keychain, with one operation at a time: its unlocked state, the last verified file,
/// and the rollback mark. Blocks; `LiveKeychainService` calls it on its own thread.
final class KeychainVault {
  /// The last verified file, with the keys that open it. Both regions are freed with the last
  /// reference.
  struct Unlocked {
    var keys: KeychainKeys
    var header: KeychainHeader
    var entries: KeychainEntries
    /// The file, or `nil` to make the next operation read it again.
    var held: KeychainFile.Held?

    var mark: RollbackMark { RollbackMark(header, written: held?.info.written) }
  }

  let file: KeychainFile
  let sources: UnlockSources
  let policy: KeychainPolicy
  let marks: (any RollbackMarkStore)?
  let random: KeychainRandom
  /// Called before and after a key derivation, which takes half a second.
  let onDerivation: (@Sendable (_ isRunning: Bool) -> Void)?
  var unlocked: Unlocked?
  /// The secret of a descriptor, kept after a rekey that failed: it can be read only once, and the
  /// next attempt needs it as well.
  var rekeySource: KeychainSecret?
  /// The mark of the last verified file. It survives locking, so that an older file is detected for
  /// the life of the process.
  private var remembered: RollbackMark?
  private var marksUnavailable = false
  private var folderCannotBeSynced = false
  /// The permissions of a file that others can read. Set when it is opened, and removed once the
  /// user was warned.
  private var opennessToTell: UInt32?
  private var toldOpenness = false

  init(
    path: String, sources: UnlockSources, policy: KeychainPolicy, marks: (any RollbackMarkStore)?,
    system: FileSystem, random: KeychainRandom,
    onDerivation: (@Sendable (_ isRunning: Bool) -> Void)? = nil
  ) {
    self.onDerivation = onDerivation
    file = KeychainFile(path: path, system: system, lockTimeout: policy.lockTimeout)
    self.sources = sources
    self.policy = policy
    self.marks = marks
    self.random = random
  }

  // MARK: Reading

  func value(of key: String) throws(KeychainError) -> Data? {
    try KeychainError.check(key: key)
    return try current().entries.value(of: key)
  }

  func keys() throws(KeychainError) -> [String] {
    try current().entries.keys()
  }

  /// Opens the file with `secret`, or with the secret of the sources. If this fails, an unlocked
  /// keychain stays unlocked.
  func unlock(with secret: KeychainSecret?) throws(KeychainError) {
    if secret == nil, unlocked != nil {
      _ = try current()
    } else {
      _ = try open(with: secret)
    }
  }

  func lock() {
    unlocked = nil
    rekeySource = nil
  }

  /// Returns the verified state of the current file. Unlocks it if a source has a secret.
  func current() throws(KeychainError) -> Unlocked {
    if let unlocked {
      guard let info = try file.info() else { throw file.missing }
      if info == unlocked.held?.info { return unlocked }
      do throws(KeychainError) {
        return try refresh(unlocked.keys)
      } catch {
        guard error.kind == .locked, sources.hasSecret else { throw error }
      }
    }
    return try open(with: nil)
  }

  /// Steps 1 to 14 for a locked file.
  func open(with secret: KeychainSecret?) throws(KeychainError) -> Unlocked {
    var secret = secret
    return try verified { () throws(KeychainError) in try opened(with: &secret) }
  }

  /// Steps 1 to 13. If `secret` is `nil`, it becomes the secret of the sources.
  private func opened(with secret: inout KeychainSecret?) throws(KeychainError) -> Unlocked {
    let (bytes, held) = try file.read()
    let header = try KeychainHeader(parsing: bytes)
    if secret == nil { secret = try sources.secret() }
    guard let found = secret else { throw locked }
    let (keys, entries) = try deriving(with: found) { () throws(KeychainError) in
      try KeychainCodec.open(bytes, header, with: found)
    }
    return Unlocked(keys: keys, header: header, entries: entries, held: held)
  }

  /// Steps 1 to 13 with existing keys. Returns `nil` if they are not the keys of the file.
  private func opened(
    with keys: KeychainKeys, in folder: KeychainFile.Folder? = nil
  ) throws(KeychainError) -> Unlocked? {
    let (bytes, held) = try file.read(in: folder)
    let header = try KeychainHeader(parsing: bytes)
    guard KeychainCrypto.equal(header.keyID, keys.keyID), try keys.fit(header, of: bytes) else {
      return nil
    }
    let entries = try KeychainCodec.entries(of: bytes, header, keys)
    return Unlocked(keys: keys, header: header, entries: entries, held: held)
  }

  /// Steps 1 to 14 with existing keys. Keys that do not match are removed.
  private func refresh(
    _ keys: KeychainKeys, in folder: KeychainFile.Folder? = nil
  ) throws(KeychainError) -> Unlocked {
    try verified(in: folder) { () throws(KeychainError) in
      guard let candidate = try opened(with: keys, in: folder) else {
        (unlocked, rekeySource) = (nil, nil)
        throw KeychainError(
          .locked,
          message:
            "the keychain was replaced, or another process changed its keys, so it is locked. "
            + "Nothing was read from it; unlock it again.")
      }
      return candidate
    }
  }

  var locked: KeychainError {
    KeychainError(
      .locked,
      message: "the keychain is locked and there is no secret to unlock it with.", remedy: .unlock)
  }

  // MARK: Rollback

  /// Step 14 after `read`. If another save replaced the file in between, it is read again.
  private func verified(
    in folder: KeychainFile.Folder? = nil, _ read: () throws(KeychainError) -> Unlocked
  ) throws(KeychainError) -> Unlocked {
    for _ in 0..<8 {
      let candidate = try read()
      guard let objection = objection(to: candidate.mark) else {
        remember(candidate.mark)
        adopt(candidate)
        return candidate
      }
      guard let now = try file.info(in: folder), now != candidate.held?.info else {
        throw objection.refusal
      }
    }
    throw KeychainError(
      .changedUnderneath,
      message: "the keychain was replaced again and again while it was read. Try again.")
  }

  private func adopt(_ candidate: Unlocked) {
    unlocked = candidate
    if let info = candidate.held?.info { noteOpenness(of: info) }
  }

  private func noteOpenness(of info: FileInfo) {
    if info.isOpenToOthers, !toldOpenness { opennessToTell = info.permissions }
  }

  /// The reason to refuse a file, and the mark that proves it.
  private struct Objection {
    var mark: RollbackMark
    var refusal: KeychainError
  }

  private func storedMark() -> RollbackMark? {
    guard let marks, let path = try? file.source().path else { return nil }
    do {
      let mark = try marks.mark(forKeychainAt: path)
      marksUnavailable = false
      return mark
    } catch {
      marksUnavailable = true
      return nil
    }
  }

  private func objection(to found: RollbackMark) -> Objection? {
    let stored = storedMark()
    if let stored {
      switch stored.judge(found) {
      case .older: return Objection(mark: stored, refusal: rolledBack)
      case .different: return Objection(mark: stored, refusal: differentKeychain)
      case .same, .newer, .successor: break
      }
    }
    guard let remembered else { return nil }
    switch remembered.judge(found) {
    case .older: return Objection(mark: remembered, refusal: rolledBack)
    // After another process's rekey, only the stored mark tells whether the new key comes from it.
    case .different:
      return stored == nil ? Objection(mark: remembered, refusal: differentKeychain) : nil
    case .same, .newer, .successor: return nil
    }
  }

  private func remember(_ mark: RollbackMark) {
    remembered = mark
    guard let marks, let path = try? file.source().path else { return }
    do {
      try marks.raise(mark, forKeychainAt: path)
    } catch {
      marksUnavailable = true
    }
  }

  private var rolledBack: KeychainError {
    KeychainError(
      .rolledBack,
      message:
        "this keychain is older than, or another copy of, what was seen here before: someone put an old file "
        + "back, two machines saved one synced file, or a power loss undid a save. Nothing was read from it.",
      remedy: .acceptOlder)
  }

  private var differentKeychain: KeychainError {
    KeychainError(
      .differentKeychain,
      message:
        "this is another keychain than the one seen here before. Nothing was read from it.",
      remedy: .acceptOther)
  }

  /// Opens and remembers the current file, even if it is otherwise refused. An older copy is saved
  /// immediately with a generation above both, so that it becomes newer than the newer file. For
  /// another keychain, only the mark is set.
  func accept(with secret: KeychainSecret?) throws(KeychainError) -> KeychainAcceptance {
    var secret = secret
    var opened: Unlocked?
    if secret == nil, let keys = unlocked?.keys { opened = try self.opened(with: keys) }
    let candidate: Unlocked
    if let opened { candidate = opened } else { candidate = try self.opened(with: &secret) }
    let found = candidate.mark
    guard let objection = objection(to: found) else {
      let last = storedMark() ?? remembered
      remember(found)
      adopt(candidate)
      return KeychainAcceptance(
        reason: .known, remembered: last?.version, found: found.version,
        generation: found.generation)
    }
    let isOlder = objection.refusal.kind == .rolledBack
    if isOlder {
      try saveAnew(candidate, above: max(found.generation, objection.mark.generation))
    } else {
      try setMark(found)
      adopt(candidate)
    }
    return KeychainAcceptance(
      reason: isOlder ? .rolledBack : .replaced, remembered: objection.mark.version,
      found: found.version, generation: unlocked?.header.generation ?? found.generation)
  }

  /// Saves the entries of a file unchanged, with the generation after `newest`, if the file has not
  /// changed.
  private func saveAnew(_ state: Unlocked, above newest: UInt64) throws(KeychainError) {
    let bytes = try KeychainCodec.encode(
      state.entries, keys: state.keys, generation: newest + 1, slots: state.header.slots,
      random: random)
    try file.withLock { folder throws(KeychainError) in
      guard let info = try file.info(in: folder) else { throw file.missing }
      try requireOwner(of: info)
      guard info == state.held?.info else {
        throw KeychainError(
          .changedUnderneath,
          message:
            "the keychain was replaced while it was being accepted. Nothing was written. Try again."
        )
      }
      noteOpenness(of: info)
      try write(bytes, state.entries, state.keys, in: folder, expecting: info, made: [])
    }
  }

  /// Returns the warning about the opened file, only once.
  func takeWarning() -> String? {
    guard let mode = opennessToTell else { return nil }
    opennessToTell = nil
    toldOpenness = true
    let isClosed = unlocked?.held?.info.isOpenToOthers == false
    return "others \(isClosed ? "could" : "may") read the keychain's file \(file.path) (mode "
      + "\(String(mode, radix: 8))); \(isClosed ? "this save made it 600" : "the next save makes it 600")"
  }

  // MARK: Writing

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

  /// Returns the state of the file under the lock, and the file that it was read from.
  func stateUnderLock(
    _ folder: KeychainFile.Folder
  ) throws(KeychainError) -> (Unlocked, FileInfo) {
    guard let info = try file.info(in: folder) else { throw file.missing }
    try requireOwner(of: info)
    guard var state = unlocked else { throw locked }
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
      remembered = state.mark
      throw uncertain
    }
    if expected == nil { replaceMark(state.mark) } else { remember(state.mark) }
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

  /// Reports a key derivation before and after it runs.
  func deriving<Result>(
    with secret: KeychainSecret, _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    guard case .passphrase = secret else { return try body() }
    onDerivation?(true)
    defer { onDerivation?(false) }
    return try body()
  }

  private func replaceMark(_ mark: RollbackMark) {
    remembered = mark
    guard let marks, let path = try? file.source().path else { return }
    do {
      try marks.replace(mark, forKeychainAt: path)
    } catch {
      marksUnavailable = true
    }
  }

  /// Replaces the mark. If it throws, the remembered mark is unchanged.
  private func setMark(_ mark: RollbackMark) throws(KeychainError) {
    if let marks {
      let path = try file.source().path
      do {
        try marks.replace(mark, forKeychainAt: path)
      } catch {
        throw KeychainError(
          .io,
          message:
            "the keychain was not accepted, since the record of it cannot be written: \(error)")
      }
    }
    remembered = mark
  }

  /// Creates a keychain with one slot and unlocks it.
  func create(with secret: KeychainSecret?) throws(KeychainError) {
    guard try file.info() == nil else { throw file.exists }
    var given = secret
    if given == nil { given = try sources.secret() }
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
    try file.withLock { folder throws(KeychainError) in
      guard try file.info(in: folder) == nil else { throw file.exists }
      try write(bytes, entries, keys, in: folder, expecting: nil, made: folders)
    }
  }

  // MARK: Status

  /// Returns the status without a secret. An unlocked vault reads the file again, and is locked if
  /// its keys do not open the file.
  func status() throws(KeychainError) -> KeychainStatus {
    guard let info = try file.info() else {
      return KeychainStatus(path: file.path, exists: false, unlocked: false)
    }
    if let unlocked, unlocked.held?.info != info {
      do throws(KeychainError) {
        _ = try refresh(unlocked.keys)
      } catch {
        if error.kind != .locked { throw error }
      }
    }
    let header: KeychainHeader
    if let unlocked {
      header = unlocked.header
    } else {
      header = try KeychainHeader(parsing: file.read().bytes)
    }
    return status(header, info)
  }

  /// Returns the status like `status()`, but always reads the bytes of the file, and decrypts them
  /// if there are keys. An unchanged name, size and time do not guarantee that the disk returns the
  /// same bytes.
  func verify() throws(KeychainError) -> KeychainStatus {
    guard let info = try file.info() else { throw file.missing }
    if let unlocked {
      do throws(KeychainError) {
        return status(try refresh(unlocked.keys).header, info)
      } catch {
        if error.kind != .locked { throw error }
      }
    }
    return status(try KeychainHeader(parsing: file.read().bytes), info)
  }

  private func status(_ header: KeychainHeader, _ info: FileInfo) -> KeychainStatus {
    var warnings: [String] = []
    if unlocked == nil {
      warnings.append(
        "The keychain is locked: generation, slots and size are what the file says, unverified.")
    }
    if marks == nil || marksUnavailable {
      warnings.append(
        "Rollback across processes was not checked: there is no record of the last save.")
    }
    if info.isOpenToOthers {
      warnings.append(
        "Others may read the keychain's file (mode \(String(info.permissions, radix: 8))); the next save makes it 600."
      )
    }
    if folderCannotBeSynced {
      warnings.append(
        "The file system cannot sync folders: after a power loss the last save may be gone.")
    }
    let memoryLocked = unlocked.map {
      $0.keys.region.isMemoryLocked && $0.entries.region.isMemoryLocked
    }
    if memoryLocked == false {
      warnings.append("The system refused to keep secrets out of swap (RLIMIT_MEMLOCK is too low).")
    }
    return KeychainStatus(
      path: file.path, exists: true, unlocked: unlocked != nil, count: unlocked?.entries.count,
      generation: header.generation, bytes: header.fileSize,
      slots: header.slots.map {
        let known = $0.kind == .passphrase
        return KeychainStatus.Slot(
          kind: $0.kind.name, ops: known ? $0.ops : 0, memory: known ? $0.memory : 0)
      },
      memoryLocked: memoryLocked, warnings: warnings)
  }
}
