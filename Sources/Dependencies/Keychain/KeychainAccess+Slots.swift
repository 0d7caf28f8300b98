/// Changes of what opens the keychain, and other keychain files. A change needs several secrets at
/// once, which only this call has.
extension KeychainAccess {
  /// Creates a keychain. For `prompt`, uses the unlock source, or asks if there is none.
  package func create(_ secret: KeychainNewSecret) async throws -> KeychainStatus {
    if case .prompt = secret {
      try await withSecret(prompt: "new passphrase: ", isNew: true) {
        secret throws(KeychainError) in try await keychain.create(with: secret)
      }
    } else if try await keychain.status().exists {
      // Throws that it exists, before a key file is created for it.
      try await keychain.create(with: nil)
    } else {
      try await keychain.create(with: try await new(secret))
    }
    return try await keychain.status()
  }

  /// Accepts the current file. Uses the unlock source, or asks if there is none.
  package func accept() async throws -> KeychainAcceptance {
    try await withSecret(prompt: "passphrase of the keychain: ", isNew: false) {
      secret throws(KeychainError) in try await keychain.accept(with: secret)
    }
  }

  /// Returns the slots of the keychain.
  ///
  /// - Throws: `KeychainError.missing` if there is no keychain.
  package func slots() async throws(KeychainError) -> [KeychainStatus.Slot] {
    let status = try await keychain.status()
    if !status.exists { try await keychain.unlock(with: nil) }
    return status.slots
  }

  /// Adds a slot. Returns its kind, as in the status.
  package func addSlot(_ secret: KeychainNewSecret) async throws -> String {
    // A refusal comes before a key file is created or anything is asked for.
    let count = try await unlocking { () throws(KeychainError) in
      _ = try await keychain.keys()
      return try await keychain.status().slots.count
    }
    guard count < KeychainFormat.maximumSlots else { throw KeychainError.noFreeSlot(count) }
    let secret = try await new(secret)
    try await unlocking { () throws(KeychainError) in try await keychain.addSlot(secret) }
    return if case .passphrase = secret { "passphrase" } else { "keyFile" }
  }

  /// Changes the slots or the data key. Asks for the passphrase of each remaining slot that is not
  /// given.
  ///
  /// - Parameters:
  ///   - sources: The secrets of remaining slots.
  ///   - asksLocked: Whether to ask for a passphrase that opens the keychain if there is no unlock
  ///     source.
  package func rekey(
    _ change: KeychainRekey, secrets sources: [KeychainOtherSecret], asksLocked: Bool = true
  ) async throws {
    var change = change
    for source in sources { try await change.secrets.append(known(source, of: "the keychain")) }
    var asked: Set<Int> = []
    while true {
      do throws(KeychainError) {
        return try await keychain.rekey(change)
      } catch {
        let prompt: String
        switch error.kind {
        case .locked where asksLocked && asked.insert(0).inserted:
          prompt = "passphrase of the keychain: "
        case .slotSecretNeeded:
          guard let slot = error.slot, slot.kind == "passphrase", asked.insert(slot.number).inserted
          else { throw error }
          prompt = "passphrase of slot \(slot.number): "
        default: throw error
        }
        guard let secret = try await passphrase(prompt) else { throw error }
        change.secrets.append(secret)
      }
    }
  }

  /// Replaces a passphrase. Asks for the old one at a terminal, unless the new one comes from
  /// elsewhere and there is an unlock source.
  package func changePassphrase(
    _ secret: KeychainNewSecret, secrets: [KeychainOtherSecret]
  ) async throws {
    // Report a missing keychain before asking for anything.
    if try await !keychain.status().exists { try await keychain.unlock(with: nil) }
    var change = KeychainRekey()
    if case .prompt = secret {
      change.replaced = try await old()
      // Without a person, the old one is that of the unlock source.
      if change.replaced == nil { try await open() }
      change.replacement = try await new(secret)
      return try await rekey(change, secrets: secrets)
    }
    change.replacement = try await new(secret)
    do {
      try await rekey(change, secrets: secrets, asksLocked: false)
    } catch let error as KeychainError where error.kind == .locked {
      guard let passphrase = try await old() else { throw error }
      change.replaced = passphrase
      try await rekey(change, secrets: secrets)
    }
  }

