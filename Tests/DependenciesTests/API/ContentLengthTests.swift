import SwiftBoardDependencies
import SwiftBoardTestSupport
import Testing

/// Where an answer ends has to be certain: RFC 9112, 6.3.
@Suite("Content-Length", .timeLimit(.minutes(20)))
struct ContentLengthTests {
  private static func server(_ fields: String, _ status: String = "200 OK") throws -> TestHTTPServer
  {
    try TestHTTPServer { request in
      if request.path == "/next" { return .response(.init(json: "{}")) }
      let isChunked = fields.lowercased().contains("chunked")
      let body = isChunked ? "5\r\nhello\r\n0\r\n\r\n" : "hello"
      return .raw(Array("HTTP/1.1 \(status)\r\n\(fields)\r\n\r\n\(body)".utf8))
    }
  }

  @Test(
    "a length that is not a number of bytes, and several that differ, are malformed",
    arguments: [
      "Content-Length: 9223372036854775808", "Content-Length: 99999999999999999999999999",
      "Content-Length: -5", "Content-Length: +5", "Content-Length: five", "Content-Length: 5x",
      "Content-Length: 0x5", "Content-Length:", "Content-Length: 5 5", "Content-Length: 5.0",
      "Content-Length: 5, 6", "Content-Length: 5,", "Content-Length: 5\r\nContent-Length: 6",
      "content-length: 6\r\nX-Other: 1\r\nCONTENT-LENGTH: 5",
      "Content-Length: 5\r\nContent-Length: 18446744073709551621",
      "Transfer-Encoding: identity\r\nContent-Length: 5, 6",
    ])
  func refused(fields: String) async throws {
    let server = try Self.server(fields)
    for method in ["GET", "HEAD"] {
      let error = await #expect(throws: APIError.self, "\(method)") {
        try await LiveAPIClient().send(APIRequest(method: method, url: server.origin))
      }
      #expect(error?.kind == .malformed)
      #expect(error?.message.contains("127.0.0.1:\(server.port)") == true)
    }
  }

  @Test(
    "equal values are one, and a chunked answer needs none",
    arguments: [
      "Content-Length: 5", "Content-Length: 5\r\nContent-Length: 5", "Content-Length: 5, 5",
      "Content-Length:  5 ,5\t", "Content-Length: 005", "X-Content-Length: x\r\nContent-Length: 5",
      "Transfer-Encoding: chunked\r\nContent-Length: 3",
      "Content-Length: 3\r\nContent-Length: 4\r\nTransfer-Encoding: gzip, Chunked",
      "X-None: 1",
    ])
  func accepted(fields: String) async throws {
    // libcurl looks for a coding that the body does not have.
    let fields = fields.replacing("gzip, ", with: "")
    let server = try Self.server(fields)
    let response = try await LiveAPIClient().send(APIRequest(url: server.origin))
    #expect(String(decoding: response.body, as: UTF8.self) == "hello")
  }

  @Test(
    "a redirect is judged as any other answer, and the head of an interim one is not this one's")
  func otherHeads() async throws {
    let redirect = try Self.server("Location: /next\r\nContent-Length: 5, 6", "302 Found")
    let error = await #expect(throws: APIError.self) {
      try await LiveAPIClient().send(APIRequest(url: redirect.origin, redirectLimit: 3))
    }
    #expect(error?.kind == .malformed)
    #expect(redirect.requests.count == 1)
    let interim = try TestHTTPServer { _ in
      .raw(
        Array(
          """
          HTTP/1.1 103 Early Hints\r\nX-A: 1\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok
          """.utf8))
    }
    let response = try await LiveAPIClient().send(APIRequest(url: interim.origin))
    #expect(response.status == 200 && response.body.count == 2)
  }

  @Test(
    "an answer that ends within its headers is truncated, and replaces no file",
    arguments: [
      "HTTP/1.1 200 OK", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Le",
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n", "HTTP/1.1 204 None\r\nX: 1\r\n",
      "HTTP/1.1 103 Early Hints\r\nX: 1\r\n\r\n",
      "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nX: 1\r\n",
    ])
  func truncatedHead(head: String) async throws {
    let server = try TestHTTPServer { _ in .raw(Array(head.utf8)) }
    for method in ["GET", "HEAD", "DELETE"] {
      let request = APIRequest(method: method, url: server.origin)
      let error = await #expect(throws: APIError.self, "\(method)") {
        try await LiveAPIClient().send(request)
      }
      #expect(
        [.truncated, .malformed].contains(error?.kind), "\(method): \(String(describing: error))")
      let streamed = await #expect(throws: APIError.self, "\(method)") {
        try await LiveAPIClient().open(request)
      }
      #expect(streamed?.kind == error?.kind)
    }
  }

  @Test(
    "a length beyond all numbers is no reason to wait for the end of a connection that stays open")
  func open() async throws {
    // The answer has come to its end and the connection has not.
    let server = try TestHTTPServer { _ in
      .response(.init(200, headers: [("Content-Length", "99999999999999999999")]))
    }
    let error = await #expect(throws: APIError.self) {
      try await LiveAPIClient().send(APIRequest(url: server.origin, timeout: nil))
    }
    #expect(error?.kind == .malformed)
  }
}
