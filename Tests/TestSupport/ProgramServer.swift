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

  /// - Parameter isPlain: Whether nothing but the APIs is there: neither pages nor the header by
  ///   which Radarr's kind is known. Radarr's kind then refuses any address without its key.
  public init(isPlain: Bool = false) throws {
    let state = ProgramStates(isPlain: isPlain)
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
  private let isPlain: Bool

  init(isPlain: Bool) {
    self.isPlain = isPlain
    media = Mutex(Self.programs)
  }

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
    var answer = answerOfProgram(request)
    guard isPlain else { return answer }
    if answer?.isPage == true { answer = TestHTTPServer.Response(404) }
    answer?.headers.removeAll { $0.0 == "X-Application-Version" }
    let name = request.path.split(separator: "/").first.map(String.init) ?? ""
    let isRefused = request.header("X-Api-Key") ?? request.query("apikey") != "\(name)-key"
    return isRefused && media.withLock { $0[name] != nil } ? .unauthorized : answer
  }

  private func answerOfProgram(
    _ request: TestHTTPServer.Request
  ) -> TestHTTPServer.Response? {
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

  /// The refusal of Radarr's kind.
  static var unauthorized: TestHTTPServer.Response { .init(401, ["error": "Unauthorized"]) }

  fileprivate var isPage: Bool { headers.contains { $0.1 == "text/html" } && status == 200 }

  /// The page that such programs have at every other address.
  public static func page(_ title: String) -> TestHTTPServer.Response {
    TestHTTPServer.Response(
      200, headers: [("Content-Type", "text/html")],
      body: Array("<!doctype html><html><title>\(title)</title></html>".utf8))
  }
}
