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
    writer.key("answers")
    writer.beginArray()
    for answer in answers { answer.write(to: &writer) }
    writer.endArray()
    if let changes {
      writer.key("changes")
      changes.encodeCanonical(to: &writer)
    }
    writer.key("pending")
    writer.beginArray()
    for request in pending { try request.write(to: &writer) }
    writer.endArray()
    if rereadsServices {
      writer.key("rereadsServices")
      writer.bool(true)
    }
    writer.member("requests", requests)
    if let saved {
      writer.key("saved")
      writer.beginArray()
      for name in saved { writer.string(name) }
      writer.endArray()
    }
    if let services {
      writer.key("services")
      writer.beginArray()
      for service in services { try writer.value(service) }
      writer.endArray()
    }
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
    writer.key("headers")
    writer.beginObject()
    for (name, value) in headers {
      writer.key(name)
      writer.string(value)
    }
    writer.endObject()
    writer.member("job", job)
    writer.member("method", method)
    writer.key("microseconds")
    writer.int(microseconds)
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
    writer.key("command")
    try writer.value(command)
    writer.key("isBackground")
    writer.bool(isBackground)
    writer.member("job", job)
    writer.member("method", method)
    writer.key("pause")
    writer.int(pause)
    if let service {
      writer.key("service")
      try writer.value(service)
    }
    writer.member("stage", stage.rawValue)
    writer.member("target", target)
    if let timeout {
      writer.key("timeout")
      writer.int(timeout)
    }
    if let wantsAnyStatus {
      writer.key("wantsAnyStatus")
      writer.bool(wantsAnyStatus)
    }
    writer.endObject()
  }
}

extension APIRequestSpec: CanonicalEncodable {
  /// Writes what `encode(to:)` does. What few requests have is left to `Codable`.
  public func encodeCanonical(to writer: inout CanonicalWriter) throws {
    func value(_ name: StaticString, _ value: (some Encodable)?) throws {
      guard let value else { return }
      writer.key(name)
      try writer.value(value)
    }
    func bool(_ name: StaticString, _ value: Bool?) {
      guard let value else { return }
      writer.key(name)
      writer.bool(value)
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
    writer.key("items")
    writer.beginArray()
    for item in items { try writer.value(item) }
    writer.endArray()
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
