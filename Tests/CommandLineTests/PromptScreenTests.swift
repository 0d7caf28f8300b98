import SwiftBoardSystem
import Testing

@testable import SwiftBoardCommandLine

@Suite struct PromptScreenTests {
  @Test("no status is shown while Ctrl-Z stops the program")
  func statusOfAStop() async {
    // The terminal is that of the whole process.
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      let screen = PromptScreen(
        terminal: Terminal(environment: [:]), usesColor: false, isASCII: true)
      screen.showStatus("before")
      TerminalModes.isStopping.store(true, ordering: .sequentiallyConsistent)
      screen.showStatus("meanwhile")
      TerminalModes.isStopping.store(false, ordering: .sequentiallyConsistent)
      screen.showStatus("after")
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("before") && text.contains("after"), "\(text)")
    #expect(!text.contains("meanwhile"))
  }
}
