import SwiftBoardDependencies
import SwiftBoardSystem
import SwiftBoardTestSupport
import SwiftBoardTesting
import Testing

/// Bodies that come and go piece by piece, against a real server.
@Suite(.timeLimit(.minutes(20)))
struct LiveStreamTests {
  let server: TestHTTPServer
  let client = LiveAPIClient()

  init() throws { server = try TestHTTPServer() }

  private func request(_ path: String, _ method: String = "GET") -> APIRequest {
    APIRequest(method: method, url: server.origin + path, timeout: nil)
  }

  private func body(of stream: APIStream) async throws(APIError) -> [UInt8] {
    var body: [UInt8] = []
    while let piece = try await stream.next() { body += piece }
    return body
  }

  @Test(
    "a streamed body is the server's, beyond every limit of memory",
    arguments: [0, 1, 16_384, 1 << 20, 20_000_001])
  func aStreamedBodyIsTheServers(count: Int) async throws {
    var request = request("/faults/ranges?bytes=\(count)")
    request.bodyLimit = 10
    let stream = try await client.open(request)
    #expect(stream.response.status == 200)
    #expect(stream.response.headers.value(of: "Content-Length") == "\(count)")
    #expect(stream.response.body.isEmpty)
    let body = try await body(of: stream)
    #expect(body == TestHTTPServer.pattern(0..<count))
    #expect(stream.timing.total >= stream.timing.firstByte && stream.timing.total > 0)
    // The connection was left clean.
    #expect(try await client.send(self.request("/echo")).status == 200)
    #expect(server.connectionCount == 1)
  }

  @Test("any status is a stream, and redirects are followed before it")
  func anyStatusIsAStream() async throws {
    let missing = try await client.open(request("/nothing"))
    #expect(missing.response.status == 404)
    #expect(try await !body(of: missing).isEmpty)
    var redirected = request("/faults/redirect?to=/faults/ranges&status=307")
    redirected.redirectLimit = 1
    let stream = try await client.open(redirected)
    #expect(stream.response.redirects == 1)
    #expect(try await body(of: stream).count == 1 << 20)
    #expect(server.connectionCount == 1)
  }

  @Test("what breaks off after the head is an error of the body")
  func whatBreaksOffIsAnError() async throws {
    let stream = try await client.open(request("/faults/ranges?bytes=3000000&cut=2000000"))
    let error = await #expect(throws: APIError.self) { try await body(of: stream) }
    #expect(error?.kind == .truncated)
  }

  @Test("a stream that is not taken holds the server up, and releasing it closes the connection")
  func aStreamThatIsNotTakenHoldsTheServerUp() async throws {
    var stream: APIStream? = try await client.open(request("/faults/ranges?bytes=1000000000000"))
    #expect(try await stream?.next()?.isEmpty == false)
    // Another request is not held up.
    #expect(try await client.send(request("/echo")).status == 200)
    stream = nil
    #expect(await server.waitForClose(path: "/faults/ranges"))
  }

  @Test("cancelling the task ends a stream that waits") func cancellingEndsAStream() async throws {
    let stream = try await client.open(request("/faults/drip"))
    let task = Task {
      do throws(APIError) {
        while try await stream.next() != nil {}
        return nil as APIError.Kind?
      } catch {
        return error.kind
      }
    }
    await server.waitForRequest(path: "/faults/drip")
    task.cancel()
    #expect(await task.value == .cancelled)
    #expect(await server.waitForClose(path: "/faults/drip"))
  }

