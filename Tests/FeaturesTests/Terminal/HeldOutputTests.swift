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

  @Test("of too much that waits, the oldest is left out, and that is said")
  func limit() {
    let held = HeldOutput()
    let written = Mutex<[String]>([])
    held.noteLeftOut { count in written.withLock { $0.append("without \(count)") } }
    held.begin()
    for number in 1...25_000 { held.perform { written.withLock { $0.append("\(number)") } } }
    held.end()
    let expected = ["without 15000"] + (15_001...25_000).map(String.init)
    #expect(written.withLock(\.self) == expected)
  }
}
