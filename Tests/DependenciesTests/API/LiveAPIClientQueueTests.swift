import Dispatch
import SwiftBoardTestSupport
import Synchronization
import Testing

@testable import SwiftBoardDependencies

/// Requests beyond the limits wait their turn, and leave the queue as soon as they are cancelled.
///
/// A path that begins with `/held` is not answered before `held` opens; then `/held/reset` breaks
/// the connection and `/held/empty` closes it.
@Suite(.timeLimit(.minutes(20)))
struct LiveAPIClientQueueTests {
  private let held: Latch
  private let busy: Busy
  private let server: TestHTTPServer

  init() throws {
    let (held, busy) = (Latch(), Busy())
    (self.held, self.busy) = (held, busy)
    server = try TestHTTPServer { request in
      busy.enter()
      defer { busy.leave() }
      guard request.path.hasPrefix("/held") else { return nil }
      held.wait()
      switch request.path {
      case "/held/reset": return .reset
      case "/held/empty": return .raw([])
      default: return .response(.init(json: "1"))
      }
    }
  }

  private static func configuration(perHost: Int, inAll: Int = 100) -> LiveAPIClient.Configuration {
    var configuration = LiveAPIClient.Configuration()
    configuration.connectionsPerHost = perHost
    configuration.connections = inAll
    return configuration
  }

  /// A client, and the addresses of the requests that have to wait, one after another.
  private func client(perHost: Int, inAll: Int = 100) -> (
    LiveAPIClient, AsyncStream<String>.Iterator
  ) {
    let (waits, continuation) = AsyncStream.makeStream(of: String.self)
    let client = LiveAPIClient(
      configuration: Self.configuration(perHost: perHost, inAll: inAll),
      onWait: { continuation.yield($0.url) })
    return (client, waits.makeAsyncIterator())
  }

  private func send(
    _ client: LiveAPIClient, _ url: String, timeout: Duration? = nil, follow: Int = 0
  ) -> Task<Result<APIResponse, APIError>, Never> {
    Task {
      do throws(APIError) {
        return .success(
          try await client.send(APIRequest(url: url, timeout: timeout, redirectLimit: follow)))
      } catch {
        return .failure(error)
      }
    }
  }

  private var paths: [String] { server.requests.map(\.path) }

