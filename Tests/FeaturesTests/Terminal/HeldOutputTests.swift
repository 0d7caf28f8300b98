import Synchronization
import Testing

@testable import SwiftBoardBoard

/// Output that waits while something else has the terminal.
@Suite struct HeldOutputTests {
  @Test("what waits is written in order once the last holder has ended")
  func order() {
    let held = HeldOutput()
    let written = Mutex<[Int]>([])
    let write = { @Sendable (number: Int) in held.perform { written.withLock { $0.append(number) } }
    }
    write(1)
    held.begin()
    write(2)
    held.begin()
    // What is written while others are follows them.
    held.perform {
      written.withLock { $0.append(3) }
      write(5)
    }
    write(4)
    held.end()
    #expect(written.withLock(\.self) == [1])
    held.end()
    #expect(written.withLock(\.self) == [1, 2, 3, 4, 5])
    write(6)
    #expect(written.withLock(\.self) == [1, 2, 3, 4, 5, 6])
  }
}
