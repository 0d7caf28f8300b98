import SwiftBoardTesting
import Testing

@testable import SwiftBoardCommandLine

/// The editor without a terminal: keys in, text and signals out.
@Suite struct LineEditorTests {
  /// Types keys into a new line, and shows the text with `|` at the cursor.
  private static func typed(_ keys: String, history: [String] = []) -> String {
    var editor = editor(history)
    return shown(press(keys, &editor))
  }

  private static func editor(_ history: [String] = []) -> LineEditorState {
    var editor = LineEditorState(history: LineHistory(history.map { LineHistory.Entry($0) }))
    _ = editor.apply(.begin(prompt: EditorPrompt(first: "> ", continuation: ". ")))
    return editor
  }

  @discardableResult
  private static func press(_ keys: String, _ editor: inout LineEditorState) -> LineEditorState {
    var decoder = KeyDecoder()
    _ = editor.apply(.keys(decoder.decode(keys.utf8)))
    return editor
  }

  private static func shown(_ editor: LineEditorState) -> String {
    let before = editor.text.beforeCursor
    return "\(before)|\(editor.text.string.dropFirst(before.count))"
  }

  @Test(
    "keys edit the line",
    arguments: [
      ("ab cd\u{1}X", "X|ab cd"), ("ab\u{1}\u{5}X", "abX|"), ("abc\u{2}\u{2}X", "aX|bc"),
      ("abc\u{1}\u{6}\u{6}X", "abX|c"), ("abc\u{2}\u{4}", "ab|"), ("abc\u{8}\u{7F}", "a|"),
      ("ab cd\u{1B}b\u{B}", "ab |"), ("ab cd\u{1B}b\u{15}", "|cd"), ("ab c-d\u{17}", "ab |"),
      ("ab c-d\u{1B}\u{7F}", "ab c-|"), ("ab cd\u{1}\u{1B}d", "| cd"),
      ("ab cd\u{1}\u{1B}f\u{1B}f", "ab cd|"), ("ab\u{14}", "ba|"), ("abc\u{2}\u{14}", "acb|"),
      ("ab cd\u{17}\u{17}\u{19}", "ab cd|"), ("ab\u{17}cd\u{17}\u{19}\u{1B}y", "ab|"),
      ("ab cd\u{1}\u{1B}u\u{1B}c", "AB Cd|"), ("AB\u{1}\u{1B}l", "ab|"),
      ("a\u{1B}\rb", "a\nb|"), ("a\u{1B}\rbc\u{1B}[AX", "aX|\nbc"),
      ("a\u{1B}\rb\u{1B}[A\u{1B}[BX", "a\nbX|"), ("a\u{1B}\rb\u{1}\u{B}", "a\n|"),
      ("e\u{301}x\u{7F}\u{7F}", "|"), ("🇩🇪👨‍👩‍👧\u{2}\u{7F}", "|👨‍👩‍👧"),
      ("e\u{1}x\u{6}\u{301}", "xe\u{301}|"),
      ("家族\u{2}X", "家X|族"), ("\u{1B}[200~a\r\nb\u{1B}[201~", "a\nb|"),
      ("ab\u{1F}", "|"), ("ab cd\u{1F}", "ab |"), ("ab cd\u{1F}\u{18}\u{12}", "ab cd|"),
      ("ab cd\u{1B}t", "cd ab|"), ("ab, cd ef\u{1}\u{1B}f\u{1B}t", "cd, ab| ef"),
      ("ab cd  \u{1B}t", "cd ab|  "), ("ab\u{1B}t", "ab|"), ("\u{1B}t", "|"),
      ("ab cd\u{1B}t\u{1F}", "ab cd|"), ("a\u{1B}\rb\u{1B}t", "b\na|"),
      ("a\u{16}\tb", "a\tb|"), ("a\u{11}\rb", "a\nb|"), ("a\u{16}\nb", "a\nb|"),
      ("a\u{16}\u{1}b", "ab|"), ("a\u{16}\u{3}b", "ab|"), ("a\u{16}\u{1B}[Ab", "ab|"),
      ("a\u{16}\u{1B}[200~\u{7}x\ty\u{1B}[201~", "ax\ty|"), ("a\u{16}\u{7F}b", "ab|"),
      ("a\u{16}\u{16}\u{16}b", "ab|"), ("a\u{16}\u{1B}3b", "ab|"),
      ("a=b=c\u{1}\u{1D}=X", "aX|=b=c"), ("a=b=c\u{1}\u{1B}2\u{1D}=X", "a=bX|=c"),
      ("=a=\u{1}\u{1D}=X", "=aX|="), ("ab\u{1}\u{1D}x", "|ab"), ("ab\u{1}\u{1D}\u{5}X", "X|ab"),
      ("\u{1B}3x", "xxx|"), ("\u{1B}1\u{1B}2xy", "xxxxxxxxxxxxy|"), ("\u{1B}0x", "|"),
      ("abcd\u{1B}3\u{2}X", "aX|bcd"), ("abcd\u{1}\u{1B}2\u{4}", "|cd"),
      ("abcd\u{1B}3\u{7F}", "a|"), ("a b c d\u{1B}2\u{17}\u{19}\u{19}", "a b c dc d|"),
      ("a b c\u{1}\u{1B}2\u{1B}d\u{5}-\u{19}", " c-a b|"), ("a\u{17}\u{1B}9\u{19}", "a|"),
      ("\u{1B}3x\u{1F}", "|"), ("ab\u{1}\u{1B}9\u{1B}9\u{1B}9\u{1B}9\u{1B}9\u{4}", "|"),
      ("ab cd\u{1B}2\u{1F}", "|"), ("\u{1B}3\u{3}", "|"),
      ("ab\u{17}\u{18}\u{15}", "ab|"), ("ab\u{1B}[1;5Dx", "x|ab"),
    ] as [(String, String)])
  func keys(keys: String, expected: String) {
    #expect(Self.typed(keys) == expected)
  }

