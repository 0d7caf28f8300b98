import SwiftBoardJSON
import SwiftBoardTesting
import Testing

@testable import SwiftBoardCommandLine

struct OutputTests {
  static let columns = [
    Presentation.Column("id", priority: 9, alignment: .right),
    Presentation.Column("name", priority: 5),
    Presentation.Column("status", priority: 2), Presentation.Column("url", priority: 1),
  ]
  static let rows = [
    ["1", "Rick Sanchez", "Alive", "https://rickandmortyapi.com/api/character/1"],
    ["20", "Morty 漢字 Smith", "unknown", "https://rickandmortyapi.com/api/character/20"],
  ]
  static let table = Presentation.table(columns: columns, rows: rows)

  private func show(
    _ presentation: Presentation, _ format: OutputFormat = .table, width: Int? = nil,
    ascii: Bool = true
  ) -> String {
    OutputFormatter(format: format, width: width, ascii: ascii).render(
      line: 3, command: "api.get", presentation: presentation, value: ["a": 1], milliseconds: 12
    ).text
  }

  @Test("a table that fits")
  func wide() {
    #expect(
      show(Self.table, width: 200) == """
        id  name              status   url
        --  ----------------  -------  --------------------------------------------
         1  Rick Sanchez      Alive    https://rickandmortyapi.com/api/character/1
        20  Morty 漢字 Smith  unknown  https://rickandmortyapi.com/api/character/20

        """)
    #expect(show(Self.table) == show(Self.table, width: 200))
  }

  @Test("off a terminal, a long cell reaches beyond its column and does not widen every row")
  func longCell() {
    let columns = [Presentation.Column("title"), Presentation.Column("id", alignment: .right)]
    let long = String(repeating: "x", count: 1000)
    func rows(limitsPadding: Bool) -> [String] {
      let formatter = OutputFormatter(limitsPadding: limitsPadding)
      let text = formatter.render(
        line: 1, command: "x",
        presentation: .table(columns: columns, rows: [[long, "1"], ["y", "2"]]), value: .null,
        milliseconds: 0
      ).text
      return text.split(separator: "\n").map(String.init)
    }
    func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }
    #expect(
      rows(limitsPadding: true) == [
        "title\(spaces(197))id", String(repeating: "-", count: 200) + "  --", "\(long)   1",
        "y\(spaces(202))2",
      ])
    #expect(rows(limitsPadding: false).map(\.count) == [1004, 1004, 1004, 1004])
    // The same in parts.
    var stream = RowStream(OutputFormatter(), line: 1, command: "x")
    let start = stream.text(columns, [[long, "1"]], values: []).text
    let rest = stream.text(columns, [["y", "2"]], values: []).text
    #expect((start + rest).split(separator: "\n").map(String.init) == rows(limitsPadding: true))
  }

  @Test("columns shrink")
  func shrunk() {
    #expect(
      show(Self.table, width: 60, ascii: false) == """
        id  name              status   url
        ──  ────────────────  ───────  ─────────────────────────────
         1  Rick Sanchez      Alive    https://rickandmortyapi.com/…
        20  Morty 漢字 Smith  unknown  https://rickandmortyapi.com/…

        """)
    #expect(show(Self.table, width: 40).contains("Rick Sanchez   Alive    https://r..."))
    #expect(show(Self.table, width: 40).contains("Morty 漢字..."))
  }

  @Test("a column that folds keeps its text, and the others their widths")
  func foldedColumn() {
    let columns = [
      Presentation.Column("time", priority: 2), Presentation.Column("level", priority: 4),
      Presentation.Column("message", priority: 5, isFolded: true),
      Presentation.Column("fields", priority: 1),
    ]
    let long = "GET http://127.0.0.1:8080/character/1 was refused: start the service"
    let rows = [["10:00:00", "info", "short", ""], ["10:00:01", "error", long, "a=1"]]
    let table = Presentation.table(columns: columns, rows: rows)
    #expect(
      show(table, width: 60) == """
        time      level  message                              fields
        --------  -----  -----------------------------------  ------
        10:00:00  info   short
        10:00:01  error  GET                                  a=1
                         http://127.0.0.1:8080/character/1
                         was refused: start the service

        """)
    #expect(
      show(table, width: 40) == """
        time      level  message
        --------  -----  -----------------------
        10:00:00  info   short
        10:00:01  error  GET http://127.0.0.1:80
                         80/character/1 was
                         refused: start the
                         service

        """)
    #expect(
      show(table, width: 30) == """
        level  message
        -----  -----------------------
        info   short
        error  GET http://127.0.0.1:80
               80/character/1 was
               refused: start the
               service

        """)
    for width in 5...120 {
      let shown = show(table, width: width)
      #expect(shown.split(separator: "\n").allSatisfy { $0.count <= width }, "\(width)")
      #expect(shown.filter { $0.isLetter || $0.isNumber }.contains("service"), "\(width)")
    }
    // Without later rows, its width is that of its cells.
    #expect(
      show(.table(columns: columns, rows: [rows[0]]), width: 60).hasPrefix(
        """
        time      level  message  fields
        --------  -----  -------  ------

        """))
    // Later rows of a stream are wider than the first ones.
    var stream = RowStream(
      OutputFormatter(format: .table, width: 60, ascii: true), line: 1, command: "log.tail")
    _ = stream.text(columns, [rows[0]], values: [])
    let later = stream.text(columns, [rows[1]], values: []).text
    #expect(later.split(separator: "\n").count == 3, "\(later)")
  }

  @Test("a column is not cut below its least width, nor removed, and its wider cells are cut")
  func leastWidth() {
    let columns = [
      Presentation.Column("by", priority: 4),
      Presentation.Column("action", priority: 0, leastWidth: 17),
    ]
    let rows = [
      ["session mark before-login", ""], ["", "@before-the-login"], ["", "an issue that is long"],
    ]
    let table = Presentation.table(columns: columns, rows: rows)
    #expect(
      show(table, width: 30) == """
        by           action
        -----------  -----------------
        session ...
                     @before-the-login
                     an issue that ...

        """)
    // Neither does the column go if the others are too wide.
    let wide = Presentation.table(
      columns: [Presentation.Column("n", isIdentifier: true)] + columns,
      rows: rows.map { ["1234567"] + $0 })
    #expect(show(wide, width: 27).contains("1234567  @before-the-login\n"))
  }

  @Test("a column of identifiers is neither cut nor removed, and the others give way")
  func identifiers() {
    let columns = [
      Presentation.Column("name", priority: 5), Presentation.Column("status", priority: 2),
      Presentation.Column("id", priority: 0, isIdentifier: true),
    ]
    let rows = [["Solaris.1972.1080p", "downloading", "SABnzbd_nzo_p86tgx"]]
    let table = Presentation.table(columns: columns, rows: rows)
    #expect(
      show(table, width: 40) == """
        name       status     id
        ---------  ---------  ------------------
        Solari...  downlo...  SABnzbd_nzo_p86tgx

        """)
    #expect(
      show(table, width: 28) == """
        name      id
        --------  ------------------
        Solar...  SABnzbd_nzo_p86tgx

        """)
    // Numbers are not cut either.
    let sizes = [Presentation.Column("name"), Presentation.Column("size", alignment: .right)]
    #expect(
      show(.table(columns: sizes, rows: [["Solaris.1972", "858.3 MiB"]]), width: 18) == """
        name          size
        -------  ---------
        Sola...  858.3 MiB

        """)
    #expect(show(table, width: 25).hasPrefix("name    Solaris"))
    // Later rows of a stream may have longer ones.
    var stream = RowStream(
      OutputFormatter(format: .table, width: 40, ascii: true), line: 1, command: "db.list")
    _ = stream.text(columns, rows, values: [])
    #expect(
      stream.text(columns, [["b", "c", "SABnzbd_nzo_of_later"]], values: []).text == """

        name  status  id
        ----  ------  --------------------
        b     c       SABnzbd_nzo_of_later

        """)
    #expect(
      stream.text(columns, [["d", "e", "SABnzbd_nzo"]], values: []).text
        == "d     e       SABnzbd_nzo\n")
  }

  @Test("then the columns of low priority go")
  func dropped() {
    #expect(
      show(Self.table, width: 20) == """
        id  name     status
        --  -------  -------
         1  Rick...  Alive
        20  Mort...  unknown

        """)
    #expect(
      show(Self.table, width: 12) == """
        id  name
        --  --------
         1  Rick ...
        20  Morty...

        """)
  }

  @Test("then a record a block")
  func blocks() {
    let text = show(Self.table, width: 9)
    #expect(
      text.hasPrefix(
        """
        id
          1
        name
          Rick
          Sanchez
        status
          Alive
        """))
    #expect(text.contains("\n\nid\n  20\n"))
  }

  @Test(
    "no row is wider than the terminal", arguments: [5, 8, 13, 21, 40, 80, 200], [true, false])
  func widths(width: Int, ascii: Bool) {
    var generator = SeededRandom(seed: UInt64(width))
    let pieces = ["a", "漢", "é", "👨‍👩‍👧", " ", "\u{1B}[31m", "\n", "\t", "long word "]
    for _ in 0..<20 {
      let count = Int.random(in: 1...7, using: &generator)
      let columns = (0..<count).map { index in
        Presentation.Column(
          "column \(index)", priority: Int.random(in: 0...3, using: &generator),
          alignment: Bool.random(using: &generator) ? .left : .right,
          isIdentifier: Int.random(in: 0...3, using: &generator) == 0)
      }
      let rows = (0..<4).map { _ in
        (0..<Int.random(in: 0...count, using: &generator)).map { _ in
          (0..<Int.random(in: 0...12, using: &generator))
            .map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
        }
      }
      let text = show(.table(columns: columns, rows: rows), width: width, ascii: ascii)
      for line in text.split(separator: "\n") {
        #expect(DisplayWidth.of(line) <= width, "\(line)")
        #expect(!line.unicodeScalars.contains { isControl($0) })
      }
    }
  }

  @Test("records")
  func record() {
    let record = Presentation.fields([("name", "Rick"), ("note", "two\nlines"), ("none", "")])
    #expect(show(record) == "name  Rick\nnote  two\n      lines\nnone\n")
    #expect(show(record, .plain) == "name\tRick\nnote\ttwo\\nlines\nnone\t\n")
    #expect(show(record, .csv) == "name,note,none\r\nRick,\"two\nlines\",\r\n")
    #expect(show(record, width: 16) == "name  Rick\nnote  two\n      lines\nnone\n")
  }

  @Test("values of records are broken between words")
  func narrowRecord() {
    let record = Presentation.fields([
      ("effect db.list", "1 times, 1 actions, 1 finished, longest 0.001077 s"),
      ("path", "/a/folder/that/is/longer/than/the/column"),
    ])
    #expect(
      show(record, width: 40) == """
        effect db.list  1 times, 1 actions, 1
                        finished, longest
                        0.001077 s
        path            /a/folder/that/is/longer
                        /than/the/column

        """)
  }

  @Test("JSON is one line with its keys in order")
  func json() {
    let expected = #"{"line":3,"ok":true,"command":"api.get","value":{"a":1},"ms":12}"# + "\n"
    for presentation in [Self.table, .none, .text("x")] {
      #expect(show(presentation, .json) == expected)
    }
    let hostile = OutputFormatter(format: .json).render(
      line: 1, command: "x", presentation: .none, value: "\u{1B}[2J\u{202E}\n\u{9B}",
      milliseconds: 0)
    #expect(hostile.text.contains(#""\u001b[2J\u202e\n\u009b""#))
  }

  @Test("plain and CSV")
  func plain() {
    let table = Presentation.table(
      columns: [Presentation.Column("a,b"), Presentation.Column("c")],
      rows: [["x\ty", "1,2"], ["\"q\"", "z\r\nz"]])
    #expect(show(table, .plain) == "x\\ty\t1,2\n\"q\"\tz\\r\\nz\n")
    #expect(show(table, .csv) == "\"a,b\",c\r\nx\ty,\"1,2\"\r\n\"\"\"q\"\"\",\"z\nz\"\r\n")
    let single = Presentation.table(columns: [.init("n")], rows: [[""], ["x"]])
    #expect(show(single, .csv) == "n\r\n\"\"\r\nx\r\n", "an empty row would be skipped")
    #expect(show(.none, .csv) == "")
    #expect(show(.none, .plain) == "")
    #expect(show(.table(columns: [], rows: [])) == "")
  }

  @Test("values as JSON")
  func values() {
    let list = Presentation.json([["a": 1, "b": "x,y"], ["b": JSON.null, "c": [1, 2]]])
    #expect(show(list, .csv) == "a,b,c\r\n1,\"x,y\",\r\n,,\"[1,2]\"\r\n")
    #expect(show(list, .plain) == #"[{"a":1,"b":"x,y"},{"b":null,"c":[1,2]}]"# + "\n")
    #expect(show(.json(["a": 1])) == "{\n  \"a\": 1\n}\n")
    #expect(show(.json(3), .csv) == "value\r\n3\r\n")
  }

  @Test("text ends in a line end and steers no terminal")
  func text() {
    #expect(show(.text("a")) == "a\n")
    #expect(show(.text("a\n")) == "a\n")
    #expect(show(.text("")) == "")
    #expect(show(.text("a\r\nb\tc\rd\u{1B}]0;x\u{7}")) == "a\nb\tc\\rd\\u{1b}]0;x\\u{7}\n")
  }

  @Test(
    "controls are shown",
    arguments: [
      ("plain é 漢 👨‍👩‍👧", "plain é 漢 👨‍👩‍👧"), ("\u{1B}[31m", "\\u{1b}[31m"), ("a\tb\nc\r", "a\\tb\\nc\\r"),
      ("\u{9B}2J", "\\u{9b}2J"),
      ("\u{7F}\u{0}", "\\u{7f}\\u{0}"),
      ("a\u{202E}b\u{2066}c\u{200F}", "a\\u{202e}b\\u{2066}c\\u{200f}"),
      ("\u{2028}", "\\u{2028}"), ("\r\n", "\\r\\n"),
    ])
  func controls(text: String, expected: String) { #expect(escapeControls(text) == expected) }

  @Test(
    "what stands for bytes that are not UTF-8 is escaped, also before a mark",
    arguments: [
      ("", "", ""), ("plain", "plain", "plain"), ("\u{FF0C}é", "\u{FF0C}é", "\u{FF0C}é"),
      ("a\u{FFFD}b", "a\\u{fffd}b", "a\\ufffdb"),
      ("\u{FFFD}\u{FFFD}", "\\u{fffd}\\u{fffd}", "\\ufffd\\ufffd"),
      ("\u{FFFD}\u{301}\u{FFFC}", "\\u{fffd}\u{301}\u{FFFC}", "\\ufffd\u{301}\u{FFFC}"),
    ])
  func replacements(text: String, escaped: String, json: String) {
    // Scalars, since equal strings may have different ones.
    #expect(Array(escapeReplacements(text).unicodeScalars) == Array(escaped.unicodeScalars))
    #expect(
      Array(escapeReplacements(text, isJSON: true).unicodeScalars) == Array(json.unicodeScalars))
  }

  @Test("line ends and tabs on request")
  func kept() {
    #expect(escapeControls("a\r\nb\rc\td\r", keepsNewlines: true) == "a\nb\\rc\\td\\r")
    #expect(escapeControls("a\tb", keepsTabs: true) == "a\tb")
  }

  @Test(
    "display width",
    arguments: [
      ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("漢字", 4), ("👨‍👩‍👧", 2), ("🇩🇪", 2), ("👍🏽", 2),
      ("❤️", 2), ("❤", 1), ("ｗ", 2),
      ("한", 2), ("\u{200B}", 0), ("…", 1), ("─", 1), ("العربية", 7), ("각", 2),
    ])
  func width(text: String, expected: Int) { #expect(DisplayWidth.of(text) == expected) }

  /// The widths are the sums of glibc's `wcwidth`, which are tmux's columns as well.
  @Test(
    "spacing marks and further consonants of a character have columns, as in terminals",
    arguments: [
      ("हिन्दी", 5), ("नमस्ते", 4), ("क्ष", 2), ("श्री", 3), ("ভাষা", 4), ("বাংলা", 5), ("தமிழ்", 4),
      ("மொழி", 4), ("తెలుగు", 5), ("ಕನ್ನಡ", 4), ("മലയാളം", 6), ("සිංහල", 4), ("မြန်မာ", 5),
      ("ខ្មែរ", 4), ("ไทยทำ", 5), ("ลำ", 2), ("ລາວຳ", 4), ("བོད་ཡིག", 5), ("\u{903}", 1),
      ("\u{FF76}\u{FF9E}", 2), ("\u{1112}\u{1161}\u{11AB}", 2), ("\u{AC00}\u{302E}", 4),
      ("\u{1100}\u{D7B0}\u{D7CB}", 2),
    ])
  func marks(text: String, expected: Int) { #expect(DisplayWidth.of(text) == expected) }

  /// That a joined consonant has no column is tmux's rule. glibc's `wcwidth` counts it.
  @Test(
    "an emoji of several scalars has two columns, and what a joiner joins has none",
    arguments: [
      ("👩‍❤️‍👨", 2), ("🏳️‍🌈", 2), ("☝🏽", 2), ("1️⃣", 2), ("🇩🇪🇫🇷", 4), ("क्\u{200D}ष", 1),
      ("गर्\u{200D}यो", 3), ("👩🏽‍🔬", 2), ("a\u{20E3}", 1),
    ])
  func sequences(text: String, expected: Int) { #expect(DisplayWidth.of(text) == expected) }

  @Test("a table of such text is straight")
  func marksInTable() {
    let table = Presentation.table(
      columns: [.init("name"), .init("n")],
      rows: [
        ["हिन्दी में", "1"], ["ไทยทำ", "2"], ["x", "3"],
      ])
    let rows = show(table).split(separator: "\n").filter { $0.last?.isNumber == true }
    #expect(rows.map { DisplayWidth.of($0) } == [10, 10, 10], "\(rows)")
  }

  @Test("for a program, CSV and plain text have characters as they are, but for ends of cells")
  func exactCells() {
    let table = Presentation.table(
      columns: [.init("a")], rows: [["x\u{1b}\u{202e}y"], ["1\t2\r\n3"]])
    func text(_ format: OutputFormat, _ isExact: Bool) -> String {
      OutputFormatter(format: format, isExact: isExact).render(
        line: 1, command: "c", presentation: table, value: .null, milliseconds: 0
      ).text
    }
    #expect(text(.csv, true) == "a\r\nx\u{1b}\u{202e}y\r\n\"1\t2\r\n3\"\r\n")
    #expect(text(.plain, true) == "x\u{1b}\u{202e}y\n1\\t2\\r\\n3\n")
    #expect(!text(.csv, false).contains("\u{1b}") && !text(.plain, false).contains("\u{202e}"))
  }
}
