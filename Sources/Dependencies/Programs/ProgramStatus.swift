/// What a program says of itself to a caller with its key.
public struct ProgramStatus: Codable, Sendable, Equatable {
  /// The program, for example `Radarr`.
  public var program: String
  /// Its version; empty if it does not say.
  public var version: String

  /// A status from its parts.
  public init(program: String, version: String) {
    self.program = program
    self.version = version
  }
}
