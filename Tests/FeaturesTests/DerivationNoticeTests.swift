import Synchronization
import Testing

@testable import SwiftBoardBoard

/// A notice whose tenth of a second is over when the test says so.
struct DerivationNoticeTests {
  private final class Screen: Sendable {
    let text = Mutex("")
    let waiting = Mutex<[@Sendable () -> Void]>([])

    func notice(isASCII: Bool = true) -> DerivationNotice {
      DerivationNotice(
        isASCII: isASCII, later: { body in self.waiting.withLock { $0.append(body) } },
        write: { text in self.text.withLock { $0 += text } })
    }

    func wait() {
      let bodies = waiting.withLock { bodies in
        defer { bodies = [] }
        return bodies
      }
      for body in bodies { body() }
    }

    var shown: String { text.withLock { $0 } }
  }

  @Test("a long derivation is told of until it ends") func long() {
    let screen = Screen()
    let notice = screen.notice()
    notice.note(isRunning: true)
    #expect(screen.shown == "")
    screen.wait()
    #expect(screen.shown == "deriving the key...")
    notice.note(isRunning: false)
    #expect(screen.shown == "deriving the key...\r" + String(repeating: " ", count: 19) + "\r")
    let other = Screen()
    other.notice(isASCII: false).note(isRunning: true)
    other.wait()
    #expect(other.shown == "deriving the key\u{2026}")
  }

  @Test("a short one is not, nor is a later one that is short too") func short() {
    let screen = Screen()
    let notice = screen.notice()
    notice.note(isRunning: true)
    notice.note(isRunning: false)
    notice.note(isRunning: true)
    // The first one's time is over, while the second one runs.
    let first = screen.waiting.withLock { $0.removeFirst() }
    first()
    #expect(screen.shown == "")
    notice.note(isRunning: false)
    screen.wait()
    #expect(screen.shown == "")
  }
}
