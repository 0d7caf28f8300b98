import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardSystem
import SwiftBoardTestSupport
import Synchronization
import Testing

/// What the live services send, and how they tell what is wrong with a server.
@Suite(.timeLimit(.minutes(20)))
struct LiveProgramTests {
  private let programs: ProgramServer
  private let dependencies = ProgramConformanceTests.dependencies()

  init() throws { programs = try ProgramServer() }

  private func kind(_ server: MediaServer) async -> ProgramError.Kind? {
    do throws(ProgramError) {
      _ = try await LiveMediaService(dependencies).status(of: server)
      return nil
    } catch { return error.kind }
  }

  private func kind(_ server: DownloadServer) async -> ProgramError.Kind? {
    do throws(ProgramError) {
      _ = try await LiveDownloadService(dependencies).status(of: server)
      return nil
    } catch { return error.kind }
  }

  @Test(
    "a wrong key, a wrong program and a wrong path are told apart", arguments: MediaProgram.allCases
  )
  func wrongMedia(program: MediaProgram) async {
    let origin = programs.origin
    let right = ProgramConformanceTests.server(program, origin)
    #expect(await kind(right) == nil)
    let wrong = ProgramConformanceTests.server(program, origin, secret: "wrong")
    #expect(await kind(wrong) == .wrongKey(secret: "wrong"))
    // The page of the program, another version of the API, and nothing of it.
    for path in ["/\(program.rawValue)", "/\(program.rawValue)/api/v9", "/nowhere"] {
      let server = ProgramConformanceTests.server(program, origin, path: path)
      #expect(await kind(server) == .wrongPath, "\(path)")
    }
    let other: MediaProgram = program == .sonarr ? .radarr : .sonarr
    let stranger = ProgramConformanceTests.server(
      program, origin, secret: other.rawValue, path: "/\(other.rawValue)\(other.path)")
    #expect(await kind(stranger) == .wrongProgram(found: other.title))
    let sab = ProgramConformanceTests.server(program, origin, path: "/sabnzbd/api")
    #expect(await kind(sab) == .wrongProgram(found: "SABnzbd"))
    var none = right
    none.service.authentication = nil
    #expect(await kind(none) == .wrongKey(secret: nil))
  }

