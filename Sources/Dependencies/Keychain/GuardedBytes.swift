import CSodium
import SwiftBoardSystem
import Synchronization

/// Bytes in locked memory between guard pages. They are zeroed when the last reference is released.
///
/// The bytes never change after `init`. Outside of `withBytes`, the memory cannot be read, not even
/// by this process. A value uses four pages, and creating one takes about 40 µs. Use it for keys
/// and passphrases, not for thousands of small values.
public final class GuardedBytes: Sendable {
  /// The number of bytes.
  public let count: Int
  /// Whether the memory is kept out of swap. False if the system refused it (`RLIMIT_MEMLOCK`).
  let isMemoryLocked: Bool

  /// The region's address. It is a number because a pointer is not Sendable. Only `init` writes to
  /// the region.
  private let address: UInt
  /// The number of running `withBytes` calls. Memory protection applies to pages, not to threads.
  private let readers = Mutex(0)

  /// Creates a region of `capacity` zero bytes and calls `fill` to write it. Keeps as many bytes
  /// from the start as `fill` returns, and zeroes the rest. Throws `.io` if there is no memory, and
  /// the error of `fill`.
  public init(
    capacity: Int,
    fill: (UnsafeMutableRawBufferPointer) throws(KeychainError) -> Int
  ) throws(KeychainError) {
    guard SodiumLibrary.isReady else {
      throw KeychainError(
        .io, message: "libsodium could not be initialised, so nothing can be kept safely in memory."
      )
    }
    guard capacity >= 0, let base = sodium_malloc(capacity) else {
      throw KeychainError.io(ENOMEM, "guarded memory could not be allocated")
    }
    sodium_memzero(base, capacity)
    // `sodium_malloc` locks the memory too, but does not report whether it succeeded.
    let locked = capacity == 0 || sodium_mlock(base, capacity) == 0
    let used: Int
    do throws(KeychainError) {
      used = min(
        max(try fill(UnsafeMutableRawBufferPointer(start: base, count: capacity)), 0), capacity)
    } catch {
      sodium_free(base)
      throw error
    }
    sodium_memzero(base + used, capacity - used)
    if sodium_mprotect_noaccess(base) != 0 {
      let code = errno
      sodium_free(base)
      throw KeychainError.io(code, "guarded memory could not be closed")
    }
    count = used
    isMemoryLocked = locked
    address = UInt(bitPattern: base)
  }

  /// Creates a region of exactly `count` bytes that `fill` writes.
  public convenience init(
    count: Int,
    filledBy fill: (UnsafeMutableRawBufferPointer) throws(KeychainError) -> Void
  ) throws(KeychainError) {
    try self.init(capacity: count) { buffer throws(KeychainError) in
      try fill(buffer)
      return count
    }
  }

  /// Copies `bytes`. The caller remains responsible for erasing the original.
  public convenience init(copying bytes: some Collection<UInt8>) throws(KeychainError) {
    try self.init(count: bytes.count) { buffer throws(KeychainError) in
      buffer.copyBytes(from: bytes)
    }
  }

  /// Returns `count` bytes from the system's random source.
  public static func random(count: Int) throws(KeychainError) -> GuardedBytes {
    try GuardedBytes(count: count) { buffer throws(KeychainError) in
      KeychainRandom.system.fill(buffer)
    }
  }

  /// Reads `fd` to its end, directly into guarded memory. Blocks, and does not close `fd`. Throws
  /// `.limitExceeded` if there are more than `limit` bytes, and `.io` if reading fails or is
  /// interrupted.
  package static func read(
    fd: Int32, limit: Int, until interruption: Interruption? = nil
  ) throws(KeychainError) -> GuardedBytes {
    try GuardedBytes(capacity: limit + 1) { buffer throws(KeychainError) in
      let used = try fillFrom(fd, buffer, until: interruption)
      guard used <= limit else {
        throw KeychainError(.limitExceeded, message: "there are more than \(limit) bytes to read.")
      }
      return used
    }
  }

