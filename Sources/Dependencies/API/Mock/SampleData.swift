import SwiftBoardSystem

/// The answers of the preview and of the demonstration.
///
/// - `…/character?page=N&name=…&status=…`: pages of 20, in the form of the Rick and Morty API
/// - `…/character/ID`
/// - `…/character/avatar/ID.jpeg`: an empty picture
/// - `…/system/status`: the name and version of a media service
/// - `…/items` and `…/items/ID`: the JSON that was sent, with 201 for POST and 200 otherwise; 204
///   if nothing was sent. Nothing is kept.
/// - everything else: 404 with `{"error":"There is nothing here"}`
///
/// Answers have an `ETag`. A request with a matching `If-None-Match` gets 304.
enum SampleData {
  static func answer(to request: APIRequest) -> MockAnswer {
    do throws(APIError) {
      return answer(request, at: try URLBuilder(request.url))
    } catch {
      return .failure(error)
    }
  }

  private static func answer(_ request: APIRequest, at address: URLBuilder) -> MockAnswer {
    let parts = address.path.split(separator: "/").map(String.init)
    if parts.suffix(2).contains("items") { return echo(request) }
    guard request.method == "GET" || request.method == "HEAD" else {
      return answer(
        request, 405, #"{"error":"The sample data can only be read, except for items"}"#)
    }
    if parts.suffix(2) == ["system", "status"] {
      return cacheable(request, #"{"appName":"Radarr","version":"5.2.6.8376"}"#)
    }
    let base = "\(address.origin)\(address.path)"
    if parts.last == "character" {
      return page(request, base: base, query: items(address.query))
    }
    if parts.suffix(3).starts(with: ["character", "avatar"]) {
      // The start and end markers of a JPEG picture.
      return .response(
        status: 200, headers: [HTTPHeader("Content-Type", "image/jpeg")],
        body: Data([0xFF, 0xD8, 0xFF, 0xD9]))
    }
    if parts.suffix(2).first == "character", let last = parts.last {
      guard let id = Int(last) else {
        return answer(request, 500, #"{"error":"Hey! you must provide an id"}"#)
      }
      guard let found = SampleCharacter.all.first(where: { $0.id == id }) else {
        return answer(request, 404, #"{"error":"Character not found"}"#)
      }
      return cacheable(request, found.json(base: String(base.dropLast(last.count + 1))))
    }
    return missing(request)
  }

  private static func page(_ request: APIRequest, base: String, query: [QueryItem]) -> MockAnswer {
    var rows = SampleCharacter.all
    for item in query {
      let wanted = (item.value ?? "").lowercased()
      switch item.name {
      case "name": rows.removeAll { !$0.name.lowercased().contains(wanted) }
      case "status": rows.removeAll { !$0.status.lowercased().contains(wanted) }
      case "species": rows.removeAll { !$0.species.lowercased().contains(wanted) }
      case "gender": rows.removeAll { !$0.gender.lowercased().contains(wanted) }
      default: break
      }
    }
    let page = query.last { $0.name == "page" }?.value.flatMap { Int($0) } ?? 1
    let pages = (rows.count + 19) / 20
    guard (1...max(1, pages)).contains(page), !rows.isEmpty else { return missing(request) }
    let filters = query.filter { $0.name != "page" }
    func link(_ number: Int) -> String {
      guard (1...pages).contains(number),
        let address = try? URLBuilder(base).appending(
          query: [QueryItem("page", String(number))] + filters)
      else { return "null" }
      return "\"\(address.url)\""
    }
    let shown = rows.dropFirst((page - 1) * 20).prefix(20).map { $0.json(base: base) }
    return cacheable(
      request,
      """
      {"info":{"count":\(rows.count),"pages":\(pages),"next":\(link(page + 1)),\
      "prev":\(link(page - 1))},"results":[\(shown.joined(separator: ","))]}
      """)
  }

  private static func echo(_ request: APIRequest) -> MockAnswer {
    guard let body = request.body, !body.isEmpty else { return .status(204) }
    return answer(
      request, request.method == "POST" ? 201 : 200, String(decoding: body, as: UTF8.self))
  }

  private static func missing(_ request: APIRequest) -> MockAnswer {
    answer(request, 404, #"{"error":"There is nothing here"}"#)
  }

  private static func cacheable(_ request: APIRequest, _ json: String) -> MockAnswer {
    // FNV-1a, so that a text has the same tag in every run.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in json.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    let headers = [
      HTTPHeader("ETag", "\"\(String(hash, radix: 16))\""),
      HTTPHeader("Cache-Control", "max-age=5"),
    ]
    if request.headers.value(of: "If-None-Match") == headers[0].value {
      return .status(304, headers: headers)
    }
    return answer(request, 200, json, headers)
  }

  private static func answer(
    _ request: APIRequest, _ status: Int, _ json: String, _ headers: [HTTPHeader] = []
  ) -> MockAnswer {
    .response(
      status: status,
      headers: [HTTPHeader("Content-Type", "application/json; charset=utf-8")] + headers,
      body: request.method == "HEAD" ? Data() : Data(json.utf8))
  }

  private static func items(_ query: String?) -> [QueryItem] {
    (query ?? "").split(separator: "&").map { item in
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return QueryItem(
        PercentEncoding.decoded(parts[0]), parts.count > 1 ? PercentEncoding.decoded(parts[1]) : nil
      )
    }
  }
}

/// A character of the sample data.
private struct SampleCharacter {
  var id: Int
  var name: String
  var status: String
  var species: String
  var gender: String

  init(_ id: Int, _ name: String, _ status: String, _ species: String, _ gender: String) {
    self.id = id
    self.name = name
    self.status = status
    self.species = species
    self.gender = gender
  }

  static let all = [
    SampleCharacter(1, "Rick Sanchez", "Alive", "Human", "Male"),
    SampleCharacter(2, "Morty Smith", "Alive", "Human", "Male"),
    SampleCharacter(3, "Summer Smith", "Alive", "Human", "Female"),
    SampleCharacter(4, "Beth Smith", "Alive", "Human", "Female"),
    SampleCharacter(5, "Jerry Smith", "Alive", "Human", "Male"),
    SampleCharacter(6, "Abadango Cluster Princess", "Alive", "Alien", "Female"),
    SampleCharacter(7, "Abradolf Lincler", "unknown", "Human", "Male"),
    SampleCharacter(8, "Adjudicator Rick", "Dead", "Human", "Male"),
    SampleCharacter(9, "Agency Director", "Dead", "Human", "Male"),
    SampleCharacter(10, "Alan Rails", "Dead", "Human", "Male"),
    SampleCharacter(11, "Albert Einstein", "Dead", "Human", "Male"),
    SampleCharacter(12, "Alexander", "Dead", "Human", "Male"),
    SampleCharacter(13, "Alien Googah", "unknown", "Alien", "unknown"),
    SampleCharacter(14, "Alien Morty", "unknown", "Alien", "Male"),
    SampleCharacter(15, "Alien Rick", "unknown", "Alien", "Male"),
    SampleCharacter(16, "Amish Cyborg", "Dead", "Alien", "Male"),
    SampleCharacter(17, "Annie", "Alive", "Human", "Female"),
    SampleCharacter(18, "Antenna Morty", "Alive", "Human", "Male"),
    SampleCharacter(19, "Antenna Rick", "unknown", "Human", "Male"),
    SampleCharacter(20, "Ants in my Eyes Johnson", "unknown", "Human", "Male"),
    SampleCharacter(21, "Aqua Morty", "unknown", "Humanoid", "Male"),
    SampleCharacter(22, "Aqua Rick", "unknown", "Humanoid", "Male"),
    SampleCharacter(23, "Arcade Alien", "unknown", "Alien", "Male"),
  ]

  /// Returns the JSON of the character. `base` is the URL of the list. No name contains a character
  /// that JSON escapes.
  func json(base: String) -> String {
    let root = base.dropLast("character".utf8.count)
    return """
      {"id":\(id),"name":"\(name)","status":"\(status)","species":"\(species)","type":"",\
      "gender":"\(gender)","origin":{"name":"Earth (C-137)","url":"\(root)location/1"},\
      "location":{"name":"Earth (Replacement Dimension)","url":"\(root)location/20"},\
      "image":"\(base)/avatar/\(id).jpeg","episode":["\(root)episode/\(id)"],\
      "url":"\(base)/\(id)","created":"2017-11-04T18:48:46.250Z"}
      """
  }
}
