import SwiftBoardCommandLine
import SwiftBoardSystem
import Synchronization

/// The standard output and standard error of the program. A failed write to standard output ends
/// the run.
final class BoardOutputWriter: Sendable {
  private let standardOutput: StandardOutput
  private let standardError: StandardOutput
  private let screen: PromptScreen?
  /// The pager for long output, or `nil` if none is used.
  let pager: Pager?
  private let row = Mutex(Row())
  /// How many writes to standard output, which is no terminal, have begun and not ended. No status
  /// is shown meanwhile.
  private let pipeWrites = Mutex(0)
  /// Output to the terminal, which waits while a pager or a question has it.
  private let held: HeldOutput
  private let ending = Mutex(Ending())
  private let cutting = Mutex(Cutting())
  /// Whether a thread waits for the reader of standard output to leave.
  private let watchesReader = Atomic(false)
  /// What the last round of a `watch` has shown.
  private let rounds = Mutex(WatchDisplay())
  private let isJSON: Bool
  private let program: String
  private let terminal: Terminal
  private let color: ColorMode
  /// The executor whose output is written, or `nil` if none runs lines. Its commands without an end
  /// are cancelled when standard output can no longer be written: nothing else would end them.
  let executor = Mutex<LineExecutor?>(nil)

  /// The row of the terminal that the cursor is in.
  private struct Row {
    /// The columns of the status on a terminal without escape sequences.
    var statusWidth = 0
    /// The job of the last result, or `nil` behind a message.
    var job: Int?
    /// Whether what was written last has no line feed at its end.
    var isUnfinished = false
  }

  /// The results that interrupts end.
  private struct Cutting {
    /// The commands that the last interrupt has found.
    var jobs: [Int] = []
    /// The job whose result is being written to the terminal.
    var writing: Int?
    /// The jobs of whose results nothing more is written.
    var cut: Set<Int> = []
    /// Those among them of which a note has said so.
    var noted: Set<Int> = []

    func ends(_ job: Int) -> Bool { cut.contains(job) || jobs.contains(job) }

    /// Notes that a result is written.
    ///
    /// - Returns: Whether nothing more of its job is written.
    mutating func begin(_ job: Int) -> Bool {
      writing = job
      return cut.contains(job)
    }

    /// Ends `begin`. A command that runs until it is cancelled prints on.
    mutating func end(_ job: Int, isEndless: Bool) {
      writing = nil
      guard isEndless else { return }
      cut.remove(job)
      noted.remove(job)
    }
  }

  /// What the end of standard output has caused.
  private struct Ending {
    /// The exit code of the failed write.
    var code: Int32?
    /// The jobs whose messages are not written.
    var silenced: [Int] = []
  }

  /// Creates a writer.
  ///
  /// - Parameters:
  ///   - program: The name of the program, in front of failures.
  ///   - isJSON: Whether failures are printed as JSON.
  ///   - color: The use of colors, unless a line sets its own.
  ///   - screen: The screen of the line editor, above whose line messages appear.
  ///   - terminal: Whether standard output is a terminal, and so appears there too.
  ///   - pager: The pager for long output.
  init(
    program: String, isJSON: Bool, color: ColorMode = .auto, screen: PromptScreen? = nil,
    terminal: Terminal, pager: Pager? = nil
  ) {
    self.pager = pager
    held = pager?.held ?? HeldOutput()
    self.program = program
    self.isJSON = isJSON
    self.color = color
    self.terminal = terminal
    self.screen = screen
    standardOutput = StandardOutput(screen: terminal.isOutputTerminal ? screen : nil)
    standardError = StandardOutput.standardError(screen: screen)
    held.noteLeftOut { [standardError] count in
      let text = "\(count) earlier pieces of output were left out"
      let note = isJSON ? NoteReport.json(text, line: 0) : StyledText("note: \(text)\n")
      try? standardError.write(note.bytes)
    }
  }

  /// 141 when the reader has closed the pipe, 74 for any other failed write.
  var failureCode: Int32? { ending.withLock { $0.code } }

