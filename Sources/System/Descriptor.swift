/// Reads and writes file descriptors. Repeats calls that a signal interrupts, and waits for
/// nonblocking descriptors.
package enum Descriptor {
  /// Reads available bytes, at most as many as fit. Returns 0 at the end.
  package static func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer
  ) throws(SystemError) -> Int {
    while true {
      let count = SwiftBoardSystem.read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      switch errno {
      case EINTR: continue
      case EAGAIN: wait(descriptor, for: POLLIN)
      default: throw .last("read")
      }
    }
  }

  /// Reads at most `count` available bytes. Returns no bytes at the end.
  package static func read(
    _ descriptor: Int32, atMost count: Int
  ) throws(SystemError) -> [UInt8] {
    var failure: SystemError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      do throws(SystemError) {
        initialized = try read(descriptor, into: UnsafeMutableRawBufferPointer(buffer))
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Writes all of the bytes.
  package static func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer
  ) throws(SystemError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = UnsafeRawBufferPointer(rebasing: rest)
      let count = SwiftBoardSystem.write(descriptor, part.baseAddress, part.count)
      if count >= 0 {
        rest = rest.dropFirst(count)
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN: waitForOutput(descriptor)
      default: throw .last("write")
      }
    }
  }

  /// Writes a byte to a pipe, for a thread that waits for one. Ignores errors.
  package static func wake(_ pipe: Int32) {
    withUnsafeBytes(of: UInt8(0)) { try? write(pipe, $0) }
  }

  /// Waits until a descriptor takes bytes or has no reader.
  package static func waitForOutput(_ descriptor: Int32) { wait(descriptor, for: POLLOUT) }

  /// Waits until nothing can read what is written to a pipe.
  package static func waitForEndOfReaders(_ pipe: Int32) {
    var request = pollfd(fd: pipe, events: Int16(POLLHUP), revents: 0)
    while poll(&request, 1, -1) <= 0 {}
  }

  private static func wait(_ descriptor: Int32, for events: some BinaryInteger) {
    var request = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    _ = poll(&request, 1, -1)
  }

  /// Waits until one of two descriptors can be read, or the first one can be written to. Returns
  /// whether it is the second one.
  package static func isSecondReady(
    _ first: Int32, isWritten: Bool = false, _ second: Int32
  ) -> Bool {
    var requests = [first, second].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    if isWritten { requests[0].events = Int16(POLLOUT) }
    while requests[0].revents == 0, requests[1].revents == 0 { _ = poll(&requests, 2, -1) }
    return requests[1].revents != 0
  }

  /// Waits until descriptors can be read.
  ///
  /// - Parameter milliseconds: The time limit, or `nil` to wait without one.
  /// - Returns: Whether each of them can be read. None can after the time limit or a signal.
  package static func waitForInput(_ descriptors: [Int32], milliseconds: Int32? = nil) -> [Bool] {
    var requests = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    guard poll(&requests, nfds_t(requests.count), milliseconds ?? -1) > 0 else {
      return descriptors.map { _ in false }
    }
    return requests.map { $0.revents != 0 }
  }

  /// A pipe that children do not inherit.
  package static func pipe() throws(SystemError) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard SwiftBoardSystem.pipe(&ends) == 0 else { throw .last("pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }
}
