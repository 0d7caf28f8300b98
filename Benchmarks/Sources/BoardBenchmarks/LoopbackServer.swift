import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An HTTP server on the loopback, with a thread for each connection: `/small…` is 1 KiB of JSON,
/// `/large` so many bytes as it was made with, `/slow` never answers, and a PUT is read to its end.
final class LoopbackServer: Sendable {
  let port: UInt16
  private let largeSize: Int
  private let descriptor: Int32
  /// When the client of `/slow` came, and when it closed its connection.
  private let slow = Mutex<(came: ContinuousClock.Instant?, left: ContinuousClock.Instant?)>(
    (nil, nil))

  init?(largeSize: Int) {
    self.largeSize = largeSize
    #if canImport(Glibc)
      let stream = Int32(SOCK_STREAM.rawValue)
    #else
      let stream = SOCK_STREAM
    #endif
    let descriptor = socket(AF_INET, stream, 0)
    self.descriptor = descriptor
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    var length = size
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && listen(descriptor, 256) == 0
          && getsockname(descriptor, $0, &length) == 0
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    guard isBound else { return nil }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    startThread { [self] in acceptAll() }
  }

  var address: String { "http://127.0.0.1:\(port)" }

  /// Forgets the last client of `/slow`.
  func forgetSlow() { slow.withLock { $0 = (nil, nil) } }

  func slowTimes() -> (came: ContinuousClock.Instant?, left: ContinuousClock.Instant?) {
    slow.withLock { $0 }
  }

  private func acceptAll() {
    while true {
      let client = accept(descriptor, nil, nil)
      guard client >= 0 else { continue }
      _ = fcntl(client, F_SETFD, FD_CLOEXEC)
      var yes: Int32 = 1
      setsockopt(client, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
      startThread { [self] in
        serve(client)
        close(client)
      }
    }
  }

  private static let small: [UInt8] = {
    let start = Array(#"{"pad":""#.utf8)
    return start + [UInt8](repeating: 0x78, count: 1024 - start.count - 2) + Array(#""}"#.utf8)
  }()

  private func serve(_ client: Int32) {
    // Small, because a program that this process starts begins with the memory of this process.
    var buffer = [UInt8](repeating: 0, count: 1 << 13)
    var held: [UInt8] = []
    let end = Array("\r\n\r\n".utf8)
    while true {
      var headEnd: Int?
      while headEnd == nil {
        let count = read(client, &buffer, buffer.count)
        guard count > 0 else { return }
        held += buffer[..<count]
        headEnd = held.indices.first { held[$0...].starts(with: end) }.map { $0 + 4 }
      }
      let size = headEnd ?? 0
      let head = String(decoding: held[..<size], as: UTF8.self)
      var rest = held.count - size
      held.removeAll(keepingCapacity: true)
      if head.hasPrefix("PUT") {
        let field = head.split(separator: "\r\n").first {
          $0.lowercased().hasPrefix("content-length")
        }
        guard let total = field.flatMap({ Int($0.drop { $0 != " " }.dropFirst()) }) else { return }
        var large = [UInt8](repeating: 0, count: 1 << 18)
        while rest < total {
          let count = read(client, &large, large.count)
          guard count > 0 else { return }
          rest += count
        }
        guard send(client, head: 0, []) else { return }
      } else if head.hasPrefix("GET /large") {
        guard sendLarge(client) else { return }
      } else if head.hasPrefix("GET /slow") {
        slow.withLock { $0.came = .now }
        while read(client, &buffer, buffer.count) > 0 {}
        return slow.withLock { $0.left = .now }
      } else {
        guard send(client, head: Self.small.count, Self.small) else { return }
      }
    }
  }

  private func head(_ length: Int) -> [UInt8] {
    Array(
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(length)\r\n\r\n".utf8)
  }

  private func send(_ client: Int32, head length: Int, _ body: [UInt8]) -> Bool {
    write(client, all: head(length) + body)
  }

  private func sendLarge(_ client: Int32) -> Bool {
    guard write(client, all: head(largeSize)) else { return false }
    let piece = [UInt8](repeating: 0x61, count: 1 << 20)
    var left = largeSize
    while left > 0 {
      guard write(client, all: left < piece.count ? Array(piece.prefix(left)) : piece) else {
        return false
      }
      left -= piece.count
    }
    return true
  }

  private func write(_ client: Int32, all bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count {
        #if canImport(Glibc)
          let count = Glibc.send(
            client, bytes.baseAddress?.advanced(by: done), bytes.count - done,
            Int32(MSG_NOSIGNAL))
        #else
          let count = Darwin.write(
            client, bytes.baseAddress?.advanced(by: done), bytes.count - done)
        #endif
        guard count > 0 else { return false }
        done += count
      }
      return true
    }
  }
}

private final class Work: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

/// Starts a thread of its own.
func startThread(_ body: @escaping @Sendable () -> Void) {
  let work = Unmanaged.passRetained(Work(body)).toOpaque()
  #if canImport(Glibc)
    var thread = pthread_t()
    let result = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
        return nil
      }, work)
    if result == 0 { pthread_detach(thread) }
  #else
    var thread: pthread_t?
    let result = pthread_create(
      &thread, nil,
      { context in
        Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
        return nil
      }, work)
    if result == 0, let thread { pthread_detach(thread) }
  #endif
}