  @Test("dropped bytes ring the bell, and change nothing else")
  func droppedBytes() {
    var editor = Self.editor(["one"])
    Self.press("ab\u{1B}b", &editor)
    _ = editor.apply(.keys([.control("x"), .invalid, .control("u")]))
    #expect(editor.bells == 1)
    #expect(Self.shown(editor) == "|", "Ctrl-X Ctrl-U undoes what was typed")
  }

  @Test("a walk goes on from the new line when other processes add lines meanwhile")
  func growthDuringAWalk() {
    var editor = Self.editor(["one", "two"])
    Self.press("t\u{10}", &editor)
    #expect(Self.shown(editor) == "two|")
    _ = editor.apply(.historyGrew(["foreign", "two foreign"]))
    #expect(Self.shown(Self.press("\u{E}", &editor)) == "t|")
    _ = editor.apply(.historyGrew(["three"]))
    #expect(Self.shown(Self.press("\u{10}", &editor)) == "two|")
    #expect(Self.shown(Self.press("\u{E}", &editor)) == "t|")
  }

  @Test(
    "the history is walked, and edited lines are kept until the line ends",
    arguments: [
      ("\u{10}", "two|"), ("\u{10}\u{10}", "one|"), ("\u{10}\u{10}\u{E}", "two|"),
      ("x\u{15}new\u{15}\u{10}\u{E}", "|"), ("on\u{10}", "one|"), ("zz\u{10}", "zz|"),
      ("\u{10}\u{10}!\u{E}\u{10}", "one!|"), ("\u{1B}[A\u{1B}[A\u{1B}[A", "one|"),
      ("\u{1B}.", "two|"), ("a \u{1B}.\u{1B}.", "a one|"), ("\u{1B}.\u{1B}.\u{1B}.", "one|"),
      ("\u{1B}.x\u{1B}.", "twoxtwo|"),
    ])
  func history(keys: String, expected: String) {
    #expect(Self.typed(keys, history: ["one", "two"]) == expected)
  }

