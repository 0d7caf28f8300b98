import SwiftBoardJSON
import SwiftBoardSystem

/// Media programs over HTTP: Radarr and Sonarr by version 3 of their API, Lidarr by version 1.
///
/// It asks with the client, the keychain, the terminal and the cache of an environment.
public struct LiveMediaService: MediaService {
  private let dependencies: Dependencies

  /// A service of an environment. Asks nothing before it is used.
  public init(_ dependencies: Dependencies) {
    self.dependencies = dependencies
  }

  // MARK: MediaService

  /// One request, and after a refusal up to two more, which find out what answers.
  ///
  /// - Throws: `ProgramError`, as all calls.
  public func status(of server: MediaServer) async throws(ProgramError) -> ProgramStatus {
    let connection = connection(server)
    do throws(ProgramError) { return try await status(of: server, connection) } catch {
      throw await connection.naming(error)
    }
  }

  private func status(
    of server: MediaServer, _ connection: ProgramConnection
  ) async throws(ProgramError) -> ProgramStatus {
    let response = try await connection.send(.init(path: "/system/status"))
    try check(response, connection, server)
    guard (200..<300).contains(response.status),
      let json = ProgramConnection.parsed(response.body), json.members != nil
    else {
      // A page, or its login: the server's, and not the API's.
      throw response.status >= 400 && ![404, 405].contains(response.status)
        ? connection.error(
          .status(response.status, reason: Self.reasons(response).first), in: response)
        : connection.misplaced(response)
    }
    guard let name = json["appName"]?.stringValue, name == server.program.title else {
      throw connection.error(.wrongProgram(found: json["appName"]?.stringValue), in: response)
    }
    return ProgramStatus(program: name, version: json["version"]?.stringValue ?? "")
  }

  /// One request, for up to 128 MiB. A kept answer is used as the policy says.
  ///
  /// The programs forbid to store any answer. The library is kept nevertheless, in the user's own
  /// database, once it has been read as one, and until the library is changed.
  public func library(
    of server: MediaServer, policy: CachePolicy
  ) async throws(ProgramError) -> Fetched<[MediaItem]> {
    let (connection, call) = (connection(server), libraryCall(server))
    let fetched = try await connection.fetch(call, policy: policy)
    let library = try fetched.map { response throws(ProgramError) in
      var items: [MediaItem] = []
      for row in try reader(response, connection, server).elements() {
        items.append(try resource(row).item)
      }
      return items
    }
    if fetched.verdict == .miss { await connection.keep(fetched.value, of: call) }
    return library
  }

  private func libraryCall(_ server: MediaServer) -> ProgramConnection.Call {
    .init(path: "/\(server.program.kind)", limit: 128 << 20)
  }

  /// Makes a change, and removes the kept library. It stays only after an error that shows that
  /// nothing was changed: an answer can be lost after the change.
  private func changing<Value: Sendable>(
    _ server: MediaServer, _ change: @autoclosure () async throws(ProgramError) -> Value
  ) async throws(ProgramError) -> Value {
    let connection = connection(server)
    do throws(ProgramError) {
      let value = try await change()
      await connection.forget(libraryCall(server))
      return value
    } catch {
      if error.mayHaveChanged { await connection.forget(libraryCall(server)) }
      throw error
    }
  }

  /// One request.
  public func item(_ id: Int, on server: MediaServer) async throws(ProgramError) -> MediaResource {
    try await resource(.init(path: "/\(server.program.kind)/\(id)"), String(id), server)
  }

  /// One request.
  public func lookup(
    _ term: String, on server: MediaServer
  ) async throws(ProgramError) -> [MediaResource] {
    let rows = try await read(
      .init(path: "/\(server.program.kind)/lookup", query: [QueryItem("term", term)]), server)
    var resources: [MediaResource] = []
    // What is not in the library has no ID.
    for row in try rows.elements() { resources.append(try resource(row, isStored: false)) }
    return resources
  }

  /// One request.
  public func add(
    _ resource: MediaResource, to server: MediaServer
  ) async throws(ProgramError) -> MediaResource {
    try await changing(
      server,
      try await self.resource(
        .init(
          method: "POST", path: "/\(server.program.kind)", body: SecretText(resource.json.text)),
        "", server))
  }

  /// One request.
  public func update(
    _ resource: MediaResource, on server: MediaServer
  ) async throws(ProgramError) -> MediaResource {
    let id = resource.item.id
    return try await changing(
      server,
      try await self.resource(
        .init(
          method: "PUT", path: "/\(server.program.kind)/\(id)",
          body: SecretText(resource.json.text), isIdempotent: false),
        String(id), server))
  }

  /// One request; two to Sonarr, which has no error of its own for an unknown ID.
  public func remove(
    _ id: Int, deletesFiles: Bool, from server: MediaServer
  ) async throws(ProgramError) {
    if server.program == .sonarr { _ = try await item(id, on: server) }
    try await changing(
      server,
      try await delete(
        "/\(server.program.kind)/\(id)", [QueryItem("deleteFiles", String(deletesFiles))],
        server, missing: .missing(id: String(id))))
  }

