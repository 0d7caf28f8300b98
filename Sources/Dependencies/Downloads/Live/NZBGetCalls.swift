import SwiftBoardJSON
import SwiftBoardSystem

/// NZBGet's JSON-RPC: every call is a POST with `method` and `params`.
struct NZBGetCalls: LiveDownloadService.Calls {
  private let connection: ProgramConnection

  init(_ connection: ProgramConnection) { self.connection = connection }

  func status() async throws(ProgramError) -> ProgramStatus {
    let version = try await call("version")
    guard let text = version.stringValue else {
      throw connection.error(.wrongProgram(found: nil))
    }
    return ProgramStatus(program: connection.program, version: text)
  }

  func queue() async throws(ProgramError) -> DownloadQueue {
    let status = reader(try await call("status"), "status")
    let speed = try status.optionalBytes("DownloadRate") ?? 0
    let isPaused = try status.optionalBool("DownloadPaused") ?? false
    // No messages of the downloads' own logs.
    let groups = try reader(try await call("listgroups", [0]), "listgroups").elements()
    var entries: [DownloadQueue.Entry] = []
    for group in groups.prefix(200) { entries.append(try entry(group, speed)) }
    return DownloadQueue(
      isPaused: isPaused, speed: speed, entries, count: groups.count)
  }

  func history(limit: Int) async throws(ProgramError) -> [FinishedDownload] {
    // Without those that are only kept to find duplicates. There is no way to ask for a part.
    let rows = try reader(
      try await call("history", [SecretText("false")], limit: 128 << 20), "history"
    ).elements()
    var downloads: [FinishedDownload] = []
    for row in rows.prefix(limit) {
      let status = try row.text("Status")
      downloads.append(
        FinishedDownload(
          id: String(try row.int("NZBID")), name: try row.text("Name"),
          isComplete: status.hasPrefix("SUCCESS") || status == "WARNING/SCRIPT", status: status,
          problem: Self.problems[status], size: try Self.bytes("FileSize", of: row) ?? 0,
          ended: try row.optionalTime("HistoryTime")))
    }
    return downloads
  }

  func add(_ download: NewDownload) async throws(ProgramError) -> String {
    let name = download.name.map { $0.hasSuffix(".nzb") ? $0 : $0 + ".nzb" } ?? ""
    // Name, address, category, priority, to the top, paused, key, score and mode of duplicates.
    let others: [JSON] = [.string(download.category ?? ""), 0, false, false, "", 0, "SCORE"]
    let id = try await call(
      "append",
      [SecretText(JSON.string(name).text), download.jsonString]
        + others.map { SecretText($0.text) }, isChange: true)
    guard let id = id.intValue else {
      throw connection.changing.error(.undecodable(path: "result"))
    }
    // It is 0 if nothing was added.
    guard id > 0 else { throw connection.error(.refused(reasons: [])) }
    return String(id)
  }

  func setPaused(_ isPaused: Bool, _ ids: [String]) async throws(ProgramError) {
    guard !ids.isEmpty else {
      guard try await change(isPaused ? "pausedownload" : "resumedownload") else {
        throw connection.error(.refused(reasons: []))
      }
      return
    }
    try await edit(isPaused ? "GroupPause" : "GroupResume", ids)
  }

  func remove(_ ids: [String], deletesFiles: Bool) async throws(ProgramError) {
    // The final one leaves nothing in the history.
    try await edit(deletesFiles ? "GroupFinalDelete" : "GroupDelete", ids)
  }

  // MARK: Calls

  /// Edits downloads of the queue. The answer is `false` only if none of the IDs is there, so that
  /// several IDs are looked up first.
  private func edit(_ command: String, _ ids: [String]) async throws(ProgramError) {
    var present: Set<Int> = []
    if ids.count > 1 {
      let groups = try reader(try await call("listgroups", [0]), "listgroups").elements()
      for group in groups { present.insert(try group.int("NZBID")) }
    }
    var numbers: [JSON] = []
    for id in ids {
      guard let number = Int(id) else { throw connection.error(.notQueued(id: id)) }
      numbers.append(JSON(number))
      if ids.count > 1, !present.contains(number) { throw connection.error(.notQueued(id: id)) }
    }
    guard try await change("editqueue", [.string(command), "", .array(numbers)]) else {
      throw connection.error(.notQueued(id: ids.joined(separator: ", ")))
    }
  }

  /// Calls a method that changes something, and returns whether it did.
  private func change(
    _ method: String, _ parameters: [JSON] = []
  ) async throws(ProgramError) -> Bool {
    let result = try await call(method, parameters.map { SecretText($0.text) }, isChange: true)
    guard let isDone = result.boolValue else {
      throw connection.changing.error(.undecodable(path: "result"))
    }
    return isDone
  }

  private func call(
    _ method: String, _ parameters: [JSON] = []
  ) async throws(ProgramError) -> JSON {
    try await call(method, parameters.map { SecretText($0.text) })
  }

