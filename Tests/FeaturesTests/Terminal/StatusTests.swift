import Dispatch
import SwiftBoardSystem
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardCommandLine

/// The status in the row of the cursor.
@Suite struct StatusTests {
  @Test("a result on a pipe, whose reader may show it at the terminal, removes the status first")
  func pipe() async {
    // The writers have the descriptors of the whole process.
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardOutputContent]
    ) {
      // The test framework writes to standard error at the end.
      let former = dup(STDERR_FILENO)
      defer { dup2(former, STDERR_FILENO) }
      dup2(STDOUT_FILENO, STDERR_FILENO)
      let terminal = Terminal(
        environment: [:], isInputTerminal: true, isOutputTerminal: false, isErrorTerminal: true)
      for screen in [
        nil, PromptScreen(terminal: terminal, usesColor: false, isASCII: true),
      ] {
        let writer = BoardOutputWriter(
          program: "board", isJSON: false, screen: screen, terminal: terminal)
        for text in ["first\n", "second\n"] {
          writer.showStatus("busy")
          writer.reveal(Array(text.utf8))
        }
        writer.reveal(Array("third\n".utf8))
      }
    }
    let text = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    let plain = "busy\r    \r"
    let edited = "\rbusy\u{1B}[K\r\u{1B}[K"
    #expect(
      text == [plain, edited].map { "\($0)first\n\($0)second\nthird\n" }.joined(), "\(text)")
  }

  @Test("no status is shown while a result waits for the reader of a pipe")
  func fullPipe() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      let terminal = Terminal(
        environment: [:], isInputTerminal: true, isOutputTerminal: false, isErrorTerminal: true)
      for screen in [
        nil, PromptScreen(terminal: terminal, usesColor: false, isASCII: true),
      ] {
        try Self.showWhileWriting(
          BoardOutputWriter(program: "board", isJSON: false, screen: screen, terminal: terminal))
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    let plain = "busy\r    \rafter\r     \r"
    let edited = "\rbusy\u{1B}[K\r\u{1B}[K\rafter\u{1B}[K\r\u{1B}[K"
    #expect(text == plain + edited, "\(text)")
  }

  /// Shows statuses before, in and behind a write that is larger than what a pipe takes.
  private static func showWhileWriting(_ writer: BoardOutputWriter) throws {
    let pipe = try Descriptor.pipe()
    dup2(pipe.write, STDOUT_FILENO)
    let size = 1 << 20
    let isWritten = DispatchSemaphore(value: 0)
    writer.showStatus("busy")
    DispatchQueue.global().async {
      writer.reveal(Array(repeating: UInt8(ascii: "x"), count: size))
      isWritten.signal()
    }
    // The write has begun, and does not end before most of it is read.
    var count = try Descriptor.read(pipe.read, atMost: 1).count
    writer.showStatus("meanwhile")
    while count < size { count += try Descriptor.read(pipe.read, atMost: size).count }
    isWritten.wait()
    writer.showStatus("after")
    writer.showStatus("")
  }

  @Test("while a question is open, results on a pipe take no room of what waits for its end")
  func question() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      let writer = BoardOutputWriter(
        program: "board", isJSON: false,
        terminal: Terminal(
          environment: [:], isInputTerminal: true, isOutputTerminal: false, isErrorTerminal: true))
      writer.beginPrompt()
      writer.warn("held\n")
      // More than what waits at most.
      for _ in 0...10_000 { writer.reveal([]) }
      writer.endPrompt()
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text == "held\n", "\(text)")
  }
}
