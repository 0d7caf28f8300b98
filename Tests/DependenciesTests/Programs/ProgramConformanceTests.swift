import SwiftBoardDependencies
import SwiftBoardServiceTesting
import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// The live and mock services for programs, by the same rules.
@Suite(.timeLimit(.minutes(20)))
struct ProgramConformanceTests {
  /// The environment of a test: the real client, and a keychain with the keys.
  static func dependencies() -> Dependencies {
    var dependencies = Dependencies.mock
    dependencies.apiClient = LiveAPIClient()
    dependencies.keychainService = MockKeychainService(entries: [
      "radarr": Data("radarr-key\n".utf8), "sonarr": Data("sonarr-key".utf8),
      "lidarr": Data("lidarr-key".utf8), "sabnzbd": Data("sab-key".utf8),
      "nzbget": Data("nzbget-password".utf8), "wrong": Data("nonsense-key".utf8),
    ])
    return dependencies
  }

  static func server(
    _ program: MediaProgram, _ origin: String, secret: String? = nil, path: String? = nil
  ) -> MediaServer {
    MediaServer(
      program,
      APIService(
        name: program.rawValue, baseURL: origin + (path ?? "/\(program.rawValue)\(program.path)"),
        authentication: .header(name: "X-Api-Key", secret: secret ?? program.rawValue)),
      timeout: 3_600_000)
  }

  static func server(
    _ program: DownloadProgram, _ origin: String, secret: String? = nil, path: String? = nil
  ) -> DownloadServer {
    let secret = secret ?? program.rawValue
    return DownloadServer(
      program,
      APIService(
        name: program.rawValue, baseURL: origin + (path ?? "/\(program.rawValue)"),
        authentication: program == .sabnzbd
          ? .query(name: "apikey", secret: secret) : .basic(user: "nzbget", secret: secret)),
      timeout: 3_600_000)
  }

  static let liveMedia = MediaConformance { program in
    let programs = try ProgramServer()
    return MediaConformance.Subject(
      LiveMediaService(dependencies()), server: server(program, programs.origin), term: "dune",
      keeping: programs)
  }
  static let mockMedia = MediaConformance { program in
    let mock = MockMediaService()
    mock.set(.sample(program), for: program.rawValue)
    return MediaConformance.Subject(
      mock, server: server(program, "http://nas.test"), term: program == .radarr ? "dune" : "a")
  }
  static let previewMedia = MediaConformance { program in
    MediaConformance.Subject(
      Dependencies.preview.mediaService, server: server(program, "http://nas.test"),
      term: program == .radarr ? "dune" : "a")
  }

  @Test("live media programs keep every rule", arguments: liveMedia.checks)
  func liveMediaConforms(_ check: ConformanceCheck) async throws { try await check.run() }

  @Test("mock media programs keep every rule", arguments: mockMedia.checks)
  func mockMediaConforms(_ check: ConformanceCheck) async throws { try await check.run() }

  @Test("preview media programs keep every rule", arguments: previewMedia.checks)
  func previewMediaConforms(_ check: ConformanceCheck) async throws { try await check.run() }

  static let liveDownloads = DownloadConformance { program in
    let programs = try ProgramServer()
    return DownloadConformance.Subject(
      LiveDownloadService(dependencies()), server: server(program, programs.origin),
      keeping: programs)
  }
  static let mockDownloads = DownloadConformance { program in
    let mock = MockDownloadService()
    mock.set(.sample(program), for: program.rawValue)
    return DownloadConformance.Subject(mock, server: server(program, "http://nas.test"))
  }
  static let previewDownloads = DownloadConformance { program in
    DownloadConformance.Subject(
      Dependencies.preview.downloadService, server: server(program, "http://nas.test"))
  }

  @Test("live download programs keep every rule", arguments: liveDownloads.checks)
  func liveDownloadsConform(_ check: ConformanceCheck) async throws { try await check.run() }

  @Test("mock download programs keep every rule", arguments: mockDownloads.checks)
  func mockDownloadsConform(_ check: ConformanceCheck) async throws { try await check.run() }

  @Test("preview download programs keep every rule", arguments: previewDownloads.checks)
  func previewDownloadsConform(_ check: ConformanceCheck) async throws { try await check.run() }
}