  @Test("no more requests than allowed are under way", arguments: [1, 3])
  func noMoreRequestsThanAllowedAreUnderWay(limit: Int) async {
    defer { held.open() }
    var (client, waits) = client(perHost: limit)
    let first = (0..<limit).map { _ in send(client, server.origin + "/held") }
    await server.waitForRequest(path: "/held", count: limit)
    let rest = (0..<20).map { _ in send(client, server.origin + "/echo") }
    for _ in rest { #expect(await waits.next() == server.origin + "/echo") }
    #expect(paths == Array(repeating: "/held", count: limit))
    held.open()
    for task in first + rest { #expect(await task.value.status == 200) }
    #expect(busy.most == limit)
    #expect(server.connectionCount <= limit)
  }

  @Test("the request that came first is served first") func whoCameFirstIsServedFirst() async {
    defer { held.open() }
    var (client, waits) = client(perHost: 1)
    let first = send(client, server.origin + "/held")
    await server.waitForRequest(path: "/held")
    var rest: [Task<Result<APIResponse, APIError>, Never>] = []
    for index in 0..<10 {
      rest.append(send(client, "\(server.origin)/echo/\(index)"))
      #expect(await waits.next() == "\(server.origin)/echo/\(index)")
    }
    held.open()
    for task in [first] + rest { #expect(await task.value.status == 200) }
    #expect(paths == ["/held"] + (0..<10).map { "/echo/\($0)" })
  }

  @Test("another host does not wait") func anotherHostDoesNotWait() async throws {
    defer { held.open() }
    let other = try TestHTTPServer()
    var (client, waits) = client(perHost: 1)
    let tasks = [send(client, server.origin + "/held"), send(client, server.origin + "/held")]
    #expect(await waits.next() != nil)
    #expect(await send(client, other.origin + "/echo").value.status == 200)
    held.open()
    for task in tasks { #expect(await task.value.status == 200) }
  }

  @Test("the limit in all holds for all hosts") func theLimitInAllHoldsForAllHosts() async throws {
    defer { held.open() }
    let other = try TestHTTPServer()
    var (client, waits) = client(perHost: 5, inAll: 1)
    let first = send(client, server.origin + "/held")
    await server.waitForRequest(path: "/held")
    let second = send(client, other.origin + "/echo")
    #expect(await waits.next() == other.origin + "/echo")
    #expect(other.connectionCount == 0)
    held.open()
    #expect(await first.value.status == 200)
    #expect(await second.value.status == 200)
  }

  @Test("cancelling what waits frees its caller at once and sends nothing")
  func cancellingWhatWaitsFreesItsCallerAtOnceAndSendsNothing() async {
    defer { held.open() }
    var (client, waits) = client(perHost: 1)
    let first = send(client, server.origin + "/held")
    await server.waitForRequest(path: "/held")
    let second = send(client, server.origin + "/cancelled")
    #expect(await waits.next() == server.origin + "/cancelled")
    let third = send(client, server.origin + "/echo")
    #expect(await waits.next() == server.origin + "/echo")
    second.cancel()
    // The first is still held: only the cancelling can have ended the second.
    #expect(await second.value.kind == .cancelled)
    held.open()
    #expect(await first.value.status == 200)
    #expect(await third.value.status == 200)
    #expect(paths == ["/held", "/echo"])
    #expect(server.connectionCount == 1)
  }

  @Test("the failure of one lets the next begin", arguments: ["/held/reset", "/held/empty"])
  func theFailureOfOneLetsTheNextBegin(path: String) async {
    defer { held.open() }
    var (client, waits) = client(perHost: 1)
    let first = send(client, server.origin + path)
    await server.waitForRequest(path: path)
    let second = send(client, server.origin + "/echo")
    #expect(await waits.next() == server.origin + "/echo")
    held.open()
    #expect(await first.value.kind == .truncated)
    #expect(await second.value.status == 200)
  }

  @Test("cancelling what is under way lets the next begin")
  func cancellingWhatIsUnderWayLetsTheNextBegin() async {
    defer { held.open() }
    var (client, waits) = client(perHost: 1)
    let first = send(client, server.origin + "/held")
    await server.waitForRequest(path: "/held")
    let second = send(client, server.origin + "/echo")
    #expect(await waits.next() == server.origin + "/echo")
    first.cancel()
    #expect(await first.value.kind == .cancelled)
    #expect(await second.value.status == 200)
  }

  @Test("the time limit runs while a request waits") func theTimeLimitRunsWhileARequestWaits() async
  {
    defer { held.open() }
    var (client, waits) = client(perHost: 1)
    let first = send(client, server.origin + "/held")
    await server.waitForRequest(path: "/held")
    let patient = send(client, server.origin + "/echo", timeout: .seconds(3600))
    #expect(await waits.next() != nil)
    // Real time: the limit is that of the client's own thread.
    let hasty = await send(client, server.origin + "/late", timeout: .milliseconds(5)).value
    guard case .failure(let error) = hasty else {
      Issue.record("answered although the only place was taken")
      return
    }
    #expect(error.kind == .timeout)
    #expect(error.message.contains("5 ms"))
    held.open()
    #expect(await first.value.status == 200)
    #expect(await patient.value.status == 200)
    #expect(paths == ["/held", "/echo"])
  }

  @Test("times count from the begin of waiting") func timesCountFromTheBeginOfWaiting() async throws
  {
    defer { held.open() }
    var (client, waits) = client(perHost: 1)
    let first = send(client, server.origin + "/held")
    await server.waitForRequest(path: "/held")
    let second = send(client, server.origin + "/echo")
    #expect(await waits.next() != nil)
    // Real time: libcurl measures it too.
    let clock = ContinuousClock()
    let start = clock.now
    // Real time: how long does not matter, since it is measured.
    _ = await send(client, server.origin + "/late", timeout: .milliseconds(5)).value
    let waited = clock.now - start
    held.open()
    _ = await first.value
    let timing = try await second.value.get().timing
    #expect(.microseconds(timing.total + 1) >= waited)
    #expect(timing.firstByte <= timing.total)
    #expect(.microseconds(timing.firstByte + 1) >= waited)
  }

  @Test("a deadline that is over sends nothing") func aDeadlineThatIsOverSendsNothing() async throws
  {
    let engine = TransferEngine(configuration: Self.configuration(perHost: 1))
    let answer = await engine.perform(
      APIRequest(url: server.origin + "/echo", timeout: .seconds(3600)),
      to: try URLBuilder(server.origin + "/echo"),
      // Real time: it has passed already.
      deadline: ContinuousClock().now)
    #expect(answer.kind == .timeout)
    #expect(server.connectionCount == 0)
    engine.stop()
  }

  @Test("a redirect waits for its new host and no longer for the old one")
  func aRedirectWaitsForItsNewHostAndNoLongerForTheOldOne() async throws {
    defer { held.open() }
    let target = server.origin + "/echo"
    let other = try TestHTTPServer { request in
      request.path == "/away" ? .response(.init(302, headers: [("Location", target)])) : nil
    }
    var (client, waits) = client(perHost: 1)
    let first = send(client, server.origin + "/held")
    await server.waitForRequest(path: "/held")
    let redirected = send(client, other.origin + "/away", follow: 1)
    #expect(await waits.next() == target)
    #expect(await send(client, other.origin + "/echo").value.status == 200)
    #expect(paths == ["/held"])
    held.open()
    #expect(await first.value.status == 200)
    #expect(await redirected.value.status == 200)
  }

  @Test("shutting down ends what waits") func shuttingDownEndsWhatWaits() async throws {
    defer { held.open() }
    let (waits, continuation) = AsyncStream.makeStream(of: String.self)
    let engine = TransferEngine(
      configuration: Self.configuration(perHost: 1), onWait: { continuation.yield($0.url) })
    let url = server.origin + "/held"
    let address = try URLBuilder(url)
    let tasks = (0..<3).map { _ in
      Task {
        await engine.perform(
          APIRequest(url: url, timeout: .seconds(3600)), to: address, deadline: nil)
      }
    }
    var iterator = waits.makeAsyncIterator()
    for _ in 0..<2 { #expect(await iterator.next() == url) }
    await server.waitForRequest(path: "/held")
    engine.stop()
    for task in tasks {
      guard case .failure(let error) = await task.value else {
        Issue.record("answered although the client was shut down")
        continue
      }
      #expect(error == APIError(.cancelled, "the HTTP client has been shut down"))
    }
    #expect(paths == ["/held"])
  }

  @Test("a limit below one counts as one", arguments: [0, -1, Int.min])
  func aLimitBelowOneCountsAsOne(limit: Int) async {
    defer { held.open() }
    var (client, waits) = client(perHost: limit, inAll: limit)
    let first = send(client, server.origin + "/held")
    await server.waitForRequest(path: "/held")
    let second = send(client, server.origin + "/echo")
    #expect(await waits.next() == server.origin + "/echo")
    #expect(paths == ["/held"])
    held.open()
    #expect(await first.value.status == 200)
    #expect(await second.value.status == 200)
  }

  @Test("an enormous limit is none") func anEnormousLimitIsNone() async {
    let (client, _) = client(perHost: .max, inAll: .max)
    let tasks = (0..<20).map { _ in send(client, server.origin + "/echo") }
    for task in tasks { #expect(await task.value.status == 200) }
  }
}

/// Blocks threads until it opens. For the server's threads only.
private final class Latch: Sendable {
  private let group = DispatchGroup()
  private let isOpen = Mutex(false)

  init() { group.enter() }

  func wait() { group.wait() }

  /// Twice does no harm.
  func open() {
    let wasOpen = isOpen.withLock { isOpen in
      defer { isOpen = true }
      return isOpen
    }
    if !wasOpen { group.leave() }
  }
}

/// How many requests the server had at a time.
private final class Busy: Sendable {
  private let counts = Mutex((now: 0, most: 0))

  var most: Int { counts.withLock { $0.most } }

  func enter() {
    counts.withLock { counts in
      counts.now += 1
      counts.most = max(counts.most, counts.now)
    }
  }

  func leave() { counts.withLock { $0.now -= 1 } }
}

extension Result where Success == APIResponse, Failure == APIError {
  fileprivate var status: Int? { try? get().status }
}

extension Result where Failure == APIError {
  fileprivate var kind: APIError.Kind? {
    if case .failure(let error) = self { error.kind } else { nil }
  }
}
