/// The identity and the save count of a keychain.
public struct KeychainRevision: Sendable, Hashable {
  /// An identifier that changes with the keychain's keys.
  let keyID: [UInt8]
  /// The number of saves.
  let generation: UInt64

  /// Creates a revision.
  ///
  /// - Parameter keyID: The identifier of the keychain, which is not secret.
  public init(keyID: [UInt8], generation: UInt64) {
    self.keyID = keyID
    self.generation = generation
  }
}

/// The status of a keychain.
public struct KeychainStatus: Sendable, Equatable, Codable {
  /// A slot as described in the file's header, without its key.
  public struct Slot: Sendable, Equatable, Codable {
    /// The kind: `passphrase`, `keyFile` or `unknown(N)`.
    public var kind: String
    /// The number of passes of the key derivation, or 0 for a key file.
    public var ops: UInt32
    /// The memory of the derivation in bytes, or 0 for a key file.
    public var memory: UInt64

    /// Creates a slot.
    public init(kind: String, ops: UInt32, memory: UInt64) {
      self.kind = kind
      self.ops = ops
      self.memory = memory
    }
  }

  /// The path of the file. For a mock, it is only a name.
  public var path: String
  /// Whether the file exists.
  public var exists: Bool
  /// Whether calls currently need no secret.
  public var unlocked: Bool
  /// The number of entries, or `nil` while locked.
  public var count: Int?
  /// The number of saves, from 1, or `nil` if there is no readable file.
  public var generation: UInt64?
  /// The size of the file, or `nil` if there is none.
  public var bytes: Int?
  /// The slots in the order of the file.
  public var slots: [Slot]
  /// Whether all guarded memory is kept out of swap, or `nil` while locked.
  public var memoryLocked: Bool?
  /// Warnings for the user, for example that rollback was not checked or that others can read the
  /// file.
  public var warnings: [String]

  /// Creates a status. Omitted values are unknown.
  public init(
    path: String, exists: Bool, unlocked: Bool, count: Int? = nil, generation: UInt64? = nil,
    bytes: Int? = nil, slots: [Slot] = [], memoryLocked: Bool? = nil, warnings: [String] = []
  ) {
    self.path = path
    self.exists = exists
    self.unlocked = unlocked
    self.count = count
    self.generation = generation
    self.bytes = bytes
    self.slots = slots
    self.memoryLocked = memoryLocked
    self.warnings = warnings
  }
}
