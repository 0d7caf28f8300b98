import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies

/// The work of the commands for slots and other files. A secret comes from the terminal, a file or
/// standard input, and is part of no action.
struct KeychainSlotWork {
  let dependencies: Dependencies

  private var keychain: any KeychainService { dependencies.keychainService }

  /// - Parameter secret: The source of the secret. For `prompt`, the unlock source is used if there
  ///   is one.
  func create(_ secret: KeychainNewSecret) async throws {
    if case .prompt = secret {
      return try await withSecret(dependencies, isNew: true) { secret throws(KeychainError) in
        try await keychain.create(with: secret)
      }
    }
    // A key file must not be created if the keychain cannot be created.
    if try await keychain.status().exists { return try await keychain.create(with: nil) }
    try await keychain.create(with: try await new(secret))
  }

  func addSlot(_ secret: KeychainNewSecret) async throws -> String {
    // The keychain is opened first, so that a secret that cannot be added is neither asked for nor
    // created.
    try await unlocking(dependencies) { () throws(KeychainError) in
      try await keychain.unlock(with: nil)
    }
    let secret = try await new(secret)
    try await unlocking(dependencies) { () throws(KeychainError) in
      try await keychain.addSlot(secret)
    }
    return if case .passphrase = secret { "passphrase" } else { "keyFile" }
  }

  /// Changes the slots or the data key. Asks for the passphrase of each remaining slot that is not
  /// given.
  ///
  /// - Parameter asksLocked: Whether to ask for a passphrase that opens the keychain if there is no
  ///   unlock source.
  func rekey(
    _ change: KeychainRekey, secrets: [KeychainOtherSecret], asksLocked: Bool = true
  ) async throws {
    var change = change
    for place in secrets { try await change.secrets.append(known(place)) }
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
        guard
          let passphrase = try await dependencies.terminal.askPassphrase(
            prompt: prompt, isNew: false)
        else { throw error }
        change.secrets.append(.passphrase(passphrase))
      }
    }
  }

  /// Asks for the old passphrase at a terminal, unless the new one comes from elsewhere and there
  /// is an unlock source.
  func changePassphrase(_ secret: KeychainNewSecret, secrets: [KeychainOtherSecret]) async throws {
    // Report a missing keychain before asking for anything.
    if try await !keychain.status().exists { try await keychain.unlock(with: nil) }
    var change = KeychainRekey()
    if case .prompt = secret {
      change.replaced = try await old()
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

  /// Asks for the old passphrase and verifies it before the new one is asked for.
  private func old() async throws -> KeychainSecret? {
    guard
      let passphrase = try await dependencies.terminal.askPassphrase(
        prompt: "old passphrase: ", isNew: false)
    else { return nil }
    try await keychain.unlock(with: .passphrase(passphrase))
    return .passphrase(passphrase)
  }

  func export(to path: String, _ secret: KeychainNewSecret) async throws -> Int {
    try dependencies.files.checkTarget(path, isRecording: false)
    try dependencies.files.checkCreatable(path)
    try await unlocking(dependencies) { () throws(KeychainError) in
      try await keychain.unlock(with: nil)
    }
    let secret = try await new(secret)
    return try await unlocking(dependencies) { () throws(KeychainError) in
      try await keychain.export(to: path, secret: secret)
    }
  }

  func importEntries(
    from path: String, _ secret: KeychainOtherSecret, _ existing: ImportDuplicates
  ) async throws -> KeychainImport {
    try await unlocking(dependencies) { () throws(KeychainError) in
      try await keychain.unlock(with: nil)
    }
    let other = try await known(secret, of: path)
    let report = try await unlocking(dependencies) { () throws(KeychainError) in
      try await keychain.importEntries(from: path, secret: other, existing: existing)
    }
    await forgetKnownSecrets(dependencies)
    return report
  }

  /// Returns an existing secret.
  private func known(
    _ secret: KeychainOtherSecret, of what: String = "the keychain"
  ) async throws -> KeychainSecret {
    switch secret {
    case .passphraseFile(let file):
      return try await keychain.secret(from: .passphraseFile(path: file))
    case .keyFile(let file): return try await keychain.secret(from: .keyFile(path: file))
    case .prompt:
      guard
        let passphrase = try await dependencies.terminal.askPassphrase(
          prompt: "passphrase of \(what): ", isNew: false)
      else {
        throw Failure(
          code: ExitCode.usage, error: "noInput",
          message: "there is no terminal to ask for the passphrase of \(what)",
          help: "use --passphrase-file FILE or --key-file FILE")
      }
      return .passphrase(passphrase)
    }
  }

  /// Returns a new secret.
  private func new(_ secret: KeychainNewSecret) async throws -> KeychainSecret {
    switch secret {
    case .file(let path): return try await keychain.secret(from: .passphraseFile(path: path))
    case .keyFile(let path):
      try dependencies.files.checkTarget(path, isRecording: false)
      return try await keychain.secret(from: .newKeyFile(path: path))
    case .standardInput:
      return .passphrase(try await dependencies.terminal.readSecret(limit: 1026).withoutLineEnd())
    case .prompt:
      guard
        let passphrase = try await dependencies.terminal.askPassphrase(
          prompt: "new passphrase: ", isNew: true)
      else {
        throw Failure(
          code: ExitCode.usage, error: "noInput",
          message: "there is no terminal to ask for the new passphrase",
          help: "use --new-from-file FILE or --new-from-stdin")
      }
      return .passphrase(passphrase)
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
