import SwiftBoardDependencies
import Synchronization
import Testing

@testable import SwiftBoardBoard

@Suite("The row that shows what runs")
struct ActivityLineTests {
  /// A line whose time passes when the test says so.
  private final class Screen: Sendable {
    let texts = Mutex<[String]>([])
    let waiting = Mutex<[@Sendable () -> Void]>([])
    let time = Mutex(Duration.zero)

    func line(isASCII: Bool = true, spins: Bool = true, columns: Int = 79) -> ActivityLine {
      ActivityLine(
        isASCII: isASCII, spins: spins, columns: { columns }, now: { self.time.withLock { $0 } },
        later: { body in self.waiting.withLock { $0.append(body) } },
        write: { text in self.texts.withLock { $0.append(text) } })
    }

    /// Lets a tenth of a second pass.
    func tick(_ count: Int = 1) {
      for _ in 0..<count {
        time.withLock { $0 += .milliseconds(100) }
        let bodies = waiting.withLock { bodies in
          defer { bodies = [] }
          return bodies
        }
        for body in bodies { body() }
      }
    }

    var shown: [String] { texts.withLock { $0 } }
    var isIdle: Bool { waiting.withLock { $0.isEmpty } }
  }

  @Test("a command that takes a tenth of a second is shown, with its time after a second")
  func long() {
    let screen = Screen()
    let line = screen.line()
    line.begin { "api get a/b" }
    #expect(screen.shown == [])
    screen.tick(2)
    #expect(screen.shown == ["/ api get a/b", "- api get a/b"])
    screen.tick(10)
    #expect(screen.shown.last == "| api get a/b  1.2 s")
    line.end()
    #expect(screen.shown.last == "")
    screen.tick()
    #expect(screen.isIdle && screen.shown.count == 13)
    let other = Screen()
    let unicode = other.line(isASCII: false)
    unicode.begin { "x" }
    other.tick()
    #expect(other.shown == ["⠙ x"])
  }

  @Test("nothing is written while another program has the terminal")
  func background() {
    let screen = Screen()
    let isInForeground = Mutex(true)
    let line = ActivityLine(
      isASCII: true, spins: true, isInForeground: { isInForeground.withLock { $0 } },
      columns: { 79 }, now: { screen.time.withLock { $0 } },
      later: { body in screen.waiting.withLock { $0.append(body) } },
      write: { text in screen.texts.withLock { $0.append(text) } })
    line.begin { "x" }
    screen.tick()
    #expect(screen.shown == ["/ x"])
    isInForeground.withLock { $0 = false }
    screen.tick(3)
    #expect(screen.shown == ["/ x"])
    isInForeground.withLock { $0 = true }
    screen.tick()
    #expect(screen.shown == ["/ x", "/ x"])
    isInForeground.withLock { $0 = false }
    line.end()
    #expect(screen.shown == ["/ x", "/ x"])
  }

  @Test("short commands are not shown, one after the other, and nothing ticks between lines")
  func short() {
    let screen = Screen()
    let line = screen.line()
    line.begin { "a" }
    screen.time.withLock { $0 += .milliseconds(60) }
    line.end()
    line.begin { "b" }
    // The first one's tenth of a second is over.
    screen.time.withLock { $0 -= .milliseconds(60) }
    screen.tick()
    line.end()
    #expect(screen.shown == [])
    screen.tick()
    #expect(screen.isIdle && screen.shown == [])
  }

  @Test("a transfer shows a bar, the rate and the time that is left")
  func transfer() {
    let screen = Screen()
    let line = screen.line()
    line.begin { "api get big" }
    line.show(TransferProgress(name: "big.iso", done: 1_000, total: 101_000))
    screen.tick(10)
    line.show(TransferProgress(name: "big.iso", done: 51_000, total: 101_000))
    screen.tick(10)
    #expect(
      screen.shown.last
        == "| big.iso  [########........]  50 %  49.8 KiB of 98.6 KiB  24.4 KiB/s  2 s left")
    line.show(nil)
    screen.tick()
    #expect(screen.shown.last == "/ api get big  2.1 s")
    line.end()
    line.show(TransferProgress(name: "x", done: 3, total: nil, unit: "files"))
    screen.tick(2)
    #expect(screen.shown.last == "- x  3 files")
    line.show(nil)
    #expect(screen.shown.last == "")
  }

  @Test(
    "where it is narrow, the bar, the name and the amount give way to the rate and the time",
    arguments: [
      (83, "| season-01-part-07.iso  [##..]  50 %  49.8 KiB of 98.6 KiB  24.4 KiB/s  2 s left"),
      (79, "| season-01-part-07.iso  50 %  49.8 KiB of 98.6 KiB  24.4 KiB/s  2 s left"),
      (70, "| ...-01-part-07.iso  50 %  49.8 KiB of 98.6 KiB  24.4 KiB/s  2 s left"),
      (59, "| season-01-part-07.iso  [##..]  50 %  24.4 KiB/s  2 s left"),
      (54, "| season-01-part-07.iso  50 %  24.4 KiB/s  2 s left"),
      (39, "| ...07.iso  50 %  24.4 KiB/s  2 s left"),
      (30, "| 50 %  24.4 KiB/s  2 s left"),
    ])
  func narrowTransfer(columns: Int, expected: String) {
    let screen = Screen()
    let line = screen.line(columns: columns)
    line.begin { "api get big" }
    let name = "season-01-part-07.iso"
    line.show(TransferProgress(name: name, done: 1_000, total: 101_000))
    screen.tick(10)
    line.show(TransferProgress(name: name, done: 51_000, total: 101_000))
    screen.tick(10)
    #expect(screen.shown.last == expected)
  }

  @Test("the derivation of a key is shown until it ends, also on a terminal without a spinner")
  func derivation() {
    let screen = Screen()
    let line = screen.line(spins: false)
    line.begin { "keychain unlock" }
    screen.tick()
    #expect(screen.shown == [])
    line.derive(isRunning: true)
    screen.tick(2)
    #expect(screen.shown == ["deriving the key...", "deriving the key..."])
    line.derive(isRunning: false)
    #expect(screen.shown.last == "")
  }

  @Test("a prompt hides it, and it comes back behind the prompt")
  func prompts() {
    let screen = Screen()
    let line = screen.line()
    line.begin { "x" }
    screen.tick()
    line.pause()
    #expect(screen.shown == ["/ x", ""])
    screen.tick(5)
    #expect(screen.shown.count == 2 && screen.isIdle)
    line.resume()
    screen.tick()
    #expect(screen.shown.last?.hasSuffix(" x") == true && screen.shown.count == 3)
  }

  @Test(
    "times that are left",
    arguments: [
      (0.2, "1 s"), (59.5, "1:00 min"), (60, "1:00 min"), (125, "2:05 min"), (3600, "1:00 h"),
      (1e9, "days"),
    ])
  func times(seconds: Double, expected: String) {
    #expect(ProgressText.time(seconds) == expected)
  }
}