  @Test(
    "a wrong key, a wrong program and a wrong path are told apart for downloads",
    arguments: DownloadProgram.allCases)
  func wrongDownloads(program: DownloadProgram) async {
    let origin = programs.origin
    #expect(await kind(ProgramConformanceTests.server(program, origin)) == nil)
    // With the last part of the address as well.
    let whole = ProgramConformanceTests.server(
      program, origin, path: "/\(program.rawValue)\(program.path)")
    #expect(await kind(whole) == nil)
    let wrong = ProgramConformanceTests.server(program, origin, secret: "wrong")
    #expect(await kind(wrong) == .wrongKey(secret: "wrong"))
    for path in ["/\(program.rawValue)/x", "/nowhere"] {
      let server = ProgramConformanceTests.server(program, origin, path: path)
      #expect(await kind(server) == .wrongPath, "\(path)")
    }
    let other = program == .sabnzbd ? "/nzbget\(DownloadProgram.nzbget.path)" : "/sabnzbd/api"
    var stranger = ProgramConformanceTests.server(program, origin, path: other)
    stranger.service.baseURL += "?x="
    let found = await kind(stranger)
    #expect(
      found == .wrongProgram(found: program == .sabnzbd ? "NZBGet" : "SABnzbd"), "\(found as Any)")
  }

  @Test("a preset at any other program says which one answers, whatever the key and the address")
  func strangers() async throws {
    let titles = MediaProgram.allCases.map(\.title) + DownloadProgram.allCases.map(\.title)
    for title in titles {
      let name = title.lowercased()
      for program in MediaProgram.allCases where program.title != title {
        for path in ["/\(name)\(program.path)", "/\(name)"] {
          let server = ProgramConformanceTests.server(program, programs.origin, path: path)
          #expect(await kind(server) == .wrongProgram(found: title), "\(program) at \(path)")
        }
      }
      for program in DownloadProgram.allCases where program.title != title {
        let server = ProgramConformanceTests.server(program, programs.origin, path: "/\(name)")
        #expect(await kind(server) == .wrongProgram(found: title), "\(program) at \(name)")
      }
      let characters = try await charactersKind("\(programs.origin)/\(name)")
      #expect(characters == .wrongProgram(found: title), "rick-and-morty at \(name)")
    }
    #expect(Self.probesHaveNoKey(programs))
  }

  /// What finds out which program answers, after a refusal.
  private static func probesHaveNoKey(_ programs: ProgramServer) -> Bool {
    let probes = programs.requests.filter {
      $0.method == "GET" && ($0.path.hasSuffix("/jsonrpc") || $0.query("mode") == "version")
    }
    return !probes.isEmpty
      && probes.allSatisfy {
        $0.header("X-Api-Key") == nil && $0.header("Authorization") == nil
          && $0.query("apikey") == nil
      }
  }

  private func charactersKind(_ baseURL: String) async throws -> ProgramError.Kind? {
    let service = APIService(name: "rm", baseURL: baseURL, preset: "rick-and-morty")
    do {
      _ = try await dependencies.status(of: .rickAndMorty, at: service, timeout: nil)
      return nil
    } catch let error as ProgramError { return error.kind }
  }

  @Test(
    "a program without pages is told by what it answers without a key, in two requests more",
    arguments: MediaProgram.allCases.map(\.title) + DownloadProgram.allCases.map(\.title))
  func plainStrangers(title: String) async throws {
    let programs = try ProgramServer(isPlain: true)
    let (name, origin) = (title.lowercased(), programs.origin)
    let isMedia = MediaProgram(rawValue: name) != nil
    // Radarr, Sonarr and Lidarr refuse alike.
    let told = ProgramError.Kind.wrongProgram(found: isMedia ? nil : title)
    var asked = 0
    func check(
      _ kind: ProgramError.Kind?, _ expected: ProgramError.Kind, _ preset: String, _ path: String
    ) {
      #expect(kind == expected, "\(preset) at \(path)")
      #expect(programs.requests.count - asked <= 3, "\(preset) at \(path)")
      asked = programs.requests.count
    }
    for program in MediaProgram.allCases where program.title != title {
      for path in ["/\(name)\(program.path)", "/\(name)"] {
        let server = ProgramConformanceTests.server(program, origin, path: path)
        let expected =
          isMedia ? ProgramError.Kind.refusedKey(secret: program.rawValue) : told
        check(await kind(server), expected, program.rawValue, path)
      }
    }
    for program in DownloadProgram.allCases where program.title != title {
      for path in ["/\(name)", "/\(name)/api/v3"] {
        let server = ProgramConformanceTests.server(program, origin, path: path)
        check(await kind(server), told, program.rawValue, path)
      }
    }
    for path in ["/\(name)", "/\(name)/api"] {
      check(try await charactersKind(origin + path), told, "rick-and-morty", path)
    }
    #expect(Self.probesHaveNoKey(programs))
    // The program itself is known by its answers, or not told from its kin.
    if let program = MediaProgram(rawValue: name) {
      #expect(await kind(ProgramConformanceTests.server(program, origin)) == nil)
      let wrong = ProgramConformanceTests.server(program, origin, secret: "wrong")
      #expect(await kind(wrong) == .refusedKey(secret: "wrong"))
    } else if let program = DownloadProgram(rawValue: name) {
      #expect(await kind(ProgramConformanceTests.server(program, origin)) == nil)
      let wrong = ProgramConformanceTests.server(program, origin, secret: "wrong")
      #expect(await kind(wrong) == .wrongKey(secret: "wrong"))
    }
  }

  @Test("a program with the header of Radarr's kin and another name is not taken for one of them")
  func relative() async throws {
    let server = try TestHTTPServer { request in
      .response(
        request.path.hasPrefix("/api")
          ? .init(401, headers: [("X-Application-Version", "2.0.5")])
          : .init(
            200, headers: [("Content-Type", "text/html")],
            body: Array("<title>Prowlarr</title>".utf8)))
    }
    let found = await kind(ProgramConformanceTests.server(.sabnzbd, server.origin, path: "/api/v1"))
    #expect(found == .wrongProgram(found: nil))
  }

  @Test("a key is sent where the program wants it, and is in no error")
  func keys() async throws {
    _ = try await LiveMediaService(dependencies).status(
      of: ProgramConformanceTests.server(.radarr, programs.origin))
    #expect(programs.requests.last?.header("X-Api-Key") == "radarr-key")
    _ = try await LiveDownloadService(dependencies).queue(
      of: ProgramConformanceTests.server(.sabnzbd, programs.origin))
    #expect(programs.requests.last?.query("apikey") == "sab-key")
    programs.stop()
    let server = ProgramConformanceTests.server(.sabnzbd, programs.origin)
    let error = await #expect(throws: ProgramError.self) {
      _ = try await LiveDownloadService(dependencies).queue(of: server)
    }
    #expect(error?.isTemporary == true)
    #expect(!"\(error as Any)".contains("sab-key"))
  }

  @Test("what a line says of a removal, a search and a download reaches each program")
  func sent() async throws {
    let media = LiveMediaService(dependencies)
    var asked: TestHTTPServer.Request { get throws { try #require(programs.requests.last) } }
    let searches: [(MediaProgram, JSON)] = [
      (.radarr, ["name": "MoviesSearch", "movieIds": [JSON(1)]]),
      (.sonarr, ["name": "SeriesSearch", "seriesId": JSON(1)]),
      (.lidarr, ["name": "ArtistSearch", "artistId": JSON(1)]),
    ]
    for (program, body) in searches {
      let server = ProgramConformanceTests.server(program, programs.origin)
      _ = try await media.search(forItem: 1, on: server)
      #expect(try JSON(parsing: try asked.bodyText) == body, "\(program)")
      _ = try await media.queue(of: server)
      #expect(try asked.query("pageSize") == "200")
      try await media.removeDownload(1, blocksRelease: program == .radarr, from: server)
      #expect(try asked.query("removeFromClient") == "true")
      #expect(try asked.query("blocklist") == "\(program == .radarr)")
      for deletesFiles in [true, false] {
        try await media.remove(deletesFiles ? 1 : 2, deletesFiles: deletesFiles, from: server)
        #expect(try asked.query("deleteFiles") == "\(deletesFiles)")
      }
    }
    let downloads = LiveDownloadService(dependencies)
    let new = NewDownload("http://i.test/7", name: "Arrival", category: "films")
    let sab = ProgramConformanceTests.server(.sabnzbd, programs.origin)
    _ = try await downloads.add(new, to: sab)
    #expect(try asked.query("nzbname") == "Arrival" && asked.query("cat") == "films")
    let get = ProgramConformanceTests.server(.nzbget, programs.origin)
    _ = try await downloads.add(new, to: get)
    let parameters = try JSON(parsing: try asked.bodyText)["params"]
    #expect(parameters?[0] == "Arrival.nzb" && parameters?[2] == "films")
    for (id, deletesFiles) in [(0, false), (1, true)] {
      try await downloads.remove(["SABnzbd_nzo_\(id)"], deletesFiles: deletesFiles, from: sab)
      #expect(try asked.query("del_files") == (deletesFiles ? "1" : "0"))
      try await downloads.remove(["\(id + 1)"], deletesFiles: deletesFiles, from: get)
      let command = try JSON(parsing: try asked.bodyText)["params"]?[0]
      #expect(command == (deletesFiles ? "GroupFinalDelete" : "GroupDelete"))
    }
  }

  @Test("a calendar has films by their three dates, episodes of their series, albums of artists")
  func calendar() async throws {
    let server = try TestHTTPServer { request in
      let json =
        request.path.hasPrefix("/radarr")
        ? #"""
        [{"id":1,"title":"Dune","inCinemas":"2026-01-01T00:00:00Z",
        "digitalRelease":"2026-01-02T00:00:00Z","physicalRelease":"2026-01-03T00:00:00.5Z"}]
        """#
        : request.path.hasPrefix("/sonarr")
          ? #"""
          [{"id":2,"title":"Pilot","seasonNumber":1,"episodeNumber":2,
          "airDateUtc":"2026-01-04T00:00:00Z","series":{"title":"Severance"}}]
          """#
          : #"""
          [{"id":3,"title":"Neu! 75","releaseDate":"2026-01-05T00:00:00Z",
          "artist":{"artistName":"Neu!"}}]
          """#
      return .response(.init(json: json))
    }
    let day: Int64 = 86_400_000_000
    let start = 20_454 * day
    func calendar(_ program: MediaProgram) async throws -> [MediaRelease] {
      try await LiveMediaService(dependencies).calendar(
        of: ProgramConformanceTests.server(program, server.origin), from: start,
        until: start + 31 * day)
    }
    #expect(
      try await calendar(.radarr) == [
        MediaRelease(id: 1, kind: .cinema, date: start, title: "Dune"),
        MediaRelease(id: 1, kind: .digital, date: start + day, title: "Dune"),
        MediaRelease(id: 1, kind: .physical, date: start + 2 * day, title: "Dune"),
      ])
    #expect(
      try await calendar(.sonarr) == [
        MediaRelease(
          id: 2, kind: .episode, date: start + 3 * day, title: "Severance", part: "1x02 Pilot")
      ])
    #expect(
      try await calendar(.lidarr) == [
        MediaRelease(id: 3, kind: .album, date: start + 4 * day, title: "Neu!", part: "Neu! 75")
      ])
    // Titles of series and artists come only if they are asked for, and only what is wanted.
    #expect(
      server.requests.map { [$0.query("includeSeries"), $0.query("includeArtist")] } == [
        [nil, nil], ["true", nil], [nil, "true"],
      ])
    #expect(server.requests.allSatisfy { $0.query("unmonitored") == "false" })
  }

  @Test(
    "a date of a calendar may be a day, and have a fraction and an offset",
    arguments: [
      ("2026-01-05", 0), ("2026-01-05T01:30:00Z", 90), ("2026-01-05T01:30:00", 90),
      ("2026-01-05T01:30:00.1234567Z", 90), ("2026-01-05T23:30:00-05:00", 28 * 60 + 30),
      ("2026-01-05T01:00:00+02:00", -60), ("2026-01-05T01:00:00.5+0200", -60),
      ("2026-01-05T01:00:00+02", -60), ("not a date", nil), ("2026-02-30", nil),
      ("2026-01-05T01:00:00.Z", nil), ("2026-01-05T01:00:00+25:00", nil), ("", nil),
    ] as [(String, Int64?)])
  func calendarDates(text: String, minutes: Int64?) async throws {
    let server = try TestHTTPServer { _ in
      .response(.init(json: #"[{"id":7,"title":"Dune","digitalRelease":"\#(text)"}]"#))
    }
    let day: Int64 = 86_400_000_000
    let start = 20_458 * day
    func dates() async throws(ProgramError) -> [Int64] {
      try await LiveMediaService(dependencies).calendar(
        of: ProgramConformanceTests.server(.radarr, server.origin), from: start - 10 * day,
        until: start + 10 * day
      ).map(\.date)
    }
    if let minutes {
      #expect(try await dates() == [start + minutes * 60_000_000])
    } else {
      let error = await #expect(throws: ProgramError.self) { try await dates() }
      #expect(error?.kind == .undecodable(path: "[0].digitalRelease"))
    }
  }

  @Test("a program without pages that takes the key names itself, if it is another one")
  func namesItself() async throws {
    let programs = try ProgramServer(isPlain: true)
    let server = ProgramConformanceTests.server(
      .radarr, programs.origin, secret: "sonarr", path: "/sonarr/api/v3")
    #expect(await kind(server) == .wrongProgram(found: "Sonarr"))
  }

  @Test("each request and each failure is logged, without the query")
  func log() async throws {
    var dependencies = dependencies
    let logger = MockLogger()
    dependencies.logger = logger
    let server = ProgramConformanceTests.server(.sabnzbd, programs.origin)
    _ = try await LiveDownloadService(dependencies).queue(of: server)
    let answer = try #require(logger.records.last)
    #expect(answer.level == .info)
    #expect(answer.message.hasPrefix("GET \(programs.origin)/sabnzbd"), "\(answer.message)")
    #expect(!answer.message.contains("?"))
    #expect(answer.fields.first == LogField("status", "200"))
    let closed = try ClosedPort()
    let nowhere = ProgramConformanceTests.server(
      .radarr, "http://127.0.0.1:\(closed.number)")
    await #expect(throws: ProgramError.self) {
      try await LiveMediaService(dependencies).status(of: nowhere)
    }
    #expect(logger.records.last?.level == .warning)
    #expect(logger.records.last?.fields == [LogField("error", "refused")])
  }

  @Test(
    "what changes something is sent once, although a kept connection closes beneath it",
    arguments: ["add", "pause", "pause all", "delete", "PUT", "DELETE", "queue"])
  func sentOnce(change: String) async throws {
    @Sendable func isChange(_ request: TestHTTPServer.Request) -> Bool {
      request.method != "GET" || request.query("name") != nil
        || ["addurl", "pause"].contains(request.query("mode"))
    }
    let server = try TestHTTPServer { request in
      isChange(request)
        ? .raw([]) : .response(.init(json: #"{"queue":{"slots":[{"nzo_id":"a"}]}}"#))
    }
    let sabnzbd = ProgramConformanceTests.server(.sabnzbd, server.origin)
    let radarr = ProgramConformanceTests.server(.radarr, server.origin)
    let (downloads, media) = (LiveDownloadService(dependencies), LiveMediaService(dependencies))
    _ = try await dependencies.apiClient.send(APIRequest(url: server.origin, timeout: nil))
    await #expect(throws: ProgramError.self) {
      switch change {
      case "add":
        _ = try await downloads.add(
          NewDownload([.text(text: "http://indexer.test/1")]), to: sabnzbd)
      case "pause": try await downloads.pause(["a"], on: sabnzbd)
      case "pause all": try await downloads.pause([], on: sabnzbd)
      case "delete": try await downloads.remove(["a"], deletesFiles: false, from: sabnzbd)
      case "PUT": _ = try await media.update(MediaResource(["id": 1]), on: radarr)
      case "DELETE": try await media.remove(1, deletesFiles: false, from: radarr)
      default: try await media.removeDownload(1, blocksRelease: false, from: radarr)
      }
    }
    #expect(server.requests.filter(isChange).count == 1)
    #expect(Set(server.requests.map(\.connection)).count == 1, "the connection was kept")
  }

  @Test("a secret of an address is sent encoded, and the call of a mock has its name")
  func secretAddress() async throws {
    let download = NewDownload(
      [.text(text: "http://indexer.test/get?id=1&apikey="), .secret(name: "wrong")], name: "x")
    _ = try await LiveDownloadService(dependencies).add(
      download, to: ProgramConformanceTests.server(.sabnzbd, programs.origin))
    #expect(
      programs.requests.last?.query("name") == "http://indexer.test/get?id=1&apikey=nonsense-key")
    // Both are encoded: as a part of the address, and the address as a value of the query.
    var dependencies = dependencies
    dependencies.keychainService = MockKeychainService(
      entries: [
        "sabnzbd": Data("sab-key".utf8), "nzbget": Data("nzbget-password".utf8),
        "wrong": Data(#"a"&b"#.utf8),
      ])
    for program in DownloadProgram.allCases {
      _ = try await LiveDownloadService(dependencies).add(
        NewDownload([.text(text: #"http://i.test/"x"?k="#), .secret(name: "wrong")]),
        to: ProgramConformanceTests.server(program, programs.origin))
    }
    let address = #"http://i.test/"x"?k=a%22%26b"#
    #expect(programs.requests.dropLast().last?.query("name") == address)
    let body = try JSON(parsing: try #require(programs.requests.last).bodyText)
    #expect(body["params"]?[1] == .string(address))
    let mock = MockDownloadService.preview
    _ = try await mock.add(
      download, to: ProgramConformanceTests.server(.sabnzbd, programs.origin))
    #expect(
      mock.calls == [
        MockCall("add", "sabnzbd", "http://indexer.test/get?id=1&apikey={{secret:wrong}}")
      ])
  }

  @Test("SABnzbd is not sent what it would read as the whole queue, or as several IDs")
  func wholeQueue() async throws {
    let server = ProgramConformanceTests.server(.sabnzbd, programs.origin)
    let service = LiveDownloadService(dependencies)
    for id in ["all", "ALL", "", "SABnzbd_nzo_0,SABnzbd_nzo_1"] {
      let error = await #expect(throws: ProgramError.self) {
        try await service.remove(["SABnzbd_nzo_0", id], deletesFiles: false, from: server)
      }
      #expect(error?.kind == .notQueued(id: id))
    }
    #expect(programs.requests.isEmpty)
  }

  /// SABnzbd itself changes the others.
  @Test("SABnzbd changes nothing if one of several downloads is not there")
  func someNotQueued() async throws {
    let server = ProgramConformanceTests.server(.sabnzbd, programs.origin)
    let service = LiveDownloadService(dependencies)
    let before = try await service.queue(of: server)
    let ids = ["SABnzbd_nzo_0", "x", "y"]
    let changes: [() async throws -> Void] = [
      { try await service.pause(ids, on: server) },
      { try await service.resume(ids, on: server) },
      { try await service.remove(ids, deletesFiles: false, from: server) },
    ]
    for change in changes {
      let error = await #expect(throws: ProgramError.self) { try await change() }
      #expect(error?.kind == .notQueued(id: "x, y"))
      #expect(programs.requests.last?.query("nzo_ids") == "SABnzbd_nzo_0,x,y")
    }
    #expect(try await service.queue(of: server).entries == before.entries)
    try await service.remove(["SABnzbd_nzo_0"], deletesFiles: false, from: server)
    #expect(try await service.queue(of: server).entries.count == before.entries.count - 1)
  }

  @Test(
    "a status that no media program's API has is no wrong address",
    arguments: MediaProgram.allCases,
    [400, 408, 418, 429, 451])
  func otherStatus(program: MediaProgram, status: Int) async throws {
    let server = try TestHTTPServer { _ in .response(.init(status)) }
    let kind = await kind(ProgramConformanceTests.server(program, server.origin))
    #expect(kind == .status(status, reason: nil))
  }

  @Test("only the errors of requests that ask for a change are errors of a change")
  func changes() async throws {
    let server = try TestHTTPServer { request in
      if request.method == "GET", request.path.hasSuffix("/movie/7") {
        return .response(.init(json: #"{"id":7,"title":"a"}"#))
      }
      if request.query("mode") == "queue", request.query("nzo_ids") != nil {
        return .response(.init(json: #"{"queue":{"slots":[{"nzo_id":"a"}]}}"#))
      }
      return .response(.init(504))
    }
    let media = LiveMediaService(dependencies)
    let downloads = LiveDownloadService(dependencies)
    let film = MediaResource(["id": 7, "title": "a"])
    let radarr = ProgramConformanceTests.server(MediaProgram.radarr, server.origin)
    let sab = ProgramConformanceTests.server(DownloadProgram.sabnzbd, server.origin)
    let nzbget = ProgramConformanceTests.server(DownloadProgram.nzbget, server.origin)
    let calls: [(isOfChange: Bool, call: () async throws -> Void)] = [
      (true, { _ = try await media.add(film, to: radarr) }),
      (true, { _ = try await media.update(film, on: radarr) }),
      (true, { try await media.remove(7, deletesFiles: false, from: radarr) }),
      (true, { _ = try await media.search(forItem: 7, on: radarr) }),
      (false, { _ = try await media.search(forItem: 8, on: radarr) }),
      (false, { _ = try await media.queue(of: radarr) }),
      (true, { try await downloads.pause(["a"], on: sab) }),
      (false, { _ = try await downloads.queue(of: sab) }),
      (true, { try await downloads.pause(["1"], on: nzbget) }),
      (false, { try await downloads.pause(["1", "2"], on: nzbget) }),
    ]
    for (index, (isOfChange, call)) in calls.enumerated() {
      let error = await #expect(throws: ProgramError.self) { try await call() }
      #expect(error?.isOfChange == isOfChange, "call \(index)")
    }
  }

  @Test(
    "an answer to a change that cannot be read does not tell if the change was made",
    arguments: [#"{"status": tr"#, "", "OK", "<html><body>log in</body></html>"],
    ["application/json", "text/html"])
  func unreadableAnswer(body: String, type: String) async throws {
    let server = try TestHTTPServer { request in
      request.method == "GET" && request.path.hasSuffix("/movie/7")
        ? .response(.init(json: #"{"id":7,"title":"a"}"#))
        : .response(.init(200, headers: [("Content-Type", type)], body: Array(body.utf8)))
    }
    let media = LiveMediaService(dependencies)
    let downloads = LiveDownloadService(dependencies)
    let film = MediaResource(["id": 7, "title": "a"])
    let download = NewDownload([.text(text: "http://indexer.test/7")])
    let radarr = ProgramConformanceTests.server(MediaProgram.radarr, server.origin)
    let sab = ProgramConformanceTests.server(DownloadProgram.sabnzbd, server.origin)
    let nzbget = ProgramConformanceTests.server(DownloadProgram.nzbget, server.origin)
    let changes: [() async throws -> Void] = [
      { _ = try await media.add(film, to: radarr) },
      { _ = try await media.update(film, on: radarr) },
      { _ = try await media.search(forItem: 7, on: radarr) },
      { _ = try await downloads.add(download, to: sab) },
      { try await downloads.pause([], on: sab) },
      { _ = try await downloads.add(download, to: nzbget) },
      { try await downloads.pause([], on: nzbget) },
      { try await downloads.remove(["1"], deletesFiles: false, from: nzbget) },
    ]
    for (index, change) in changes.enumerated() {
      let error = await #expect(throws: ProgramError.self) { try await change() }
      #expect(error?.kind == .undecodable(path: ""), "change \(index)")
      #expect(error?.isOfChange == true && error?.mayHaveChanged == true, "change \(index)")
    }
  }

  @Test(
    "an answer to a change without its result does not tell if the change was made",
    arguments: [
      (.sabnzbd, #"{"status":true}"#, "nzo_ids[0]"),
      (.sabnzbd, #"{"status":true,"nzo_ids":[]}"#, "nzo_ids[0]"),
      (.nzbget, #"{"result":"7"}"#, "result"), (.nzbget, #"{"result":null}"#, "result"),
      (.nzbget, "{}", "result"),
    ] as [(DownloadProgram, String, String)])
  func missingResult(program: DownloadProgram, body: String, path: String) async throws {
    let server = try TestHTTPServer { _ in .response(.init(json: body)) }
    let service = LiveDownloadService(dependencies)
    let program = ProgramConformanceTests.server(program, server.origin)
    var changes: [() async throws -> Void] = [
      {
        _ = try await service.add(
          NewDownload([.text(text: "http://indexer.test/7")]), to: program)
      }
    ]
    if path == "result" {
      changes.append { try await service.pause([], on: program) }
      changes.append { try await service.pause(["1"], on: program) }
    }
    for change in changes {
      let error = await #expect(throws: ProgramError.self) { try await change() }
      #expect(error?.kind == .undecodable(path: path) && error?.isOfChange == true)
    }
  }

  @Test(
    "what a program refuses to add, and a page of its own, are no change",
    arguments: [
      (.sabnzbd, #"{"status":false,"nzo_ids":[]}"#, .refused(reasons: [])),
      (.nzbget, #"{"result":0}"#, .refused(reasons: [])),
      (.sabnzbd, "<html><title>SABnzbd</title>", .wrongPath),
      (.nzbget, "<html><title>NZBGet</title>", .wrongPath),
    ] as [(DownloadProgram, String, ProgramError.Kind)])
  func nothingAdded(program: DownloadProgram, body: String, kind: ProgramError.Kind) async throws {
    let server = try TestHTTPServer { _ in .response(.init(200, body: Array(body.utf8))) }
    let error = await #expect(throws: ProgramError.self) {
      try await LiveDownloadService(dependencies).add(
        NewDownload([.text(text: "http://indexer.test/7")]),
        to: ProgramConformanceTests.server(program, server.origin))
    }
    #expect(error?.kind == kind && error?.mayHaveChanged == false)
  }

  @Test(
    "a search that the program has given up is refused, with its reason",
    arguments: [
      (#"{"status":"failed","message":"no indexers"}"#, "no indexers"),
      (#"{"status":"aborted"}"#, "its search is aborted"),
    ])
  func failedSearch(body: String, reason: String) async throws {
    let server = try TestHTTPServer { request in
      .response(request.method == "GET" ? .init(json: #"{"id":7}"#) : .init(201, json: body))
    }
    let radarr = ProgramConformanceTests.server(MediaProgram.radarr, server.origin)
    let error = await #expect(throws: ProgramError.self) {
      try await LiveMediaService(dependencies).search(forItem: 7, on: radarr)
    }
    #expect(error?.kind == .refused(reasons: [reason]))
  }

  @Test(
    "a calendar whose entries all have no date of the program is another program's",
    arguments: [
      (MediaProgram.radarr, "inCinemas"), (.sonarr, "airDateUtc"), (.lidarr, "releaseDate"),
    ])
  func foreignCalendar(program: MediaProgram, member: String) async throws {
    let server = try TestHTTPServer { _ in
      .response(.init(json: #"[{"id":1,"title":"a"},{"id":2,"title":"b"}]"#))
    }
    let error = await #expect(throws: ProgramError.self) {
      try await LiveMediaService(dependencies).calendar(
        of: ProgramConformanceTests.server(program, server.origin), from: 0, until: .max)
    }
    #expect(error?.kind == .undecodable(path: "[0].\(member)"))
  }

  @Test("after an incomplete answer, only a request that changes something may have made a change")
  func incompleteAnswer() async throws {
    let server = try TestHTTPServer { request in
      request.method == "GET" && request.path.hasSuffix("/movie/7")
        ? .response(.init(json: #"{"id":7,"title":"a"}"#))
        : .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{".utf8))
    }
    let radarr = ProgramConformanceTests.server(MediaProgram.radarr, server.origin)
    let media = LiveMediaService(dependencies)
    let calls: [(wasSent: Bool, call: () async throws -> Void)] = [
      (true, { _ = try await media.search(forItem: 7, on: radarr) }),
      (false, { _ = try await media.status(of: radarr) }),
    ]
    for (wasSent, call) in calls {
      let error = await #expect(throws: ProgramError.self) { try await call() }
      guard case .api(let reason)? = error?.kind else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(reason.kind == .truncated && reason.wasSent == wasSent)
    }
  }

  @Test(
    "a cancelled request may have made a change only if it asks for one",
    arguments: [("movie/7", false), ("command", true), ("listgroups", false), ("editqueue", true)])
  func cancelledRequest(hanging: String, mayHaveChanged: Bool) async throws {
    let api = MockAPIClient()
    let logger = MockLogger()
    var dependencies = dependencies
    dependencies.apiClient = api
    dependencies.logger = logger
    api.answer { request in
      let text = request.url + String(decoding: request.body ?? Data(), as: UTF8.self)
      if text.contains(hanging) { return .hang }
      return .json(
        text.contains("listgroups")
          ? #"{"result":[{"NZBID":1},{"NZBID":2}]}"# : #"{"id":7,"title":"a"}"#)
    }
    let task = Task { [dependencies] in
      do throws(ProgramError) {
        if hanging.hasSuffix("s") || hanging == "editqueue" {
          let server = ProgramConformanceTests.server(DownloadProgram.nzbget, "http://h")
          try await LiveDownloadService(dependencies).pause(["1", "2"], on: server)
        } else {
          let server = ProgramConformanceTests.server(MediaProgram.radarr, "http://h")
          _ = try await LiveMediaService(dependencies).search(forItem: 7, on: server)
        }
        return nil as ProgramError?
      } catch { return error }
    }
    await api.waitForHanging()
    task.cancel()
    // At once, and not again when the task has ended.
    func cancelled() -> Int { logger.records.count { $0.message.hasSuffix(": cancelled") } }
    #expect(cancelled() == 1)
    let failures = logger.records.count
    let error = await task.value
    #expect(cancelled() == 1 && logger.records.count == failures)
    guard case .api(let reason)? = error?.kind else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.kind == .cancelled && error?.mayHaveChanged == mayHaveChanged)
  }

  @Test("NZBGet changes nothing if one of several downloads is not there")
  func someMissing() async throws {
    let server = ProgramConformanceTests.server(.nzbget, programs.origin)
    let service = LiveDownloadService(dependencies)
    let error = await #expect(throws: ProgramError.self) {
      try await service.remove(["1", "999"], deletesFiles: false, from: server)
    }
    #expect(error?.kind == .notQueued(id: "999"))
    let kept = try await service.queue(of: server)
    #expect(kept.entries.map(\.id) == ["1", "2"])
    try await service.remove(["1", "2"], deletesFiles: false, from: server)
    let left = try await service.queue(of: server)
    #expect(left.entries.isEmpty)
  }

  @Test("a library that was read is there without its program, and another key's is not")
  func keptLibrary() async throws {
    let server = ProgramConformanceTests.server(.radarr, programs.origin)
    let service = LiveMediaService(dependencies)
    let first = try await service.library(of: server, policy: .remoteFirst)
    #expect(first.verdict == .miss && first.value.map(\.title) == ["Solaris", "Stalker", "Mirror"])
    programs.stop()
    let kept = try await service.library(of: server, policy: .remoteFirst)
    #expect(kept.verdict == .stale && kept.value == first.value && kept.networkError != nil)
    var other = server
    other.service.authentication = .header(name: "X-Api-Key", secret: "wrong")
    await #expect(throws: ProgramError.self) {
      _ = try await service.library(of: other, policy: .remoteFirst)
    }
  }

  @Test("a page never takes the place of a kept library")
  func keptBesidePage() async throws {
    let isPage = Mutex(false)
    let server = try TestHTTPServer { _ in
      .response(isPage.withLock { $0 } ? .page("Login") : .init(json: #"[{"id":1,"title":"x"}]"#))
    }
    let radarr = ProgramConformanceTests.server(.radarr, server.origin)
    let service = LiveMediaService(dependencies)
    let first = try await service.library(of: radarr, policy: .remoteFirst)
    isPage.withLock { $0 = true }
    let error = await #expect(throws: ProgramError.self) {
      _ = try await service.library(of: radarr, policy: .remoteFirst)
    }
    #expect(error?.kind == .page(title: "Login"))
    let kept = try await service.library(of: radarr, policy: .localFirst)
    #expect(kept.value == first.value && kept.verdict == .stale)
  }

  @Test("a change of the library removes what is kept of it", arguments: ["add", "PUT", "DELETE"])
  func keptUntilChanged(change: String) async throws {
    let server = ProgramConformanceTests.server(.radarr, programs.origin)
    let service = LiveMediaService(dependencies)
    _ = try await service.library(of: server, policy: .remoteFirst)
    switch change {
    case "add":
      var resource = try #require(try await service.lookup("arrival", on: server).first)
      resource.json["qualityProfileId"] = 1
      resource.json["rootFolderPath"] = "/media"
      _ = try await service.add(resource, to: server)
    case "PUT": _ = try await service.update(try await service.item(1, on: server), on: server)
    default: try await service.remove(1, deletesFiles: false, from: server)
    }
    let after = try await service.library(of: server, policy: .localFirst)
    #expect(after.verdict == .miss)
  }

  @Test("a kept library needs no keychain, offline too", arguments: [false, true])
  func keptWithoutKey(isOffline: Bool) async throws {
    let server = ProgramConformanceTests.server(.radarr, programs.origin)
    let first = try await LiveMediaService(dependencies).library(of: server, policy: .remoteFirst)
    var dependencies = dependencies
    let keychain = MockKeychainService()
    dependencies.keychainService = keychain
    if isOffline {
      let offline = LiveConfiguration(home: "/nowhere", environment: [:], isOffline: true)
      dependencies.apiClient = Dependencies.live(offline).apiClient
    }
    let kept = try await LiveMediaService(dependencies).library(
      of: server, policy: isOffline ? .remoteFirst : .localFirst)
    #expect(kept.value == first.value)
    #expect(kept.networkError?.kind == (isOffline ? .offline : nil))
    #expect(keychain.calls.isEmpty && programs.requests.count == 1)
  }

  @Test("a key that is missing, or that no request can have, has an error of its own")
  func unusableKeys() async throws {
    var dependencies = dependencies
    dependencies.keychainService = MockKeychainService(
      entries: ["controls": Data("a\u{1}b".utf8), "bytes": Data([0xFF])])
    for (secret, kind) in [
      ("controls", .unusableKey(secret: "controls")), ("bytes", .unusableKey(secret: "bytes")),
      (
        "none",
        .keychain(
          KeychainError(.missingKey, message: "the keychain has no secret named 'none'"))
      ),
    ] as [(String, ProgramError.Kind)] {
      let server = ProgramConformanceTests.server(.sabnzbd, programs.origin, secret: secret)
      let error = await #expect(throws: ProgramError.self) {
        _ = try await LiveDownloadService(dependencies).queue(of: server)
      }
      #expect(error?.kind == kind, "\(secret)")
    }
    #expect(programs.requests.isEmpty)
  }

  @Test("an answer of another form names the member at fault")
  func undecodable() async throws {
    let server = try TestHTTPServer { request in
      request.path.hasSuffix("queue")
        ? .response(.init(json: #"{"totalRecords":1,"records":[{"id":1}]}"#))
        : .response(.init(200, body: Array("[".utf8)))
    }
    let radarr = ProgramConformanceTests.server(.radarr, server.origin)
    let service = LiveMediaService(dependencies)
    let queue = await #expect(throws: ProgramError.self) { _ = try await service.queue(of: radarr) }
    #expect(queue?.kind == .undecodable(path: "records[0].status"))
    let item = await #expect(throws: ProgramError.self) {
      _ = try await service.item(1, on: radarr)
    }
    #expect(item?.kind == .undecodable(path: ""))
  }

  @Test("JSON that is no array is told apart from what is not JSON", arguments: ["{}", "null"])
  func noArray(json: String) async throws {
    let server = try TestHTTPServer { _ in .response(.init(json: json)) }
    let radarr = ProgramConformanceTests.server(.radarr, server.origin)
    let error = await #expect(throws: ProgramError.self) {
      _ = try await LiveMediaService(dependencies).library(of: radarr, policy: .noCache)
    }
    #expect(error?.kind == .undecodable(path: "[]"))
  }

  @Test("a mock without content says how to give it some, and reports it")
  func unanswered() async throws {
    let mock = MockMediaService()
    let server = ProgramConformanceTests.server(.radarr, "http://nas.test")
    let error = await #expect(throws: ProgramError.self) {
      _ = try await mock.queue(of: server)
    }
    let message = try #require(mock.issues.first?.message)
    #expect(message.contains(#"mock.set(.sample(.radarr), for: "radarr")"#))
    #expect(error?.kind == .unanswered(message))
    #expect(mock.calls == [MockCall("queue", "radarr")])
  }
}
