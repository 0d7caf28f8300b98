/// The result of `accept(with:)`.
public struct KeychainAcceptance: Sendable, Equatable, Codable {
  /// The reason why the file was refused before.
  public enum Reason: String, Sendable, Codable {
    /// It was not refused: it is the last keychain seen, or a later version of it.
    case known
    /// It is an older copy, or another copy of the same age.
    case rolledBack
    /// It is another keychain.
    case replaced
  }

  /// A version of the keychain's file.
  public struct Version: Sendable, Equatable, Codable {
    /// The number of saves.
    public var generation: UInt64
    /// The time when the file was written, in microseconds since 1970, or `nil` if unknown.
    public var written: Int64?

    /// Creates a version as described by the file or the mark.
    public init(generation: UInt64, written: Int64? = nil) {
      self.generation = generation
      self.written = written
    }
  }

  /// The reason why the file was refused before.
  public var reason: Reason
  /// The last version seen, or `nil` if there is none.
  public var remembered: Version?
  /// The version of the current file.
  public var found: Version
  /// The generation of the file now. An older copy is saved again, so that it becomes newer than
  /// all other versions.
  public var generation: UInt64

  /// Creates an acceptance.
  public init(reason: Reason, remembered: Version?, found: Version, generation: UInt64) {
    self.reason = reason
    self.remembered = remembered
    self.found = found
    self.generation = generation
  }
}
