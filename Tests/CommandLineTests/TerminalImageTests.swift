import Testing

@testable import SwiftBoardCommandLine

@Suite("The image of a terminal")
struct TerminalImageTests {
  private func elements(_ text: StyledText, columns: Int = 20) -> [String] {
    TerminalImage(columns: columns, title: "t").svg(of: text)
      .split(separator: "\n").filter { $0.hasPrefix("<text") }.dropFirst().map(String.init)
  }

  @Test("text is escaped, and has no byte above 0x7F and no control")
  func escapes() {
    let hostile = StyledText("</text><script>\"&\u{1B}[2J\u{9B}\u{e9}")
    let svg = TerminalImage(columns: 80, title: "<t>").svg(of: hostile)
    #expect(svg.contains("&lt;/text&gt;&lt;script&gt;&quot;&amp;&#xfffd;[2J&#x9b;&#xe9;</text>"))
    #expect(svg.contains(">&lt;t&gt;</text>"))
    #expect(svg.utf8.allSatisfy { $0 == 0x0A || (0x20..<0x7F).contains($0) })
  }

  @Test("runs have their columns and styles, and long lines wrap")
  func places() {
    #expect(
      elements("a b   c\n" + StyledText("d", .error)) == [
        "<text x=\"16\" y=\"50\" textLength=\"24\">a b</text>",
        "<text x=\"64\" y=\"50\" textLength=\"8\">c</text>",
        "<text x=\"16\" y=\"68\" textLength=\"8\" fill=\"#ff7b72\" font-weight=\"bold\">d</text>",
      ])
    #expect(
      elements("\u{5BB6}\u{5BB6}x", columns: 3) == [
        "<text x=\"16\" y=\"50\" textLength=\"16\">&#x5bb6;</text>",
        "<text x=\"16\" y=\"68\" textLength=\"24\">&#x5bb6;x</text>",
      ])
    #expect(elements(StyledText("[1]", .json)).count == 3)
    #expect(elements("") == [])
  }
}
