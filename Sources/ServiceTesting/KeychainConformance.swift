import SwiftBoardDependencies
import SwiftBoardSystem

/// The rules of `KeychainService`, as checks of an implementation.
///
/// ```swift
/// let checks = KeychainConformance { setting in
///   KeychainConformance.Subject(OwnKeychain(clock: setting.clock))
/// }.checks
/// ```
/// Each check makes keychains of its own. With a costly key derivation the checks take as long as
/// about a hundred derivations; give the implementation the least costly one.
public struct KeychainConformance: Sendable {
  /// What a check asks of the keychain that is made for it.
  public struct Setting: Sendable {
    /// The passphrase that calls unlock with by themselves; `nil`: none.
    public var passphrase: String?
    /// What tells for how long the keychain was not used.
    public var clock: BoardClock
  }

  /// What happens to a keychain's file behind its back.
  public enum FileChange: Sendable {
    /// The file is copied as it is.
    case keep
    /// The copy replaces the file: an older state of the same keychain.
    case restore
    /// Another keychain replaces the file, which has one save and the passphrase `open`.
    case replace
  }

  /// A keychain that does not exist yet.
  public struct Subject: Sendable {
    /// The keychain: `create(with:)` was not called.
    public var service: any KeychainService
    /// A folder for exports; it may be a name only, where the implementation keeps them elsewhere.
    public var folder: String
    /// Changes the file; `nil` for an implementation without one, whose file is not changed.
    public var change: (@Sendable (_ change: FileChange) async throws -> Void)?
    let kept: (any Sendable)?

    /// A keychain for one check.
    ///
    /// - Parameter keeping: What is kept as long as the keychain is used, for example a temporary
    ///   folder that goes with its last reference.
    public init(
      _ service: any KeychainService, folder: String = "", keeping kept: (any Sendable)? = nil,
      change: (@Sendable (_ change: FileChange) async throws -> Void)? = nil
    ) {
      self.service = service
      self.folder = folder
      self.kept = kept
      self.change = change
    }
  }

  private let makeSubject: @Sendable (_ setting: Setting) async throws -> Subject

  /// A suite for the keychains that a closure makes, a new one for each call.
  public init(_ make: @escaping @Sendable (_ setting: Setting) async throws -> Subject) {
    makeSubject = make
  }

  /// All rules: entries, slots, export and import, and the lock for a keychain that is not used.
  public var checks: [ConformanceCheck] {
    entryChecks + slotChecks + [
      check("an older copy and another keychain are refused until they are accepted") {
        try await acceptsWhatWasPutThere()
      },
      check("a keychain that was not used for so long is locked") { try await idles() },
    ]
  }

  func check(_ rule: String, _ body: @escaping @Sendable () async throws -> Void)
    -> ConformanceCheck
  { ConformanceCheck("KeychainService", rule, body) }

  /// - Parameter passphrase: See `Setting`.
  func make(
    passphrase: String? = nil, clock: BoardClock = BoardClock(now: { 0 }, sleep: { _ in })
  ) async throws -> Subject {
    try await makeSubject(Setting(passphrase: passphrase, clock: clock))
  }

  private func acceptsWhatWasPutThere() async throws {
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
      try await equal(kind { _ = try await keychain.accept(with: .words("shut")) }, .wrongSecret)
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
  }

  private func idles() async throws {
    let time = ManualClock()
    let subject = try await make(clock: time.clock)
    let keychain = subject.service
    try await keychain.create(with: .words("open"))
    let limit = Duration.seconds(300)
    try await equal(keychain.lock(unusedFor: limit), .inUse(left: limit))
    time.advance(by: .seconds(200))
    // Looking is no use.
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
  }
}

/// The kind of what `body` throws; `nil` where it does not throw.
func kind(_ body: () async throws -> Void) async -> KeychainError.Kind? {
  do {
    try await body()
    return nil
  } catch {
    return (error as? KeychainError)?.kind
  }
}

extension KeychainSecret {
  static func words(_ text: String) throws(KeychainError) -> KeychainSecret {
    .passphrase(try GuardedBytes(copying: Array(text.utf8)))
  }

  static func key(_ bytes: some Collection<UInt8>) throws(KeychainError) -> KeychainSecret {
    .keyFile(try GuardedBytes(copying: Array(bytes)))
  }
}