  @Test(
    "the last word of a line before is inserted with its quotes",
    arguments: [
      ("echo say \"two words\"", "\"two words\"|"), ("echo a > 'b c'", "'b c'|"),
      ("echo a >b", "b|"), ("echo a >> b", "b|"), ("echo a >>'b c'", "'b c'|"),
      ("echo {\"a\": 1}", "{\"a\": 1}|"), ("echo a &", "&|"), ("echo 'open end", "end|"),
    ])
  func lastWord(line: String, expected: String) {
    #expect(Self.typed("\u{1B}.", history: [line]) == expected)
  }

  @Test(
    "a search finds lines while its text is typed",
    arguments: [
      ("\u{12}o", "ech|o two"), ("\u{12}one", "echo |one"), ("\u{12}echo\u{12}", "|echo one"),
      ("\u{12}echo\u{12}\u{13}", "|echo two"), ("ab\u{12}one\u{7}", "ab|"),
      ("\u{12}one\u{1}X", "X|echo one"), ("\u{12}onx", "echo |one"),
      ("\u{12}onx\u{7F}", "echo |one"),
      ("\u{12}echo\u{12}\u{7F}", "|echo two"), ("\u{12}echo\u{12}\u{13}\u{7F}", "|echo one"),
      ("ab\u{12}on\u{7F}\u{7F}X", "ab|"), ("ab\u{12}o\u{7F}\u{5}X", "abX|"),
      ("\u{12}on\u{7F}", "ech|o two"), ("\u{12}\u{7F}\u{7F}one", "echo |one"),
      ("\u{12}one\u{7}\u{12}\u{12}", "echo |one"),
    ])
  func search(keys: String, expected: String) {
    #expect(Self.typed(keys, history: ["echo one", "echo two"]) == expected)
  }

  @Test("a walk keeps its place when lines are added and the oldest are removed")
  func growthBeyondTheLimit() {
    let own = (1...10).map { LineHistory.Entry("own \($0)") }
    var editor = LineEditorState(history: LineHistory(own, limit: 10))
    _ = editor.apply(.begin(prompt: EditorPrompt(first: "> ", continuation: "| ")))
    Self.press("\u{10}\u{10}!", &editor)
    #expect(Self.shown(editor) == "own 9!|")
    _ = editor.apply(.historyGrew(["a", "b"]))
    #expect(editor.history.entries.count == 10)
    #expect(Self.shown(Self.press("\u{E}", &editor)) == "own 10|")
    #expect(Self.shown(Self.press("\u{10}", &editor)) == "own 9!|")
    #expect(Self.shown(Self.press("\u{10}", &editor)) == "own 8|")
    #expect(Self.shown(Self.press("\u{E}\u{E}\u{E}", &editor)) == "|")
  }

  @Test("moving up skips lines of other processes, and a search finds them")
  func foreign() {
    var editor = Self.editor(["own"])
    _ = editor.apply(.historyGrew(["foreign"]))
    #expect(Self.shown(Self.press("\u{10}", &editor)) == "own|")
    #expect(Self.shown(Self.press("\u{15}\u{12}fore", &editor)) == "|foreign")
  }

  @Test(
    "a line ends when it is complete",
    arguments: [
      ("echo a\r", "echo a"), ("echo 'a\rb'\r", "echo 'a\nb'"),
      ("db put c 1 {\r}\r", "db put c 1 {\n}"),
      ("echo <<X\ra\rX\r", "echo <<X\na\nX"), ("echo a\\\rb\r", "echo a\\\nb"), ("\r", ""),
      ("echo '\u{2}a\rb'\r", "echo a'\nb'"),
    ])
  func ends(keys: String, line: String) {
    var editor = Self.editor()
    #expect(Self.press(keys, &editor).signal == .accepted(line))
    #expect(editor.phase == .idle)
  }

  @Test("keys after the end of a line are those of the next one")
  func typedAhead() {
    var editor = Self.editor()
    #expect(Self.press("one\rtwo\rth", &editor).signal == .accepted("one"))
    _ = editor.apply(.begin(prompt: EditorPrompt(first: "> ", continuation: ". ")))
    #expect(editor.signal == .accepted("two"))
    _ = editor.apply(.begin(prompt: EditorPrompt(first: "> ", continuation: ". ")))
    #expect(Self.shown(editor) == "th|")
    #expect(Self.press("\u{3}", &editor).signal == .interrupted(hadText: true))
    _ = Self.press("left", &editor)
    _ = editor.apply(.droppedKeys)
    _ = editor.apply(.begin(prompt: EditorPrompt(first: "> ", continuation: ". ")))
    #expect(Self.shown(editor) == "|")
  }

