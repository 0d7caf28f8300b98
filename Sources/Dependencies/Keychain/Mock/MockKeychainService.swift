import SwiftBoardSystem
import Synchronization

/// A keychain in memory for tests. It follows the rules of the live one, accesses no file, and
/// records every call.
public final class MockKeychainService: KeychainService, CheckedMock {
  /// A call with its arguments, recorded before they are checked.
  public enum Call: Sendable, Equatable {
    /// `save(_:forKey:)`, with the number of bytes instead of the value.
    case save(bytes: Int, key: String)
    /// `load(forKey:)`.
    case load(key: String)
    /// `delete(forKey:)`.
    case delete(key: String)
    /// `rename(_:to:)`.
    case rename(String, to: String)
    /// The calls without a key. Secrets are not recorded.
    case keys, create, unlock, lock, status, verify, accept
    /// The changes of slots. Secrets are not recorded.
    case addSlot, rekey
    /// `export(to:secret:)` and `importEntries(from:secret:existing:)`.
    case export(path: String), importEntries(path: String, existing: ImportDuplicates)
  }

  struct State {
    var entries: [[UInt8]: Data] = [:]
    var exists: Bool
    /// Whether the entries are samples, which are removed when a keychain is created.
    var isSample: Bool
    var unlocked: Bool
    var generation: UInt64
    /// The secret of each slot. If there are none, any secret opens the keychain.
    var secrets: [KeychainSecret]
    var source: KeychainSecret?
    /// The exported keychains, by path.
    var exports: [String: (secret: KeychainSecret, entries: [[UInt8]: Data])] = [:]
    var lastUse: Int64
    var calls: [Call] = []
    var failures = PreparedFailures<KeychainError>()
    /// The reason why the current file is refused, and the generation seen last.
    var objection: (reason: KeychainAcceptance.Reason, remembered: UInt64)?
    var warning: String?
  }

  private let path: String
  private let clock: BoardClock
  private let state: Mutex<State>

  /// - Parameters:
  ///   - entries: The initial entries.
  ///   - areSamples: Whether the entries are samples until a keychain is created. The first
  ///     `create(with:)` removes them instead of throwing `.exists`.
  ///   - exists: Whether there is a keychain.
  ///   - unlocked: Whether it starts unlocked.
  ///   - secret: The secret that opens the keychain, or `nil` to accept any secret. A new keychain
  ///     uses the secret it is created with.
  ///   - unlockSource: The secret with which calls unlock the keychain, or `nil` to make them throw
  ///     `.locked`.
  ///   - path: The path in errors and status. No file is used.
  ///   - clock: The clock that measures the time without use. Without one, the keychain is always
  ///     in use.
  public init(
    entries: KeyValuePairs<String, Data> = [:], areSamples: Bool = false, exists: Bool = true,
    unlocked: Bool = true, secret: KeychainSecret? = nil, unlockSource: KeychainSecret? = nil,
    path: String = "mock.sbkc",
    clock: BoardClock = BoardClock(now: { 0 }, sleep: { _ in })
  ) {
    self.path = path
    self.clock = clock
    state = Mutex(
      State(
        entries: Dictionary(entries.map { (Array($0.key.utf8), $0.value) }) { $1 }, exists: exists,
        isSample: areSamples, unlocked: exists && unlocked, generation: 1,
        secrets: secret.map { [$0] } ?? [], source: unlockSource, lastUse: clock.now))
  }

  /// The calls in order.
  public var calls: [Call] { state.withLock { $0.calls } }

  /// Makes the next call that can fail throw `error` without any change. Several errors are thrown
  /// in order.
  public func failNext(
    with error: KeychainError,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
    column: Int = #column
  ) {
    let location = MockIssue.Line(fileID, filePath, line, column)
    state.withLock { $0.failures.add("", error, location) }
  }

  /// The prepared failures that did not occur.
  public var issues: [MockIssue] { state.withLock { $0.failures.issues } }

  /// Simulates an older copy (`isOther` is false) or another keychain with the same entries. It is
  /// locked, and refused until it is accepted.
  public func replaceFile(generation: UInt64, isOther: Bool) {
    state.withLock { state in
      state.objection = (isOther ? .replaced : .rolledBack, state.generation)
      state.generation = generation
      state.unlocked = false
    }
  }

  /// Makes the next `takeWarning()` return a warning.
  public func warnNext(_ warning: String) {
    state.withLock { $0.warning = warning }
  }

