import SwiftBoardJSON

/// SABnzbd. Most refusals have the status 200; that of the key is text.
struct SABnzbdState {
  private var isPaused = false
  private var lastID = 1
  private var slots: [JSON] = (0...1).map { Self.slot("SABnzbd_nzo_\($0)", "item \($0)", $0) }

  private static func slot(_ id: String, _ name: String, _ index: Int) -> JSON {
    [
      "nzo_id": .string(id), "filename": .string(name), "percentage": index == 0 ? "71" : "0",
      "mb": "700.00", "mbleft": index == 0 ? "200.00" : "700.00",
      "timeleft": index == 0 ? "0:10:00" : "0:00:00", "cat": "*",
      "status": index == 0 ? "Downloading" : "Queued",
    ]
  }

  mutating func answer(
    _ request: TestHTTPServer.Request, _ path: [String]
  ) -> TestHTTPServer.Response {
    guard path == ["api"] else { return path.isEmpty ? .page("SABnzbd") : .init(404) }
    let mode = request.query("mode")
    if mode == "version" { return .init(200, ["version": "4.3.2"]) }
    guard request.query("apikey") == "sab-key" else {
      let isMissing = request.query("apikey") == nil
      return .init(403, body: Array("API Key \(isMissing ? "Required" : "Incorrect")".utf8))
    }
    switch mode {
    case "pause", "resume":
      isPaused = mode == "pause"
      return .init(200, ["status": true])
    case "queue" where request.query("name") != nil: return change(request)
    case "queue":
      return .init(
        200,
        [
          "queue": [
            "status": isPaused ? "Paused" : "Downloading", "paused": .bool(isPaused),
            "speed": "1.2 M", "kbpersec": "1228.80", "noofslots": JSON(slots.count),
            "slots": .array(slots),
          ]
        ])
    case "history":
      return .init(
        200,
        [
          "history": [
            "noofslots": 2,
            "slots": [
              [
                "nzo_id": "h1", "name": "done", "status": "Completed", "bytes": 1000,
                "fail_message": "", "completed": 1_700_000_000,
              ],
              [
                "nzo_id": "h2", "name": "broken", "status": "Failed", "bytes": 0,
                "fail_message": "Out of retention", "completed": 1_600_000_000,
              ],
            ],
          ]
        ])
    case "addurl":
      lastID += 1
      let id = "SABnzbd_nzo_\(lastID)"
      let name = request.query("nzbname") ?? request.query("name") ?? ""
      slots.append(Self.slot(id, name, slots.count + 1))
      return .init(200, ["status": true, "nzo_ids": [.string(id)]])
    default: return .init(200, ["status": false, "error": "not implemented"])
    }
  }

  /// An ID that is not there is no failure. The answer has those that were removed, and all that
  /// were to be paused or resumed.
  private mutating func change(_ request: TestHTTPServer.Request) -> TestHTTPServer.Response {
    let ids = (request.query("value") ?? "").split(separator: ",").map(String.init)
    var found: [JSON] = []
    for id in ids {
      let name = request.query("name")
      let index = slots.firstIndex { $0["nzo_id"]?.stringValue == id }
      if index != nil || name != "delete" { found.append(.string(id)) }
      guard let index else { continue }
      switch name {
      case "delete": slots.remove(at: index)
      case "pause": slots[index]["status"] = "Paused"
      default: slots[index]["status"] = "Queued"
      }
    }
    return .init(200, ["status": .bool(!found.isEmpty), "nzo_ids": .array(found)])
  }
}

/// NZBGet, by JSON-RPC.
struct NZBGetState {
  private var isPaused = false
  private var groups: [JSON] = (1...2).map { id in
    [
      "NZBID": JSON(id), "NZBName": .string("group \(id)"),
      "Status": id == 1 ? "DOWNLOADING" : "QUEUED", "FileSizeMB": 700,
      "RemainingSizeMB": JSON(200 * id), "Category": "",
    ]
  }

  mutating func answer(
    _ request: TestHTTPServer.Request, _ path: [String]
  ) -> TestHTTPServer.Response {
    guard path.isEmpty || path == ["jsonrpc"] else {
      return .init(404, body: Array("<html></html>".utf8))
    }
    guard request.header("Authorization") == "Basic bnpiZ2V0Om56YmdldC1wYXNzd29yZA==" else {
      return .init(
        401,
        headers: [("WWW-Authenticate", "Basic realm=\"NZBGet\""), ("Content-Type", "text/html")],
        body: Array("<html><body>401 Unauthorized</body></html>".utf8))
    }
    let call = (try? JSON(parsing: request.bodyText)) ?? .null
    guard let result = result(call["method"]?.stringValue ?? "", call["params"]?.elements ?? [])
    else {
      return .init(
        200,
        [
          "version": "1.1", "id": call["id"] ?? .null,
          "error": ["name": "JSONRPCError", "code": 1, "message": "Invalid procedure"],
        ])
    }
    return .init(200, ["version": "1.1", "id": call["id"] ?? .null, "result": result])
  }

  private mutating func result(_ method: String, _ parameters: [JSON]) -> JSON? {
    switch method {
    case "version": return "24.5"
    case "status":
      return ["DownloadPaused": .bool(isPaused), "DownloadRate": isPaused ? 0 : 1_258_291]
    case "listgroups": return .array(groups)
    case "history":
      return [
        ["NZBID": 9, "Name": "done", "Status": "SUCCESS/ALL", "FileSizeMB": 700],
        ["NZBID": 8, "Name": "broken", "Status": "FAILURE/HEALTH", "FileSizeMB": 700],
      ]
    case "pausedownload", "resumedownload":
      isPaused = method == "pausedownload"
      return true
    case "editqueue" where parameters.count == 3:
      return .bool(edit(parameters[0].stringValue ?? "", parameters[2].elements ?? []))
    case "append" where parameters.count >= 9:
      let id = (groups.compactMap { $0["NZBID"]?.intValue }.max() ?? 0) + 1
      groups.append([
        "NZBID": JSON(id), "NZBName": parameters[0], "Status": "QUEUED", "FileSizeMB": 100,
        "RemainingSizeMB": 100, "Category": parameters[2],
      ])
      return JSON(id)
    default: return nil
    }
  }

  private mutating func edit(_ command: String, _ ids: [JSON]) -> Bool {
    let found = groups.indices.filter { index in ids.contains { $0 == groups[index]["NZBID"] } }
    guard !found.isEmpty else { return false }
    switch command {
    case "GroupPause": for index in found { groups[index]["Status"] = "PAUSED" }
    case "GroupResume": for index in found { groups[index]["Status"] = "QUEUED" }
    case "GroupDelete", "GroupFinalDelete":
      groups.removeAll { group in ids.contains { $0 == group["NZBID"] } }
    default: return false
    }
    return true
  }
}
