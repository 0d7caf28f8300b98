import SwiftBoardSystem

/// A port of this machine without a listener, which no other socket gets while this is kept: it is
/// bound and not listened at. Before that, a server may listen at it.
public final class ClosedPort: Sendable {
  /// The port.
  public let number: Int
  private let socketDescriptor: Int32

  /// Binds a port that is free.
  public convenience init() throws { try self.init(number: 0) }

  /// Binds a port at which a server listens that has `share` its socket, or listened before.
  init(number: Int) throws {
    #if canImport(Glibc)
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    guard descriptor >= 0 else { throw SystemFailure("socket") }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    if number != 0 { Self.share(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(number).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, size) == 0 && getsockname(descriptor, address, &size) == 0
      }
    }
    guard isBound else {
      defer { close(descriptor) }
      throw SystemFailure("bind 127.0.0.1")
    }
    self.number = Int(UInt16(bigEndian: address.sin_port))
    socketDescriptor = descriptor
  }

  /// Lets a socket have the same port as others that were marked like this. The system gives no
  /// such port to a socket that asks for any.
  static func share(_ descriptor: Int32) {
    var one: Int32 = 1
    for option in [SO_REUSEADDR, SO_REUSEPORT] {
      setsockopt(descriptor, SOL_SOCKET, option, &one, socklen_t(MemoryLayout<Int32>.size))
    }
  }

  deinit {
    close(socketDescriptor)
  }
}