  /// Replaces the value in memory. Refuses the same keys and values as the live keychain.
  public func save(_ data: Data, forKey key: String) async throws(KeychainError) {
    try perform(.save(bytes: data.count, key: key)) { state throws(KeychainError) in
      try KeychainError.check(key: key)
      try KeychainError.check(value: data)
      try Self.open(&state)
      state.entries[Array(key.utf8)] = data
      state.generation += 1
    }
  }

  /// Returns the value as saved.
  public func load(forKey key: String) async throws(KeychainError) -> Data? {
    try perform(.load(key: key)) { state throws(KeychainError) in
      try KeychainError.check(key: key)
      try Self.open(&state)
      return state.entries[Array(key.utf8)]
    }
  }

  /// Removes an entry, if it exists.
  public func delete(forKey key: String) async throws(KeychainError) {
    try perform(.delete(key: key)) { state throws(KeychainError) in
      try KeychainError.check(key: key)
      try Self.open(&state)
      if state.entries.removeValue(forKey: Array(key.utf8)) != nil { state.generation += 1 }
    }
  }

  /// Behaves like the live keychain: `missingKey` precedes `duplicateKey`, and renaming to the same
  /// name does nothing.
  public func rename(_ key: String, to newKey: String) async throws(KeychainError) {
    try perform(.rename(key, to: newKey)) { state throws(KeychainError) in
      try KeychainError.check(key: key)
      try KeychainError.check(key: newKey)
      try Self.open(&state)
      let (old, new) = (Array(key.utf8), Array(newKey.utf8))
      guard let value = state.entries[old] else { throw .missingKey }
      if old == new { return }
      guard state.entries[new] == nil else { throw .duplicateKey }
      state.entries[old] = nil
      state.entries[new] = value
      state.generation += 1
    }
  }

