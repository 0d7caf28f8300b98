import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardSystem
import SwiftBoardTestSupport
import Synchronization
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardFeatures

@Suite("Parts of session")
struct SessionPartTests {
  @Test(
    "a step is named by number, mark, distance or as the end",
    arguments: [
      ("12", 12), ("0", 0), ("+2", 7), ("-5", 0), ("-6", -1), ("end", 9), ("@x", 3),
    ])
  func targets(text: String, expected: Int) throws {
    let target = try #require(SessionTarget(rawValue: text))
    #expect(target.step(from: 5, end: 9) { $0 == "x" ? 3 : -1 } == expected)
    let bytes = try CanonicalEncoder.encode([target])
    #expect(String(decoding: bytes, as: UTF8.self) == "[\"\(text)\"]")
    #expect(try CanonicalDecoder.decode([SessionTarget].self, from: bytes) == [target])
  }

  @Test("anything else names no step", arguments: ["", "@", "x", "1.5", "--1", "END", "1e3"])
  func noTarget(text: String) {
    #expect(SessionTarget(rawValue: text) == nil)
  }

  @Test(
    "a recording in the place of a step is advised to be named otherwise",
    arguments: [
      ("session fork r.jsonl@5", "did you mean 'session fork 5 --file r.jsonl'?"),
      ("session fork rec@before", "did you mean 'session fork @before --file rec'?"),
      ("session fork r.jsonl 5", "did you mean 'session fork 5 --file r.jsonl'?"),
      ("session fork r.jsonl", "did you mean 'session fork STEP --file r.jsonl'?"),
      (
        "session goto d/r",
        "goto looks at the running recording; did you mean 'session state --at STEP --file d/r'?"
      ),
      ("session state --at r@3", "did you mean 'session state --at 3 --file r'?"),
      ("session action r@3", "did you mean 'session action r 3'?"),
      ("session diff r@3 4", "a step is a number, @MARK, -1, +1 or end"),
      ("session fork 'my file.log' 3", "did you mean 'session fork 3 --file 'my file.log''?"),
      ("session goto 1.5", "a step is a number, @MARK, -1, +1 or end"),
      ("session goto x", "a step is a number, @MARK, -1, +1 or end"),
      ("session goto @", "a step is a number, @MARK, -1, +1 or end"),
    ])
  func recordingInPlaceOfStep(line: String, help: String) {
    let error = #expect(throws: UsageError.self) { try action(line) }
    #expect(error?.message.hasSuffix("names no step") == true, "\(String(describing: error))")
    #expect(error?.help == help)
  }

  @Test("ranges leave out either end")
  func ranges() {
    #expect(SessionRange(parsing: "3..9") == SessionRange(first: 3, last: 9))
    #expect(SessionRange(parsing: "3..") == SessionRange(first: 3, last: .max))
    #expect(SessionRange(parsing: "..9") == SessionRange(first: 0, last: 9))
    #expect(SessionRange(parsing: "4") == SessionRange(first: 4, last: 4))
    for text in ["", "9..3", "a..b", "1.2", "1...2", "-1..2"] {
      #expect(SessionRange(parsing: text) == nil, "\(text)")
    }
  }

  @Test("a range behind the last step has nothing, in the running recording as in a file")
  func rangeBehindTheEnd() async throws {
    let folder = try TemporaryFolder()
    let board = RunningBoard()
    try board.board.record(to: folder.path("r"))
    await board.run("echo one")
    // Its own step would be the second.
    let next = await board.run("session timeline --range 2..")
    let far = await board.run("session timeline --range 100..200")
    #expect(board.board.stopRecording() != nil)
    let file = await board.run("session timeline \(folder.path("r")) --range 100..200")
    #expect(next.status == 0 && far.status == 0 && file.status == 0)
    #expect(file.output.hasPrefix("step  time  by  action"), "\(file.output)")
    #expect(next.output == file.output && far.output == file.output, "\(next.output)\(far.output)")
    await board.board.close()
  }