  /// A request for each 200 downloads, for at most 2000.
  public func queue(of server: MediaServer) async throws(ProgramError) -> MediaQueue {
    var queue = MediaQueue([])
    var known: Set<Int> = []
    for page in 1...10 {
      let reader = try await read(
        .init(
          path: "/queue",
          query: [
            QueryItem("page", String(page)), QueryItem("pageSize", "200"),
            QueryItem(server.program.unknownItems, "true"),
          ]), server)
      let rows = try reader.elements("records")
      // A download that moved to this page meanwhile is there already.
      for row in rows where known.insert(try row.int("id")).inserted {
        queue.entries.append(try entry(row))
      }
      queue.count = try reader.int("totalRecords")
      if rows.isEmpty || queue.entries.count >= queue.count { break }
    }
    return queue
  }

  /// One request.
  public func removeDownload(
    _ id: Int, blocksRelease: Bool, from server: MediaServer
  ) async throws(ProgramError) {
    let query = [
      QueryItem("removeFromClient", "true"), QueryItem("blocklist", String(blocksRelease)),
    ]
    try await delete("/queue/\(id)", query, server, missing: .notQueued(id: String(id)))
  }

  /// One request. A film that comes out in several ways has a release for each.
  public func calendar(
    of server: MediaServer, from start: Int64, until end: Int64
  ) async throws(ProgramError) -> [MediaRelease] {
    let more = [MediaProgram.sonarr: "includeSeries", .lidarr: "includeArtist"][server.program]
    let reader = try await read(
      .init(
        path: "/calendar",
        query: [
          QueryItem("start", MediaDate.text(start)), QueryItem("end", MediaDate.text(end)),
          QueryItem("unmonitored", "false"),
        ] + (more.map { [QueryItem($0, "true")] } ?? [])), server)
    var releases: [MediaRelease] = []
    let entries = try reader.elements()
    for entry in entries { releases += try MediaRelease.all(of: entry, server.program) }
    // Another program's entries have their dates elsewhere.
    if let first = entries.first, releases.isEmpty {
      throw first.undecodable(server.program.dates[0])
    }
    return releases.filter { start <= $0.date && $0.date < end }
      .sorted { ($0.date, $0.id) < ($1.date, $1.id) }
  }

  /// Two requests, because the programs queue a search for any ID.
  public func search(
    forItem id: Int, on server: MediaServer
  ) async throws(ProgramError) -> String {
    _ = try await item(id, on: server)
    let body: JSON =
      switch server.program {
      case .radarr: ["name": "MoviesSearch", "movieIds": [JSON(id)]]
      case .sonarr: ["name": "SeriesSearch", "seriesId": JSON(id)]
      case .lidarr: ["name": "ArtistSearch", "artistId": JSON(id)]
      }
    let reader = try await read(
      .init(method: "POST", path: "/command", body: SecretText(body.text)), server)
    let status = try reader.text("status")
    guard !["failed", "aborted", "cancelled", "orphaned"].contains(status) else {
      let reason = try reader.optionalText("message") ?? "its search is \(status)"
      throw reader.connection.error(.refused(reasons: [reason]))
    }
    return status
  }

  /// One request; none for the metadata profiles of a program that has none.
  public func options(
    _ kind: MediaOption.Kind, of server: MediaServer
  ) async throws(ProgramError) -> [MediaOption] {
    if kind == .metadataProfile, server.program != .lidarr { return [] }
    let reader = try await read(.init(path: "/\(kind.rawValue.lowercased())"), server)
    var options: [MediaOption] = []
    for row in try reader.elements() {
      options.append(
        MediaOption(
          id: try row.int("id"), name: try row.text(kind == .rootFolder ? "path" : "name")))
    }
    return options
  }

  // MARK: Requests

  /// - Parameter call: The call whose errors the connection makes; by default, one that only reads.
  private func connection(
    _ server: MediaServer, for call: ProgramConnection.Call? = nil
  ) -> ProgramConnection {
    ProgramConnection(
      dependencies: dependencies, program: server.program.title, service: server.service,
      timeout: server.timeout, isChanging: call?.changes == true)
  }

  private func read(
    _ call: ProgramConnection.Call, _ server: MediaServer
  ) async throws(ProgramError) -> ProgramReader {
    let connection = connection(server, for: call)
    return try reader(try await connection.send(call), connection, server)
  }

  /// Sends a DELETE. The programs answer with an empty body, or an empty object.
  ///
  /// - Parameter missing: The error if there is nothing to delete.
  private func delete(
    _ path: String, _ query: [QueryItem], _ server: MediaServer, missing: ProgramError.Kind
  ) async throws(ProgramError) {
    let call = ProgramConnection.Call(
      method: "DELETE", path: path, query: query, isIdempotent: false)
    let connection = connection(server, for: call)
    let response = try await connection.send(call)
    try check(response, connection, server)
    try checkStatus(response, connection, missing: missing)
    guard response.body.isEmpty || ProgramConnection.parsed(response.body) == [:] else {
      throw connection.error(.undecodable(path: "{}"), in: response)
    }
  }

