import SwiftBoardJSON

/// Radarr, Sonarr or Lidarr.
struct MediaProgramState {
  let name: String
  var library: [JSON]
  private var queue: [JSON] = [
    [
      "id": 1, "title": "Mirror.1080p", "size": 100.0, "sizeleft": 40.0, "timeleft": "00:12:30",
      "status": "downloading", "protocol": "usenet",
    ]
  ]
  private let catalogue: [JSON]

  private var kind: String { ["radarr": "movie", "sonarr": "series"][name] ?? "artist" }
  private var titleName: String { Self.titleName(name) }
  private var catalogueName: String { Self.catalogueName(name) }

  private static func titleName(_ name: String) -> String {
    name == "lidarr" ? "artistName" : "title"
  }

  private static func catalogueName(_ name: String) -> String {
    ["radarr": "tmdbId", "sonarr": "tvdbId"][name] ?? "foreignArtistId"
  }

  init(_ name: String) {
    self.name = name
    library = ["Solaris", "Stalker", "Mirror"].enumerated().map {
      Self.resource(name, $0.element, id: $0.offset + 1, 100 + $0.offset)
    }
    catalogue = ["Dune", "Dune", "Arrival"].enumerated().map {
      Self.resource(name, $0.element, id: nil, 200 + $0.offset)
    }
  }

  private static func resource(
    _ name: String, _ title: String, id: Int?, _ number: Int
  ) -> JSON {
    var json: JSON = [
      "images": [["coverType": "poster", "url": .string("/\(number).jpg")]],
      "ratings": ["imdb": ["value": 7.9]], "year": JSON(1970 + number % 100),
    ]
    json[titleName(name)] = .string(title)
    json[catalogueName(name)] =
      name == "lidarr"
      ? .string("00000000-0000-4000-8000-000000000\(number)") : JSON(number)
    guard let id else { return json }
    json["id"] = JSON(id)
    json["monitored"] = .bool(id == 1)
    json["hasFile"] = .bool(id == 2)
    json["qualityProfileId"] = 1
    json["rootFolderPath"] = "/media"
    json["overview"] = "a line"
    if name == "lidarr" { json["metadataProfileId"] = 1 }
    return json
  }

  mutating func answer(
    _ request: TestHTTPServer.Request, _ path: [String]
  ) -> TestHTTPServer.Response {
    var response = answerOfProgram(request, path)
    if path.first == "api" {
      response.headers += [
        ("X-Application-Version", "5.2.6.8376"), ("Cache-Control", "no-cache, no-store"),
      ]
    }
    return response
  }

  private mutating func answerOfProgram(
    _ request: TestHTTPServer.Request, _ path: [String]
  ) -> TestHTTPServer.Response {
    guard path.prefix(2) == ["api", name == "lidarr" ? "v1" : "v3"] else {
      return path.first == "api" ? missing : .page("Login - " + name.capitalized)
    }
    guard request.header("X-Api-Key") ?? request.query("apikey") == "\(name)-key" else {
      return .unauthorized
    }
    let (what, rest) = (path.dropFirst(2).first, Array(path.dropFirst(3)))
    switch (what, request.method) {
    case ("system", "GET") where rest == ["status"]:
      let title = name.prefix(1).uppercased() + name.dropFirst()
      return .init(200, ["appName": .string(title), "version": "5.2.6.8376"])
    case ("qualityprofile", "GET"):
      return .init(200, [["id": 1, "name": "Any"], ["id": 4, "name": "HD-1080p"]])
    case ("rootfolder", "GET"):
      return .init(200, [["id": 1, "path": "/media", "accessible": true]])
    case ("metadataprofile", "GET") where name == "lidarr":
      return .init(200, [["id": 1, "name": "Standard"]])
    case ("queue", "GET"):
      return .init(
        200,
        [
          "page": 1, "pageSize": 200, "totalRecords": JSON(queue.count), "records": .array(queue),
        ])
    case ("queue", "DELETE"):
      let index = queue.firstIndex { $0["id"]?.intValue.map(String.init) == rest.first }
      guard let index else { return missing }
      queue.remove(at: index)
      return .init(200)
    case ("calendar", "GET"): return .init(200, .array(calendar(request)))
    case ("command", "POST"):
      let body = try? JSON(parsing: request.bodyText)
      return .init(201, ["id": 7, "name": body?["name"] ?? .null, "status": "queued"])
    case (kind, "GET") where rest == ["lookup"]: return .init(200, .array(lookup(request)))
    case (kind, _): return items(request, rest)
    default: return missing
    }
  }