  private func span(
    _ name: String, _ first: Int, _ last: Int, _ end: SessionTimeline.Span.End = .finished
  ) -> SessionTimeline.Span {
    .init(name: name, id: nil, first: first, last: last, end: end, actions: 1)
  }

  @Test("bars: a lane an effect, used again; begun, living, ended, cancelled, behind a step")
  func bars() {
    let bars = EffectBars(
      [span("a", 1, 4), span("b", 2, 3, .cancelled), span("c", 4, 4, .open), span("d", 5, 6)],
      isASCII: true)
    let rows = [(1, true), (2, true), (2, false), (3, true), (4, true), (5, true), (6, true)]
    #expect(
      bars.cells(rows.map { (step: $0.0, isStep: $0.1) }) == [
        "o a", "| o b", "| |", "| x", "* o c", "o d", "*",
      ])
  }

  @Test(
    "bars: the last that is known of an effect is no end; what is open goes on to the end and takes no other's lane"
  )
  func unknownEnds() {
    let bars = EffectBars(
      [span("mute", 1, 5, .open), span("spoke", 1, 3, .silent), span("after", 4, 5)], isASCII: true)
    #expect(
      bars.cells((1...5).map { (step: $0, isStep: true) }) == [
        "o o spoke mute", "| |", "? |", "o | after", "* |",
      ])
    let many = (0..<8).map { span("open\($0)", 1, 2, .open) } + [span("known", 1, 2)]
    #expect(
      EffectBars(many, isASCII: true).cells([(1, true), (2, true)])[0].hasPrefix(
        "o o o o o o o o known open0"))
  }

  @Test("a filtered timeline begins in the middle of an effect; what finds no lane is counted")
  func manyBars() {
    #expect(
      EffectBars([span("a", 1, 9)], isASCII: true).cells([(5, true), (9, true)]) == ["|", "*"])
    let many = (0..<10).map { span("e\($0)", 1, 2) }
    #expect(
      EffectBars(many, isASCII: true).cells([(1, true), (2, true)]) == [
        "o o o o o o o o e0 e1 e2 e3 e4 e5 e6 e7 +2", "* * * * * * * *",
      ])
  }

  @Test("the prompt: environment, recording, place in time, jobs")
  func prompt() {
    var state = BoardState()
    func text(_ recordedSteps: Int? = nil, hasProblem: Bool = false) -> String {
      BoardPrompt(state, recordedSteps: recordedSteps, hasProblem: hasProblem)
        .text(isContinuation: false)
    }
    #expect(text() == "board> ")
    #expect(text(4) == "board *> ")
    #expect(text(hasProblem: true) == "board !> ")
    state.session.position = SessionPosition(step: 5, last: 12)
    state.settings.environment = .mock
    #expect(text(14) == "board[mock] *(5<14)> ")
    state.shell.running = [
      CommandContext(job: 1, line: 1, source: nil, text: "x", name: "x")
    ]
    #expect(text(14) == "board[mock] *(5<14) 1&> ")
    func named(_ name: String) -> String {
      BoardPrompt(state, recordedSteps: nil, hasProblem: false, name: name)
        .text(isContinuation: false)
    }
    #expect(named("try") == "board[try:mock] (5<12) 1&> ")
    state.settings.environment = .live
    #expect(named("wo\u{1b}[1m") == "board[wo\\u{1b}[1m] (5<12) 1&> ")
    state.settings.environment = .mock
    state.settings.isASCII = false
    #expect(text(14) == "board[mock] ●(5◂14) 1&› ")
    #expect(
      BoardPrompt(state, recordedSteps: nil, hasProblem: false).text(isContinuation: true) == "… ")
  }

  @Test("progress is told once a second, and not in the first")
  func pace() {
    let time = Mutex<Int64>(5_000_000)
    let pace = ProgressPace(
      BoardClock(now: { time.withLock { $0 } }, sleep: { _ in }))
    func isDue(after microseconds: Int64) -> Bool {
      time.withLock { $0 += microseconds }
      return pace.isDue
    }
    #expect(
      [0, 999_999, 1, 0, 900_000, 200_000, 5_000_000].map(isDue) == [
        false, false, true, false, false, true, true,
      ])
  }

  @Test("a feed holds few items, gives all of them in order, and lets go when it is closed")
  func feed() async {
    let feed = ReplayFeed<Int>(capacity: 2)
    async let producer = DetachedThread.run {
      for item in 1...1000 { feed.put(item) }
      feed.finish()
    }
    var items: [Int] = []
    while let item = await feed.next() { items.append(item) }
    await producer
    #expect(items == Array(1...1000))

    let closed = ReplayFeed<Int>(capacity: 1)
    async let blocked = DetachedThread.run {
      for item in 1...1000 { closed.put(item) }
      return closed.isClosed
    }
    #expect(await closed.next() == 1)
    closed.close()
    #expect(await blocked)
    #expect(await closed.next() == nil)
  }

  @Test("what a replay prints comes in parts, where the line prints, and not into JSON")
  func parts() {
    var context = context("session replay x", "session.replay", job: 4)
    context.redirect = .init(file: "out", appends: false)
    var state = BoardState()
    state.shell.running = [context]
    var renderer = BoardRenderer(BoardFeatures.all, isReplay: false)
    let part = BoardAction.session(.printed(job: 4, text: "a\n"))
    #expect(
      renderer.outputs(of: part, in: state, at: 0) == [
        BoardOutput(stream: .standardOutput, content: "a\n", redirect: context.redirect, job: 4)
      ])
    #expect(
      renderer.outputs(of: .session(.progress(job: 4, text: "1 of 2")), in: state, at: 0) == [
        BoardOutput(stream: .standardError, content: "session replay: 1 of 2\n", job: 4)
      ])
    state.settings.output = .json
    #expect(renderer.outputs(of: part, in: state, at: 0) == [])
    #expect(
      renderer.outputs(of: .session(.printed(job: 9, text: "a\n")), in: BoardState(), at: 0) == [])
  }

  @Test("a timeline at a terminal has the names of marks whole, as they are typed")
  func marks() throws {
    let name = String(repeating: "before-", count: 6)
    let timeline = SessionTimeline(
      entries: [
        .init(
          kind: .step, step: 1, time: 0, origin: .user(line: "session mark \(name)", at: "x.sb:1"),
          text: "session.run"),
        .init(kind: .mark, step: 1, time: 0, origin: nil, text: name),
        .init(
          kind: .issue, step: 1, time: 0, origin: nil, text: String(repeating: "issue ", count: 50)),
      ], spans: [], isTruncated: false)
    let action = SessionAction.succeeded(job: 1, result: .timeline(timeline: timeline))
    let outcome = try #require(BoardFeatures.all.outcome(of: .session(action), in: BoardState()))
    for width in [60, 80, 120] {
      let text = OutputFormatter(format: .table, width: width).render(
        line: 1, command: "session.timeline", presentation: outcome.presentation, value: .null,
        milliseconds: 0
      ).text
      #expect(text.contains("@\(name)"), "\(text)")
      #expect(text.split(separator: "\n").allSatisfy { $0.utf8.count <= width }, "\(text)")
    }
  }

  @Test("a verify without an intact recording has nothing to print, not even a row of CSV")
  func verifiedNone() throws {
    let check = SessionCheck(
      path: "a", steps: 0, code: 66, message: "there is no file a", warnings: [])
    let outcome = try #require(
      BoardFeatures.all.outcome(
        of: .session(.succeeded(job: 1, result: .verified(checks: [check]))), in: BoardState()))
    #expect(outcome.presentation == .none && outcome.status == 66)
  }
}