  private func resource(
    _ call: ProgramConnection.Call, _ id: String, _ server: MediaServer
  ) async throws(ProgramError) -> MediaResource {
    let connection = connection(server, for: call)
    let response = try await connection.send(call)
    try check(response, connection, server)
    try checkStatus(response, connection, missing: .missing(id: id))
    return try resource(
      ProgramReader(connection: connection, json: try connection.json(response)))
  }

  /// A resource whose shown members have the types that they are to have.
  ///
  /// - Parameter isStored: Whether it must have an ID.
  private func resource(
    _ row: ProgramReader, isStored: Bool = true
  ) throws(ProgramError) -> MediaResource {
    _ = try isStored ? row.int("id") : row.optionalInt("id")
    for name in ["title", "artistName", "foreignArtistId"] { _ = try row.optionalText(name) }
    for name in ["year", "tmdbId", "tvdbId"] { _ = try row.optionalInt(name) }
    for name in ["monitored", "hasFile"] { _ = try row.optionalBool(name) }
    let counts = ["episodeFileCount", "episodeCount", "trackFileCount", "trackCount"]
    if let statistics = try row.optionalObject("statistics") {
      for name in counts { _ = try statistics.optionalInt(name) }
    }
    return MediaResource(row.json)
  }

  /// The JSON of an answer to a request for something that every program of this kind has.
  private func reader(
    _ response: APIResponse, _ connection: ProgramConnection, _ server: MediaServer
  ) throws(ProgramError) -> ProgramReader {
    try check(response, connection, server)
    try checkStatus(response, connection)
    return ProgramReader(connection: connection, json: try connection.json(response))
  }

  /// Refuses what does not come from the API, or is a refusal of the key.
  private func check(
    _ response: APIResponse, _ connection: ProgramConnection, _ server: MediaServer
  ) throws(ProgramError) {
    if let stranger = connection.stranger(in: response) { throw stranger }
    switch response.status {
    case 401, 403:
      let secret = server.service.authentication?.secret
      // The programs refuse a key with JSON, or with nothing. A page is a proxy's.
      guard let secret, response.body.first == UInt8(ascii: "<") else {
        throw connection.error(.wrongKey(secret: secret), in: response)
      }
      throw connection.error(.refusedKey(secret: secret), in: response)
    case 200..<400:
      let type = response.headers.value(of: "Content-Type")?.lowercased() ?? ""
      // The page of the program, or its login.
      if response.status >= 300 || type.contains("html") { throw connection.misplaced(response) }
    default: break
    }
  }

  /// - Parameter missing: The error if what was asked for is not there. By default, the address is
  ///   wrong.
  private func checkStatus(
    _ response: APIResponse, _ connection: ProgramConnection,
    missing: ProgramError.Kind = .wrongPath
  ) throws(ProgramError) {
    switch response.status {
    case 200..<300: return
    case 404, 405: throw connection.error(missing, in: response)
    case 400, 409:
      let reasons = Self.reasons(response)
      let isThere = reasons.contains { $0.contains("already been added") }
      throw connection.error(isThere ? .exists : .refused(reasons: reasons), in: response)
    default:
      let reason = Self.reasons(response).first
      throw connection.error(.status(response.status, reason: reason), in: response)
    }
  }

  /// Why a program refuses what was sent: a list of properties with their errors, or a message.
  private static func reasons(_ response: APIResponse) -> [String] {
    guard let json = ProgramConnection.parsed(response.body) else { return [] }
    let list = json.elements ?? [json]
    return list.compactMap { $0["errorMessage"]?.stringValue ?? $0["message"]?.stringValue }
  }

  private func entry(_ row: ProgramReader) throws(ProgramError) -> MediaQueue.Entry {
    let messages = row.json["statusMessages"]?.elements ?? []
    let problem =
      try row.optionalText("errorMessage")
      ?? messages.compactMap { $0["messages"]?[0]?.stringValue ?? $0["title"]?.stringValue }.first
    return MediaQueue.Entry(
      id: try row.int("id"), title: try row.optionalText("title") ?? "",
      size: try row.optionalBytes("size") ?? 0, left: try row.optionalBytes("sizeleft") ?? 0,
      timeLeft: try row.optionalText("timeleft"), status: try row.text("status"),
      problem: problem)
  }
}

extension MediaProgram {
  /// What its library holds, as the addresses of its API say it.
  fileprivate var kind: String {
    switch self {
    case .radarr: "movie"
    case .sonarr: "series"
    case .lidarr: "artist"
    }
  }

  /// The option of the queue for downloads that the program cannot assign to an item.
  fileprivate var unknownItems: String {
    switch self {
    case .radarr: "includeUnknownMovieItems"
    case .sonarr: "includeUnknownSeriesItems"
    case .lidarr: "includeUnknownArtistItems"
    }
  }
}