  private var missing: TestHTTPServer.Response { .init(404, ["message": "NotFound"]) }

  private func lookup(_ request: TestHTTPServer.Request) -> [JSON] {
    let term = (request.query("term") ?? "").lowercased()
    let number = term.split(separator: ":").dropFirst().first.map(String.init)
    guard !term.isEmpty else { return [] }
    return catalogue.filter { resource in
      let id = resource[catalogueName]
      return resource[titleName]?.stringValue?.lowercased().contains(term) == true
        || number != nil && (id?.intValue.map(String.init) ?? id?.stringValue) == number
    }
  }

  // MARK: The library

  private mutating func items(
    _ request: TestHTTPServer.Request, _ rest: [String]
  ) -> TestHTTPServer.Response {
    guard let last = rest.first else {
      return request.method == "POST" ? add(request) : .init(200, .array(library))
    }
    let id = Int(last) ?? 0
    guard let index = library.firstIndex(where: { $0["id"]?.intValue == id }) else {
      return name == "sonarr" && request.method == "DELETE"
        ? .init(500, ["message": "Expected query to return 1 rows but returned 0"]) : missing
    }
    switch request.method {
    case "DELETE":
      library.remove(at: index)
      return .init(200, [:])
    case "PUT":
      guard let changed = try? JSON(parsing: request.bodyText) else { return missing }
      // What is left out is lost.
      library[index] = changed
      return .init(202, changed)
    default: return .init(200, library[index])
    }
  }

  private mutating func add(_ request: TestHTTPServer.Request) -> TestHTTPServer.Response {
    guard var new = try? JSON(parsing: request.bodyText) else { return missing }
    var needed = [titleName, catalogueName, "qualityProfileId", "rootFolderPath"]
    if name == "lidarr" { needed.append("metadataProfileId") }
    var problems = needed.filter { new[$0] == nil }.map { ($0, "'\($0)' must not be empty.") }
    if library.contains(where: { $0[catalogueName] == new[catalogueName] }) {
      problems.append((catalogueName, "This \(kind) has already been added"))
    }
    guard problems.isEmpty else {
      return .init(
        400,
        .array(
          problems.map { ["propertyName": .string($0.0), "errorMessage": .string($0.1)] }))
    }
    new["id"] = JSON((library.compactMap { $0["id"]?.intValue }.max() ?? 0) + 1)
    library.append(new)
    return .init(201, new)
  }

  // MARK: The calendar

  private func calendar(_ request: TestHTTPServer.Request) -> [JSON] {
    let (start, end) = (request.query("start") ?? "", request.query("end") ?? "")
    let dates = ["inCinemas", "digitalRelease", "physicalRelease", "airDateUtc", "releaseDate"]
    let entries: [JSON] =
      switch name {
      case "radarr":
        [
          [
            "id": 3, "title": "Mirror", "inCinemas": "2026-01-02T00:00:00Z",
            "digitalRelease": "2026-01-05T00:00:00Z", "physicalRelease": "2026-03-01T00:00:00Z",
            "hasFile": false,
          ]
        ]
      case "sonarr":
        [
          [
            "id": 8, "seriesId": 1, "title": "Two", "seasonNumber": 1, "episodeNumber": 2,
            "airDateUtc": "2026-01-03T20:00:00Z", "hasFile": false,
            "series": request.query("includeSeries") == "true" ? ["title": "Solaris"] : .null,
          ]
        ]
      default:
        [
          [
            "id": 9, "artistId": 1, "title": "One", "releaseDate": "2026-01-04T00:00:00Z",
            "artist": request.query("includeArtist") == "true" ? ["artistName": "Solaris"] : .null,
          ]
        ]
      }
    return entries.filter { entry in
      dates.contains { name in
        guard let date = entry[name]?.stringValue else { return false }
        return start <= date && date <= end
      }
    }
  }
}
