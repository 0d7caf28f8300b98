import SwiftBoardSystem

/// Manages one keychain, with one operation at a time: its unlocked state, the last verified file,
/// and the rollback mark. Blocks, except that `valueIfUnchanged(of:)` and `unchanged()` only look
/// at the file's status.
final class KeychainSession {
  /// The last verified file, with the keys that open it. Both regions are freed with the last
  /// reference.
  struct Unlocked {
    var keys: KeychainKeys
    var header: KeychainHeader
    var entries: KeychainEntries
    /// The file, or `nil` to make the next operation read it again.
    var held: KeychainFile.Held?

    var mark: RollbackMark { RollbackMark(header, written: held?.info.written) }

    var revision: KeychainRevision {
      KeychainRevision(keyID: header.keyID, generation: header.generation)
    }
  }

  let file: KeychainFile
  let sources: UnlockSources
  let policy: KeychainPolicy
  let random: KeychainRandom
  /// Called before and after a key derivation, which takes half a second.
  let onDerivation: (@Sendable (_ isRunning: Bool) -> Void)?
  var unlocked: Unlocked?
  /// The secret of a descriptor that a rekey has read. It can be read only once, so it is kept
  /// until a rekey succeeds or the keychain is locked: the next attempt needs it as well, and so
  /// does a keychain that the failed one did not open. A secret that opens nothing is not kept.
  private(set) var rekeySource: KeychainSecret?
  /// Whether `rekeySource` is kept because its derivation was cancelled, until it opens the
  /// keychain.
  private var isKeptAfterCancelling = false
  var rollback: RollbackRecord
  var folderCannotBeSynced = false
  var openness = OpennessWarning()

  init(
    path: String, sources: UnlockSources, policy: KeychainPolicy, marks: (any RollbackMarkStore)?,
    system: FileSystem, random: KeychainRandom,
    onDerivation: (@Sendable (_ isRunning: Bool) -> Void)? = nil
  ) {
    self.onDerivation = onDerivation
    file = KeychainFile(path: path, system: system, lockTimeout: policy.lockTimeout)
    self.sources = sources
    self.policy = policy
    rollback = RollbackRecord(marks)
    self.random = random
  }

  func value(of key: String) throws(KeychainError) -> Data? {
    try KeychainError.check(key: key)
    return try current().entries.value(of: key)
  }

  /// Returns the value of a key as `value(of:)` does, but `nil` instead of reading the file.
  func valueIfUnchanged(of key: String) throws(KeychainError) -> Data?? {
    try KeychainError.check(key: key)
    guard let unlocked = try unchanged() else { return nil }
    return .some(try unlocked.entries.value(of: key))
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
    endRekey()
  }

  // MARK: The secret of the sources

  /// Whether a secret can be expected without asking for one.
  var hasSourceSecret: Bool { rekeySource != nil || sources.hasSecret }

  /// Returns the secret of the sources, or `nil` if there is none.
  func sourceSecret() throws(KeychainError) -> KeychainSecret? {
    if let rekeySource { return rekeySource }
    return try sources.secret()
  }

  /// Returns the secret of the sources for a rekey, or `nil` if there is none or if it was read
  /// before. Keeps that of a descriptor.
  func secretForRekey() throws(KeychainError) -> KeychainSecret? {
    guard hasSourceSecret else { return nil }
    let secret = try sourceSecret()
    if !sources.hasSecret { (rekeySource, isKeptAfterCancelling) = (secret, false) }
    return secret
  }

  /// Forgets the secret that was kept for a rekey.
  func endRekey() { (rekeySource, isKeptAfterCancelling) = (nil, false) }

  // MARK: States

  /// Returns the verified state of the current file. Unlocks it if a source has a secret.
  func current() throws(KeychainError) -> Unlocked {
    if let unchanged = try unchanged() { return unchanged }
    if let unlocked {
      do throws(KeychainError) {
        return try refresh(unlocked.keys)
      } catch {
        guard error.kind == .locked, hasSourceSecret else { throw error }
      }
    }
    return try open(with: nil)
  }

  /// Returns the verified state, or `nil` if the keychain is locked or its file has changed. Costs
  /// a `stat`.
  func unchanged() throws(KeychainError) -> Unlocked? {
    guard let unlocked else { return nil }
    guard let info = try file.info() else { throw .missing }
    return info == unlocked.held?.info ? unlocked : nil
  }

  /// Steps 1 to 14 for a locked file.
  ///
  /// If other processes save meanwhile, the file is read again with the keys, because deriving them
  /// takes longer than the saves.
  func open(with secret: KeychainSecret?) throws(KeychainError) -> Unlocked {
    var secret = secret
    var keys: KeychainKeys?
    return try verified { () throws(KeychainError) in
      if let found = keys, let candidate = try opened(with: found) { return candidate }
      let candidate = try opened(with: &secret)
      keys = candidate.keys
      return candidate
    }
  }

  /// Steps 1 to 13. If `secret` is `nil`, it becomes the secret of the sources.
  func opened(with secret: inout KeychainSecret?) throws(KeychainError) -> Unlocked {
    let (bytes, held) = try file.read()
    let header = try KeychainHeader(parsing: bytes)
    let isFromSources = secret == nil
    if isFromSources { secret = try sourceSecret() }
    guard let found = secret else { throw .locked }
    do throws(KeychainError) {
      let (keys, entries) = try deriving(with: found) { () throws(KeychainError) in
        try KeychainCodec.open(bytes, header, with: found)
      }
      if isKeptAfterCancelling { endRekey() }
      return Unlocked(keys: keys, header: header, entries: entries, held: held)
    } catch {
      let opensNothing = error.kind == .wrongSecret || error.kind == .noMatchingSlot
      if opensNothing, rekeySource?.isSame(as: found) == true { endRekey() }
      // A descriptor gives its secret once, and other calls may still need it.
      if error.kind == .cancelled, isFromSources, !hasSourceSecret {
        (rekeySource, isKeptAfterCancelling) = (found, true)
      }
      throw error
    }
  }

  /// Steps 1 to 13 with existing keys. Returns `nil` if they are not the keys of the file.
  func opened(
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
  func refresh(
    _ keys: KeychainKeys, in folder: KeychainFile.Folder? = nil
  ) throws(KeychainError) -> Unlocked {
    try verified(in: folder) { () throws(KeychainError) in
      guard let candidate = try opened(with: keys, in: folder) else {
        unlocked = nil
        throw KeychainError(
          .locked,
          message:
            "the keychain was replaced, or another process changed its keys, so it is locked. "
            + "Nothing was read from it; unlock it again.")
      }
      return candidate
    }
  }

  func adopt(_ candidate: Unlocked) {
    unlocked = candidate
    if let info = candidate.held?.info { openness.note(info) }
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
}