  @Test("Ctrl-C, Ctrl-D, Ctrl-Z and Ctrl-L")
  func signals() {
    for (keys, signal) in [
      ("\u{3}", EditorSignal.interrupted(hadText: false)), ("a\u{3}", .interrupted(hadText: true)),
      ("\u{4}", .ended), ("a\u{1A}", .suspended), ("\u{C}", .cleared),
    ] {
      var editor = Self.editor()
      #expect(Self.press(keys, &editor).signal == signal)
    }
    var editor = Self.editor()
    _ = Self.press("a\u{1A}b", &editor)
    #expect(Self.shown(editor) == "a|", "the rest waits until the program continues")
    _ = editor.apply(.resumed)
    #expect(Self.shown(editor) == "ab|")
    #expect(Self.press("\u{4}", &editor).signal == nil, "Ctrl-D on text does not leave")
  }

  @Test("the count for the next key is shown in place of the prompt, until the key")
  func countShown() {
    var editor = Self.editor()
    Self.press("ab\u{1B}1\u{1B}2", &editor)
    #expect(EditorView(editor, showsHints: true, isASCII: true).prompt.first == "(12 times) ")
    Self.press("\u{2}", &editor)
    #expect(EditorView(editor, showsHints: true, isASCII: true).prompt.first == "> ")
    // The next line begins without it.
    Self.press("\u{1B}5\r", &editor)
    _ = editor.apply(.begin(prompt: EditorPrompt(first: "> ", continuation: ". ")))
    #expect(Self.shown(Self.press("x", &editor)) == "x|")
  }

  @Test("a hint continues the line with the newest line of the history")
  func hint() {
    var editor = Self.editor(["echo one", "echo two words", "x"])
    #expect(Self.press("echo ", &editor).hint == "two words")
    #expect(Self.shown(Self.press("\u{1B}f", &editor)) == "echo two|")
    #expect(Self.shown(Self.press("\u{5}", &editor)) == "echo two words|")
    #expect(Self.shown(Self.press("\u{15}ech\u{1B}[C", &editor)) == "echo two words|")
    #expect(Self.press("\u{2}", &editor).hint == "", "only at the end of the line")
  }

  @Test("a line that is not kept, such as one with a secret, is no hint")
  func unkeptHint() {
    var editor = Self.editor(["echo one"])
    _ = editor.apply(.remembered("echo s3cret", isKept: false))
    #expect(Self.press("echo ", &editor).hint == "one")
    #expect(Self.shown(Self.press("\u{15}\u{10}", &editor)) == "echo s3cret|", "it is recalled")
  }

  @Test("a forgotten line is found by no key, also if it was killed")
  func forgotten() {
    var editor = Self.editor(["echo one"])
    _ = editor.apply(.remembered("echo s3cret", isKept: false))
    Self.press("\u{10}\u{15}", &editor)
    _ = editor.apply(.forgotten(["echo s3cret"]))
    #expect(Self.shown(Self.press("\u{19}", &editor)) == "|", "it is not yanked")
    #expect(Self.shown(Self.press("\u{10}", &editor)) == "echo one|")
    let search = Self.press("\u{15}\u{12}s3c", &editor).search
    #expect(search?.hasFailed == true)
  }

  @Test("a hint describes the arguments of a command, and is not inserted")
  func argumentHint() {
    let table = CommandTable<Int>([
      CommandSpec(
        ["db", "get"], "",
        arguments: [ArgumentSpec("collection", ""), ArgumentSpec("id", "", optional: true)]
      ) { _ in 0 }
    ])
    let hints = CommandHints(table)
    for (text, hint) in [
      ("db get", " COLLECTION [ID]"), ("db get ", "COLLECTION [ID]"), ("db get c ", "[ID]"),
      ("db get c", nil), ("db get c 1 ", nil), ("db", nil), ("db get 'c ", nil),
    ] {
      #expect(hints.hint(for: text) == hint, "\(text)")
    }
    var editor = Self.editor()
    _ = editor.apply(.keys([.text("db get ")]), hints)
    #expect(editor.hint == "COLLECTION [ID]")
    _ = editor.apply(.keys([.right]), hints)
    #expect(Self.shown(editor) == "db get |")
  }

