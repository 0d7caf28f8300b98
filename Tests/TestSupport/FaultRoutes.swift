extension Core {
  /// The routes that misbehave, under `/faults/`.
  ///
  /// - `hang`: no answer; `closed` tells when the peer left
  /// - `drip`: `tick` every 100 ms for an hour
  /// - `cut`: 3 of 100 bytes, then the connection closes; `garbage`: no HTTP; `empty`: closes at
  ///   once; `reset`: RST
  /// - `status/N`: that status; with `N` 204 or 304 without a body
  /// - `redirect?to=URL&status=N`: without `to` the same server under the name `localhost`, `/echo`
  /// - `loop`: redirects to itself
  /// - `basic`: 401 with a challenge unless `user:pass` comes along
  /// - `flaky?fail=N&key=K`: 503 N times for that key, then 200
  /// - `large?bytes=N`: that many bytes of `x`; `gzip`: 200 000 zero bytes in 229;
  ///   `headers?bytes=N`: that much header
  /// - `ranges?bytes=N&cut=AT&tag=T`: so many bytes of `TestHTTPServer.pattern`; `cut` closes the
  ///   connection early, `tag` is the `ETag`, which is `"t"` without it, and none if it is empty
  /// - `repeat`: two `Set-Cookie` fields; `old`: an answer as before HTTP/1.0
  /// - `escape`: control sequences for terminals in a JSON string
  func faultReply(_ parts: [String], to request: TestHTTPServer.Request) -> TestHTTPServer.Reply {
    switch parts.first {
    case "hang": return .hang
    case "drip": return .drip(chunk: "tick\n", times: 36_000, milliseconds: 100)
    case "cut": return .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc".utf8))
    case "garbage": return .raw(Array("\u{0}\u{1}garbage\r\n\r\n".utf8))
    case "old": return .raw(Array("hello from 1991\r\n".utf8))
    case "empty": return .raw([])
    case "reset": return .reset
    case "status":
      let status = parts.count > 1 ? Int(parts[1]) ?? 400 : 400
      if status == 204 || status == 304 { return .response(.init(status)) }
      return .response(.init(status, json: #"{"status":\#(status)}"#))
    case "redirect":
      let target = request.query("to") ?? "http://localhost:\(port)/echo"
      let status = request.query("status").flatMap { Int($0) } ?? 302
      return .response(.init(status, headers: [("Location", target)]))
    case "loop": return .response(.init(302, headers: [("Location", "/faults/loop")]))
    case "basic":
      if request.header("Authorization") == "Basic dXNlcjpwYXNz" {
        return .response(.init(json: #"{"ok":true}"#))
      }
      return .response(
        .init(
          401, json: #"{"error":"auth"}"#, headers: [("WWW-Authenticate", "Basic realm=\"x\"")]))
    case "flaky":
      let count = flaky.withLock { counts in
        counts[request.query("key") ?? "", default: 0] += 1
        return counts[request.query("key") ?? ""] ?? 0
      }
      let fails = request.query("fail").flatMap { Int($0) } ?? 1
      let json = #"{"try":\#(count)}"#
      return .response(
        count <= fails
          ? .init(503, json: json, headers: [("Retry-After", "0")]) : .init(json: json))
    case "large":
      let bytes = min(max(0, request.query("bytes").flatMap { Int($0) } ?? 1 << 20), 1 << 28)
      return .response(.init(200, body: [UInt8](repeating: UInt8(ascii: "x"), count: bytes)))
    case "ranges": return ranges(request)
    case "gzip":
      return .response(
        .init(200, headers: [("Content-Encoding", "gzip")], body: compressedZeros))
    case "headers":
      let bytes = request.query("bytes").flatMap { Int($0) } ?? 1 << 20
      let fields = (0..<max(0, bytes / 1024)).map { number in
        ("X-Field-\(number)", String(repeating: "x", count: 1000))
      }
      return .response(.init(200, headers: fields))
    case "repeat":
      return .response(
        .init(200, headers: [("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"), ("X-Empty", "")]))
    case "escape":
      return .response(
        .init(json: #"{"text":"\#u{1b}]0;owned\#u{7}\#u{1b}[2J\#u{1b}[31mred\#u{202e}"}"#))
    default: return .response(.init(404, json: #"{"error":"no such fault"}"#))
    }
  }
}

extension Core {
  private func ranges(_ request: TestHTTPServer.Request) -> TestHTTPServer.Reply {
    func number(_ name: String) -> Int? { request.query(name).flatMap { Int($0) } }
    let count = number("bytes") ?? 1 << 20
    let tag = request.query("tag") ?? "\"t\""
    let fields = tag.isEmpty ? "" : "\r\nETag: \(tag)"
    let first = request.header("Range").flatMap { range in
      Int(range.dropFirst("bytes=".count).prefix { $0 != "-" })
    }
    guard let first, (request.header("If-Range") ?? tag) == tag else {
      return .pattern(head: "HTTP/1.1 200 OK\(fields)", range: 0..<count, cut: number("cut"))
    }
    guard first < count else {
      return .response(.init(416, headers: [("Content-Range", "bytes */\(count)")]))
    }
    return .pattern(
      head:
        "HTTP/1.1 206 Partial Content\(fields)\r\nContent-Range: bytes \(first)-\(count - 1)/\(count)",
      range: first..<count, cut: number("cut"))
  }
}

/// 200 000 zero bytes, compressed.
package let compressedZeros: [UInt8] =
  [
    31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 237, 193, 49, 1, 0, 0, 0, 194, 160, 245, 79, 109, 6, 127, 160,
  ] + [UInt8](repeating: 0, count: 193) + [128, 215, 0, 123, 88, 224, 92, 64, 13, 3, 0]
