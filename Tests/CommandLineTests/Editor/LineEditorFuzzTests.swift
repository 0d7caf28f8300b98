import SwiftBoardTestSupport
import SwiftBoardTesting
import Testing

@testable import SwiftBoardCommandLine

/// Any bytes from a keyboard, from the decoder to the screen.
@Suite struct LineEditorFuzzTests {
  private static let parts: [[UInt8]] =
    [
      "\u{1B}[A", "\u{1B}[200~", "\u{1B}[201~", "\u{1B}[1;5D", "家", "e\u{301}", "👨‍👩‍👧", "echo {", "\r",
      "\u{12}",
    ]
    .map { Array($0.utf8) }

  private static func bytes(_ random: inout SeededRandom) -> [UInt8] {
    (0..<Int.random(in: 1...40, using: &random)).flatMap { _ in
      Bool.random(using: &random)
        ? parts.randomElement(using: &random) ?? [] : [UInt8.random(in: 0...255, using: &random)]
    }
  }

  @Test("any bytes leave what one drawing would, and send the terminal nothing else")
  func anyBytes() {
    var random = SeededRandom(seed: 4)
    let prompt = EditorPrompt(first: "board> ", continuation: "... ")
    for _ in 0..<300 {
      var decoder = KeyDecoder()
      var editor = LineEditorState(history: LineHistory([LineHistory.Entry("echo 家")]))
      var renderer = ScreenRenderer(columns: 30, height: 8, usesColor: true)
      var screen = ScreenModel(columns: 30, rows: 8)
      _ = editor.apply(.begin(prompt: prompt))
      for _ in 0..<5 {
        let keys = decoder.decode(Self.bytes(&random)) + decoder.timeOut()
        var request = editor.apply(.keys(keys))
        while let asked = request {
          request = editor.apply(.completed(id: asked.id, answer: nil))
        }
        let view = EditorView(editor, showsHints: true, isASCII: false)
        if editor.phase == .idle {
          screen.show(renderer.finish(view))
          _ = editor.apply(.begin(prompt: prompt))
          continue
        }
        if editor.signal != nil { _ = editor.apply(.resumed) }
        let current = EditorView(editor, showsHints: true, isASCII: false)
        screen.show(renderer.draw(current))
        var fresh = ScreenModel(columns: 30, rows: 8)
        var other = ScreenRenderer(columns: 30, height: 8, usesColor: true)
        fresh.show(other.draw(current))
        #expect(screen.cursor.column == fresh.cursor.column)
        #expect(screen.screen[screen.cursor.row] == fresh.screen[fresh.cursor.row])
      }
      #expect(screen.unknown == [])
    }
  }
}
