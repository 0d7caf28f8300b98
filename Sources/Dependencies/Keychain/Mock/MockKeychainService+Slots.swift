import SwiftBoardSystem

/// Secrets, slots, and other keychains.
extension MockKeychainService {
  /// Returns a secret derived from the path, without reading a file. Equal paths give equal
  /// secrets. A passphrase is the last component of the path.
  public func secret(from location: KeychainSecretSource) async throws(KeychainError)
    -> KeychainSecret
  {
    switch location {
    case .passphraseFile(let path):
      return .passphrase(try GuardedBytes(copying: Array(PathComponents(path).name.utf8)))
    case .keyFile(let path), .newKeyFile(let path):
      var key = [UInt8](repeating: 0, count: KeychainFormat.keySize)
      for (index, byte) in path.utf8.enumerated() { key[index % key.count] ^= byte }
      return .keyFile(try GuardedBytes(copying: key))
    }
  }

  /// Verifies a keychain exported by this mock.
  public func verify(fileAt path: String) async throws(KeychainError) -> KeychainStatus {
    try perform(.verify) { state throws(KeychainError) in
      guard let other = state.exports[path] else {
        throw KeychainError.missingFile.located(at: path)
      }
      return KeychainStatus(
        path: path, exists: true, unlocked: false, generation: 1,
        slots: [KeychainStatus.Slot(kind: other.secret.kind, ops: 0, memory: 0)])
    }
  }

  /// Behaves like the live keychain, without a key derivation.
  public func addSlot(_ secret: KeychainSecret) async throws(KeychainError) {
    try perform(.addSlot) { state throws(KeychainError) in
      try secret.checkNew()
      try Self.open(&state)
      guard state.secrets.count < KeychainFormat.maximumSlots else {
        throw .noFreeSlot(state.secrets.count)
      }
      if let index = state.secrets.firstIndex(where: { $0.isSame(as: secret) }) {
        throw .duplicateSlot(index + 1, secret)
      }
      state.secrets.append(secret)
      state.generation += 1
    }
  }

  /// Behaves like the live keychain, without a data key.
  public func rekey(_ change: KeychainRekey) async throws(KeychainError) {
    try perform(.rekey) { state throws(KeychainError) in
      try change.replacement?.checkNew()
      if !state.unlocked, let first = change.replaced ?? state.source ?? change.secrets.first {
        try Self.open(&state, with: first)
      }
      try Self.open(&state)
      let replaced = try change.secretToReplace(state.source)
      let given = change.secrets + (replaced.map { [$0] } ?? [])
      // A keychain that any secret opens is opened by the given secrets.
      var secrets =
        state.secrets.isEmpty ? (replaced ?? given.first).map { [$0] } ?? [] : state.secrets
      let count = max(1, state.secrets.count)
      for number in change.removing where !(1...count ~= number) {
        throw .noSlot(number, of: count)
      }
      guard change.removing.count < count else { throw .lastSlot }
      for secret in given where !secrets.contains(where: { $0.isSame(as: secret) }) {
        throw .wrongSecret(secret, kinds: secrets.map(\.kind), isForChange: true)
      }
      let known = given + (state.source.map { [$0] } ?? [])
      for (index, secret) in secrets.enumerated() where !change.removing.contains(index + 1) {
        guard known.contains(where: { $0.isSame(as: secret) }) else {
          throw .slotSecretNeeded(.init(number: index + 1, kind: secret.kind))
        }
        if let replaced, let replacement = change.replacement, secret.isSame(as: replaced) {
          secrets[index] = replacement
        } else if change.replacement?.isSame(as: secret) == true {
          throw .duplicateSlot(index + 1, secret)
        }
      }
      state.secrets = secrets.indices.filter { !change.removing.contains($0 + 1) }
        .map { secrets[$0] }
      state.generation += 1
    }
  }

  /// Stores the entries in memory for `importEntries(from:secret:existing:)`.
  public func export(
    to path: String, secret: KeychainSecret
  ) async throws(KeychainError) -> Int {
    try perform(.export(path: path)) { state throws(KeychainError) in
      try secret.checkNew()
      try Self.open(&state)
      guard state.exports[path] == nil else {
        throw KeychainError.fileExists.located(at: path)
      }
      state.exports[path] = (secret, state.entries)
      return state.entries.count
    }
  }

  /// Imports a keychain exported by this mock.
  public func importEntries(
    from path: String, secret: KeychainSecret, existing: ImportDuplicates
  ) async throws(KeychainError) -> KeychainImport {
    try perform(.importEntries(path: path, existing: existing)) { state throws(KeychainError) in
      guard let other = state.exports[path] else {
        throw KeychainError.missingFile.located(at: path)
      }
      guard other.secret.isSame(as: secret) else {
        throw .wrongSecret(secret, kinds: [other.secret.kind])
      }
      try Self.open(&state)
      let taken = other.entries.keys.filter { state.entries[$0] != nil }.count
      let added = other.entries.count - taken
      if taken > 0, existing == .refuse {
        throw .namesTaken(taken)
      }
      state.entries.merge(other.entries) { existing == .replace ? $1 : $0 }
      let replaced = existing == .replace ? taken : 0
      if added + replaced > 0 { state.generation += 1 }
      return KeychainImport(added: added, replaced: replaced, kept: taken - replaced)
    }
  }
}