  /// Reads until `buffer` is full or `fd` ends, and returns the number of bytes. Throws
  /// `.cancelled` if the task is cancelled while it waits, and `.io` if interrupted.
  static func fillFrom(
    _ fd: Int32, _ buffer: UnsafeMutableRawBufferPointer,
    until interruption: Interruption? = nil
  ) throws(KeychainError) -> Int {
    var used = 0
    while used < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[used...])
      let got: Int
      // A synchronous call is not told of a cancellation, so it asks.
      while interruption == nil, !Descriptor.waitForInput([fd], milliseconds: 50)[0] {
        try KeychainError.checkCancellation()
      }
      do throws(SystemError) {
        if let interruption { try interruption.waitForInput(fd) }
        got = try Descriptor.read(fd, into: rest)
      } catch {
        throw KeychainError.io(error.code, "the secret could not be read")
      }
      if got == 0 { break }
      used += got
    }
    return used
  }

  deinit {
    // Zeroes, unlocks and unmaps.
    sodium_free(UnsafeMutableRawPointer(bitPattern: address))
  }

  /// Makes the memory readable while `body` runs. The pointer must not escape. Takes about 2 µs.
  /// Throws `.io` if the system refuses to change the protection of the pages, and the error of
  /// `body`.
  public func withBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    let base = UnsafeMutableRawPointer(bitPattern: address)
    try readers.withLock { readers throws(KeychainError) in
      if readers == 0, !protect(sodium_mprotect_readonly) {
        throw KeychainError.io(errno, "guarded memory could not be opened")
      }
      readers += 1
    }
    defer {
      readers.withLock { readers in
        readers -= 1
        // If this fails, the bytes stay readable until the next call, because a read cannot report
        // it.
        if readers == 0 {
          _ = protect(sodium_mprotect_noaccess)
        }
      }
    }
    return try body(UnsafeRawBufferPointer(start: base, count: count))
  }

  /// Makes only the pages of a range readable while `body` runs. The pointer to the range must not
  /// escape, and `body` must not use this value: other calls wait for it. Takes about 2 µs, while
  /// `withBytes(_:)` takes 10 µs for half a mebibyte. Throws the errors of `withBytes(_:)`.
  func withBytes<Result: Sendable>(
    in range: Range<Int>,
    _ body: (UnsafeRawBufferPointer) throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    let page = UInt(Self.pageSize)
    let start = (address + UInt(range.lowerBound)) / page * page
    let size = Int(address + UInt(range.upperBound) - start)
    return try readers.withLock { readers throws(KeychainError) in
      let isOpen = readers > 0
      if !isOpen, mprotect(UnsafeMutableRawPointer(bitPattern: start), size, PROT_READ) != 0 {
        throw KeychainError.io(errno, "guarded memory could not be opened")
      }
      defer {
        if !isOpen { _ = mprotect(UnsafeMutableRawPointer(bitPattern: start), size, PROT_NONE) }
      }
      return try body(
        UnsafeRawBufferPointer(
          start: UnsafeRawPointer(bitPattern: address + UInt(range.lowerBound)), count: range.count)
      )
    }
  }

  private static let pageSize = sysconf(Int32(_SC_PAGESIZE))

  private func protect(_ change: (UnsafeMutableRawPointer) -> Int32) -> Bool {
    guard let base = UnsafeMutableRawPointer(bitPattern: address) else { return false }
    return change(base) == 0
  }
}

extension GuardedBytes: Equatable {
  /// Compares the bytes in constant time. Lengths are not secret.
  public static func == (left: GuardedBytes, right: GuardedBytes) -> Bool {
    guard left.count == right.count else { return false }
    do {
      return try left.withBytes { first throws(KeychainError) in
        try right.withBytes { second throws(KeychainError) in
          guard let first = first.baseAddress, let second = second.baseAddress else { return true }
          return sodium_memcmp(first, second, left.count) == 0
        }
      }
    } catch {
      return false
    }
  }
}

extension GuardedBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The number of bytes, never the bytes themselves.
  public var description: String { "<\(count) guarded bytes>" }
  /// The number of bytes, never the bytes themselves.
  public var debugDescription: String { description }
  /// A mirror without children, so that `dump` does not print the bytes.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// libsodium, initialized once.
enum SodiumLibrary {
  static let isReady = sodium_init() >= 0
}
