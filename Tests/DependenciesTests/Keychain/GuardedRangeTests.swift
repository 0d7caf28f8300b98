import SwiftBoardSystem
import Testing

@testable import SwiftBoardDependencies

@Suite("Ranges of guarded bytes") struct GuardedRangeTests {
  private static let count = 20_000
  private let bytes: GuardedBytes

  init() throws {
    bytes = try GuardedBytes(copying: (0..<Self.count).map { UInt8(truncatingIfNeeded: $0 / 7) })
  }

  private func expected(_ range: Range<Int>) -> [UInt8] {
    range.map { UInt8(truncatingIfNeeded: $0 / 7) }
  }

  @Test(
    "a range is read, on one page and over several",
    arguments: [0..<1, 5..<9, 4000..<4200, 0..<20_000, 19_999..<20_000])
  func aRangeIsRead(_ range: Range<Int>) throws {
    #expect(try bytes.withBytes(in: range) { Array($0) } == expected(range))
    #expect(try bytes.withBytes { Array($0) } == expected(0..<Self.count))
  }

  @Test("a reader of all bytes may read a range, and goes on after it")
  func aReaderOfAllBytesMayReadARange() throws {
    let (part, rest) = try bytes.withBytes { all throws(KeychainError) in
      let part = try bytes.withBytes(in: 10..<20) { Array($0) }
      return (part, Array(all[10..<20]))
    }
    #expect(part == expected(10..<20))
    #expect(rest == part)
  }

  @Test("readers of ranges and of all bytes may be concurrent")
  func readersMayBeConcurrent() async throws {
    let bytes = bytes
    let sums = await withTaskGroup(of: Int.self) { group in
      for index in 0..<200 {
        group.addTask {
          let start = index * 100
          let part = try? bytes.withBytes(in: start..<start + 8) { Array($0) }
          let all = try? bytes.withBytes { Array($0[start..<start + 8]) }
          return part == all && part != nil ? 1 : 0
        }
      }
      return await group.reduce(0, +)
    }
    #expect(sums == 200)
  }

  #if !os(macOS)
    @Test("after a range was read, its memory cannot be read")
    func afterARangeWasReadItsMemoryCannotBeRead() async {
      await #expect(processExitsWith: .exitCode(3)) {
        let bytes = try GuardedBytes(copying: Array(repeating: 1, count: 20_000))
        let leaked = try bytes.withBytes(in: 5000..<6000) { UInt(bitPattern: $0.baseAddress) }
        let pointer = try #require(UnsafeRawPointer(bitPattern: leaked))
        signal(SIGSEGV) { _ in _exit(3) }
        _ = pointer.load(as: UInt8.self)
        exit(0)
      }
    }
  #endif
}
