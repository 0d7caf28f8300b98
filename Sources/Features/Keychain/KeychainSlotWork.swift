import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies

/// What the commands for slots and other files do. A secret comes from the terminal, a file or
/// standard input, and is part of no action.
struct KeychainSlotWork {
  let dependencies: Dependencies

  private var keychain: any KeychainService { dependencies.keychainService }

  /// - Parameter secret: `nil`: the unlock source's, or one that is asked for.
  func create(_ secret: KeychainNewSecret) async throws {
    if case .prompt = secret {
      return try await withSecret(dependencies, isNew: true) { secret throws(KeychainError) in
        try await keychain.create(with: secret)
      }
    }
    // A key file is not made for a keychain that cannot be.
    if try await keychain.status().exists { return try await keychain.create(with: nil) }
    try await keychain.create(with: try await new(secret))
  }

  func addSlot(_ secret: KeychainNewSecret) async throws -> String {
    // Opened first: what cannot be added is neither asked for nor made.
    try await unlocking(dependencies) { () throws(KeychainError) in
      try await keychain.unlock(with: nil)
    }
    let secret = try await new(secret)
    try await unlocking(dependencies) { () throws(KeychainError) in
      try await keychain.addSlot(secret)
    }
    return if case .passphrase = secret { "passphrase" } else { "keyFile" }
  }

  /// Asks for the passphrase of each slot that stays and whose secret is not at hand.
  ///
  /// - Parameter asksLocked: Also for one that opens the keychain where there is no unlock source.
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
    // Says what is missing, before anything is asked for.
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

  /// The old passphrase, and that it is right: the new one is asked for after that.
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

  /// A secret that opens something already.
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
          message: "there is nobody to ask for the passphrase of \(what)",
          help: "use --passphrase-file FILE or --key-file FILE")
      }
      return .passphrase(passphrase)
    }
  }

  /// A secret that is about to open something.
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
          message: "there is nobody to ask for the new passphrase",
          help: "use --new-from-file FILE or --new-from-stdin")
      }
      return .passphrase(passphrase)
    }
  }
}

extension GuardedBytes {
  /// Without one final LF or CRLF, as a passphrase is read anywhere.
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
