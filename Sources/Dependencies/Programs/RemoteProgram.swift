/// A kind of application that runs as a server with its own API.
public protocol ServiceProgram: RawRepresentable<String>, CaseIterable, Codable, Equatable, Sendable
{
  /// The name of the program, for users.
  var title: String { get }
}

/// A program at the address of a service.
public struct RemoteProgram<Program: ServiceProgram>: Codable, Sendable, Equatable {
  /// The expected program.
  public var program: Program
  /// The address, and the name of the key.
  public var service: APIService
  /// The time for each request in milliseconds, or `nil` for 30 seconds.
  public var timeout: Int64?

  /// Creates a program at the address of a service.
  public init(_ program: Program, _ service: APIService, timeout: Int64? = nil) {
    self.program = program
    self.service = service
    self.timeout = timeout
  }
}
