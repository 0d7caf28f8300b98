import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardServiceTesting
import SwiftBoardSystem
import SwiftBoardTestSupport
import Synchronization
import Testing

@testable import SwiftBoardBoard

/// The terminal of the program, at a pseudo terminal that a process of its own has as its own.
@Suite struct BoardTerminalTests {
  /// Checks replace standard input and use the terminal of the process: one after the other, in a
  /// process that `begin` was called in.
  private static func rules(at device: PseudoTerminal) -> TerminalConformance {
    TerminalConformance { scene in
      let folder = try TemporaryFolder()
      let input = open(try folder.write(Array(scene.input), to: "input"), O_RDONLY)
      try #require(dup2(input, STDIN_FILENO) == STDIN_FILENO)
      close(input)
      let output = open(try folder.write("", to: "output"), O_WRONLY)
      _ = DetachedThread.start {
        for line in scene.answers {
          _ = device.screen(until: ": ")
          device.type(line + "\n")
        }
      }
      return TerminalConformance.Subject(
        BoardTerminal(
          mayAsk: true, showsOutput: false, input: StandardInput(.free)
        ) { try? StandardOutput(descriptor: output).write($0) }, keeping: folder
      ) { Data(try folder.read("output")) }
    }
  }

  @Test("the program's terminal keeps every rule") func conforms() async {
    await #expect(processExitsWith: .success) {
      let device = try PseudoTerminal()
      try #require(setsid() > 0)
      // Opened by the first process of a session, the device becomes the session's `/dev/tty`.
      try #require(open(device.path, O_RDWR) >= 0)
      for check in BoardTerminalTests.rules(at: device).checks { try await check.run() }
    }
  }

  @Test("bytes that are not UTF-8 unlock; a new value and a choice are asked for again")
  func otherBytes() async {
    await #expect(processExitsWith: .success) {
      let device = try PseudoTerminal()
      try #require(setsid() > 0)
      try #require(open(device.path, O_RDWR) >= 0)
      let terminal = BoardTerminal(
        mayAsk: true, isUTF8: true, showsOutput: false, input: StandardInput(.free), write: { _ in }
      )
      let other: [UInt8] = [0x61, 0xC3, 0x58]
      let new = Array("new".utf8)
      _ = DetachedThread.start {
        for (prompt, answer) in [
          ("old: ", other), ("new: ", other), ("new: ", new), ("once more: ", new),
          ("1-2: ", other), ("1-2: ", [0x32]),
        ] {
          _ = device.screen(until: prompt)
          device.type(answer + [0x0A])
        }
      }
      let unlocked = try await terminal.askPassphrase(prompt: "old: ", isNew: false)
      #expect(try unlocked?.withBytes { Array($0) } == other)
      let value = try await terminal.askPassphrase(prompt: "new: ", isNew: true)
      #expect(try value?.withBytes { Array($0) } == new)
      #expect(try await terminal.choose("which?", among: ["one", "two"]) == 1)
    }
  }

  @Test("what is wrong with an answer is folded to the terminal") func narrow() async {
    await #expect(processExitsWith: .success) {
      let device = try PseudoTerminal()
      try #require(setsid() > 0)
      try #require(open(device.path, O_RDWR) >= 0)
      let terminal = BoardTerminal(
        mayAsk: true, showsOutput: false, columns: { 40 }, input: StandardInput(.free),
        write: { _ in })
      let shown = Mutex("")
      _ = DetachedThread.start {
        for (prompt, answer) in [
          ("old: ", "a\u{1B}[D\n"), ("old: ", "b\n"), ("1-2: ", "three is none\n"),
          ("1-2: ", "1\n"),
        ] {
          let screen = device.screen(until: prompt)
          shown.withLock { $0 += screen }
          device.type(answer)
        }
      }
      _ = try await terminal.askPassphrase(prompt: "old: ", isNew: false)
      #expect(try await terminal.choose("which?", among: ["one", "two"]) == 0)
      let rows = shown.withLock { $0 }.split(whereSeparator: \.isNewline)
      #expect(
        rows == [
          "old: ", "a key that is not a character was typed,",
          "  such as an arrow: nothing was taken", "old: ", "  1  one", "  2  two",
          "which? 1-2: three is none", "'three is none' is not one of them;",
          "  Ctrl-C ends the question", "which? 1-2: ",
        ], "\(rows)")
    }
  }

  @Test("a terminal that may not ask returns no answer") func mayNotAsk() async throws {
    let terminal = BoardTerminal(
      mayAsk: false, showsOutput: false, input: StandardInput(.script), write: { _ in })
    #expect(try await terminal.askPassphrase(prompt: "Passphrase: ", isNew: true) == nil)
  }

  @Test(
    "a cancelled transfer says where its part is, why there is none, or how to keep one",
    arguments: [
      (.kept, "what has come is in f.part; the same line goes on from there"),
      (.lost(reason: "r"), "what has come of f is not kept: r"),
      (
        .resumable,
        "what has come of f is not kept; a request with --resume keeps it, and goes on from there"
      ),
    ] as [(CancelledTransfer.Part, String)])
  func cancelledTransfer(part: CancelledTransfer.Part, text: String) {
    let notes = Mutex<[String]>([])
    let terminal = BoardTerminal(
      mayAsk: false, showsOutput: false, input: StandardInput(.script),
      note: { note, _ in notes.withLock { $0.append(note) } }, write: { _ in })
    terminal.show(CancelledTransfer(file: "f", part: part))
    #expect(notes.withLock { $0 } == [text])
  }

  @Test("a note of a service follows the options behind its command")
  func notesOfCommands() {
    var command = CommandContext(job: 1, line: 1, source: nil, text: "c", name: "c")
    let notes = Mutex<[StyledText?]>([])
    var terminal = BoardTerminal(
      mayAsk: false, showsOutput: false, input: StandardInput(.script),
      note: { text, command in
        let note = BoardRun.note(text, BoardSettings().following(command))
        notes.withLock { $0.append(note) }
      }, write: { _ in })
    let transfer = CancelledTransfer(file: "f", part: .lost(reason: "r"))
    terminal.show(transfer)
    command.output = .json
    terminal.command = command
    terminal.show(transfer)
    command.isQuiet = true
    terminal.command = command
    terminal.show(transfer)
    let text = "what has come of f is not kept: r"
    #expect(
      notes.withLock { $0 } == [StyledText(text + "\n"), NoteReport.json(text, line: 0), nil])
  }

  @Test(
    "a choice is the number of a name, or the name if it is that of one only",
    arguments: [
      ("1", 0), ("3", 2), ("0", nil), ("4", 3), ("5", nil), ("-9223372036854775808", nil),
      ("HD-1080p", 0), ("hd-1080P", 0), ("any", 1), ("Any", 2), ("ANY", nil), ("HD", nil),
      ("", nil),
    ] as [(String, Int?)])
  func choices(typed: String, index: Int?) {
    #expect(BoardTerminal.choice(typed, among: ["HD-1080p", "any", "Any", "1"]) == index)
  }
}
