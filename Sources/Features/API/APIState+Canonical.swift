import SwiftBoardBoard
import SwiftBoardJSON

// Every step of a recording has the state, so it is written by hand; what only steps with requests
// in flight have is left to `Codable`.

extension APIState: CanonicalEncodable {
  /// Writes what `encode(to:)` does.
  public func encodeCanonical(to writer: inout CanonicalWriter) throws {
    guard !isEarlier else { return encodeEarlier(to: &writer) }
    writer.beginObject()
    writer.member("answered", answered)
    writer.array("answers", answers) { $0.write(to: &$1) }
    writer.member("changes", changes) { $0.encodeCanonical(to: &$1) }
    try writer.array("pending", pending) { try $0.write(to: &$1) }
    if rereadsServices { writer.member("rereadsServices", true) }
    writer.member("requests", requests)
    writer.array("saved", saved) { $1.string($0) }
    try writer.array("services", services) { try $1.value($0) }
    writer.endObject()
  }
}

extension APIState {
  private func encodeEarlier(to writer: inout CanonicalWriter) {
    writer.beginObject()
    writer.member("answers", answered)
    writer.key("pending")
    writer.beginArray()
    for request in pending where !request.isTest {
      writer.beginObject()
      writer.member("job", request.job)
      writer.member("method", request.method)
      writer.member("target", request.target)
      writer.endObject()
    }
    writer.endArray()
    writer.member("requests", requests)
    writer.endObject()
  }
}

extension RecentAnswer {
  fileprivate func write(to writer: inout CanonicalWriter) {
    writer.beginObject()
    writer.member("attempts", attempts)
    if let body {
      writer.key("body")
      body.canonical.withUnsafeBufferPointer { writer.canonical($0) }
    }
    writer.member("bytes", bytes)
    if let digest { writer.member("digest", digest) }
    if let file { writer.member("file", file) }
    writer.dictionary("headers", headers) { $1.string($0) }
    writer.member("job", job)
    writer.member("method", method)
    writer.member("microseconds", microseconds) { $1.int($0) }
    writer.member("status", status)
    writer.member("url", url)
    writer.member("verdict", verdict.rawValue)
    writer.endObject()
  }
}

extension PendingRequest {
  fileprivate func write(to writer: inout CanonicalWriter) throws {
    writer.beginObject()
    writer.member("attempt", attempt)
    try writer.member("command", command) { try $1.value($0) }
    writer.member("isBackground", isBackground)
    writer.member("job", job)
    writer.member("method", method)
    writer.member("pause", pause) { $1.int($0) }
    try writer.member("service", service) { try $1.value($0) }
    writer.member("stage", stage.rawValue)
    writer.member("target", target)
    writer.member("timeout", timeout) { $1.int($0) }
    if let wantsAnyStatus { writer.member("wantsAnyStatus", wantsAnyStatus) }
    writer.endObject()
  }
}

extension APIRequestSpec: CanonicalEncodable {
  /// Writes what `encode(to:)` does. What few requests have is left to `Codable`.
  public func encodeCanonical(to writer: inout CanonicalWriter) throws {
    func value(_ name: StaticString, _ value: (some Encodable)?) throws {
      try writer.member(name, value) { try $1.value($0) }
    }
    func bool(_ name: StaticString, _ value: Bool?) {
      writer.member(name, value) { $1.bool($0) }
    }
    writer.beginObject()
    try value("added", added)
    try value("authentication", authentication)
    writer.member("cache", cache.rawValue)
    try value("captures", captures)
    try value("compressedLimit", compressedLimit)
    try value("connection", connection)
    try value("encoding", encoding)
    writer.member("follow", follow)
    bool("isAtService", isAtService)
    bool("isExplicit", isExplicit)
    bool("isPretty", isPretty)
    bool("isSavedLast", isSavedLast)
    try writer.array("items", items) { try $1.value($0) }
    try value("jsonBody", jsonBody)
    writer.member("method", method)
    if let out { writer.member("out", out) }
    bool("resumes", resumes)
    writer.member("retries", retries)
    if let save { writer.member("save", save) }
    if let select { writer.member("select", select) }
    writer.member("shown", shown.rawValue)
    if let text = target.text {
      writer.member("target", text)
    } else {
      try value("target", target)
    }
    try value("timeout", timeout)
    writer.endObject()
  }
}
