/// A kind of program that runs as a service, with an API of its own.
public protocol ServiceProgram: RawRepresentable<String>, CaseIterable, Codable, Equatable, Sendable
{
  /// The name of the program, for users.
  var title: String { get }
}

/// A program at the address of a service.
public struct ProgramEndpoint<Program: ServiceProgram>: Codable, Sendable, Equatable {
  /// The program that should be there.
  public var program: Program
  /// Its address and the name of its key.
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
