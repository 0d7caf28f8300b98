/// The identity of a program, returned to a caller with its key.
public struct ProgramStatus: Codable, Sendable, Equatable {
  /// The program, for example `Radarr`.
  public var program: String
  /// The version, or an empty string if the program does not report it.
  public var version: String

  /// A status from its parts.
  public init(program: String, version: String) {
    self.program = program
    self.version = version
  }
}
