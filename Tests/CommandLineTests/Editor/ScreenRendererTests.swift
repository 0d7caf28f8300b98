import SwiftBoardTestSupport
import SwiftBoardTesting
import Testing

@testable import SwiftBoardCommandLine

/// What the renderer writes, as a terminal shows it.
@Suite struct ScreenRendererTests {
  private static let prompt = EditorPrompt(first: "board> ", continuation: "... ")

  private static func view(_ text: String, cursor: Int? = nil) -> EditorView {
    EditorView(prompt: prompt, text: EditedText(text, cursor: cursor ?? text.count))
  }

  @Test("a line wraps at the last column, with the cursor on the next row")
  func lastColumn() {
    var screen = ScreenModel(columns: 10, rows: 5)
    var renderer = ScreenRenderer(columns: 10, height: 5, usesColor: false)
    screen.show(renderer.draw(Self.view("ab")))
    #expect(screen.text == "board> ab" && screen.cursor == (0, 9))
    screen.show(renderer.draw(Self.view("abc")))
    #expect(screen.text == "board> abc" && screen.cursor == (1, 0))
    screen.show(renderer.draw(Self.view("abcd")))
    #expect(screen.text == "board> abc\nd" && screen.cursor == (1, 1))
    screen.show(renderer.draw(Self.view("abc")))
    #expect(screen.text == "board> abc" && screen.cursor == (1, 0))
    // A wide character does not fit into the last column.
    screen.show(renderer.draw(Self.view("ab家")))
    #expect(screen.text == "board> ab\n家" && screen.cursor == (1, 2))
    #expect(screen.unknown == [])
  }

  @Test("a character that is typed at the end writes only itself")
  func append() {
    var renderer = ScreenRenderer(columns: 80, height: 24, usesColor: true)
    var output = renderer.draw(Self.view("echo"))
    output = renderer.draw(Self.view("echo "))
    #expect(output == " ")
    output = renderer.draw(Self.view("echo x"))
    #expect(output == "x")
    output = renderer.draw(Self.view("echo x"))
    #expect(output == "")
    output = renderer.draw(Self.view("echo x", cursor: 0))
    #expect(output == "\u{1B}[8G")
  }

  @Test("control characters are shown and not performed")
  func controls() {
    var screen = ScreenModel(columns: 40, rows: 3)
    var renderer = ScreenRenderer(columns: 40, height: 3, usesColor: false)
    screen.show(renderer.draw(Self.view("a\u{1B}[2Jb\u{202E}c\u{301}\td")))
    #expect(screen.text == #"board> a\u{1b}[2Jb\u{202e}c"# + "\u{301}     d")
  }

  @Test("a hint takes the rest of the row, and candidates the rows below")
  func hintAndMenu() {
    var screen = ScreenModel(columns: 20, rows: 6)
    var renderer = ScreenRenderer(columns: 20, height: 6, usesColor: true)
    var view = Self.view("echo")
    view.hint = " one two three"
    view.isASCII = true
    screen.show(renderer.draw(view))
    #expect(screen.text == "board> echo one t..." && screen.cursor == (0, 11))
    view.hint = ""
    view.menu = ["alpha", "beta", "gamma", "delta"]
    screen.show(renderer.draw(view))
    #expect(screen.text == "board> echo\nalpha  gamma\nbeta   delta" && screen.cursor == (0, 11))
    screen.show(renderer.draw(Self.view("echo")))
    #expect(screen.text == "board> echo" && screen.cursor == (0, 11))
  }

  @Test(
    "more candidates than rows end with their number in one row",
    arguments: [
      (30, "(15 candidates; type more)"), (20, "(15; type more)"), (8, "(15)"), (3, "(15"),
    ])
  func menuEnd(columns: Int, end: String) {
    var screen = ScreenModel(columns: columns, rows: 5)
    var renderer = ScreenRenderer(columns: columns, height: 5, usesColor: false)
    var view = EditorView(
      prompt: EditorPrompt(first: "", continuation: ""), text: EditedText("x"))
    view.menu = (1...15).map { "candidate\($0)" }
    screen.show(renderer.draw(view))
    #expect(screen.text.hasSuffix("\n" + end), "\(screen.text)")
    #expect(screen.screen.first == "x" && screen.scrollback == [])
  }

  @Test("a line that is higher than the terminal is shown around the cursor, and whole at its end")
  func tall() {
    var screen = ScreenModel(columns: 20, rows: 4)
    var renderer = ScreenRenderer(columns: 20, height: 4, usesColor: false)
    let text = (1...9).map(String.init).joined(separator: "\n")
    screen.show(renderer.draw(Self.view(text)))
    #expect(screen.text == "... 6\n... 7\n... 8\n... 9")
    screen.show(renderer.draw(Self.view(text, cursor: 0)))
    #expect(screen.text == "board> 1\n... 2\n... 3\n... 4" && screen.cursor == (0, 7))
    screen.show(renderer.finish(Self.view(text)))
    #expect(screen.scrollback.suffix(6).first == "board> 1")
    #expect(screen.text == "... 7\n... 8\n... 9" && screen.cursor == (3, 0))
  }

