import SwiftBoardSystem

/// A pseudo terminal: `path` is the terminal that a program opens, and what is written to `user` is
/// typed on it.
public struct PseudoTerminal: Sendable {
  /// The user's end. The caller closes it.
  public let user: Int32
  /// The terminal's device.
  public let path: String

  /// - Throws: `SystemFailure` where the system has no more of them.
  public init() throws {
    #if canImport(Darwin)
      let user = posix_openpt(O_RDWR | O_NOCTTY)
      guard user >= 0 else { throw SystemFailure("posix_openpt") }
      guard grantpt(user) == 0, unlockpt(user) == 0, let name = ptsname(user) else {
        defer { close(user) }
        throw SystemFailure("ptsname")
      }
      _ = fcntl(user, F_SETFD, FD_CLOEXEC)
      path = String(cString: name)
    #else
      let user = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
      guard user >= 0 else { throw SystemFailure("open /dev/ptmx") }
      // TIOCSPTLCK and TIOCGPTN: posix_openpt and its kin are not visible here.
      var unlocked: Int32 = 0
      var number: UInt32 = 0
      guard ioctl(user, 0x4004_5431, &unlocked) == 0, ioctl(user, 0x8004_5430, &number) == 0 else {
        defer { close(user) }
        throw SystemFailure("ioctl /dev/ptmx")
      }
      path = "/dev/pts/\(number)"
    #endif
    self.user = user
  }

  /// Types.
  public func type(_ text: String) { type(Array(text.utf8)) }

  public func type(_ bytes: [UInt8]) { _ = writeAll(user, bytes) }

  /// Waits until what is shown ends with `end`, and returns it.
  public func screen(until end: String) -> String {
    var bytes: [UInt8] = []
    // By bytes: "\r\n" is one character, which does not end in "\n".
    while !bytes.reversed().starts(with: end.utf8.reversed()), let more = readSome(user) {
      bytes += more
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
