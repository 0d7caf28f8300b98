import SwiftBoardCommandLine
import SwiftBoardRecording
import SwiftBoardStore
import SwiftBoardTestSupport
import SwiftBoardTesting
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardFeatures

/// The line editor as a store whose keys are actions.
@Suite struct LineEditorStoreTests {
  private static let schema = LogSchema(
    program: "editor 1.0", feature: "editor", name: "EditorAction", version: 1)

  private static func dependencies() -> LineEditorDependencies {
    LineEditorDependencies { request in
      CompletionAnswer(
        replacedCount: request.text.count,
        candidates: [CompletionAnswer.Candidate("echo completed")])
    }
  }

  @Test("keys that were recorded replay to the same states")
  func replays() async throws {
    let folder = try TemporaryFolder()
    let store = Store(
      initialState: LineEditorState(), reducer: LineEditorReducer(),
      dependencies: Self.dependencies())
    let recorder = try Recorder<LineEditorState, EditorAction>(
      path: folder.path("keys.jsonl"),
      info: RecordingInfo(
        schema: Self.schema, created: 1_795_214_700_000_000, environment: "mock", seed: 1),
      state: store.state, journal: nil, clock: { 0 })
    store.setHooks { _, _ in recorder.hooks }
    store.send(.historyLoaded(["echo 家 one", "two"]))
    store.send(.begin(prompt: EditorPrompt(first: "> ", continuation: ". ")))
    var decoder = KeyDecoder()
    for keys in [
      "echo 'a\r\u{1B}[200~b\nc\u{1B}[201~'\u{17}\u{19}", "\u{12}one\u{7}", "\u{10}\u{10}!\u{E}",
      "\u{15}\u{15}\u{1F}\u{1F}", "\u{1}e\u{301}\u{14}",
    ] {
      store.send(.keys(decoder.decode(keys.utf8)))
    }
    store.send(.keys([.control("e"), .control("u"), .text("ec")]))
    await store.send(.keys([.tab])).finish()
    #expect(store.state.text.string.hasSuffix("echo completed "))
    store.send(.keys([.control("c")]))
    #expect(store.state.signal == .interrupted(hadText: true))
    recorder.stop()

    let replayer = Replayer(
      reducer: LineEditorReducer(), dependencies: Self.dependencies(), journal: DrawJournal(),
      schema: Self.schema)
    let summary = try replayer.replay(RotatedLog(LogFile(path: folder.path("keys.jsonl"))))
    #expect(summary.steps == store.stepCount)
  }

  @Test("line breaks before a pasted line are no part of the history, and do not keep it out")
  func pastedBreaks() throws {
    let folder = try TemporaryFolder()
    let terminal = Terminal(
      environment: [:], isInputTerminal: false, isOutputTerminal: false, isErrorTerminal: false)
    let reader = try EditingLineReader(
      screen: PromptScreen(terminal: terminal, usesColor: false, isASCII: true),
      historyPath: folder.path("history"), hints: CommandHints(BoardFeatures.all.commands),
      onInterrupt: {}, complete: { _ in nil })
    let lines = Lines()
    for text in ["\n\necho a", "\n echo b", "\techo c", "\u{A0}d", "\necho e\n  f"] {
      let line = ScriptLine(
        text: text, location: LineLocation(nil, line: 1), parsed: LineParser.parse(text))
      #expect(reader.remember(text, isKept: lines.session.mayKeep(line)) == nil)
    }
    #expect(reader.historyLines == ["echo a", "\u{A0}d", "echo e\n  f"])
    #expect(
      try HistoryFile(path: folder.path("history")).lines() == ["echo a", "\u{A0}d", "echo e\n  f"])
  }

  @Test("a history that cannot be written is reported once, and its lines are still in memory")
  func unwritableHistory() throws {
    let folder = try TemporaryFolder()
    let terminal = Terminal(
      environment: [:], isInputTerminal: false, isOutputTerminal: false, isErrorTerminal: false)
    // The history is a folder.
    let reader = try EditingLineReader(
      screen: PromptScreen(terminal: terminal, usesColor: false, isASCII: true),
      historyPath: folder.path, hints: CommandHints(BoardFeatures.all.commands),
      onInterrupt: {}, complete: { _ in nil })
    #expect(reader.remember("echo a", isKept: false) == nil)
    #expect(reader.remember("echo b", isKept: true) == "Is a directory")
    #expect(reader.remember("echo c", isKept: true) == nil)
    #expect(reader.historyLines == ["echo b", "echo c"])
  }

  @Test("a Tab asks for candidates in one effect, and keys wait for them")
  func completes() {
    let store = NonExhaustiveTestStore(
      initialState: LineEditorState(), reducer: LineEditorReducer(),
      dependencies: Self.dependencies(), report: report)
    store.send(.begin(prompt: EditorPrompt(first: "> ", continuation: ". ")))
    store.send(.keys([.text("ec"), .tab, .text("!")]))
    #expect(store.state.text.string == "ec")
    store.receive(
      .completed(
        id: 1,
        answer: CompletionAnswer(
          replacedCount: 2, candidates: [CompletionAnswer.Candidate("echo completed")])))
    #expect(store.state.text.string == "echo completed !")
  }

  @Test("help lists the keys, in lines that fit", arguments: [40, 80])
  func helpOfKeys(width: Int) {
    let text = KeyHelp.text(width)
    #expect(text.contains("C-r C-s") && text.contains("M-Enter"))
    #expect(text.split(separator: "\n").filter { $0.count > width } == [])
  }
}
