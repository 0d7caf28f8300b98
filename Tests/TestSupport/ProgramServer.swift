import SwiftBoardJSON
import Synchronization

/// Radarr, Sonarr, Lidarr, SABnzbd and NZBGet as their published APIs describe them, on one server.
///
/// - `/radarr/api/v3`, `/sonarr/api/v3`, `/lidarr/api/v1`: the key is `radarr-key` and so on, in
///   `X-Api-Key` or `apikey`; other addresses below `/radarr` are the program's page
/// - `/sabnzbd/api`: the key is `sab-key`, in `apikey`
/// - `/nzbget/jsonrpc`: Basic `nzbget:nzbget-password`
///
/// What is added, changed, paused or removed stays so. All else goes to the routes of
/// `TestHTTPServer`.
public final class ProgramServer: Sendable {
  private let server: TestHTTPServer
  private let state: ProgramStates

  public init() throws {
    let state = ProgramStates()
    self.state = state
    server = try TestHTTPServer { request in state.answer(request).map { .response($0) } }
  }

  /// `http://127.0.0.1:PORT`, without a slash at the end.
  public var origin: String { server.origin }
  /// All requests so far.
  public var requests: [TestHTTPServer.Request] { server.requests }
  /// Closes everything.
  public func stop() { server.stop() }
  /// Makes the programs as they were at the beginning.
  public func reset() { state.reset() }

  /// An item of a library, as its program has it.
  public func item(_ program: String, _ id: Int) -> JSON? {
    state.media.withLock { $0[program]?.library.first { $0["id"]?.intValue == id } }
  }
}

/// What the five programs have.
final class ProgramStates: Sendable {
  let media: Mutex<[String: MediaProgramState]>
  private let sabnzbd = Mutex(SABnzbdState())
  private let nzbget = Mutex(NZBGetState())

  init() { media = Mutex(Self.programs) }

  private static var programs: [String: MediaProgramState] {
    [
      "radarr": MediaProgramState("radarr"), "sonarr": MediaProgramState("sonarr"),
      "lidarr": MediaProgramState("lidarr"),
    ]
  }

  func reset() {
    media.withLock { $0 = Self.programs }
    sabnzbd.withLock { $0 = SABnzbdState() }
    nzbget.withLock { $0 = NZBGetState() }
  }

  func answer(_ request: TestHTTPServer.Request) -> TestHTTPServer.Response? {
    let parts = request.path.split(separator: "/").map(String.init)
    switch parts.first {
    case "sabnzbd": return sabnzbd.withLock { $0.answer(request, Array(parts.dropFirst())) }
    case "nzbget": return nzbget.withLock { $0.answer(request, Array(parts.dropFirst())) }
    case let name?:
      return media.withLock { $0[name]?.answer(request, Array(parts.dropFirst())) }
    case nil: return nil
    }
  }
}

extension TestHTTPServer.Response {
  init(_ status: Int = 200, _ json: JSON) { self.init(status, json: json.text) }

  /// The page that such programs have at every other address.
  static func page(_ title: String) -> TestHTTPServer.Response {
    TestHTTPServer.Response(
      200, headers: [("Content-Type", "text/html")],
      body: Array("<!doctype html><html><title>\(title)</title></html>".utf8))
  }
}
