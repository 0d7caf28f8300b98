import SwiftBoardSystem
import Synchronization

/// The sources of a secret without a prompt: a descriptor, a passphrase file, a key file, or a
/// credential of the service manager. Nothing is opened before a secret is needed. Files are read
/// again each time, but a descriptor can be read only once.
package final class UnlockSources: Sendable {
  /// No sources. Operations on a locked keychain throw `.locked`.
  package static let none = UnlockSources(environment: [:])

  private struct Source {
    enum Kind {
      case descriptor, passphrase, keyFile
    }

    let kind: Kind
    /// The path of the file, or the text of the variable for a descriptor.
    let value: String
    /// The variable that names the source or its folder.
    let variable: String

    /// Whether the file is in the folder of the service manager's credentials.
    var isCredential: Bool { variable == UnlockSources.credentials }
    var name: String { isCredential ? value : variable }
  }

  private let environment: [String: String]
  private let isTrustedOwner: @Sendable (UInt32) -> Bool
  private let descriptorWasRead = Mutex(false)

  private static let passphraseDescriptor = "SWIFTBOARD_PASSPHRASE_FD"
  private static let passphraseFile = "SWIFTBOARD_PASSPHRASE_FILE"
  private static let keyFile = "SWIFTBOARD_KEY_FILE"
  private static let credentials = "CREDENTIALS_DIRECTORY"
  /// The variables of the program itself.
  package static let programVariables = [passphraseDescriptor, passphraseFile, keyFile]
  private static let variables = programVariables + [credentials]

  /// Reads the four variables of `environment`. An empty variable counts as unset. A passphrase
  /// descriptor becomes close-on-exec, so that no child process inherits it.
  package convenience init(environment: [String: String]) {
    self.init(environment: environment) { $0 == geteuid() || $0 == 0 }
  }

  init(environment: [String: String], isTrustedOwner: @escaping @Sendable (UInt32) -> Bool) {
    self.environment = environment.filter { Self.variables.contains($0.key) && !$0.value.isEmpty }
    self.isTrustedOwner = isTrustedOwner
    if let number = self.environment[Self.passphraseDescriptor].flatMap(Self.descriptor) {
      _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    }
  }

  /// Removes the variables from this process's environment. Call this with a copy of it for the
  /// sources, before any child process starts, and while no other thread reads the environment. A
  /// second call changes nothing, and other threads may read meanwhile.
  package static func removeFromEnvironment() {
    for variable in variables { unsetenv(variable) }
  }

  /// Whether a secret can be expected. Does not read it. Also true if the sources are ambiguous.
  package var hasSecret: Bool {
    let sources = self.sources
    if sources.count == 1, sources[0].kind == .descriptor {
      return !descriptorWasRead.withLock { $0 }
    }
    return !sources.isEmpty
  }

  /// Reads the secret, or returns `nil` if there is no source. Throws `.unlockSourceAmbiguous`,
  /// `.missingUnlockSource`, `.insecurePermissions`, `.invalidPassphrase`, `.invalidKeyFile`,
  /// `.locked` if the descriptor was already read, and `.io`. A descriptor may block until its
  /// other end is closed. Files never block.
  package func secret() throws(KeychainError) -> KeychainSecret? {
    let sources = self.sources
    guard sources.count <= 1 else {
      let names = sources.map(\.name).joined(separator: ", ")
      throw KeychainError(
        .unlockSourceAmbiguous,
        message: "more than one unlock source is set: \(names). Leave exactly one.")
    }
    guard let source = sources.first else { return nil }
    switch source.kind {
    case .descriptor: return .passphrase(try passphrase(fromDescriptor: source.value))
    case .passphrase:
      return .passphrase(
        try read(source.value, source.variable) { fd throws(KeychainError) in
          try Self.passphrase(from: fd)
        })
    case .keyFile:
      return .keyFile(
        try read(source.value, source.variable) { fd throws(KeychainError) in
          try Self.key(from: fd)
        })
    }
  }

  /// Checks the source like `secret()`, without keeping its secret. Does not read a descriptor,
  /// whose secret can be read only once.
  ///
  /// - Returns: The name of the source, or `nil` if there is none.
  func check() throws(KeychainError) -> String? {
    let sources = self.sources
    if sources.count == 1, sources[0].kind == .descriptor {
      let number = try Self.number(sources[0].value)
      if !descriptorWasRead.withLock({ $0 }) { try Self.checkIsReadable(number) }
    } else {
      _ = try secret()
    }
    return sources.first?.name
  }

  private var sources: [Source] {
    Self.sources(in: environment).filter { !$0.isCredential || Self.exists($0.value) }
  }

  /// Returns the sources of an environment, with all credentials that there could be.
  private static func sources(in environment: [String: String]) -> [Source] {
    func source(_ kind: Source.Kind, _ variable: String, _ file: String = "") -> Source? {
      guard let value = environment[variable], !value.isEmpty else { return nil }
      return Source(kind: kind, value: value + file, variable: variable)
    }
    return [
      source(.descriptor, passphraseDescriptor), source(.passphrase, passphraseFile),
      source(.keyFile, keyFile), source(.passphrase, credentials, "/swiftboard.passphrase"),
      source(.keyFile, credentials, "/swiftboard.key"),
    ].compactMap(\.self)
  }

  /// Returns the files that the sources of an environment read.
  static func files(in environment: [String: String]) -> [String] {
    sources(in: environment).filter { $0.kind != .descriptor }.map(\.value)
  }

  /// A file that cannot be examined counts as existing, so that its secret is not silently ignored.
  private static func exists(_ path: String) -> Bool {
    FileInfo(path) != nil || (errno != ENOENT && errno != ENOTDIR)
  }

  // MARK: Descriptor

  /// Reserves the number of a closed passphrase descriptor, so that reading it fails. Otherwise, a
  /// file of the program could get the number, and reading a passphrase from it might never end.
  /// Call this before anything else opens a file.
  package static func holdClosedDescriptor() {
    guard let value = getenv(passphraseDescriptor),
      let number = descriptor(String(cString: value)), fcntl(number, F_GETFD) < 0, errno == EBADF
    else { return }
    let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
    guard null >= 0, null != number else { return }
    dup2(null, number)
    close(null)
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
  }

  private static func descriptor(_ value: String) -> Int32? {
    guard !value.isEmpty, value.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int32(value),
      number >= 3
    else { return nil }
    return number
  }

  private static func number(_ value: String) throws(KeychainError) -> Int32 {
    if let number = descriptor(value) { return number }
    throw KeychainError(
      .invalidPassphrase,
      message:
        "\(passphraseDescriptor) must be a descriptor's number, 3 or more; a passphrase itself never "
        + "belongs in a variable.")
  }

  private static func checkIsReadable(_ number: Int32) throws(KeychainError) {
    let flags = fcntl(number, F_GETFL)
    guard flags >= 0, flags & O_ACCMODE != O_WRONLY else {
      throw KeychainError(
        .missingUnlockSource,
        message: "\(passphraseDescriptor): descriptor \(number) is not open for reading. "
          + "Open it where the program is started, as in '\(number)< FILE'.")
    }
  }

  private func passphrase(fromDescriptor value: String) throws(KeychainError) -> GuardedBytes {
    let number = try Self.number(value)
    let wasRead = descriptorWasRead.withLock { wasRead in
      defer { wasRead = true }
      return wasRead
    }
    guard !wasRead else {
      throw KeychainError(
        .locked,
        message:
          "the keychain is locked, and descriptor \(number) of \(Self.passphraseDescriptor) was read already. "
          + "Use \(Self.passphraseFile) where a session must unlock more than once.")
    }
    try Self.checkIsReadable(number)
    defer { close(number) }
    do throws(KeychainError) {
      return try Self.passphrase(from: number)
    } catch {
      throw error.explained("\(Self.passphraseDescriptor), descriptor \(number)")
    }
  }

  // MARK: Files

  /// Reads the secret from a file named in a line, with the same checks as for an unlock source.
  ///
  /// - Throws: The errors of `secret()`, and for a new key file also `exists` or `io`.
  func secret(from source: KeychainSecretSource) throws(KeychainError) -> KeychainSecret {
    switch source {
    case .passphraseFile(let path):
      return .passphrase(
        try read(path, nil) { fd throws(KeychainError) in try Self.passphrase(from: fd) })
    case .newKeyFile(let path) where FileInfo(path) == nil && errno == ENOENT:
      try Self.makeKeyFile(at: path)
      return try secret(from: .keyFile(path: path))
    case .keyFile(let path), .newKeyFile(let path):
      return .keyFile(
        try read(path, nil) { fd throws(KeychainError) in try Self.key(from: fd) })
    }
  }

  private func read(
    _ path: String, _ variable: String?,
    _ body: (Int32) throws(KeychainError) -> GuardedBytes
  ) throws(KeychainError) -> GuardedBytes {
    do throws(KeychainError) {
      // This does not block, as a pipe without a writer must not hang. It follows links, because
      // the file behind them matters.
      let file: OpenFile
      do throws(SystemError) {
        file = try FileSystem().open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
      } catch {
        guard error.isMissing else { throw .io(error.code, "the file cannot be opened") }
        throw KeychainError(
          .missingUnlockSource,
          message: "the file does not exist."
            + (variable == nil ? "" : " Create it, or unset the variable."))
      }
      defer { file.close() }
      try judge(
        file.number, isCredential: variable == Self.credentials,
        mayBeDescriptor: variable == Self.passphraseFile)
      return try body(file.number)
    } catch {
      throw error.explained(variable.map { "\(path) (\($0))" } ?? path, path: path)
    }
  }

  /// - Parameter mayBeDescriptor: Whether the same secret can come from a descriptor: a key cannot,
  ///   nor can the file that a line names.
  private func judge(
    _ file: Int32, isCredential: Bool, mayBeDescriptor: Bool
  ) throws(KeychainError) {
    guard let info = FileInfo(descriptor: file) else {
      throw KeychainError.io(errno, "the status of the file cannot be read")
    }
    guard info.isRegular else {
      throw KeychainError(
        .insecurePermissions,
        message: "a secret can only be read from a regular file. "
          + (mayBeDescriptor
            ? "Pass a pipe as \(Self.passphraseDescriptor)." : "Name a regular file."))
    }
    guard isTrustedOwner(info.owner) else {
      throw KeychainError(
        .insecurePermissions,
        message:
          "it belongs to uid \(info.owner), neither this user nor root. Change its owner.")
    }
    // The service manager grants its user access by an ACL, which appears in the group's
    // permissions.
    let forbidden: UInt32 = isCredential ? 0o037 : 0o077
    guard info.mode & forbidden == 0 else {
      throw KeychainError(
        .insecurePermissions,
        message:
          "others may use it (mode \(String(info.permissions, radix: 8))). Run chmod 600 on it"
          + (mayBeDescriptor ? ", or pass its content as \(Self.passphraseDescriptor)." : "."))
    }
  }

  // MARK: Content

  /// Reads the bytes without one final LF or CRLF.
  private static func passphrase(from file: Int32) throws(KeychainError) -> GuardedBytes {
    let limit = KeychainFormat.maximumPassphraseLength
    let passphrase = try GuardedBytes(capacity: limit + 3) { buffer throws(KeychainError) in
      var used = try GuardedBytes.fillFrom(file, buffer)
      if used > 0, buffer[used - 1] == 0x0A {
        used -= 1
        if used > 0, buffer[used - 1] == 0x0D { used -= 1 }
      }
      return used
    }
    try KeychainSecret.passphrase(passphrase).check()
    return passphrase
  }

  private static func key(from file: Int32) throws(KeychainError) -> GuardedBytes {
    let size = KeychainFormat.keySize
    let key = try GuardedBytes(capacity: size + 1) { buffer throws(KeychainError) in
      try GuardedBytes.fillFrom(file, buffer)
    }
    guard key.count == size else {
      throw KeychainError(
        .invalidKeyFile,
        message:
          "a key file has exactly \(size) bytes, this one has \(key.count > size ? "more" : "\(key.count)"). "
          + "For text use \(passphraseFile).")
    }
    return key
  }
}

extension UnlockSources {
  /// Creates a key file with 32 random bytes and mode 0600. Never replaces an existing file. Throws
  /// `.exists` and `.io`.
  package static func makeKeyFile(at path: String) throws(KeychainError) {
    let key = try GuardedBytes.random(count: KeychainFormat.keySize)
    let system = FileSystem()
    let file: OpenFile
    do throws(SystemError) { file = try system.create(path, O_WRONLY) } catch {
      throw error.code == EEXIST
        ? KeychainError(
          .exists, path: path,
          message: "\(path): there is already a file here; it was not changed.")
        : KeychainError.creation(error, "the key file cannot be made").located(at: path)
    }
    try key.withBytes { bytes throws(KeychainError) in
      do throws(SystemError) {
        try Descriptor.write(file.number, bytes)
        try system.sync(file)
      } catch {
        try? system.remove(path)
        throw KeychainError.io(error.code, "the key file cannot be written").located(at: path)
      }
    }
  }
}

extension KeychainError {
  /// Returns the error with the unlock source in front.
  fileprivate func explained(_ source: String, path: String? = nil) -> KeychainError {
    var error = self
    error.path = path ?? self.path
    error.message = "\(source): \(message)"
    return error
  }
}
