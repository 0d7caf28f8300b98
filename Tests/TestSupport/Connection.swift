import SwiftBoardSystem

/// One connection of the test server, on its own thread: reads requests, writes replies, until
/// either side closes.
final class Connection {
  private let peer: Int32
  private let number: Int
  private let core: Core
  private var buffer: [UInt8] = []

  init(_ peer: Int32, number: Int, core: Core) {
    self.peer = peer
    self.number = number
    self.core = core
  }

  func serve() {
    defer { core.drop(peer) }
    while let request = readRequest() {
      core.requests.append(request)
      guard perform(core.reply(to: request), for: request) else { return }
    }
  }

  /// False where the connection is to be closed.
  private func perform(_ reply: TestHTTPServer.Reply, for request: TestHTTPServer.Request) -> Bool {
    switch reply {
    case .response(let response):
      let keeps = request.header("Connection")?.lowercased() != "close"
      return sendAll(
        head(response, keepsAlive: keeps) + (request.method == "HEAD" ? [] : response.body))
        && keeps
    case .raw(let bytes):
      _ = sendAll(bytes)
      return false
    case .reset:
      var linger = linger(l_onoff: 1, l_linger: 0)
      setsockopt(peer, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
      return false
    case .hang:
      while !peerHasClosed(within: -1) {}
      core.closed.append(request.path)
      return false
    case .pattern(let head, let range, let cut):
      guard sendAll(Array("\(head)\r\nContent-Length: \(range.count)\r\n\r\n".utf8)) else {
        return false
      }
      guard request.method != "HEAD" else { return true }
      let end = min(range.upperBound, cut ?? range.upperBound)
      var place = range.lowerBound
      while place < end {
        let next = min(end, place + (1 << 17))
        guard sendAll(TestHTTPServer.pattern(place..<next)) else {
          core.closed.append(request.path)
          return false
        }
        place = next
      }
      return cut == nil
    case .drip(let chunk, let times, let milliseconds):
      let size = String(chunk.utf8.count, radix: 16)
      var goesOn = sendAll(Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8))
      for _ in 0..<times where goesOn {
        goesOn =
          sendAll(Array("\(size)\r\n\(chunk)\r\n".utf8))
          && !peerHasClosed(within: Int32(milliseconds))
      }
      if goesOn { goesOn = sendAll(Array("0\r\n\r\n".utf8)) }
      if !goesOn { core.closed.append(request.path) }
      return goesOn
    }
  }

  private func head(_ response: TestHTTPServer.Response, keepsAlive: Bool) -> [UInt8] {
    var text = "HTTP/1.1 \(response.status) \(reason(response.status))\r\n"
    for (name, value) in response.headers { text += "\(name): \(value)\r\n" }
    let hasNoBody = response.status == 204 || response.status < 200
    if !hasNoBody, !response.headers.contains(where: { $0.0.lowercased() == "content-length" }) {
      text += "Content-Length: \(response.body.count)\r\n"
    }
    if !keepsAlive { text += "Connection: close\r\n" }
    return Array((text + "\r\n").utf8)
  }

  private func reason(_ status: Int) -> String {
    let reasons = [
      200: "OK", 201: "Created", 204: "No Content", 301: "Moved Permanently", 302: "Found",
      303: "See Other", 304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect",
      400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
      429: "Too Many Requests", 500: "Internal Server Error", 503: "Service Unavailable",
    ]
    return reasons[status] ?? "Status"
  }

  // MARK: reading

  private func readRequest() -> TestHTTPServer.Request? {
    let end = Array("\r\n\r\n".utf8)
    var searched = 0
    var found: Int?
    while found == nil {
      if let range = buffer[searched...].firstRange(of: end) {
        found = range.lowerBound
        break
      }
      searched = max(0, buffer.count - 3)
      guard buffer.count < 1 << 20, receive() else { return nil }
      // No method begins so; a TLS handshake does.
      guard let first = buffer.first, first > 0x20 else { return refuse() }
    }
    guard let found else { return nil }
    let lines = String(decoding: buffer[..<found], as: UTF8.self).split(
      separator: "\r\n", omittingEmptySubsequences: false)
    buffer.removeFirst(found + 4)
    let words = lines[0].split(separator: " ")
    guard words.count == 3 else { return refuse() }
    let headers = lines.dropFirst().compactMap { line -> (name: String, value: String)? in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      return (String(line[..<colon]), String(value))
    }
    let target = String(words[1])
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var request = TestHTTPServer.Request(
      method: String(words[0]), target: target, path: String(parts[0]),
      query: parts.count > 1 ? parseQuery(parts[1]) : [], headers: headers, body: [],
      connection: number)
    if request.header("Expect")?.lowercased() == "100-continue" {
      guard sendAll(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) else { return nil }
    }
    if request.header("Transfer-Encoding")?.lowercased() == "chunked" {
      guard let body = readChunks() else { return nil }
      request.body = body
      return request
    }
    let length = request.header("Content-Length").flatMap { Int($0) } ?? 0
    while buffer.count < length { guard receive() else { return nil } }
    request.body = Array(buffer[..<max(0, length)])
    buffer.removeFirst(max(0, length))
    return request
  }

  private func readChunks() -> [UInt8]? {
    var body: [UInt8] = []
    while let line = readLine() {
      guard let size = Int(line.prefix { $0 != ";" }, radix: 16) else { return nil }
      if size == 0 {
        while let line = readLine() { if line.isEmpty { return body } }
        return nil
      }
      while buffer.count < size + 2 { guard receive() else { return nil } }
      body += buffer[..<size]
      buffer.removeFirst(size + 2)
    }
    return nil
  }

  private func readLine() -> String? {
    while true {
      if let end = buffer.firstRange(of: Array("\r\n".utf8)) {
        defer { buffer.removeFirst(end.upperBound) }
        return String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
      }
      guard receive() else { return nil }
    }
  }

  private func refuse() -> TestHTTPServer.Request? {
    _ = sendAll(Array("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".utf8))
    return nil
  }

  private func receive() -> Bool {
    guard let chunk = readSome(peer) else { return false }
    buffer += chunk
    return true
  }

  /// Whether the peer closed within so many milliseconds; -1 waits for ever. What it sends
  /// meanwhile is kept.
  // Real time: an answer that drips has pauses.
  private func peerHasClosed(within milliseconds: Int32) -> Bool {
    var wait = pollfd(fd: peer, events: Int16(POLLIN), revents: 0)
    let ready = poll(&wait, 1, milliseconds)
    if ready <= 0 { return false }
    return !receive()
  }

  private func sendAll(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { raw in
      var offset = 0
      while offset < raw.count {
        #if canImport(Darwin)
          let flags: Int32 = 0
        #else
          let flags = Int32(MSG_NOSIGNAL)
        #endif
        let count = send(peer, raw.baseAddress?.advanced(by: offset), raw.count - offset, flags)
        if count < 0 {
          if errno == EINTR { continue }
          return false
        }
        offset += count
      }
      return true
    }
  }
}

func parseQuery(_ query: Substring) -> [(name: String, value: String)] {
  query.split(separator: "&").map { item in
    let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    return (percentDecoded(parts[0]), parts.count > 1 ? percentDecoded(parts[1]) : "")
  }
}

func percentDecoded(_ text: Substring) -> String {
  var bytes: [UInt8] = []
  var rest = Array(text.utf8)[...]
  while let byte = rest.popFirst() {
    if byte == UInt8(ascii: "%"), rest.count >= 2,
      let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
    {
      bytes.append(value)
      rest.removeFirst(2)
    } else {
      bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
    }
  }
  return String(decoding: bytes, as: UTF8.self)
}
