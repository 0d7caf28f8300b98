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

  @Test("a screen that was closed shows nothing but output, whatever comes late")
  func closed() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      let screen = PromptScreen(
        terminal: Terminal(environment: [:]), usesColor: true, isASCII: true)
      var editor = LineEditorState()
      _ = editor.apply(.begin(prompt: EditorPrompt(first: "prompt> ", continuation: ". ")))
      screen.begin()
      screen.show(editor)
      screen.close()
      screen.begin()
      screen.show(editor)
      screen.redraw()
      screen.hide()
      screen.showStatus("late")
      try Array("output\n".utf8).withUnsafeBytes { try screen.write($0, to: STDERR_FILENO) }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.ranges(of: "prompt").count == 1, "\(text)")
    #expect(text.hasSuffix("\u{1B}[?2004loutput\n"), "\(text)")
  }
}