  /// Returns the keys in byte order. O(n log n).
  public func keys() async throws(KeychainError) -> [String] {
    try perform(.keys) { state throws(KeychainError) in
      try Self.open(&state)
      return state.entries.keys.sorted { $0.lexicographicallyPrecedes($1) }
        .map { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// Creates a keychain that the secret opens.
  ///
  /// - Throws: `exists`, `locked` if no secret is given, and the errors for a new secret.
  public func create(with secret: KeychainSecret?) async throws(KeychainError) {
    try perform(.create) { state throws(KeychainError) in
      if state.isSample { return try Self.removeSamples(&state) }
      guard !state.exists else {
        throw .exists
      }
      guard let secret = secret ?? state.source else { throw .locked }
      try secret.checkNew()
      state.secrets = [secret]
      state.exists = true
      state.unlocked = true
      state.entries = [:]
      state.generation = 1
    }
  }

  /// Compares the secret with that of the mock, without a key derivation.
  ///
  /// - Throws: `missing`, `locked`, `wrongSecret` or `noMatchingSlot`.
  public func unlock(with secret: KeychainSecret?) async throws(KeychainError) {
    try perform(.unlock) { state throws(KeychainError) in
      guard let secret else { return try Self.open(&state) }
      try Self.open(&state, with: secret)
    }
  }

  /// Locks the keychain. Cannot fail, even after `failNext(with:)`.
  public func lock() async {
    state.withLock { state in
      state.calls.append(.lock)
      state.unlocked = false
    }
  }

  /// Returns a status with the warning that everything is in memory.
  public func status() async throws(KeychainError) -> KeychainStatus {
    try perform(.status) { state throws(KeychainError) in
      guard state.exists else { return KeychainStatus(path: path, exists: false, unlocked: false) }
      return status(of: state)
    }
  }

  /// Returns the status. Entries in memory are always intact.
  ///
  /// - Throws: `missing`.
  public func verify() async throws(KeychainError) -> KeychainStatus {
    try perform(.verify) { state throws(KeychainError) in
      guard state.exists else { throw .missing }
      return status(of: state)
    }
  }

  /// Is not recorded in `calls`, because it only reads.
  public func visitEntries(
    since revision: KeychainRevision?,
    _ body: @Sendable (_ key: String, _ value: UnsafeRawBufferPointer) -> Void
  ) async -> KeychainRevision? {
    let (now, entries) = state.withLock { state -> (KeychainRevision?, [[UInt8]: Data]) in
      guard state.unlocked else { return (nil, [:]) }
      return (KeychainRevision(keyID: [], generation: state.generation), state.entries)
    }
    guard let now, now != revision else { return now }
    for (key, value) in entries.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      value.withUnsafeBytes { body(String(decoding: key, as: UTF8.self), $0) }
    }
    return now
  }

  /// Behaves like the live keychain, without dates.
  ///
  /// - Throws: The errors of `unlock(with:)` except `rolledBack` and `differentKeychain`.
  public func accept(with secret: KeychainSecret?) async throws(KeychainError)
    -> KeychainAcceptance
  {
    try perform(.accept) { state throws(KeychainError) in
      let objection = state.objection
      state.objection = nil
      do throws(KeychainError) {
        if let secret { try Self.open(&state, with: secret) } else { try Self.open(&state) }
      } catch {
        state.objection = objection
        throw error
      }
      let found = state.generation
      if let objection, objection.reason == .rolledBack {
        state.generation = max(found, objection.remembered) + 1
      }
      return KeychainAcceptance(
        reason: objection?.reason ?? .known,
        remembered: .init(generation: objection?.remembered ?? found),
        found: .init(generation: found), generation: state.generation)
    }
  }

  /// Uses the clock given to the initializer.
  public func lock(unusedFor duration: Duration) async -> IdleLockResult {
    state.withLock { state in
      guard state.unlocked else { return .wasLocked }
      let left = duration - .microseconds(clock.now - state.lastUse)
      if left > .zero { return .inUse(left: left) }
      state.unlocked = false
      return .locked
    }
  }

  /// Returns the warning given to `warnNext(_:)`, once.
  public func takeWarning() async -> String? { state.withLock { $0.warning.take() } }

  private func status(of state: State) -> KeychainStatus {
    KeychainStatus(
      path: path, exists: true, unlocked: state.unlocked,
      count: state.unlocked ? state.entries.count : nil, generation: state.generation,
      slots: Self.kinds(state).map { KeychainStatus.Slot(kind: $0, ops: 0, memory: 0) },
      warnings: ["This keychain is in memory only."])
  }

  func perform<Result: Sendable>(
    _ call: Call, _ operation: (inout State) throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    try located(at: path) { () throws(KeychainError) in
      try state.withLock { state throws(KeychainError) in
        state.calls.append(call)
        if call != .status, call != .verify { state.lastUse = clock.now }
        if let error = state.failures.take("") { throw error }
        return try operation(&state)
      }
    }
  }

  /// Turns the samples into a normal, empty keychain, even if it is locked and this throws.
  private static func removeSamples(_ state: inout State) throws(KeychainError) {
    state.isSample = false
    try open(&state)
    state.generation += UInt64(state.entries.count)
    state.entries = [:]
  }

  /// Performs the checks of the live keychain before a read or write.
  static func open(_ state: inout State) throws(KeychainError) {
    guard state.exists else { throw .missing }
    if state.unlocked { return }
    guard let source = state.source else { throw .locked }
    try open(&state, with: source)
  }

  static func open(_ state: inout State, with secret: KeychainSecret) throws(KeychainError) {
    guard state.exists else { throw .missing }
    try secret.check()
    if !state.secrets.isEmpty, !state.secrets.contains(where: { $0.isSame(as: secret) }) {
      throw .wrongSecret(secret, kinds: state.secrets.map(\.kind))
    }
    switch state.objection?.reason {
    case .rolledBack: throw .rolledBack
    case .replaced: throw .differentKeychain
    case .known, nil: state.unlocked = true
    }
  }

  private static func kinds(_ state: State) -> [String] {
    state.secrets.isEmpty ? ["passphrase"] : state.secrets.map(\.kind)
  }
}

extension MockKeychainService {
  /// Creates an unlocked mock with the sample entries `radarr` and `sonarr`, which are removed when
  /// a keychain is created.
  public static var preview: MockKeychainService {
    MockKeychainService(entries: samples, areSamples: true, path: "preview.sbkc")
  }

  /// The entries of the preview.
  static let samples: KeyValuePairs<String, Data> = [
    "radarr": Data("0123456789abcdef0123456789abcdef".utf8),
    "sonarr": Data("fedcba9876543210fedcba9876543210".utf8),
    "sabnzbd": Data("00112233445566778899aabbccddeeff".utf8),
    "indexer": Data("ffeeddccbbaa99887766554433221100".utf8),
  ]
}
