import SwiftBoardSystem
import Synchronization

/// A real HTTP/1.1 server on 127.0.0.1 and a port of its own, for tests of whatever speaks HTTP.
///
/// Each connection has a thread and is kept alive. The handler given is asked first; what it leaves
/// (nil) goes to the built-in routes, see `builtInReply(to:origin:)`. Dropping the value stops the
/// server.
public final class TestHTTPServer: Sendable {
  public struct Request: Sendable {
    public var method: String
    /// As sent, with the query.
    public var target: String
    /// Without the query, not decoded.
    public var path: String
    /// Decoded, in order.
    public var query: [(name: String, value: String)]
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]
    /// Requests of one connection have the same number.
    public var connection: Int

    /// The first field of that name, whatever its case.
    public func header(_ name: String) -> String? {
      headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// The last query value of that name.
    public func query(_ name: String) -> String? { query.last { $0.name == name }?.value }

    public var bodyText: String { String(decoding: body, as: UTF8.self) }
  }

  public struct Response: Sendable {
    public var status: Int
    public var headers: [(String, String)]
    public var body: [UInt8]

    /// `Content-Length` is added.
    public init(_ status: Int, headers: [(String, String)] = [], body: [UInt8] = []) {
      self.status = status
      self.headers = headers
      self.body = body
    }

    /// An answer of the type `application/json`.
    public init(_ status: Int = 200, json: String, headers: [(String, String)] = []) {
      self.init(
        status, headers: [("Content-Type", "application/json; charset=utf-8")] + headers,
        body: Array(json.utf8))
    }
  }

  public enum Reply: Sendable {
    case response(Response)
    /// These bytes as they are; then the connection is closed.
    case raw([UInt8])
    /// The connection is reset without an answer.
    case reset
    /// Nothing, until the peer closes.
    case hang
    /// A head without its empty line, `Content-Length` and the bytes at `range` of
    /// `TestHTTPServer.pattern`, of which none is in memory for long; `cut` closes the connection
    /// after so many of them.
    case pattern(head: String, range: Range<Int>, cut: Int? = nil)
    /// A chunked answer: `chunk` again and again, `times` times, every so many milliseconds.
    case drip(chunk: String, times: Int, milliseconds: Int)
  }

  /// The bytes of long answers at a place. They repeat after 128 KiB.
  public static func pattern(_ range: Range<Int>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(range.count)
    while bytes.count < range.count {
      let start = (range.lowerBound + bytes.count) % period.count
      bytes += period[start..<min(period.count, start + range.count - bytes.count)]
    }
    return bytes
  }

  private static let period = (0..<(1 << 17)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }

  /// Runs on the connection's own thread and may block.
  public typealias Handler = @Sendable (Request) -> Reply?

  private let core: Core

  /// Where it listens.
  public enum Place: Sendable {
    /// 127.0.0.1 and ::1, at a port of its own; a socket of the file system.
    case ipv4, ipv6
    case socket(path: String)

    var isIPv4: Bool { if case .ipv4 = self { true } else { false } }
  }

  /// Whether this machine has ::1.
  public static let hasIPv6 = (try? TestHTTPServer(at: .ipv6)) != nil

  /// Listens at once.
  public init(at place: Place = .ipv4, handler: Handler? = nil) throws {
    core = try Core(place, handler: handler)
    let core = core
    DetachedThread.start { core.accept() }
  }

  deinit { core.stop() }

  public var port: Int { core.port }
  /// `http://127.0.0.1:PORT`, without a slash at the end.
  public var origin: String { core.origin }

  /// All requests so far, in the order their heads and bodies were complete.
  public var requests: [Request] { core.requests.events }

  /// The paths, without query, of the hanging and dripping answers whose peer has closed.
  public var closed: [String] { core.closed.events }

  /// How many connections were accepted so far.
  public var connectionCount: Int { core.connectionCount }

  /// Waits until there were `count` requests for the path; gives the last of them, nil when the
  /// server stopped first.
  @discardableResult
  public func waitForRequest(path: String, count: Int = 1) async -> Request? {
    await core.requests.first { requests in
      let found = requests.filter { $0.path == path }
      return found.count >= count ? found[count - 1] : nil
    }
  }

  /// Waits until the peer has closed `count` hanging or dripping answers of the path; false when
  /// the server stopped first.
  @discardableResult
  public func waitForClose(path: String, count: Int = 1) async -> Bool {
    await core.closed.first { closed in
      closed.filter { $0 == path }.count >= count ? true : nil
    } ?? false
  }

  /// Closes everything. Twice does no harm.
  public func stop() { core.stop() }
}

/// What the threads hold: not the server, so that dropping the server ends them.
final class Core: Sendable {
  private struct State {
    var listener: Int32?
    var open: Set<Int32> = []
    var connections = 0
  }

