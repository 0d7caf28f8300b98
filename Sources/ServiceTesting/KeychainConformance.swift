import SwiftBoardDependencies

/// The rules of `KeychainService`, as checks of an implementation.
///
/// ```swift
/// let checks = KeychainConformance { setting in
///   KeychainConformance.Subject(OwnKeychain(clock: setting.clock))
/// }.checks
/// ```
/// Each check creates its own keychains. All checks together take about a hundred key derivations,
/// so use the cheapest one.
public struct KeychainConformance: Sendable {
  /// The requirements of a check for its keychain.
  public struct Setting: Sendable {
    /// The passphrase with which calls unlock the keychain automatically, or `nil` for none.
    public var passphrase: String?
    /// The clock that measures how long the keychain was not used.
    public var clock: BoardClock
  }

  /// An external change of a keychain's file.
  public enum FileChange: Sendable {
    /// The file is copied.
    case keep
    /// The copy, an older state of the same keychain, replaces the file.
    case restore
    /// Another keychain, which has been saved once and has the passphrase `open`, replaces the
    /// file.
    case replace
  }

  /// A keychain that does not exist yet.
  public struct Subject: Sendable {
    /// The keychain. `create(with:)` must not have been called.
    public var service: any KeychainService
    /// A folder for exports and key files, or only a name if the implementation stores them
    /// elsewhere.
    public var folder: String
    /// Writes a file that only this user can read, and returns its path. `nil` if the
    /// implementation reads no secret from a file.
    public var write: (@Sendable (_ bytes: [UInt8], _ name: String) async throws -> String)?
    /// Changes the file, or is `nil` for an implementation without a file.
    public var change: (@Sendable (_ change: FileChange) async throws -> Void)?
    let kept: (any Sendable)?

    /// Creates a subject for one check.
    ///
    /// - Parameter kept: A value to keep as long as the keychain is used, for example a temporary
    ///   folder that is removed with its last reference.
    public init(
      _ service: any KeychainService, folder: String = "", keeping kept: (any Sendable)? = nil,
      change: (@Sendable (_ change: FileChange) async throws -> Void)? = nil,
      write: (@Sendable (_ bytes: [UInt8], _ name: String) async throws -> String)? = nil
    ) {
      self.service = service
      self.folder = folder
      self.kept = kept
      self.write = write
      self.change = change
    }
  }

  private let makeSubject: @Sendable (_ setting: Setting) async throws -> Subject

  /// Creates a suite. `make` returns a new keychain for each call.
  public init(_ make: @escaping @Sendable (_ setting: Setting) async throws -> Subject) {
    makeSubject = make
  }

  /// The checks of all rules: entries, slots, secrets from files, export and import, visits of all
  /// entries, and the lock of an unused keychain.
  public var checks: [ConformanceCheck] {
    entryChecks + slotChecks + accessChecks + [
      check("an older copy and another keychain are refused until they are accepted") {
        for isOther in [false, true] {
          let subject = try await make()
          guard let change = subject.change else { return }
          let keychain = subject.service
          try await keychain.create(with: .words("open"))
          try await change(.keep)
          for value in [1, 2] as [UInt8] { try await keychain.save(Data([value]), forKey: "a") }
          try await change(isOther ? .replace : .restore)
          await keychain.lock()
          let refusal: KeychainError.Kind = isOther ? .differentKeychain : .rolledBack
          try await equal(kind { try await keychain.unlock(with: .words("open")) }, refusal)
          try await equal(
            kind { _ = try await keychain.accept(with: .words("shut")) }, .wrongSecret)
          try await equal(kind { try await keychain.unlock(with: .words("open")) }, refusal)
          let accepted = try await keychain.accept(with: .words("open"))
          try equal(accepted.reason, isOther ? .replaced : .rolledBack)
          try equal(accepted.remembered?.generation, 3)
          try equal([accepted.found.generation, accepted.generation], [1, isOther ? 1 : 4])
          try await equal(keychain.status().generation, accepted.generation)
          await keychain.lock()
          try await keychain.unlock(with: .words("open"))
          withExtendedLifetime(subject) {}
        }
      },
      check("a keychain that was not used for so long is locked") {
        let time = ManualClock()
        let subject = try await make(clock: time.clock)
        let keychain = subject.service
        try await keychain.create(with: .words("open"))
        let limit = Duration.seconds(300)
        try await equal(keychain.lock(unusedFor: limit), .inUse(left: limit))
        time.advance(by: .seconds(200))
        // Reading the status does not count as use.
        _ = try await keychain.status()
        _ = try await keychain.verify()
        try await equal(keychain.lock(unusedFor: limit), .inUse(left: .seconds(100)))
        _ = try await keychain.load(forKey: "a")
        try await equal(keychain.lock(unusedFor: limit), .inUse(left: limit))
        time.advance(by: .seconds(299))
        try await equal(keychain.lock(unusedFor: limit), .inUse(left: .seconds(1)))
        time.advance(by: .seconds(1))
        try await equal(keychain.lock(unusedFor: limit), .locked)
        try await equal(keychain.status().unlocked, false)
        try await equal(keychain.lock(unusedFor: limit), .wasLocked)
        withExtendedLifetime(subject) {}
      },
    ]
  }

  func check(_ rule: String, _ body: @escaping @Sendable () async throws -> Void)
    -> ConformanceCheck
  { ConformanceCheck("KeychainService", rule, body) }

  /// A check of a keychain that `with` makes.
  func checkOpen(
    _ rule: String, source: Bool = false,
    _ body: @escaping @Sendable (any KeychainService, _ folder: String) async throws -> Void
  ) -> ConformanceCheck {
    check(rule) { try await with(source: source, body) }
  }

  /// Calls `body` with a new keychain that the passphrase `open` opens.
  ///
  /// - Parameter source: Whether calls unlock the keychain automatically.
  func with(
    source: Bool = false, _ body: (any KeychainService, _ folder: String) async throws -> Void
  ) async throws {
    let subject = try await make(passphrase: source ? "open" : nil)
    try await subject.service.create(with: .words("open"))
    try await body(subject.service, subject.folder)
    withExtendedLifetime(subject) {}
  }

  /// - Parameter passphrase: See `Setting`.
  func make(
    passphrase: String? = nil, clock: BoardClock = BoardClock(now: { 0 }, sleep: { _ in })
  ) async throws -> Subject {
    try await makeSubject(Setting(passphrase: passphrase, clock: clock))
  }
}

/// Returns the kind of the error that `body` throws, or `nil` if it does not throw.
func kind(_ body: () async throws -> Void) async -> KeychainError.Kind? {
  await failure(KeychainError.self, body)?.kind
}

extension KeychainSecret {
  static func words(_ text: String) throws(KeychainError) -> KeychainSecret {
    .passphrase(try GuardedBytes(copying: Array(text.utf8)))
  }

  static func key(_ bytes: some Collection<UInt8>) throws(KeychainError) -> KeychainSecret {
    .keyFile(try GuardedBytes(copying: Array(bytes)))
  }
}