  /// Throws if no keychain can be exported to the path, before anything is asked for.
  package func checkTarget(_ path: String) throws {
    try files.checkTarget(path, isRecording: false)
    if files.isFile(path) { throw KeychainError.fileExists.located(at: path) }
    try files.checkCreatable(path)
  }

  /// Writes all entries into a new keychain file. Returns their number.
  package func export(to path: String, _ secret: KeychainNewSecret) async throws -> Int {
    let secret = try await new(secret)
    return try await unlocking { () throws(KeychainError) in
      try await keychain.export(to: path, secret: secret)
    }
  }

  /// Imports the entries of another keychain file.
  package func importEntries(
    from path: String, _ secret: KeychainOtherSecret, _ existing: ImportDuplicates
  ) async throws -> KeychainImport {
    // Report a file that is missing or damaged before asking for its passphrase.
    if case .prompt = secret { _ = try await keychain.verify(fileAt: path) }
    let other = try await known(secret, of: path)
    let report = try await unlocking { () throws(KeychainError) in
      try await keychain.importEntries(from: path, secret: other, existing: existing)
    }
    // The report does not name what was replaced.
    if report.replaced > 0 { await forget(nil) }
    return report
  }

  // MARK: Secrets

  /// Calls `work` with the unlock source's secret, or with a passphrase from the terminal if there
  /// is no source.
  private func withSecret<Result>(
    prompt: String, isNew: Bool, _ work: (KeychainSecret?) async throws(KeychainError) -> Result
  ) async throws -> Result {
    do throws(KeychainError) {
      return try await work(nil)
    } catch {
      guard error.kind == .locked, let secret = try await passphrase(prompt, isNew: isNew) else {
        throw error
      }
      return try await work(secret)
    }
  }

  /// Asks for the old passphrase and verifies it before the new one is asked for.
  private func old() async throws -> KeychainSecret? {
    guard let secret = try await passphrase("old passphrase: ") else { return nil }
    try await keychain.unlock(with: secret)
    return secret
  }

  /// Returns an existing secret.
  private func known(
    _ secret: KeychainOtherSecret, of keychainName: String
  ) async throws -> KeychainSecret {
    switch secret {
    case .passphraseFile(let file):
      return try await keychain.secret(from: .passphraseFile(path: file))
    case .keyFile(let file): return try await keychain.secret(from: .keyFile(path: file))
    case .prompt:
      guard let secret = try await passphrase("passphrase of \(keychainName): ") else {
        throw SecretInputError.passphrase(of: keychainName)
      }
      return secret
    }
  }

  /// Returns a new secret.
  private func new(_ secret: KeychainNewSecret) async throws -> KeychainSecret {
    switch secret {
    case .file(let path): return try await keychain.secret(from: .passphraseFile(path: path))
    case .keyFile(let path):
      // One that exists is only read.
      if !files.isFile(path) { try files.checkTarget(path, isRecording: false) }
      return try await keychain.secret(from: .newKeyFile(path: path))
    case .standardInput:
      return .passphrase(try await terminal.readSecret(limit: 1026).withoutLineEnd())
    case .prompt:
      guard let secret = try await passphrase("new passphrase: ", isNew: true) else {
        throw SecretInputError.newPassphrase
      }
      return secret
    }
  }
}

extension GuardedBytes {
  /// Returns the bytes without one final LF or CRLF, as for any passphrase.
  fileprivate func withoutLineEnd() throws(KeychainError) -> GuardedBytes {
    try withBytes { bytes throws(KeychainError) in
      var bytes = bytes[...]
      if bytes.last == 0x0A {
        bytes.removeLast()
        if bytes.last == 0x0D { bytes.removeLast() }
      }
      return try GuardedBytes(copying: bytes)
    }
  }
}