  /// The end of standard output, for an executor.
  var lost: LostOutput {
    LostOutput(
      exitCode: { [self] in failureCode }, silence: { [self] in silence($0) },
      watchReader: { [self] in watchReader() })
  }

  /// Ends the run when the reader of standard output leaves, if that is a pipe, and if a command
  /// without an end prints then. Without one, the next write finds out. Returns at once.
  private func watchReader() {
    guard FileInfo(descriptor: STDOUT_FILENO)?.isPipe == true,
      !watchesReader.exchange(true, ordering: .relaxed)
    else { return }
    let isStarted = DetachedThread.start(blocksSignals: true) { [self] in
      Descriptor.waitForEndOfReaders(STDOUT_FILENO)
      watchesReader.store(false, ordering: .relaxed)
      if executor.withLock({ $0 })?.hasEndlessOutput == true { noteEnd(.closed) }
    }
    if !isStarted { watchesReader.store(false, ordering: .relaxed) }
  }

  /// Writes no more messages of these jobs, which end because nothing reads their output.
  private func silence(_ jobs: [Int]) { ending.withLock { $0.silenced += jobs } }

  /// Leaves out what is still to be written to the terminal of results of these jobs, since the
  /// user has interrupted them. A result that one piece holds is written as a whole. The pager has
  /// all that its line prints, and its own use of Ctrl-C. Does not wait for a write.
  func cutResults(of jobs: [Int]) {
    screen?.noteUnknownColumn()
    guard pager?.isRunning != true else { return }
    cutting.withLock { $0.jobs = jobs }
  }

  /// Leaves out the rest of the result that is being written to the terminal, whose command may
  /// have run in the background, and what that command prints later, unless it runs until it is
  /// cancelled. Does not wait for a write.
  func cutResult() {
    cutting.withLock { cutting in
      if let job = cutting.writing { cutting.cut.insert(job) }
    }
  }

  func write(_ output: BoardOutput, _ redirects: RedirectFiles) {
    if let round = output.display.round, output.redirect == nil {
      if screen != nil, terminal.isOutputTerminal {
        return held.perform { [self] in show(output, round: round) }
      }
      if output.content.isEmpty { return }
    }
    switch output.stream {
    case .standardError:
      if ending.withLock({ $0.silenced.contains(output.job) }) { return }
      warn(output.content, output.display.color, wraps: output.display.wraps)
    case .standardOutput:
      if output.redirect != nil {
        redirects.write(output.bytes, job: output.job)
        return
      }
      let rendered: @Sendable () -> [UInt8] = { [self] in
        render(output.content, output.display.color, onError: false)
      }
      guard terminal.isOutputTerminal else { return writeBytes(rendered(), of: output.job) }
      if output.display.mayPage, pager?.show(output.content, rendered: rendered) == true { return }
      held.perform { [self] in writeResult(output) }
    }
  }

  /// The size of a piece in bytes, without escape sequences. It is what an interrupt waits for at
  /// least, on a slow line. With them, it usually fits into the 8 KiB that Linux keeps for a
  /// terminal.
  private static let pieceSize = 1 << 11

  /// Writes a result to the terminal in pieces, between which other output has no place. An
  /// interrupt ends it with the piece that is being written.
  private func writeResult(_ output: BoardOutput) {
    rounds.withLock { $0.end() }
    reportFailure { () throws(OutputError) in
      try row.withLock { row throws(OutputError) in
        let isCut = cutting.withLock { $0.begin(output.job) }
        defer {
          let isEndless = executor.withLock { $0 }?.isEndless(output.job) ?? false
          cutting.withLock { $0.end(output.job, isEndless: isEndless) }
        }
        let isWhole = try isCut ? false : writePieces(of: output, &row)
        if !isWhole { noteCut(of: output, &row) }
      }
    }
  }

