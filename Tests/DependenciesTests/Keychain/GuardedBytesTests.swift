import SwiftBoardDependencies
import SwiftBoardSystem
import Testing

@Suite struct GuardedBytesTests {
  @Test("guarded bytes are what was given") func keepsWhatItWasGiven() throws {
    let bytes = try GuardedBytes(copying: Array(0...255))
    #expect(bytes.count == 256)
    #expect(try bytes.withBytes { Array($0) } == Array(0...255))
  }

  @Test("empty bytes are kept") func empty() throws {
    let bytes = try GuardedBytes(copying: [])
    #expect(bytes.count == 0)
    #expect(try bytes.withBytes { $0.count } == 0)
    #expect(try bytes == GuardedBytes(copying: []))
  }

  @Test("readers may be nested and concurrent") func nestedAndConcurrentReaders() async throws {
    let bytes = try GuardedBytes(copying: [1, 2, 3])
    let nested = try bytes.withBytes { outer throws(KeychainError) in
      let inner = try bytes.withBytes { $0[0] }
      return [outer[0], inner, outer[2]]
    }
    #expect(nested == [1, 1, 3])
    let sum = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<200 {
        group.addTask { (try? bytes.withBytes { $0.reduce(0) { $0 + Int($1) } }) ?? -1 }
      }
      return await group.reduce(0, +)
    }
    #expect(sum == 200 * 6)
  }

  @Test("equal bytes are equal") func equality() throws {
    let bytes = try GuardedBytes(copying: [1, 2, 3])
    #expect(bytes == bytes)
    #expect(try bytes == GuardedBytes(copying: [1, 2, 3]))
    #expect(try bytes != GuardedBytes(copying: [1, 2, 4]))
    #expect(try bytes != GuardedBytes(copying: [1, 2]))
    #expect(try GuardedBytes.random(count: 32) != GuardedBytes.random(count: 32))
  }

  @Test("what is not used of the room is zeroed and not shown")
  func capacity() throws {
    let bytes = try GuardedBytes(capacity: 8) { buffer throws(KeychainError) in
      buffer.copyBytes(from: [9, 9, 9, 9, 9, 9, 9, 9])
      return 3
    }
    #expect(try bytes.withBytes { Array($0) } == [9, 9, 9])
    let room = try bytes.withBytes {
      Array(UnsafeRawBufferPointer(start: $0.baseAddress, count: 8))
    }
    #expect(room == [9, 9, 9, 0, 0, 0, 0, 0])
  }

  @Test("text and mirrors show no byte")
  func description() throws {
    let bytes = try GuardedBytes(copying: Array("secret".utf8))
    #expect("\(bytes)" == "<6 guarded bytes>")
    #expect(Mirror(reflecting: bytes).children.isEmpty)
    #expect(!"\(KeychainSecret.passphrase(bytes))".contains("secret"))
  }

  @Test("reads a descriptor to its end, across several writes")
  func readsDescriptor() throws {
    let ends = try pipe(holding: Array("hello".utf8))
    defer { close(ends) }
    #expect(
      try GuardedBytes.read(fd: ends, limit: 5).withBytes { Array($0) } == Array("hello".utf8))
    let long = try pipe(holding: Array("hello".utf8))
    defer { close(long) }
    #expect(throws: KeychainError.self) { try GuardedBytes.read(fd: long, limit: 4) }
    #expect(throws: KeychainError.self) { try GuardedBytes.read(fd: 1_000_000, limit: 4) }
  }

  @Test("reading an open pipe ends with an interruption, and with the cancellation of its task")
  func interruptedReading() async throws {
    let pipe = try Descriptor.pipe()
    defer {
      close(pipe.read)
      close(pipe.write)
    }
    let interruption = Interruption()
    interruption.interrupt()
    #expect(throws: KeychainError.self) {
      try GuardedBytes.read(fd: pipe.read, limit: 4, until: interruption)
    }
    let cancelled = await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await kind { _ = try GuardedBytes.read(fd: pipe.read, limit: 4) }
    }.value
    #expect(cancelled == .cancelled)
  }

  #if !os(macOS)
    @Test("between uses the memory cannot be read")
    func closedBetweenUses() async {
      await #expect(processExitsWith: .exitCode(3)) {
        let bytes = try GuardedBytes(copying: [1, 2, 3])
        let leaked = try bytes.withBytes { UInt(bitPattern: $0.baseAddress) }
        let pointer = try #require(UnsafeRawPointer(bitPattern: leaked))
        signal(SIGSEGV) { _ in _exit(3) }
        _ = pointer.load(as: UInt8.self)
        exit(0)
      }
    }
  #endif
}

/// The reading end of a pipe that holds `bytes` and ends.
func pipe(holding bytes: [UInt8]) throws -> Int32 {
  var ends: [Int32] = [0, 0]
  try #require(pipe(&ends) == 0)
  try #require(write(ends[1], bytes, bytes.count) == bytes.count)
  close(ends[1])
  return ends[0]
}
