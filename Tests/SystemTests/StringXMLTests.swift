import SwiftBoardSystem
import Testing

struct StringXMLTests {
  @Test(
    "text is escaped for XML, in ASCII where that is asked for",
    arguments: [
      ("<a b=\"&\">", "&lt;a b=&quot;&amp;&quot;&gt;", "&lt;a b=&quot;&amp;&quot;&gt;"),
      ("1\n\t2", "1&#10;&#9;2", "1&#10;&#9;2"),
      ("a\u{0}\u{1B}\u{FFFE}b", "a\u{FFFD}\u{FFFD}\u{FFFD}b", "a&#xfffd;&#xfffd;&#xfffd;b"),
      ("é\u{9B}😀", "é\u{9B}😀", "&#xe9;&#x9b;&#x1f600;"),
    ])
  func escapes(_ text: String, _ escaped: String, _ ascii: String) {
    #expect(text.escapedForXML() == escaped)
    #expect(text.escapedForXML(asciiOnly: true) == ascii)
  }
}
