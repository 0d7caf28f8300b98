import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardTestSupport
import Testing

/// How answers of programs are read.
@Suite(.timeLimit(.minutes(20)))
struct ProgramAnswerTests {
  private let dependencies = ProgramConformanceTests.dependencies()

  /// A server with the same answer to everything.
  private func server(_ response: TestHTTPServer.Response) throws -> TestHTTPServer {
    try TestHTTPServer { _ in .response(response) }
  }

  private func page(
    _ status: Int, _ body: String, _ headers: [(String, String)] = []
  ) -> TestHTTPServer.Response {
    .init(status, headers: headers, body: Array(body.utf8))
  }

  private func kind(
    of server: TestHTTPServer, _ program: MediaProgram = .radarr
  ) async -> ProgramError.Kind? {
    let server = ProgramConformanceTests.server(program, server.origin)
    do throws(ProgramError) {
      _ = try await LiveMediaService(dependencies).queue(of: server)
      return nil
    } catch { return error.kind }
  }

  private func kind(
    of server: TestHTTPServer, _ program: DownloadProgram
  ) async -> ProgramError.Kind? {
    let server = ProgramConformanceTests.server(program, server.origin)
    do throws(ProgramError) {
      _ = try await LiveDownloadService(dependencies).queue(of: server)
      return nil
    } catch { return error.kind }
  }

