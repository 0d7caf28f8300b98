/// What the built-in routes answer. All of them are deterministic.
///
/// - `/api/character?page=N&name=…&status=…&species=…&type=…&gender=…`: 40 characters, 20 a page,
///   with `ETag`; `/api/character/ID` and `/api/character/1,2`; `/api/character/avatar/ID.jpeg`;
///   otherwise 404 and `{"error":…}`
/// - `/radarr/api/v3/system/status`, `/movie`, `/queue`: need `X-Api-Key: radarr-key` or
///   `?apikey=`, else 401; `/sonarr/…/system/status`, `/series`, `/queue`: the same with
///   `sonarr-key`
/// - `/sabnzbd/api?mode=version|queue|history&apikey=sab-key`, else 403
/// - `/echo`: the request as JSON
/// - `/faults/…`: see `faultReply(_:to:)`
extension Core {
  func builtInReply(to request: TestHTTPServer.Request) -> TestHTTPServer.Reply {
    let parts = request.path.split(separator: "/").map(String.init)
    switch parts.first {
    case "echo": return .response(.init(json: echo(request)))
    case "api" where parts.count > 1 && parts[1] == "character":
      return .response(characters(request, parts))
    case "radarr", "sonarr": return .response(media(request, parts))
    case "sabnzbd": return .response(downloads(request))
    case "faults": return faultReply(Array(parts.dropFirst()), to: request)
    default: return .response(.init(404, json: #"{"error":"There is nothing here"}"#))
    }
  }

  private func echo(_ request: TestHTTPServer.Request) -> String {
    let query = request.query.map { "\(quoted($0.name)):\(quoted($0.value))" }
    let headers = request.headers.map { "\(quoted($0.name)):\(quoted($0.value))" }
    return """
      {"method":\(quoted(request.method)),"path":\(quoted(request.path)),\
      "query":{\(query.joined(separator: ","))},"headers":{\(headers.joined(separator: ","))},\
      "body":\(quoted(request.bodyText))}
      """
  }

  // MARK: characters

  private func characters(_ request: TestHTTPServer.Request, _ parts: [String])
    -> TestHTTPServer.Response
  {
    if parts.count > 3, parts[2] == "avatar" {
      return .init(
        200, headers: [("Content-Type", "image/jpeg"), ("ETag", "\"avatar\"")],
        body: [0xFF, 0xD8, 0xFF, 0xE0] + Array(parts[3].utf8))
    }
    if parts.count > 2 {
      let ids = parts[2].split(separator: ",").map { Int($0) }
      guard !ids.contains(nil) else {
        return .init(500, json: #"{"error":"Hey! you must provide an id"}"#)
      }
      let found = Character.all.filter { ids.contains($0.id) }.map { $0.json(origin) }
      if parts[2].contains(",") {
        return cacheable("[\(found.joined(separator: ","))]", request)
      }
      guard let one = found.first else {
        return .init(404, json: #"{"error":"Character not found"}"#)
      }
      return cacheable(one, request)
    }
    var rows = Character.all
    for (name, value) in ["name", "status", "species", "type", "gender"].compactMap({ name in
      request.query(name).map { (name, $0.lowercased()) }
    }) {
      rows = rows.filter { $0.field(name).lowercased().contains(value) || value.isEmpty }
    }
    let page = max(1, request.query("page").flatMap { Int($0) } ?? 1)
    let pages = (rows.count + 19) / 20
    guard page <= pages else {
      return .init(404, json: #"{"error":"There is nothing here"}"#)
    }
    let rest = request.query.filter { $0.name != "page" }.map { "&\($0.name)=\($0.value)" }
    func link(_ page: Int) -> String {
      guard (1...pages).contains(page) else { return "null" }
      return quoted("\(origin)/api/character?page=\(page)\(rest.joined())")
    }
    let shown = rows.dropFirst((page - 1) * 20).prefix(20).map { $0.json(origin) }
    return cacheable(
      """
      {"info":{"count":\(rows.count),"pages":\(pages),"next":\(link(page + 1)),\
      "prev":\(link(page - 1))},"results":[\(shown.joined(separator: ","))]}
      """, request)
  }

  private func cacheable(_ json: String, _ request: TestHTTPServer.Request)
    -> TestHTTPServer.Response
  {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in json.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    let tag = "\"\(String(hash, radix: 16))\""
    let headers = [
      ("ETag", tag), ("Cache-Control", "max-age=5"),
      ("Last-Modified", "Sat, 04 Nov 2017 18:48:46 GMT"),
    ]
    if request.header("If-None-Match") == tag { return .init(304, headers: headers) }
    return .init(json: json, headers: headers)
  }

  private struct Character {
    var id: Int
    var name: String
    var status: String
    var species: String
    var gender: String

    /// The rest is made up: what counts is that two pages exist.
    static let all: [Character] =
      [
        Character(1, "Rick Sanchez", "Alive", "Human", "Male"),
        Character(2, "Morty Smith", "Alive", "Human", "Male"),
        Character(3, "Summer Smith", "Alive", "Human", "Female"),
        Character(4, "Beth Smith", "Alive", "Human", "Female"),
        Character(5, "Jerry Smith", "Alive", "Human", "Male"),
      ]
      + (6...40).map { id in
        Character(
          id, "Passer-by \(id)", ["Alive", "Dead", "unknown"][id % 3], ["Human", "Alien"][id % 2],
          ["Female", "Male", "unknown"][id % 3])
      }

    init(_ id: Int, _ name: String, _ status: String, _ species: String, _ gender: String) {
      self.id = id
      self.name = name
      self.status = status
      self.species = species
      self.gender = gender
    }

    func field(_ field: String) -> String {
      switch field {
      case "name": name
      case "status": status
      case "species": species
      case "gender": gender
      default: ""
      }
    }

    func json(_ origin: String) -> String {
      """
      {"id":\(id),"name":\(quoted(name)),"status":"\(status)","species":"\(species)","type":"",\
      "gender":"\(gender)","origin":{"name":"Earth (C-137)","url":"\(origin)/api/location/1"},\
      "location":{"name":"Earth (Replacement Dimension)","url":"\(origin)/api/location/20"},\
      "image":"\(origin)/api/character/avatar/\(id).jpeg","episode":["\(origin)/api/episode/1"],\
      "url":"\(origin)/api/character/\(id)","created":"2017-11-04T18:48:46.250Z"}
      """
    }
  }

  // MARK: media services

  private func media(_ request: TestHTTPServer.Request, _ parts: [String])
    -> TestHTTPServer.Response
  {
    let app = parts[0]
    guard request.header("X-Api-Key") ?? request.query("apikey") == "\(app)-key" else {
      return .init(401, json: #"{"error":"Unauthorized"}"#)
    }
    let isRadarr = app == "radarr"
    switch parts.last {
    case "status":
      return .init(
        json: """
          {"appName":"\(isRadarr ? "Radarr" : "Sonarr")","version":"5.2.6.8376",\
          "osName":"debian","isProduction":true}
          """)
    case isRadarr ? "movie" : "series":
      let title = isRadarr ? "Movie" : "Series"
      let items = (1...25).map { id in
        """
        {"id":\(id),"title":"\(title) \(id)","monitored":\(id % 2 == 0),"year":\(1990 + id)}
        """
      }
      return .init(json: "[\(items.joined(separator: ","))]")
    case "queue":
      return .init(
        json: """
          {"page":1,"pageSize":10,"totalRecords":1,"records":[{"id":1,"title":"Item",\
          "size":100.0,"sizeleft":40.0,"status":"downloading"}]}
          """)
    default: return .init(404, json: #"{"message":"NotFound"}"#)
    }
  }

  private func downloads(_ request: TestHTTPServer.Request) -> TestHTTPServer.Response {
    guard request.query("apikey") == "sab-key" else {
      return .init(403, body: Array("API Key Incorrect".utf8))
    }
    switch request.query("mode") {
    case "version": return .init(json: #"{"version":"4.3.2"}"#)
    case "queue":
      return .init(
        json: """
          {"queue":{"status":"Downloading","speed":"1.2 M","mb":"700.0","mbleft":"200.0",\
          "slots":[{"filename":"item","percentage":"71"}]}}
          """)
    case "history":
      return .init(
        json: """
          {"history":{"noofslots":1,"slots":[{"name":"done","status":"Completed","bytes":1000}]}}
          """)
    default: return .init(json: #"{"status":false,"error":"not implemented"}"#)
    }
  }
}

/// A JSON string, with control characters escaped.
func quoted(_ text: String) -> String {
  var result = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"": result += "\\\""
    case "\\": result += "\\\\"
    case _ where scalar.value < 0x20:
      let digits = String(scalar.value, radix: 16)
      result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result + "\""
}
