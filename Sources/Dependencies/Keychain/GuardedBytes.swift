import CSodium
import SwiftBoardSystem
import Synchronization

/// Bytes in memory that is locked, surrounded by guard pages and zeroed when the last reference
/// goes.
///
/// The bytes never change after `init`. Between two calls of `withBytes` the memory cannot be read
/// at all, not even by this process. One value costs four pages and about 40 µs to make: right for
/// keys and passphrases, wrong for thousands of small things.
public final class GuardedBytes: Sendable {
  /// How many bytes there are.
  public let count: Int
  /// False when the system refused to keep the memory out of swap (`RLIMIT_MEMLOCK`).
  let isMemoryLocked: Bool

  /// The region's address. A number because a pointer is not Sendable; what it points to is written
  /// by `init` only.
  private let address: UInt
  /// How many `withBytes` calls are running: protection is by page, not by thread.
  private let readers = Mutex(0)

  /// Creates a region of `capacity` bytes, all zero, has `fill` write it and keeps as many of its
  /// first bytes as `fill` says; the rest is zeroed. Throws `.io` when there is no memory, and what
  /// `fill` throws.
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
    // `sodium_malloc` locks too but does not say whether it worked.
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

  /// `count` bytes from the system's random source.
  public static func random(count: Int) throws(KeychainError) -> GuardedBytes {
    try GuardedBytes(count: count) { buffer throws(KeychainError) in
      KeychainRandom.system.fill(buffer)
    }
  }

  /// Reads `fd` to its end, straight into guarded memory. Blocks; does not close `fd`. Throws
  /// `.limitExceeded` when there are more than `limit` bytes and `.io` when reading fails.
  public static func read(fd: Int32, limit: Int) throws(KeychainError) -> GuardedBytes {
    try GuardedBytes(capacity: limit + 1) { buffer throws(KeychainError) in
      let used = try fillFrom(fd, buffer)
      guard used <= limit else {
        throw KeychainError(.limitExceeded, message: "there are more than \(limit) bytes to read.")
      }
      return used
    }
  }

  /// Reads until `buffer` is full or `fd` ends, and says how many bytes there were.
  static func fillFrom(
    _ fd: Int32, _ buffer: UnsafeMutableRawBufferPointer
  ) throws(KeychainError) -> Int {
    var used = 0
    while used < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[used...])
      let got: Int
      do throws(SystemError) { got = try Descriptor.read(fd, into: rest) } catch {
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

  /// Opens the memory for the time of `body`. The pointer must not leave it. About 2 µs; throws
  /// `.io` when the system refuses to open or close the pages, and what `body` throws.
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
        // If this fails, the bytes stay readable until the next call. A read cannot report it.
        if readers == 0 {
          _ = protect(sodium_mprotect_noaccess)
        }
      }
    }
    return try body(UnsafeRawBufferPointer(start: base, count: count))
  }

  private func protect(_ change: (UnsafeMutableRawPointer) -> Int32) -> Bool {
    guard let base = UnsafeMutableRawPointer(bitPattern: address) else { return false }
    return change(base) == 0
  }
}

extension GuardedBytes: Equatable {
  /// Constant-time in the bytes; lengths are no secret.
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
  /// Never the bytes.
  public var description: String { "<\(count) guarded bytes>" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// libsodium, initialised once.
enum SodiumLibrary {
  static let isReady = sodium_init() >= 0
}
