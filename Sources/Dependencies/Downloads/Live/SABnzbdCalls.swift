import SwiftBoardJSON
import SwiftBoardSystem

/// SABnzbd's API: every call is a GET with `mode` and `output=json`.
///
/// Most refusals have the status 200 and are an object with `error`; that of the key is text.
struct SABnzbdCalls: LiveDownloadService.Calls {
  private let connection: ProgramConnection

  init(_ connection: ProgramConnection) { self.connection = connection }

  func status() async throws(ProgramError) -> ProgramStatus {
    // The version is told without a key, and would not show that the key is wrong.
    let json = try await ask("queue", [QueryItem("limit", "1")])
    guard json["queue"]?.members != nil else { throw connection.error(.wrongProgram(found: nil)) }
    let version = try await ask("version")
    return ProgramStatus(
      program: connection.program, version: version["version"]?.stringValue ?? "")
  }

  func queue() async throws(ProgramError) -> DownloadQueue {
    let json = try await ask("queue", [QueryItem("start", "0"), QueryItem("limit", "200")])
    let queue = try object("queue", of: json)
    var entries: [DownloadQueue.Entry] = []
    for row in try queue.elements("slots") { entries.append(try entry(row)) }
    let isPaused = try queue.optionalBool("paused")
    let status = try queue.optionalText("status")
    let all = try queue.optionalNumber("noofslots_total")
    let matching = try queue.optionalNumber("noofslots")
    return DownloadQueue(
      isPaused: isPaused ?? (status == "Paused"), speed: try speed(queue), entries,
      count: (all ?? matching).flatMap { Int(exactly: $0) })
  }

  func history(limit: Int) async throws(ProgramError) -> [FinishedDownload] {
    let json = try await ask(
      "history", [QueryItem("start", "0"), QueryItem("limit", String(limit))])
    var downloads: [FinishedDownload] = []
    for row in try object("history", of: json).elements("slots").prefix(limit) {
      let status = try row.text("status")
      // Of one that is still verified or unpacked, the time is the present.
      let hasEnded = ["Completed", "Failed"].contains(status)
      downloads.append(
        FinishedDownload(
          id: try row.text("nzo_id"), name: try row.text("name"),
          isComplete: status == "Completed", status: status,
          problem: try row.optionalText("fail_message"),
          size: try row.optionalBytes("bytes") ?? 0,
          ended: hasEnded ? try row.optionalTime("completed") : nil))
    }
    return downloads
  }

  func add(_ download: NewDownload) async throws(ProgramError) -> String {
    var query: [QueryItem] = []
    if let name = download.name { query.append(QueryItem("nzbname", name)) }
    if let category = download.category { query.append(QueryItem("cat", category)) }
    let json = try await ask(
      "addurl", query, encoded: [("name", download.queryValue)], isChange: true)
    guard let id = json["nzo_ids"]?[0]?.stringValue else {
      throw json["status"]?.boolValue == false
        ? connection.error(.refused(reasons: []))
        : connection.changing.error(.undecodable(path: "nzo_ids[0]"))
    }
    return id
  }

  func setPaused(_ isPaused: Bool, _ ids: [String]) async throws(ProgramError) {
    let word = isPaused ? "pause" : "resume"
    guard !ids.isEmpty else {
      _ = try await ask(word, isChange: true)
      return
    }
    try await checkQueued(ids)
    try await change(ids, [QueryItem("name", word)])
  }

  func remove(_ ids: [String], deletesFiles: Bool) async throws(ProgramError) {
    guard !ids.isEmpty else { return }
    try await checkQueued(ids)
    try await change(
      ids, [QueryItem("name", "delete"), QueryItem("del_files", deletesFiles ? "1" : "0")])
  }

  // MARK: Requests

  /// Refuses IDs that are not in the queue, so that nothing is changed if one of several is wrong.
  /// SABnzbd changes the others, and claims to have paused downloads that are not there.
  private func checkQueued(_ ids: [String]) async throws(ProgramError) {
    try check(ids)
    let json = try await ask("queue", [QueryItem("nzo_ids", ids.joined(separator: ","))])
    let present = Set(
      try object("queue", of: json).elements("slots").compactMap { $0.json["nzo_id"]?.stringValue })
    let missing = ids.filter { !present.contains($0) }
    guard missing.isEmpty else {
      throw connection.error(.notQueued(id: missing.joined(separator: ", ")))
    }
  }

  /// Changes downloads of the queue. SABnzbd says which IDs it removed.
  private func change(_ ids: [String], _ query: [QueryItem]) async throws(ProgramError) {
    let json = try await ask(
      "queue", query + [QueryItem("value", ids.joined(separator: ","))], isChange: true)
    guard let found = json["nzo_ids"]?.elements?.compactMap(\.stringValue) else { return }
    let missing = ids.filter { !found.contains($0) }
    guard missing.isEmpty else {
      throw connection.error(.notQueued(id: missing.joined(separator: ", ")))
    }
  }

