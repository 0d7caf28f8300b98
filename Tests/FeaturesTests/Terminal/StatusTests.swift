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
}
