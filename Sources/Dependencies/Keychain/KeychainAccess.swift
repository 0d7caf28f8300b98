import SwiftBoardSystem

/// The keychain together with the places where its secrets come from: the terminal, files, and
/// standard input.
///
/// A call takes a secret from its source to the keychain. No secret is in an argument or a result,
/// except in those of `value(of:)`, so that no action can contain one. `asking` is the only call
/// that asks for the passphrase of a locked keychain by itself, and `unlocking` does so if needed.
package struct KeychainAccess: Sendable {
  /// The most bytes of a value.
  private static let longestValue = 1 << 20
  /// How often a person is asked for the passphrase of the keychain.
  private static let tries = 3

  package let keychain: any KeychainService
  let terminal: any TerminalService
  let files: any FileService
  private let persistence: any PersistenceService
  private let redactor: Redactor
  /// Forgets the answers to requests with a secret, or with any for `nil`.
  let forget: @Sendable (_ name: String?) async -> Void

  /// Creates the access to the keychain of these dependencies.
  package init(_ dependencies: Dependencies) {
    keychain = dependencies.keychainService
    terminal = dependencies.terminal
    files = dependencies.files
    persistence = dependencies.persistence
    redactor = dependencies.logger.redactor
    forget = { await forgetAnswers(withSecret: $0, dependencies) }
  }

  /// Returns a warning about the opened file, or about answers of a changed secret that are still
  /// on the disk. It has no secrets, which the names of the files may hold.
  package func takeWarning() async -> String? {
    if let warning = await keychain.takeWarning() { return redactor.mask(warning).value }
    return await persistence.takeWarning().map { redactor.mask($0).value }
  }

  // MARK: Unlocking

  /// Unlocks the keychain with the secret of its unlock source.
  ///
  /// - Throws: `KeychainError.locked` if there is no source.
  package func open() async throws(KeychainError) { try await keychain.unlock(with: nil) }

  /// Checks the file that is to be written, if any, then unlocks the keychain.
  ///
  /// - Throws: `KeychainError.exists` if the file exists, `FileError` if it cannot be written, and
  ///   what `open()` throws.
  package func open(toWrite path: String?) async throws {
    if let path { try checkTarget(path) }
    try await open()
  }

  /// Performs the work. Typed text stays hidden from its first prompt to its end, also while a key
  /// is derived.
  package func hidingInput<Result: Sendable>(
    _ work: (KeychainAccess) async throws -> Result
  ) async rethrows -> Result {
    terminal.hideInput()
    defer { terminal.showInput() }
    return try await work(self)
  }

  /// Asks for the passphrase, unlocks the keychain, and performs the work.
  ///
  /// - Returns: The result, or `nil` if there is no terminal.
  /// - Throws: `TerminalError`, `KeychainError`, and what the work throws.
  package func asking<Result: Sendable>(
    _ work: (KeychainAccess) async throws -> Result
  ) async throws -> Result? {
    guard try await unlockAtTerminal() else { return nil }
    return try await work(self)
  }

  /// Asks for the passphrase until it is right, three times at most. To the effect that asks, they
  /// are one question, as is one whose answer was corrected while it was typed.
  ///
  /// - Returns: `false` if there is no terminal.
  private func unlockAtTerminal() async throws -> Bool {
    var question = "passphrase of the keychain: "
    var refusal: KeychainError?
    for _ in 0..<Self.tries {
      let answer: KeychainSecret?
      do throws(TerminalError) {
        answer = try await passphrase(question)
      } catch {
        // An empty answer gives up, which the refusal explains.
        guard let refusal, error.kind == .empty else { throw error }
        throw refusal
      }
      guard let secret = answer else { break }
      do throws(KeychainError) {
        try await keychain.unlock(with: secret)
        return true
      } catch {
        guard error.kind == .wrongSecret else { throw error }
        refusal = error
        question = "wrong passphrase; once more: "
      }
    }
    if let refusal { throw refusal }
    return false
  }

  /// Performs the work. If the keychain is locked and there is a terminal, asks for the passphrase
  /// and performs the work again.
  package func unlocking<Result>(
    _ work: () async throws(KeychainError) -> Result
  ) async throws -> Result {
    do throws(KeychainError) {
      return try await work()
    } catch {
      terminal.hideInput()
      defer { terminal.showInput() }
      guard error.kind == .locked, try await unlockAtTerminal() else { throw error }
      return try await work()
    }
  }

  /// Returns `nil` if there is no terminal.
  func passphrase(
    _ prompt: String, isNew: Bool = false
  ) async throws(TerminalError) -> KeychainSecret? {
    try await terminal.askPassphrase(prompt: prompt, isNew: isNew).map(KeychainSecret.passphrase)
  }

  // MARK: Values

  /// Returns a secret's value. Unlocks the keychain if needed.
  ///
  /// - Throws: `KeychainError.missingKey` if there is no such secret.
  package func value(of name: String) async throws -> Data {
    let value = try await unlocking { () throws(KeychainError) in
      try await keychain.load(forKey: name)
    }
    guard let value else { throw Self.missing(name) }
    return value
  }

  /// Writes a secret's value directly to the terminal's output.
  package func reveal(_ name: String) async throws {
    guard let value = try await keychain.load(forKey: name) else { throw Self.missing(name) }
    await terminal.reveal(value)
  }

  /// Stores a value from its source.
  ///
  /// - Returns: Whether the value is too short for redaction, and whether the name had a value
  ///   before.
  package func store(
    _ input: KeychainInput, as name: String
  ) async throws -> (isShort: Bool, isReplaced: Bool) {
    try await checkName(name)
    let value = try await read(input, for: name)
    let mark = value.withUnsafeBytes {
      RedactionMark.first(inAnyFormIn: $0.bindMemory(to: UInt8.self))
    }
    if let mark { throw MarkedTextError(mark: mark.quotable(by: redactor), place: "the value") }
    // The keychain may have locked itself while the value was typed.
    let isReplaced = try await unlocking { () throws(KeychainError) in
      let isThere = try await keychain.keys().contains { $0.hasSameBytes(as: name) }
      try await keychain.save(value, forKey: name)
      return isThere
    }
    if isReplaced { await forget(name) }
    return (value.count < Redactor.shortestValue, isReplaced)
  }

  /// Throws `.invalidKey` if a new secret cannot have this name. Entries of other programs may have
  /// such names, and can be given new values.
  private func checkName(_ name: String) async throws {
    guard SecretReference.text(for: name) == nil else { return }
    let names = try await unlocking { () throws(KeychainError) in try await keychain.keys() }
    if !names.contains(where: { $0.hasSameBytes(as: name) }) {
      try KeychainError.check(newName: name)
    }
  }

  /// Removes a secret.
  ///
  /// - Throws: `KeychainError.missingKey` if there is no such secret.
  package func remove(_ name: String) async throws(KeychainError) {
    guard try await keychain.load(forKey: name) != nil else { throw Self.missing(name) }
    try await keychain.delete(forKey: name)
    await forget(name)
  }

  /// Renames a secret.
  package func rename(_ name: String, to new: String) async throws(KeychainError) {
    try KeychainError.check(newName: new)
    try await keychain.rename(name, to: new)
    if !name.hasSameBytes(as: new) { await forget(name) }
  }

  private static func missing(_ name: String) -> KeychainError {
    KeychainError(.missingKey, message: "the keychain has no secret named '\(name)'")
  }

  private func read(_ input: KeychainInput, for name: String) async throws -> Data {
    switch input {
    case .file(let path): return try await files.read(path, limit: Self.longestValue)
    case .standardInput: return try await terminal.readInput(limit: Self.longestValue)
    case .generate(let count):
      let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max) }
      let text = Data(bytes).base64EncodedString()
      return Data(text.map { $0 == "+" ? "-" : $0 == "/" ? "_" : String($0) }.joined().utf8)
    case .prompt:
      let value = try await terminal.askPassphrase(prompt: "value of \(name): ", isNew: true)
      guard let value else { throw SecretInputError.value }
      return try value.withBytes { Data($0) }
    }
  }
}

extension Dependencies {
  /// Unlocks the keychain for the key of a service, so that the time of a request is not that of
  /// typing a passphrase. Sample data needs no key, so a missing one is an error of the request
  /// alone.
  ///
  /// - Throws: `KeychainError` and `TerminalError` if a person was asked.
  package func openKeychain(for service: APIService) async throws {
    guard let key = service.authentication?.secret, !apiClient.isOffline else { return }
    do {
      _ = try await KeychainAccess(self).value(of: key)
    } catch let error as KeychainError
      where [.missing, .missingKey, .locked].contains(error.kind)
    {}
  }
}