  /// Refuses what SABnzbd reads as the whole queue, or as more than one ID.
  private func check(_ ids: [String]) throws(ProgramError) {
    let refused = ids.first {
      $0.isEmpty || $0.utf8.contains(UInt8(ascii: ",")) || $0.lowercased() == "all"
    }
    if let refused { throw connection.error(.notQueued(id: refused)) }
  }

  /// - Parameter isChange: Whether the request changes something. It is then never sent twice, and
  ///   the answer must have a status, which is also `false` if there are none of the IDs.
  private func ask(
    _ mode: String, _ query: [QueryItem] = [],
    encoded: [(name: String, value: SecretText)] = [], isChange: Bool = false
  ) async throws(ProgramError) -> JSON {
    let connection = isChange ? connection.changing : connection
    let response = try await connection.send(
      .init(
        path: "", query: [QueryItem("mode", mode), QueryItem("output", "json")] + query,
        encodedQuery: encoded, isIdempotent: isChange ? false : nil, isChange: isChange))
    let text = String(decoding: response.body.prefix(200), as: UTF8.self)
    let key = connection.service.authentication?.secret
    if text.contains("API Key Incorrect") || text.contains("API Key Required") {
      throw connection.error(.wrongKey(secret: key))
    }
    if let stranger = connection.stranger(in: response) { throw stranger }
    switch response.status {
    case 200..<300: break
    case 401:
      // SABnzbd refuses a key with 403 or 200.
      throw connection.error(.wrongProgram(found: nil), in: response)
    case 403:
      // The check of the host name, of the network, or without a text any of them.
      let reason = text.split(whereSeparator: \.isNewline).first.map(String.init)
      throw connection.error(.denied(reason: text.hasPrefix("<") ? nil : reason), in: response)
    case 300..<400, 404, 405: throw connection.misplaced(response)
    default: throw connection.error(.status(response.status), in: response)
    }
    guard let json = ProgramConnection.parsed(response.body) else {
      throw connection.misplaced(response)
    }
    let status = json["status"]?.boolValue
    if status == false, json["nzo_ids"] == nil {
      throw connection.error(.refused(reasons: json["error"]?.stringValue.map { [$0] } ?? []))
    }
    if isChange, status == nil { throw connection.error(.undecodable(path: "status")) }
    return json
  }

  private func object(_ name: String, of json: JSON) throws(ProgramError) -> ProgramReader {
    guard let object = json[name], object.members != nil else {
      throw connection.error(.undecodable(path: name))
    }
    return ProgramReader(connection: connection, json: object, path: name)
  }

  // MARK: Values

  private func entry(_ row: ProgramReader) throws(ProgramError) -> DownloadQueue.Entry {
    let category = try row.optionalText("cat")
    return DownloadQueue.Entry(
      id: try row.text("nzo_id"), name: try row.text("filename"),
      status: Self.status(try row.text("status")),
      size: try row.optionalBytes("mb", unit: 1_048_576) ?? 0,
      left: try row.optionalBytes("mbleft", unit: 1_048_576) ?? 0,
      secondsLeft: try row.optionalText("timeleft").flatMap(Self.seconds),
      category: ["*", "None"].contains(category) ? nil : category)
  }

  /// `kbpersec`, or `speed`: `1.2 M`.
  private func speed(_ queue: ProgramReader) throws(ProgramError) -> Int64 {
    if let speed = try queue.optionalBytes("kbpersec", unit: 1024) { return speed }
    let parts = try queue.optionalText("speed")?.split(separator: " ") ?? []
    guard let number = parts.first.flatMap({ Double($0) }) else { return 0 }
    let units: [Substring: Double] = ["K": 1024, "M": 1_048_576, "G": 1_073_741_824]
    return Int64(exactly: (number * (parts.last.flatMap { units[$0] } ?? 1)).rounded()) ?? 0
  }

  /// `H:MM:SS`, with days before it where there are any.
  private static func seconds(_ text: String) -> Int64? {
    let parts = text.split(separator: ":").map { Int64($0) }
    guard (3...4).contains(parts.count), !parts.contains(nil) else { return nil }
    let scale: [Int64] = [86_400, 3600, 60, 1]
    let seconds = zip(parts.compactMap(\.self), scale.suffix(parts.count)).reduce(Int64(0)) {
      $0 &+ $1.0 &* $1.1
    }
    return seconds > 0 ? seconds : nil
  }

  private static func status(_ text: String) -> DownloadQueue.Status {
    switch text {
    case "Downloading": .downloading
    case "Queued", "Propagating": .queued
    case "Paused": .paused
    case "Grabbing", "Fetching": .fetching
    case "Checking", "QuickCheck", "Verifying", "Repairing", "Extracting", "Moving", "Running":
      .processing
    default: .other
    }
  }
}
