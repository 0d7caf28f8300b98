#if canImport(Glibc)
  @preconcurrency import Glibc
#elseif canImport(Musl)
  @preconcurrency import Musl
#else
  import Darwin
#endif

/// The few system calls of this module, with `EINTR` and short counts taken care of.
enum Libc {
  static var lastError: Int32 { errno }

  static func message(_ code: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    if strerror_r(code, &buffer, buffer.count) == 0 {
      return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    return "error \(code)"
  }

  /// Reads what is there, at most `count` bytes; empty at the end. Waits also on a descriptor that does not block.
  static func read(_ descriptor: Int32, atMost count: Int) -> Result<[UInt8], SystemError> {
    while true {
      var failure: Int32 = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
        let got = systemRead(descriptor, buffer.baseAddress, count)
        failure = got < 0 ? errno : 0
        initialized = max(0, got)
      }
      switch failure {
      case 0: return .success(bytes)
      case EINTR: continue
      case EAGAIN: wait(descriptor, for: Int16(POLLIN))
      default: return .failure(SystemError(code: failure))
      }
    }
  }

  private static func systemRead(
    _ descriptor: Int32, _ buffer: UnsafeMutablePointer<UInt8>?, _ count: Int
  )
    -> Int
  {
    #if canImport(Glibc)
      Glibc.read(descriptor, buffer, count)
    #elseif canImport(Musl)
      Musl.read(descriptor, buffer, count)
    #else
      Darwin.read(descriptor, buffer, count)
    #endif
  }

  /// Writes all of it; waits also on a descriptor that does not block.
  static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Result<
    Void, SystemError
  > {
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = UnsafeRawBufferPointer(rebasing: rest)
      #if canImport(Glibc)
        let count = Glibc.write(descriptor, part.baseAddress, part.count)
      #elseif canImport(Musl)
        let count = Musl.write(descriptor, part.baseAddress, part.count)
      #else
        let count = Darwin.write(descriptor, part.baseAddress, part.count)
      #endif
      if count >= 0 {
        rest = rest.dropFirst(count)
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN: wait(descriptor, for: Int16(POLLOUT))
      default: return .failure(SystemError(code: errno))
      }
    }
    return .success(())
  }

  static func wait(_ descriptor: Int32, for events: Int16) {
    var poll = pollfd(fd: descriptor, events: events, revents: 0)
    systemPoll(&poll, 1)
  }

  /// Waits until one of two descriptors can be read, and says whether it is the second one.
  static func isSecondReady(_ first: Int32, _ second: Int32) -> Bool {
    var polls = [
      pollfd(fd: first, events: Int16(POLLIN), revents: 0),
      pollfd(fd: second, events: Int16(POLLIN), revents: 0),
    ]
    while polls[0].revents == 0, polls[1].revents == 0 { systemPoll(&polls, 2) }
    return polls[1].revents != 0
  }

  private static func systemPoll(_ polls: UnsafeMutablePointer<pollfd>, _ count: Int) {
    _ = poll(polls, nfds_t(count), -1)
  }

  static func open(_ path: String) -> Result<Int32, SystemError> {
    #if canImport(Glibc)
      let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    #elseif canImport(Musl)
      let descriptor = Musl.open(path, O_RDONLY | O_CLOEXEC)
    #else
      let descriptor = Darwin.open(path, O_RDONLY | O_CLOEXEC)
    #endif
    return descriptor < 0 ? .failure(SystemError(code: errno)) : .success(descriptor)
  }

  static func close(_ descriptor: Int32) {
    #if canImport(Glibc)
      _ = Glibc.close(descriptor)
    #elseif canImport(Musl)
      _ = Musl.close(descriptor)
    #else
      _ = Darwin.close(descriptor)
    #endif
  }

  /// A pipe that is not inherited by children: first the end to read, then the end to write.
  static func pipe() -> Result<(read: Int32, write: Int32), SystemError> {
    var ends: [Int32] = [0, 0]
    #if canImport(Glibc)
      let failed = Glibc.pipe(&ends) != 0
    #elseif canImport(Musl)
      let failed = Musl.pipe(&ends) != 0
    #else
      let failed = Darwin.pipe(&ends) != 0
    #endif
    if failed { return .failure(SystemError(code: errno)) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return .success((ends[0], ends[1]))
  }
}

/// An `errno` with its text.
struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
  var code: Int32

  var description: String { Libc.message(code) }
}