  let port: Int
  let requests = EventLog<TestHTTPServer.Request>()
  let closed = EventLog<String>()
  let flaky = Mutex<[String: Int]>([:])
  private let handler: TestHTTPServer.Handler?
  private let state: Mutex<State>
  private let listener: Int32
  /// Keeps the port after the end of listening, so that no other server gets it.
  private let keptPort: ClosedPort?
  /// The pipe that `stop` closes.
  private let stopPipe: (read: Int32, write: Int32)

  let origin: String
  var connectionCount: Int { state.withLock { $0.connections } }

  init(_ place: TestHTTPServer.Place, handler: TestHTTPServer.Handler?) throws {
    self.handler = handler
    let family =
      switch place {
      case .ipv4: AF_INET
      case .ipv6: AF_INET6
      case .socket: AF_UNIX
      }
    let listener = socket(family, streamSocket, 0)
    guard listener >= 0 else { throw SystemFailure("socket") }
    _ = fcntl(listener, F_SETFD, FD_CLOEXEC)
    let bound: (isBound: Bool, port: Int)
    switch place {
    case .ipv4:
      ClosedPort.share(listener)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      bound = (Self.bind(listener, &address), Int(UInt16(bigEndian: address.sin_port)))
    case .ipv6:
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_addr = in6addr_loopback
      bound = (Self.bind(listener, &address), Int(UInt16(bigEndian: address.sin6_port)))
    case .socket(let path):
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let name = Array(path.utf8) + [0]
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name.prefix($0.count)) }
      bound = (Self.bind(listener, &address), 0)
    }
    // Elsewhere, a socket that is only bound might take the connections.
    #if os(Linux)
      keptPort = place.isIPv4 && bound.isBound ? try? ClosedPort(number: bound.port) : nil
    #else
      keptPort = nil
    #endif
    guard bound.isBound, listen(listener, 1024) == 0 else {
      defer { close(listener) }
      throw SystemFailure("listen")
    }
    port = bound.port
    origin =
      switch place {
      case .ipv4: "http://127.0.0.1:\(bound.port)"
      case .ipv6: "http://[::1]:\(bound.port)"
      case .socket: "http://localhost"
      }
    self.listener = listener
    stopPipe = try Descriptor.pipe()
    state = Mutex(State(listener: listener))
  }

  /// Binds a socket, and puts the address that it has then in the place of the one asked for.
  private static func bind<Address>(_ descriptor: Int32, _ address: inout Address) -> Bool {
    var size = socklen_t(MemoryLayout<Address>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        #if canImport(Darwin)
          let result = Darwin.bind(descriptor, address, size)
        #elseif canImport(Musl)
          let result = Musl.bind(descriptor, address, size)
        #else
          let result = Glibc.bind(descriptor, address, size)
        #endif
        return result == 0 && getsockname(descriptor, address, &size) == 0
      }
    }
  }

  func accept() {
    while true {
      // Not every system wakes a listener that is shut down, so `stop` closes a pipe as well.
      var waits = [listener, stopPipe.read].map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      guard poll(&waits, 2, -1) > 0 else { continue }
      if state.withLock({ $0.listener == nil }) { break }
      #if canImport(Darwin)
        let peer = Darwin.accept(listener, nil, nil)
      #elseif canImport(Musl)
        let peer = Musl.accept(listener, nil, nil)
      #else
        let peer = Glibc.accept(listener, nil, nil)
      #endif
      if peer < 0 { continue }
      _ = fcntl(peer, F_SETFD, FD_CLOEXEC)
      var one: Int32 = 1
      setsockopt(peer, tcpProtocol, TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
      #if canImport(Darwin)
        setsockopt(peer, SOL_SOCKET, SO_NOSIGPIPE, &one, socklen_t(MemoryLayout<Int32>.size))
      #endif
      let number: Int? = state.withLock { state in
        guard state.listener != nil else { return nil }
        state.open.insert(peer)
        state.connections += 1
        return state.connections
      }
      guard let number else {
        close(peer)
        break
      }
      DetachedThread.start { Connection(peer, number: number, core: self).serve() }
    }
    close(listener)
    close(stopPipe.read)
  }

  func stop() {
    state.withLock { state in
      if state.listener != nil {
        shutdown(listener, Int32(SHUT_RDWR))
        close(stopPipe.write)
      }
      state.listener = nil
      for peer in state.open { shutdown(peer, Int32(SHUT_RDWR)) }
    }
    requests.end()
    closed.end()
  }

  func drop(_ peer: Int32) {
    state.withLock { state in
      state.open.remove(peer)
      close(peer)
    }
  }

  func reply(to request: TestHTTPServer.Request) -> TestHTTPServer.Reply {
    handler?(request) ?? builtInReply(to: request)
  }
}

#if canImport(Glibc)
  private let streamSocket = Int32(SOCK_STREAM.rawValue)
  private let tcpProtocol = Int32(IPPROTO_TCP)
#else
  private let streamSocket = SOCK_STREAM
  private let tcpProtocol = Int32(IPPROTO_TCP)
#endif