  @Test("what unpacks to more than is allowed is refused, also in a stream")
  func whatUnpacksToTooMuchIsRefused() async throws {
    var request = request("/faults/gzip")
    request.decodedLimit = 199_999
    let whole = await #expect(throws: APIError.self) { try await client.send(request) }
    #expect(whole?.kind == .tooLargeDecoded)
    let streamed = await #expect(throws: APIError.self) {
      try await body(of: try await client.open(request))
    }
    #expect(streamed?.kind == .tooLargeDecoded)
    request.decodedLimit = 200_000
    #expect(try await body(of: try await client.open(request)).count == 200_000)
    request.acceptsCompression = false
    #expect(try await body(of: try await client.open(request)).count < 300)
    // A body that was not compressed has no such limit.
    var plain = self.request("/faults/ranges?bytes=300000")
    plain.decodedLimit = 10
    #expect(try await client.send(plain).body.count == 300_000)
  }

  @Test("a transfer that stands still ends after its limit")
  func aTransferThatStandsStillEnds() async throws {
    var request = request("/faults/hang")
    // Real time: the limit is that of the client's own thread.
    request.idleLimit = .milliseconds(1)
    let error = await #expect(throws: APIError.self) { try await client.open(request) }
    #expect(error?.kind == .timeout)
    #expect(error?.message.contains("1 ms") == true)
  }

  @Test("a service that accepts a connection and begins no TLS fails after the idle limit")
  func noHandshake() async throws {
    let silent = try TestHTTPServer { _ in .hang }
    var request = APIRequest(url: "https://127.0.0.1:\(silent.port)/", timeout: nil)
    // Real time: the limit is libcurl's own.
    request.idleLimit = .milliseconds(1)
    let error = await #expect(throws: APIError.self) { try await client.open(request) }
    #expect(error?.kind == .timeout, "\(error?.message ?? "none")")
  }

  @Test("a service that takes a body of unknown length and does not answer fails after the limit")
  func noAnswerToABody() async throws {
    var request = request("/faults/hang", "POST")
    // Real time: the limit is libcurl's own.
    request.idleLimit = .seconds(1)
    request.upload = upload(3, isKnown: false)
    let error = await #expect(throws: APIError.self) { try await client.send(request) }
    #expect(error?.kind == .timeout, "\(error?.message ?? "none")")
  }

  // MARK: Sending

  /// Pieces of so many bytes, `count` in all.
  private func upload(
    _ count: Int, piece: Int = 100_000, isKnown: Bool = true, isRepeatable: Bool = true,
    fails: Bool = false
  ) -> APIUpload {
    APIUpload(length: isKnown ? Int64(count) : nil, isRepeatable: isRepeatable) {
      let place = Place()
      return { () throws(APIError) in
        let range = place.next(piece, of: count)
        if range.isEmpty, fails { throw APIError(.file, "the source is gone") }
        return range.isEmpty ? nil : Data(TestHTTPServer.pattern(range))
      }
    }
  }

  private final class Place: @unchecked Sendable {
    // Unchecked: one task at a time reads a body.
    private var place = 0

    func next(_ piece: Int, of count: Int) -> Range<Int> {
      defer { place = min(place + piece, count) }
      return place..<min(place + piece, count)
    }
  }

  @Test(
    "a body is sent piece by piece, with its length or in chunks",
    arguments: [0, 1, 70_000, 1_500_000], [true, false])
  func aBodyIsSent(count: Int, isKnown: Bool) async throws {
    for method in ["POST", "PUT", "PURGE"] {
      var request = request("/faults/status/200", method)
      request.upload = upload(count, isKnown: isKnown)
      #expect(try await client.send(request).status == 200)
      let received = try #require(server.requests.last)
      #expect(received.method == method)
      #expect(received.body == TestHTTPServer.pattern(0..<count))
      #expect(received.header("Content-Length") == (isKnown ? "\(count)" : nil))
      #expect(received.header("Expect") == nil)
    }
    #expect(server.connectionCount == 1)
  }

  @Test("a body that cannot be read, and one of another length, are errors of their own")
  func aBodyThatCannotBeRead() async throws {
    for upload in [
      upload(300_000, isKnown: false, fails: true),
      APIUpload(length: 10, isRepeatable: true, open: upload(5).open),
      APIUpload(length: 5, isRepeatable: true, open: upload(10).open),
    ] {
      var request = request("/echo", "POST")
      request.upload = upload
      let error = await #expect(throws: APIError.self) { try await client.send(request) }
      #expect(error?.kind == .file)
    }
    #expect(server.requests.isEmpty)
  }

  @Test("a redirect takes a body along that can be read again, and refuses another one")
  func aRedirectTakesABodyAlong() async throws {
    var request = request("/faults/redirect?to=/faults/status/200&status=307", "POST")
    request.redirectLimit = 1
    request.upload = upload(1_500_000)
    #expect(try await client.send(request).status == 200)
    #expect(server.requests.last?.body == TestHTTPServer.pattern(0..<1_500_000))
    request.upload = upload(1_500_000, isRepeatable: false)
    let error = await #expect(throws: APIError.self) { try await client.send(request) }
    #expect(error?.kind == .redirectRefused)
    // To another host it goes only if it holds no secret.
    request.url = server.origin + "/faults/redirect?status=307"
    request.upload = APIUpload(
      length: 5, isRepeatable: true, holdsSecret: { true }, open: upload(5).open)
    let secret = await #expect(throws: APIError.self) { try await client.send(request) }
    #expect(secret?.kind == .redirectRefused)
  }

  @Test("cancelling a body that never comes closes the connection")
  func cancellingABodyThatNeverComes() async throws {
    var request = request("/echo", "POST")
    let begun = AsyncStream.makeStream(of: Void.self)
    request.upload = APIUpload(length: nil, isRepeatable: false) {
      { () throws(APIError) in
        begun.continuation.yield()
        for await _ in AsyncStream<Never>.makeStream().stream {}
        return nil
      }
    }
    let task = Task { [client, request] in
      do throws(APIError) {
        _ = try await client.send(request)
        return nil as APIError.Kind?
      } catch {
        return error.kind
      }
    }
    for await _ in begun.stream { break }
    task.cancel()
    #expect(await task.value == .cancelled)
  }

  /// `SWIFTBOARD_CANCELS` sets how many there are.
  @Test("transfers in both directions are cancelled at any moment")
  func cancelledAtAnyMoment() async throws {
    let given = ProcessInfo.processInfo.environment["SWIFTBOARD_CANCELS"].flatMap { Int($0) }
    var generator = SeededRandom(seed: 7)
    for _ in 0..<(given ?? 300) {
      let kind = Int.random(in: 0..<3, using: &generator)
      let spins = Int.random(in: 0..<200, using: &generator)
      var request = request(
        kind == 0 ? "/faults/ranges?bytes=3000000" : "/faults/status/200",
        kind == 2 ? "POST" : "GET")
      if kind == 2 { request.upload = upload(400_000) }
      let task = Task { [client, request] in
        guard kind == 0 else { return (try? await client.send(request)) != nil }
        guard let stream = try? await client.open(request) else { return false }
        do throws(APIError) {
          while try await stream.next() != nil {}
          return true
        } catch {
          return false
        }
      }
      // Real time: the moment at which it is cancelled is random.
      for _ in 0..<spins { await Task.yield() }
      task.cancel()
      _ = await task.value
    }
    #expect(try await client.send(request("/faults/status/200")).status == 200)
  }
}
