import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON

/// What `api service test` asks a service whose preset says which program it is: something that
/// needs the key.
struct ServiceTest: Sendable {
  private let service: APIService
  private let preset: APIPreset
  private let timeout: Int64?

  /// Creates the test of a request in flight; `nil` if it is none, or if its service has no preset.
  init?(of request: PendingRequest) {
    guard request.isTest, let service = request.service,
      let preset = service.preset.flatMap(APIPreset.init(rawValue:))
    else { return nil }
    self.service = service
    self.preset = preset
    timeout = request.timeout
  }

  /// Returns the result of a test that succeeded.
  func result(_ status: ProgramStatus, milliseconds: Int64) -> APIResult {
    .testedProgram(
      name: service.name, program: status.program, version: status.version,
      milliseconds: milliseconds)
  }

  /// Asks the program.
  ///
  /// - Throws: `ProgramError`, which tells a wrong key, a wrong program and a wrong address apart.
  func status(_ dependencies: Dependencies) async throws -> ProgramStatus {
    if let program = MediaProgram(rawValue: preset.rawValue) {
      return try await dependencies.mediaService.status(
        of: MediaServer(program, service, timeout: timeout))
    }
    if let program = DownloadProgram(rawValue: preset.rawValue) {
      return try await dependencies.downloadService.status(
        of: DownloadServer(program, service, timeout: timeout))
    }
    return try await characters(dependencies)
  }

  /// The Rick and Morty API has neither a key nor a version: its first page tells it.
  private func characters(_ dependencies: Dependencies) async throws -> ProgramStatus {
    func error(_ kind: ProgramError.Kind) -> ProgramError {
      ProgramError(
        kind, program: "the Rick and Morty API", service: service.name, address: service.baseURL)
    }
    let request = try APIEndpoint(
      url: "\(service.baseURL)/character", headers: [HTTPHeader("Accept", "application/json")],
      timeout: .milliseconds(timeout ?? 30_000), redirectLimit: 0
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