  /// Answers NZBGet's calls by their methods.
  private func nzbget(_ results: [String: String]) throws -> TestHTTPServer {
    try TestHTTPServer { request in
      let method = (try? JSON(parsing: request.bodyText))?["method"]?.stringValue ?? ""
      return .response(.init(json: #"{"result":\#(results[method] ?? "null")}"#))
    }
  }

  // MARK: Queues

  @Test(
    "a queue has all pages, each download once, up to 2000, and those that are not assigned",
    arguments: [(350, 350), (2350, 2000)])
  func pages(total: Int, expected: Int) async throws {
    let server = try TestHTTPServer { request in
      let page = Int(request.query("page") ?? "") ?? 0
      // The last one of a page has moved to the next page.
      let first = (page - 1) * 200 + (page == 2 ? 0 : 1)
      let records = (first..<min(page * 200, total) + 1).map { id in
        #"{"id":\#(id),"title":"t","status":"queued"}"#
      }
      return .response(
        .init(json: #"{"totalRecords":\#(total),"records":[\#(records.joined(separator: ","))]}"#))
    }
    let radarr = ProgramConformanceTests.server(.radarr, server.origin)
    let queue = try await LiveMediaService(dependencies).queue(of: radarr)
    #expect(queue.entries.map(\.id) == Array(1...expected) && queue.count == total)
    #expect(server.requests.allSatisfy { $0.query("includeUnknownMovieItems") == "true" })
  }

  @Test(
    "a queue asks for what is not assigned by the name of each program",
    arguments: [
      (MediaProgram.radarr, "includeUnknownMovieItems"), (.sonarr, "includeUnknownSeriesItems"),
      (.lidarr, "includeUnknownArtistItems"),
    ])
  func unknownItems(program: MediaProgram, name: String) async throws {
    let server = try server(.init(json: #"{"totalRecords":0,"records":[]}"#))
    #expect(await kind(of: server, program) == nil)
    #expect(server.requests.map { $0.query(name) } == ["true"])
  }

  @Test("NZBGet's sizes are its bytes, and what is paused is not to come")
  func sizes() async throws {
    func group(_ id: Int, _ status: String, _ sizes: String) -> String {
      #"{"NZBID":\#(id),"NZBName":"n","Status":"\#(status)",\#(sizes)}"#
    }
    let groups = [
      // 10 GiB, of which 3 GiB are left, and 1 GiB of these is paused.
      group(
        1, "DOWNLOADING",
        """
        "FileSizeHi":2,"FileSizeLo":2147483648,"FileSizeMB":10240,"RemainingSizeHi":0,\
        "RemainingSizeLo":3221225472,"RemainingSizeMB":3072,"PausedSizeHi":0,\
        "PausedSizeLo":1073741824,"PausedSizeMB":1024
        """),
      group(
        2, "QUEUED",
        #""FileSizeHi":0,"FileSizeLo":900000,"FileSizeMB":0,"RemainingSizeMB":0"#),
      group(3, "PAUSED", #""FileSizeMB":700,"RemainingSizeMB":700,"PausedSizeMB":700"#),
    ]
    let server = try nzbget([
      "status": #"{"DownloadRate":10485760}"#, "listgroups": "[\(groups.joined(separator: ","))]",
    ])
    let queue = try await LiveDownloadService(dependencies).queue(
      of: ProgramConformanceTests.server(.nzbget, server.origin))
    let gibibyte: Int64 = 1 << 30
    let entries: [DownloadQueue.Entry] = [
      .init(
        id: "1", name: "n", status: .downloading, size: 10 * gibibyte, left: 2 * gibibyte,
        pausedBytes: gibibyte, secondsLeft: 205),
      .init(id: "2", name: "n", status: .queued, size: 900_000, left: 0),
      .init(id: "3", name: "n", status: .paused, size: 700 << 20, left: 700 << 20),
    ]
    #expect(queue.entries == entries)
  }

  @Test("SABnzbd's category of the name None is none")
  func noCategory() async throws {
    let server = try server(
      .init(
        json: """
          {"queue":{"slots":[{"nzo_id":"a","filename":"f","status":"Grabbing","cat":"None"}]}}
          """))
    let queue = try await LiveDownloadService(dependencies).queue(
      of: ProgramConformanceTests.server(.sabnzbd, server.origin))
    #expect(queue.entries.map(\.category) == [nil])
  }

  // MARK: Histories

  @Test("NZBGet's warnings are no success, except that of a script, and say what is wrong")
  func warnings() async throws {
    let names = ["SUCCESS/ALL", "WARNING/SCRIPT", "WARNING/PASSWORD", "FAILURE/UNPACK"]
    let rows = names.enumerated().map { index, name in
      #"{"NZBID":\#(index),"Name":"n","Status":"\#(name)","FileSizeHi":1,"FileSizeLo":5}"#
    }
    let server = try nzbget(["history": "[\(rows.joined(separator: ","))]"])
    let history = try await LiveDownloadService(dependencies).history(
      of: ProgramConformanceTests.server(.nzbget, server.origin), limit: 10)
    #expect(history.map(\.isComplete) == [true, true, false, false])
    #expect(
      history.map(\.problem) == [
        nil, "a post-processing script failed", "not unpacked: the password is missing or wrong",
        "unpacking failed",
      ])
    #expect(history.allSatisfy { $0.size == 1 << 32 + 5 })
  }

  @Test("NZBGet's history, which it always sends whole, may be longer than other answers")
  func longHistory() async throws {
    let padding = String(repeating: "x", count: 17 << 20)
    let server = try nzbget([
      "history": #"[{"NZBID":1,"Name":"n","Status":"SUCCESS/ALL","pad":"\#(padding)"}]"#
    ])
    let history = try await LiveDownloadService(dependencies).history(
      of: ProgramConformanceTests.server(.nzbget, server.origin), limit: 1)
    #expect(history.map(\.id) == ["1"])
  }

  @Test("what SABnzbd is still unpacking has not ended")
  func unpacking() async throws {
    let rows = ["Extracting", "Queued", "Completed", "Failed"].map { status in
      #"{"nzo_id":"\#(status)","name":"n","status":"\#(status)","completed":1700000000}"#
    }
    let server = try server(
      .init(json: #"{"history":{"slots":[\#(rows.joined(separator: ","))]}}"#))
    let history = try await LiveDownloadService(dependencies).history(
      of: ProgramConformanceTests.server(.sabnzbd, server.origin), limit: 10)
    let end: Int64 = 1_700_000_000_000_000
    #expect(history.map(\.ended) == [nil, nil, end, end])
    #expect(history.map(\.isComplete) == [false, false, true, false])
  }

  // MARK: Types

  /// Asks for the queue or the history of a download program.
  private func error(
    of server: TestHTTPServer, _ program: DownloadProgram, history: Bool = false
  ) async -> ProgramError.Kind? {
    guard history else { return await kind(of: server, program) }
    let server = ProgramConformanceTests.server(program, server.origin)
    do throws(ProgramError) {
      _ = try await LiveDownloadService(dependencies).history(of: server, limit: 5)
      return nil
    } catch { return error.kind }
  }

  @Test(
    "a member of the wrong type is an error with its path, not a value that was not sent",
    arguments: [
      ("mb", "[]"), ("mbleft", #""much""#), ("mb", "1e300"), ("timeleft", "5"), ("cat", "7"),
      ("bytes", #""much""#), ("completed", #""today""#), ("fail_message", "[1]"),
    ])
  func sabnzbdTypes(member: String, value: String) async throws {
    let isHistory = ["bytes", "completed", "fail_message"].contains(member)
    let row = #"{"nzo_id":"a","name":"n","filename":"f","status":"Failed","\#(member)":\#(value)}"#
    let name = isHistory ? "history" : "queue"
    let server = try server(.init(json: #"{"\#(name)":{"slots":[\#(row)]}}"#))
    let kind = await error(of: server, .sabnzbd, history: isHistory)
    #expect(kind == .undecodable(path: "\(name).slots[0].\(member)"))
    // What a program writes where it has nothing is no value.
    let nothing = row.replacing(value, with: member == "mb" ? #""""# : "null")
    let quiet = try self.server(.init(json: #"{"\#(name)":{"slots":[\#(nothing)]}}"#))
    #expect(await error(of: quiet, .sabnzbd, history: isHistory) == nil)
  }

  @Test(
    "a member of the wrong type in an answer of NZBGet is an error with its path",
    arguments: [
      ("listgroups", "FileSizeMB", #""much""#), ("listgroups", "RemainingSizeHi", "true"),
      ("listgroups", "Category", "[]"), ("history", "HistoryTime", #""today""#),
      ("history", "FileSizeLo", "[]"), ("history", "HistoryTime", "9223372036854775807"),
    ])
  func nzbgetTypes(method: String, member: String, value: String) async throws {
    let row = #"{"NZBID":1,"NZBName":"n","Name":"n","Status":"QUEUED","\#(member)":\#(value)}"#
    let high = member == "FileSizeLo" ? row.replacing("{", with: #"{"FileSizeHi":0,"#) : row
    let server = try nzbget(["status": "{}", method: "[\(high)]"])
    let kind = await error(of: server, .nzbget, history: method == "history")
    #expect(kind == .undecodable(path: "\(method)[0].\(member)"))
  }

  @Test(
    "a member of the wrong type in an answer of a media program is an error with its path",
    arguments: [
      ("library", #"[{"id":1,"title":"t","year":"2021"}]"#, "[0].year"),
      ("library", #"[{"id":1,"title":["t"]}]"#, "[0].title"),
      ("library", #"[{"id":1,"statistics":{"episodeCount":"3"}}]"#, "[0].statistics.episodeCount"),
      (
        "queue", #"{"totalRecords":1,"records":[{"id":1,"status":"s","size":{}}]}"#,
        "records[0].size"
      ),
      ("calendar", #"[{"id":1,"title":5}]"#, "[0].title"),
      ("calendar", #"[{"id":1,"hasFile":"yes"}]"#, "[0].hasFile"),
    ])
  func mediaTypes(call: String, body: String, path: String) async throws {
    let server = try server(.init(json: body))
    let radarr = ProgramConformanceTests.server(.radarr, server.origin)
    let service = LiveMediaService(dependencies)
    let error = await #expect(throws: ProgramError.self) {
      switch call {
      case "library": _ = try await service.library(of: radarr, policy: .noCache)
      case "queue": _ = try await service.queue(of: radarr)
      default: _ = try await service.calendar(of: radarr, from: 0, until: .max)
      }
    }
    #expect(error?.kind == .undecodable(path: path))
  }

  // MARK: Refusals

  @Test(
    "SABnzbd's refusal of a host or a network is no refusal of the key",
    arguments: [
      (
        "Access denied - Hostname verification failed: https://sabnzbd.org/hostname-check",
        ProgramError.Kind.denied(
          reason: "Access denied - Hostname verification failed: https://sabnzbd.org/hostname-check"
        )
      ), ("", .denied(reason: nil)), ("<html></html>", .denied(reason: nil)),
      ("API Key Incorrect", .wrongKey(secret: "sabnzbd")),
    ])
  func denied(body: String, expected: ProgramError.Kind) async throws {
    #expect(await kind(of: try server(page(403, body)), .sabnzbd) == expected)
  }

  @Test("a proxy's page with 401 does not show that the program refuses the key")
  func proxyRefusal() async throws {
    #expect(
      await kind(of: try server(page(401, "<html></html>"))) == .refusedKey(secret: "radarr"))
    #expect(await kind(of: try server(page(401, ""))) == .wrongKey(secret: "radarr"))
  }

  @Test("a redirect says where it leads, without what may be a secret")
  func redirect() async throws {
    for (location, expected) in [
      ("https://auth.test/login;sid=x?rd=/queue", "https://auth.test"),
      ("/base/radarr/api/v3/queue?x=1", "/base/radarr/api/v3"),
    ] {
      let server = try server(page(307, "", [("Location", location)]))
      let target = expected.hasPrefix("/") ? server.origin + expected : expected
      #expect(await kind(of: server) == .redirected(to: target))
    }
    let login = try server(page(302, "", [("Location", "/login?returnUrl=/queue")]))
    #expect(await kind(of: login) == .redirectedWithin(origin: login.origin))
    for program in DownloadProgram.allCases {
      let server = try server(page(302, "", [("Location", "https://auth.test/login?x=1")]))
      #expect(await kind(of: server, program) == .redirected(to: "https://auth.test"))
    }
  }

  @Test("a page is named by its title")
  func title() async throws {
    let html = [("Content-Type", "text/html")]
    let login = page(200, "<!DOCTYPE html><title>\n Log  in </title>", html)
    #expect(await kind(of: try server(login)) == .page(title: "Log in"))
    #expect(await kind(of: try server(login), .sabnzbd) == .page(title: "Log in"))
    #expect(await kind(of: try server(login), .nzbget) == .page(title: "Log in"))
    #expect(await kind(of: try server(page(200, "<html>", html))) == .wrongPath)
  }

  @Test("the reason of a program's own failure is in the error", arguments: [500, 503])
  func reason(status: Int) async throws {
    let server = try server(.init(status, json: #"{"message":"database disk image is malformed"}"#))
    #expect(
      await kind(of: server) == .status(status, reason: "database disk image is malformed"))
  }

  @Test("an ID that is unknown is missing, although Sonarr fails at its removal")
  func unknownRemoval() async throws {
    let programs = try ProgramServer()
    let error = await #expect(throws: ProgramError.self) {
      try await LiveMediaService(dependencies).remove(
        99, deletesFiles: false, from: ProgramConformanceTests.server(.sonarr, programs.origin))
    }
    #expect(error?.kind == .missing(id: "99"))
  }

  // MARK: Answers of others

  @Test(
    "an answer that is nested too deeply for a recording is no JSON of a program",
    arguments: [(400, "status"), (401, "")])
  func deepAnswer(levels: Int, path: String) async throws {
    let nested =
      String(repeating: "[", count: levels - 1)
      + String(repeating: "]", count: levels - 1)
    let server = try server(.init(json: #"{"deep":\#(nested)}"#))
    let sabnzbd = ProgramConformanceTests.server(.sabnzbd, server.origin)
    let error = await #expect(throws: ProgramError.self) {
      try await LiveDownloadService(dependencies).pause([], on: sabnzbd)
    }
    #expect(error?.kind == .undecodable(path: path))
  }

  @Test("an answer that is no program's is no success of a change")
  func otherAnswers() async throws {
    let server = try server(.init(json: #"{"method":"GET","path":"/"}"#))
    let (downloads, media) = (LiveDownloadService(dependencies), LiveMediaService(dependencies))
    let radarr = ProgramConformanceTests.server(.radarr, server.origin)
    let sabnzbd = ProgramConformanceTests.server(.sabnzbd, server.origin)
    let changes: [(ProgramError.Kind, () async throws -> Void)] = [
      (
        .undecodable(path: "{}"),
        { try await media.remove(1, deletesFiles: false, from: radarr) }
      ),
      (
        .undecodable(path: "{}"),
        { try await media.removeDownload(1, blocksRelease: false, from: radarr) }
      ),
      (.undecodable(path: "status"), { try await downloads.pause([], on: sabnzbd) }),
      (
        .undecodable(path: "queue"),
        { try await downloads.remove(["a"], deletesFiles: true, from: sabnzbd) }
      ),
      (.undecodable(path: "queue"), { try await downloads.pause(["a"], on: sabnzbd) }),
    ]
    for (kind, change) in changes {
      let error = await #expect(throws: ProgramError.self) { try await change() }
      #expect(error?.kind == kind)
    }
    let nzbget = try nzbget(["pausedownload": "false"])
    let refused = await #expect(throws: ProgramError.self) {
      try await downloads.pause([], on: ProgramConformanceTests.server(.nzbget, nzbget.origin))
    }
    #expect(refused?.kind == .refused(reasons: []))
  }
}