  /// Writes a result until an interrupt ends it.
  ///
  /// - Returns: Whether all of it was written.
  private func writePieces(
    of output: BoardOutput, _ row: inout Row
  ) throws(OutputError) -> Bool {
    struct Cut: Error {}
    let color = output.display.color ?? self.color
    let usesColor = terminal.usesColor(color, onError: false)
    var isFirst = true
    do {
      try output.content.forEachPiece(of: Self.pieceSize, color: usesColor) { piece in
        guard isFirst || !cutting.withLock({ $0.ends(output.job) }) else { throw Cut() }
        isFirst = false
        try writeToTerminal(piece, of: output.job, on: standardOutput, &row)
      }
      return true
    } catch let error as OutputError {
      throw error
    } catch {
      return false
    }
  }

  /// Says once that the rest of a background command's result is left out.
  private func noteCut(of output: BoardOutput, _ row: inout Row) {
    guard let note = output.display.cutNote,
      cutting.withLock({ $0.noted.insert(output.job).inserted })
    else { return }
    let bytes = render(note, output.display.color, onError: true)
    if terminal.isErrorTerminal {
      try? writeToTerminal(bytes, of: nil, on: standardError, &row)
    } else {
      try? standardError.write(bytes)
    }
  }

  /// Shows a part of a round of `watch`, the first one in place of the round before.
  private func show(_ output: BoardOutput, round: Int) {
    let isError = output.stream == .standardError
    let size = terminal.size
    let wraps = isError && output.display.wraps
    let content = wraps ? output.content.wrapped(to: size.columns) : output.content
    let stops = SignalSource.continuations
    // The rows above the cursor are another program's while that has the terminal.
    let isInForeground = EditingTerminal(input: STDOUT_FILENO).isInForeground
    rounds.withLock { rounds in
      if !isInForeground { rounds.end() }
      let text =
        isInForeground
        ? rounds.show(content, of: round, job: output.job, size: size, stops: stops) : content
      guard !text.isEmpty else { return }
      let bytes = render(text, output.display.color, onError: isError)
      if isError { writeMessage(bytes) } else { writeBytes(bytes, of: output.job) }
    }
  }

  /// Writes what a pager was to show that could not run.
  func writeUnpaged(_ bytes: [UInt8]) {
    rounds.withLock { $0.end() }
    writeBytes(bytes)
  }

  private func writeBytes(_ bytes: [UInt8], of job: Int? = nil) {
    reportFailure { () throws(OutputError) in
      guard terminal.isOutputTerminal else { return try writeToPipe(bytes) }
      try writeToTerminal(bytes, of: job, on: standardOutput)
    }
  }

  /// Writes to standard output that is no terminal. A program behind a pipe may show the bytes at
  /// the terminal before the write ends, which waits for it.
  private func writeToPipe(_ bytes: [UInt8]) throws(OutputError) {
    pipeWrites.withLock { count in
      count += 1
      // A question has removed it already, and so has whoever writes to the terminal.
      if let screen { screen.showStatus("") } else { row.withLockIfAvailable { removeStatus(&$0) } }
    }
    defer { pipeWrites.withLock { $0 -= 1 } }
    try standardOutput.write(bytes)
  }

  /// Writes to standard output unless that has failed, and ends the run if it fails.
  private func reportFailure(of write: () throws(OutputError) -> Void) {
    guard failureCode == nil else { return }
    do throws(OutputError) {
      try write()
    } catch {
      noteEnd(error)
      if error != .closed {
        BoardProgram.complain(
          "\(error)", help: nil, code: ExitCode.of(error), program: program, isJSON: isJSON,
          usesColor: terminal.usesColor(color, onError: true))
      }
    }
  }

  /// Notes the error that has ended standard output, and ends what writes to it.
  private func noteEnd(_ error: OutputError) {
    ending.withLock { $0.code = $0.code ?? ExitCode.of(error) }
    if let executor = executor.withLock({ $0 }) {
      Task { executor.endWithoutOutput() }
    }
  }

  /// Writes the value of a secret, which no pager may show. A failure ends the run.
  func reveal(_ bytes: [UInt8]) { writeBytes(bytes) }

  private func writeMessage(_ bytes: [UInt8]) {
    if terminal.isErrorTerminal {
      try? writeToTerminal(bytes, of: nil, on: standardError)
    } else {
      try? standardError.write(bytes)
    }
  }

