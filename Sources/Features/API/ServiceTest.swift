import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON

/// What `api service test` asks a service whose preset says which program it is: something that
/// needs the key.
struct ServiceTest {
  private let context: CommandContext
  private let dependencies: Dependencies

  init(_ context: CommandContext, _ dependencies: Dependencies) {
    self.context = context
    self.dependencies = dependencies
  }

  /// Asks the program of a service.
  ///
  /// - Returns: `nil` for a service without a preset, or without a name on the board.
  /// - Throws: `ProgramError`, which tells a wrong key, a wrong program and a wrong address apart.
  func program(of name: String) async throws -> APIResult? {
    guard let service = try await dependencies.persistence.service(name),
      let preset = service.preset.flatMap(APIPreset.init(rawValue:))
    else { return nil }
    let start = dependencies.clock.now
    let status = try await status(of: service, preset)
    return .testedProgram(
      name: name, program: status.program, version: status.version,
      milliseconds: (dependencies.clock.now - start) / 1000)
  }

  private func status(of service: APIService, _ preset: APIPreset) async throws -> ProgramStatus {
    if let program = MediaProgram(rawValue: preset.rawValue) {
      let server = MediaServer(program, service, timeout: context.timeout)
      return try await dependencies.mediaService.status(of: server)
    }
    if let program = DownloadProgram(rawValue: preset.rawValue) {
      let server = DownloadServer(program, service, timeout: context.timeout)
      return try await dependencies.downloadService.status(of: server)
    }
    return try await characters(of: service)
  }

  /// The Rick and Morty API has neither a key nor a version: its first page tells it.
  private func characters(of service: APIService) async throws -> ProgramStatus {
    func error(_ kind: ProgramError.Kind) -> ProgramError {
      ProgramError(
        kind, program: "the Rick and Morty API", service: service.name, address: service.baseURL)
    }
    let request = try APIEndpoint(
      url: "\(service.baseURL)/character", headers: [HTTPHeader("Accept", "application/json")],
      timeout: .milliseconds(context.timeout ?? 30_000), redirectLimit: 0
    ).request()
    let response = try await dependencies.apiClient.send(request)
    guard (200..<300).contains(response.status) else {
      throw error(response.status >= 500 ? .status(response.status) : .wrongPath)
    }
    guard (try? CharacterPage(json: response.body, number: 1)) != nil else {
      throw error(.wrongProgram(found: nil))
    }
    return ProgramStatus(program: "the Rick and Morty API", version: "")
  }

  static func outcome(
    _ job: Int, _ name: String, _ program: String, _ version: String, _ milliseconds: Int64
  ) -> Outcome {
    let title = version.isEmpty ? program : "\(program) \(version)"
    return Outcome(
      job: job,
      value: .object([
        .init("service", .string(name)), .init("program", .string(program)),
        .init("version", .string(version)), .init("ms", JSON(milliseconds)),
      ]),
      presentation: .text("\(name) is \(title), and answered in \(milliseconds) ms\n"))
  }
}