  // MARK: Completion

  private static func request(
    _ editor: inout LineEditorState, _ action: EditorAction
  ) throws -> CompletionRequest {
    let request = editor.apply(action)
    return try #require(request)
  }

  private static func answer(_ candidates: [String], replacing count: Int) -> CompletionAnswer {
    CompletionAnswer(
      replacedCount: count, candidates: candidates.map { CompletionAnswer.Candidate($0) })
  }

  @Test("Tab completes as far as all candidates agree, and a second one lists them")
  func completion() throws {
    var editor = Self.editor()
    let request = try Self.request(&editor, .keys([.text("db ge"), .tab, .text("c")]))
    #expect(request.text == "db ge")
    #expect(Self.shown(editor) == "db ge|", "keys wait for the answer")
    _ = editor.apply(.completed(id: request.id, answer: Self.answer(["get"], replacing: 2)))
    #expect(Self.shown(editor) == "db get c|")

    let second = try Self.request(&editor, .keys([.tab]))
    let many = Self.answer(["c1", "c2"], replacing: 1)
    _ = editor.apply(.completed(id: second.id, answer: many))
    #expect(Self.shown(editor) == "db get c|")
    #expect(editor.menu == [] && editor.bells == 1)
    let third = try Self.request(&editor, .keys([.tab]))
    _ = editor.apply(.completed(id: third.id, answer: many))
    #expect(editor.menu == ["c1", "c2"])
    _ = editor.apply(.keys([.text("1")]))
    #expect(editor.menu == [])
    // A late answer, one that is not waited for, and none.
    _ = editor.apply(.completed(id: third.id, answer: many))
    #expect(Self.shown(editor) == "db get c1|")
    let given = try Self.request(&editor, .keys([.tab]))
    _ = editor.apply(.keys([.control("g"), .text("x"), .backspace]))
    #expect(editor.phase == .editing)
    _ = editor.apply(.completed(id: given.id, answer: many))
    #expect(Self.shown(editor) == "db get c1|")
    let fourth = try Self.request(&editor, .keys([.tab]))
    _ = editor.apply(.completed(id: fourth.id, answer: nil))
    #expect(Self.shown(editor) == "db get c1|" && editor.bells == 2)
  }

  // MARK: Generated keys

  @Test("any keys leave a valid text, and undo leads back to the empty line")
  func generated() {
    var random = SeededRandom(seed: 7)
    let keys: [Key] =
      "abdefghjklmnprstuwy_".map { .control(String($0)) } + "bfdyucl.<>np".map { .meta(String($0)) }
      + [
        .text("a"), .text("b c"), .text("e"), .text("\u{301}"), .text("家"), .text("🇩"), .text("🇪"),
        .text("👨"), .text("\u{200D}"), .text("👩"), .text("'"), .text("{"), .paste("x\ny"),
        .left, .right, .up, .down, .home, .end, .wordLeft, .wordRight, .backspace, .delete,
        .metaBackspace, .metaEnter, .escape, .tab,
      ]
    for _ in 0..<400 {
      var editor = Self.editor(["echo one", "e\u{301}cho 家", "a\nb"])
      for _ in 0..<60 {
        guard let key = keys.randomElement(using: &random) else { continue }
        if let request = editor.apply(.keys([key])) {
          _ = editor.apply(.completed(id: request.id, answer: nil))
        }
        let text = editor.text
        #expect(Array(text.string) == text.characters)
        #expect((0...text.characters.count).contains(text.cursor))
        if editor.signal != nil {
          _ = editor.apply(.begin(prompt: EditorPrompt(first: "> ", continuation: ". ")))
        }
      }
      _ = editor.apply(.keys([.escape] + Array(repeating: .control("_"), count: 100)))
      #expect(editor.text.isEmpty, "\(editor.text)")
    }
  }
}
