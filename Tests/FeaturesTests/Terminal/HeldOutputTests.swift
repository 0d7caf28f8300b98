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

  @Test("of the rounds of a watch that wait, the last one is written")
  func rounds() {
    let held = HeldOutput()
    let written = Mutex<[String]>([])
    let write = { @Sendable (job: Int, round: Int, part: Int) in
      held.perform(of: HeldOutput.Round(job: job, number: round)) {
        written.withLock { $0.append("\(job).\(round).\(part)") }
      }
    }
    held.begin()
    for round in 1...3 {
      for part in 1...2 { write(1, round, part) }
      write(2, round, 1)
    }
    held.end()
    #expect(written.withLock(\.self) == ["1.3.1", "1.3.2", "2.3.1"])
  }
}