  /// - Parameters:
  ///   - parameters: Texts of JSON.
  ///   - isChange: Whether the method changes something.
  ///   - limit: The maximum size of the response in bytes.
  private func call(
    _ method: String, _ parameters: [SecretText], isChange: Bool = false, limit: Int = 16 << 20
  ) async throws(ProgramError) -> JSON {
    let connection = isChange ? connection.changing : connection
    let name = JSON.string(method).text
    var parts: [SecretText.Part] = [
      .text(#"{"version":"1.1","method":\#(name),"params":["#)
    ]
    for (index, parameter) in parameters.enumerated() {
      if index > 0 { parts.append(.text(",")) }
      parts += parameter.parts
    }
    parts.append(.text(#"],"id":1}"#))
    let response = try await connection.send(
      .init(
        method: "POST", path: "", body: SecretText(parts: parts), isChange: isChange, limit: limit))
    if let stranger = connection.stranger(in: response) { throw stranger }
    switch response.status {
    case 200..<300: break
    case 401 where !ProgramConnection.programs(of: response).isEmpty:
      throw connection.error(.wrongKey(secret: connection.service.authentication?.secret))
    case 401, 403: throw connection.error(.wrongProgram(found: nil), in: response)
    case 300..<400, 404, 405: throw connection.misplaced(response)
    default: throw connection.error(.status(response.status), in: response)
    }
    guard let json = ProgramConnection.parsed(response.body) else {
      throw connection.misplaced(response)
    }
    if let problem = json["error"], !problem.isNull {
      let message = problem["message"]?.stringValue
      throw connection.error(.refused(reasons: message.map { [$0] } ?? []))
    }
    guard let result = json["result"] else {
      throw connection.error(
        isChange ? .undecodable(path: "result") : .wrongProgram(found: nil), in: response)
    }
    return result
  }

  private func reader(_ json: JSON, _ path: String) -> ProgramReader {
    ProgramReader(connection: connection, json: json, path: path)
  }

  // MARK: Values

  private func entry(
    _ group: ProgramReader, _ speed: Int64
  ) throws(ProgramError) -> DownloadQueue.Entry {
    let status = Self.status(try group.text("Status"))
    // Files for a repair are paused until they are necessary. Of a paused download, all are.
    let paused = status == .paused ? 0 : try Self.bytes("PausedSize", of: group) ?? 0
    let left = max(0, (try Self.bytes("RemainingSize", of: group) ?? 0) - paused)
    let seconds = speed > 0 ? Int64((Double(left) / Double(speed)).rounded()) : nil
    return DownloadQueue.Entry(
      id: String(try group.int("NZBID")), name: try group.text("NZBName"), status: status,
      size: try Self.bytes("FileSize", of: group) ?? 0, left: left,
      pausedBytes: paused > 0 ? paused : nil, secondsLeft: status == .downloading ? seconds : nil,
      category: try group.optionalText("Category"))
  }

  /// A number of bytes: the upper and lower 32 bits, else a number of MiB; `nil` if there is none.
  private static func bytes(
    _ name: String, of row: ProgramReader
  ) throws(ProgramError) -> Int64? {
    if let high = try row.optionalInt("\(name)Hi"), let low = try row.optionalInt("\(name)Lo"),
      (0...Int(Int32.max)).contains(high)
    {
      return Int64(high) << 32 | Int64(UInt32(truncatingIfNeeded: low))
    }
    return try row.optionalBytes("\(name)MB", unit: 1_048_576)
  }

  /// What went wrong with a download of the history, by its status; see the documentation of
  /// NZBGet's method `history`.
  private static let problems = [
    "WARNING/SCRIPT": "a post-processing script failed",
    "WARNING/SPACE": "not unpacked: there is not enough space",
    "WARNING/PASSWORD": "not unpacked: the password is missing or wrong",
    "WARNING/DAMAGED": "damaged, and not repaired: ParCheck is Manual",
    "WARNING/REPAIRABLE": "damaged, and not repaired: ParRepair is off",
    "WARNING/HEALTH": "damaged, and there are no files for a repair",
    "WARNING/SKIPPED": "what the address has is not an NZB file",
    "DELETED/DUPE": "a duplicate", "DELETED/COPY": "the same NZB file was added before",
    "DELETED/GOOD": "a good duplicate exists",
    "FAILURE/PAR": "the par-check failed", "FAILURE/UNPACK": "unpacking failed",
    "FAILURE/MOVE": "the files could not be moved to their destination",
    "FAILURE/SCAN": "the NZB file is malformed", "FAILURE/BAD": "marked as bad",
    "FAILURE/HEALTH": "too many articles are missing",
    "FAILURE/FETCH": "the NZB file could not be fetched",
  ]

  private static func status(_ text: String) -> DownloadQueue.Status {
    switch text {
    case "DOWNLOADING": .downloading
    case "QUEUED": .queued
    case "PAUSED": .paused
    case "FETCHING", "LOADING_PARS": .fetching
    case "PP_QUEUED", "VERIFYING_SOURCES", "REPAIRING", "VERIFYING_REPAIRED", "RENAMING",
      "UNPACKING", "MOVING", "POST_UNPACK_RENAMING", "EXECUTING_SCRIPT", "PP_FINISHED":
      .processing
    default: .other
    }
  }
}