  @Test("the cursor is behind all columns of a character with spacing marks or consonants")
  func marks() {
    var screen = ScreenModel(columns: 14, rows: 4)
    var renderer = ScreenRenderer(columns: 14, height: 4, usesColor: false)
    // Two, three, and two columns.
    let text = "हिन्दीทำ"
    for (cursor, column) in [(0, 7), (1, 9), (2, 12)] {
      screen.show(renderer.draw(Self.view(text, cursor: cursor)))
      #expect(screen.cursor == (0, column), "\(cursor)")
    }
    screen.show(renderer.draw(Self.view(text)))
    #expect(screen.text == "board> " + text && screen.cursor == (1, 0))
    screen.show(renderer.draw(Self.view("हिXन्दीทำ", cursor: 2)))
    // A character is not divided between rows.
    #expect(screen.text == "board> हिXन्दी\nทำ" && screen.cursor == (0, 10))
    #expect(screen.unknown == [])
  }

  @Test("a character that is wider than the terminal is shown as its scalars")
  func widerThanTerminal() {
    var screen = ScreenModel(columns: 8, rows: 12)
    var renderer = ScreenRenderer(columns: 8, height: 12, usesColor: false)
    let text = "ก" + String(repeating: "\u{E33}", count: 8)
    screen.show(renderer.draw(Self.view(text)))
    let shown = "board> \\u{e01}" + String(repeating: "\\u{e33}", count: 8)
    #expect(screen.screen.joined() == shown && screen.cursor == (8, 6), "\(screen.screen)")
  }

  @Test("after a resize the line is drawn in the place that it had")
  func resize() {
    var renderer = ScreenRenderer(columns: 20, height: 8, usesColor: false)
    var output = renderer.draw(Self.view("12345678901234567890"))
    // The terminal has wrapped the row of 20 and 7 characters into three of 10, the cursor on the
    // last one.
    output = renderer.resize(columns: 10, height: 8)
    #expect(output == "\u{1B}[2A\r\u{1B}[K\u{1B}[2G\u{1B}[J\r")
    var screen = ScreenModel(columns: 10, rows: 8)
    screen.show(renderer.draw(Self.view("12345678901234567890")))
    #expect(screen.text == "board> 123\n4567890123\n4567890")
  }

  @Test("any line drawn over any other one looks as it does on an empty screen")
  func generated() {
    var random = SeededRandom(seed: 3)
    let parts = [
      "a", "bcd", "家", "e\u{301}", " ", "\n", "\t", "0123456789", "é", "\u{7}", "हि", "न्दी", "ทำ",
      "\u{1112}\u{1161}\u{11AB}",
    ]
    for _ in 0..<300 {
      let columns = Int.random(in: 8...30, using: &random)
      let height = Int.random(in: 2...9, using: &random)
      var screen = ScreenModel(columns: columns, rows: height)
      var renderer = ScreenRenderer(columns: columns, height: height, usesColor: true)
      for _ in 0..<12 {
        var text = ""
        for _ in 0..<Int.random(in: 0...14, using: &random) {
          text += parts.randomElement(using: &random) ?? ""
        }
        var view = Self.view(text, cursor: Int.random(in: 0...text.count, using: &random))
        if Bool.random(using: &random) { view.hint = "hint 家" }
        if Int.random(in: 0..<5, using: &random) == 0 { view.menu = ["x", "yy", "zzz家"] }
        screen.show(renderer.draw(view))
        // What is above does not change what is visible of a line that fills the screen, so both
        // are compared from their first row on.
        var fresh = ScreenModel(columns: columns, rows: height)
        var other = ScreenRenderer(columns: columns, height: height, usesColor: true)
        fresh.show(other.draw(view))
        #expect(screen.unknown == [])
        let isTall = ScreenLayout(view, columns: columns, height: height).rows.count > height
        if !isTall {
          let offset = screen.cursor.row - fresh.cursor.row
          #expect(offset >= 0)
          let rows = fresh.text.split(separator: "\n", omittingEmptySubsequences: false)
          #expect(
            screen.screen[offset...].prefix(rows.count).elementsEqual(rows.map(String.init)),
            "\(text.debugDescription) at \(columns)x\(height): \(screen.screen) \(fresh.screen)")
          #expect(screen.screen[offset...].dropFirst(rows.count).joined() == "")
        }
        #expect(screen.cursor.column == fresh.cursor.column)
      }
      screen.show(renderer.clear())
      #expect(screen.cursor.column == 0)
      #expect(screen.screen[screen.cursor.row...].joined() == "")
    }
  }
}
