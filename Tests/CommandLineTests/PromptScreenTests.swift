import SwiftBoardSystem
import SwiftBoardTestSupport
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

  @Test("output removes the line as the terminal has wrapped it, before the signal of a resize")
  func outputBeforeSignal() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      let device = try PseudoTerminal()
      let screen = Self.prompt(String(repeating: "x", count: 33), at: device)
      Self.setColumns(10, of: device)
      try Array("output\n".utf8).withUnsafeBytes { try screen.write($0, to: STDERR_FILENO) }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    // The row of 35 columns has become four.
    #expect(text.contains("x\u{1B}[3A\r\u{1B}[K\u{1B}[2G\u{1B}[J\routput\n> xx"), "\(text)")
    var terminal = ScreenModel(columns: 10, rows: 8)
    terminal.show(String(text.split(separator: "output\n").last ?? ""))
    #expect(terminal.text == "> xxxxxxxx\nxxxxxxxxxx\nxxxxxxxxxx\nxxxxx")
  }

  @Test("output goes on below an unfinished row that the terminal has wrapped again")
  func unfinishedRowBeforeSignal() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      let device = try PseudoTerminal()
      let screen = Self.prompt("xxx", at: device)
      for text in ["abcdefghijklmno", "pqr\r\n"] {
        try Array(text.utf8).withUnsafeBytes { try screen.write($0, to: STDERR_FILENO) }
        Self.setColumns(10, of: device)
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    var terminal = ScreenModel(columns: 10, rows: 8)
    terminal.show(text)
    #expect(terminal.text == "abcdefghij\nklmno\npqr\n> xxx", "\(text)")
  }

  /// Makes a terminal of 40 columns standard output, and shows a prompt with a line there.
  private static func prompt(_ line: String, at device: PseudoTerminal) -> PromptScreen {
    dup2(open(device.path, O_RDWR | O_NOCTTY), STDOUT_FILENO)
    setColumns(40, of: device)
    let screen = PromptScreen(
      terminal: Terminal(environment: [:]), usesColor: false, isASCII: true)
    var editor = LineEditorState()
    _ = editor.apply(.begin(prompt: EditorPrompt(first: "> ", continuation: ". ")))
    _ = editor.apply(.keys([.text(line)]))
    screen.begin()
    screen.show(editor)
    return screen
  }

  private static func setColumns(_ columns: UInt16, of device: PseudoTerminal) {
    var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(device.user, UInt(TIOCSWINSZ), &size)
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