  /// Writes in place of the status, before another thread can show the next one, and in a new row
  /// unless it goes on with what its job has written.
  private func writeToTerminal(
    _ bytes: [UInt8], of job: Int?, on stream: StandardOutput
  ) throws(OutputError) {
    try row.withLock { row throws(OutputError) in
      try writeToTerminal(bytes, of: job, on: stream, &row)
    }
  }

  private func writeToTerminal(
    _ bytes: [UInt8], of job: Int?, on stream: StandardOutput, _ row: inout Row
  ) throws(OutputError) {
    guard !bytes.isEmpty else { return }
    removeStatus(&row)
    let startsRow = job == nil || job != row.job
    // The screen of the editor knows by itself whether the row is unfinished.
    let start = startsRow && row.isUnfinished && screen == nil ? [UInt8(ascii: "\n")] : []
    (row.job, row.isUnfinished) = (job, bytes.last != UInt8(ascii: "\n"))
    try stream.write(start + bytes, startsRow: startsRow)
  }

  /// Shows a text on standard error in place of the previous one, or removes it for an empty one.
  /// It is not shown while a line is edited, behind unfinished output, and while another thread
  /// writes, which removes it itself: it may wait for the terminal, or for the reader of a pipe.
  func showStatus(_ text: String) {
    let show: @Sendable () -> Void = { [self] in
      _ = pipeWrites.withLockIfAvailable { count in
        guard count == 0 || text.isEmpty else { return }
        if let screen { screen.showStatus(text) } else { showInRow(text) }
      }
    }
    if screen == nil { held.perform(show) } else { show() }
  }

  private func showInRow(_ text: String) {
    let shown = DisplayWidth.prefix(text, fitting: max(0, terminal.size.columns - 1))
    _ = row.withLockIfAvailable { row in
      removeStatus(&row)
      guard !row.isUnfinished else { return }
      row.statusWidth = shown.width
      try? standardError.write(String(shown.text))
    }
  }

  private func removeStatus(_ row: inout Row) {
    guard row.statusWidth > 0 else { return }
    defer { row.statusWidth = 0 }
    // In the background, the row is another program's.
    guard EditingTerminal(input: STDERR_FILENO).isInForeground else { return }
    try? standardError.write("\r\(String(repeating: " ", count: row.statusWidth))\r")
  }

  /// Writes to standard error. A failed write is ignored because it cannot be reported.
  ///
  /// - Parameters:
  ///   - color: The use of colors, or `nil` for that of the program.
  ///   - wraps: Whether lines are broken between words at a terminal.
  func warn(
    _ text: StyledText, _ color: ColorMode? = nil, wraps: Bool = true
  ) {
    let write: @Sendable () -> Void = { [self] in
      if terminal.isErrorTerminal { rounds.withLock { $0.end() } }
      let fits = !wraps || isJSON || !terminal.isErrorTerminal
      let text = fits ? text : text.wrapped(to: terminal.size.columns)
      writeMessage(render(text, color, onError: true))
    }
    if terminal.isErrorTerminal { held.perform(write) } else { write() }
  }

  /// Holds output to the terminal back while a question has it, which begins a row.
  func beginPrompt() {
    held.begin()
    rounds.withLock { $0.end() }
    beginRow()
  }

  /// Ends a row of the terminal that output has not ended, before a prompt or a question is shown.
  func beginRow() {
    if let screen { return screen.beginRow() }
    row.withLock { row in
      removeStatus(&row)
      if row.isUnfinished { try? standardError.write("\n") }
      row = Row()
    }
  }

  /// Notes that a line was typed, whose end the terminal has shown. The screen of the editor knows
  /// that by itself.
  func noteTypedLine() { row.withLock { $0.isUnfinished = false } }

  /// Ends `beginPrompt`, and writes what was held back.
  func endPrompt() { held.end() }

  /// Returns the text with escape sequences if the stream has colors.
  private func render(
    _ text: StyledText, _ color: ColorMode?, onError: Bool
  ) -> [UInt8] {
    terminal.usesColor(color ?? self.color, onError: onError)
      ? text.rendered : text.bytes
  }
}
