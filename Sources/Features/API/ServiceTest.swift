import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON

/// The request of `api service test` for a service whose preset identifies its program. It requires
/// the key.
struct ServiceTest: Sendable {
  let service: APIService
  private let preset: ServicePreset
  private let timeout: Int64?

  /// Creates the test of a request in flight; `nil` if it is none, or if its service has no preset.
  init?(of request: PendingRequest) {
    guard request.isTest, let service = request.service,
      let preset = service.preset.flatMap(ServicePreset.init(rawValue:))
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

  /// Asks the program; see `Dependencies.status(of:at:timeout:)`.
  func status(_ dependencies: Dependencies) async throws -> ProgramStatus {
    try await dependencies.status(of: preset, at: service, timeout: timeout)
  }

  static func outcome(
    _ job: Int, _ name: String, _ program: String, _ version: String, _ milliseconds: Int64
  ) -> Outcome {
    // The version is the server's text, which must not begin a line of its own.
    let title = escapeControls(version.isEmpty ? program : "\(program) \(version)")
    return Outcome(
      job: job,
      value: [
        "service": .string(name), "program": .string(program), "version": .string(version),
        "ms": JSON(milliseconds),
      ],
      presentation: .text("\(name) is \(title), and answered in \(milliseconds) ms\n"))
  }
}
