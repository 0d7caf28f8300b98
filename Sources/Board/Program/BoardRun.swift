import Dispatch
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardRecording
import SwiftBoardSystem

/// One run of the program: a board, its line source, and its signal handling.
final class BoardRun: Sendable {
  private let options: ProgramOptions
  private let terminal: Terminal
  private let isInteractive: Bool
  private let features: FeatureList
  private let settings: BoardSettings
  private let dependencies: Dependencies
  private let paths: BoardPaths
  private let seed: UInt64
  private let output: BoardOutputWriter
  private let signalEnd: SignalEnd
  private let input: StandardInput
  /// The row that shows what runs, or `nil` if none is shown.
  private let activity: ActivityLine?
  /// Reads lines with the line editor, or `nil` if the terminal cannot edit them.
  private let editor: EditingLineReader?
  private let keepsHistory: Bool
  /// The completion of lines. It has a board once there is one.
  private let completion: BoardCompletion

  /// Creates a run.
  ///
  /// - Parameters:
  ///   - problem: What is wrong with the configuration, for `doctor`.
  ///   - patience: The time limit for ending the program after a signal.
  ///   - leave: Ends the process.
  init(
    _ options: ProgramOptions, _ environment: [String: String], _ features: FeatureList,
    problem: UsageError? = nil, _ make: @escaping BoardProgram.MakeDependencies,
    patience: DispatchTimeInterval = .milliseconds(1500),
    leave: @escaping @Sendable (Int32) -> Void = { ProcessEnd.leave($0) }
  ) {
    signalEnd = SignalEnd(patience: patience, leave: leave)
    self.options = options
    self.features = features
    let terminal = Terminal(environment: environment)
    self.terminal = terminal
    isInteractive = options.mode == .standardInput && terminal.isInputTerminal
    settings = BoardRun.settings(options, terminal, isInteractive)
    seed = options.seed ?? UInt64.random(in: .min ... .max)
    let shown = BoardRun.shownOptions(options, terminal, features)
    let screen = BoardRun.screen(
      terminal, isInteractive, usesColor: terminal.usesColor(shown.color ?? .auto, onError: true),
      isASCII: settings.isASCII)
    let output = BoardOutputWriter(
      program: features.program.name,
      isJSON: settings.output == .json, color: options.color ?? .auto, screen: screen,
      terminal: terminal, pager: BoardRun.pager(options, terminal, environment))
    self.output = output
    activity = BoardRun.activity(shown, terminal, spins: screen != nil, output)
    let configuration = BoardRun.configuration(
      options, environment, features.program, settings, seed: seed, activity, output)
    paths = configuration.paths
    input = StandardInput(BoardRun.inputUse(options.mode, isInteractive))
    let completion = BoardCompletion(
      limit: options.completionTimeout ?? BoardCompletion.defaultLimit)
    self.completion = completion
    // Services in memory leave no files behind, and no history either.
    keepsHistory = options.keepsHistory != false && settings.environment == .live
    let historyPath = keepsHistory ? configuration.paths.history : nil
    editor = (isInteractive && terminal.canEditLines ? screen : nil).flatMap { screen in
      try? EditingLineReader(
        screen: screen, historyPath: historyPath,
        hints: CommandHints(features.commands), onInterrupt: { output.cutResult() }
      ) { await completion.answer($0) }
    }
    let boardTerminal = BoardTerminal(
      mayAsk: options.allowsInput && terminal.isInputTerminal,
      showsOutput: terminal.isOutputTerminal, input: input, activity: activity, reader: editor,
      holdOutput: { [output] in if $0 { output.beginPrompt() } else { output.endPrompt() } },
      write: { [output] in output.reveal($0) })
    if let pager = output.pager { BoardRun.lendTerminal(to: pager, screen, activity, editor) }
    dependencies = BoardRun.dependencies(
      settings.environment, configuration, boardTerminal,
      BoardRun.making(make, reading: input, problem))
  }

  /// Runs the lines to their end. If a signal ends the program, the process exits with the signal's
  /// code, and this method does not return.
  ///
  /// - Parameters:
  ///   - listen: Registers what is called when a signal arrives, and the handler.
  ///   - handleArrived: Waits until the handler has returned for the signals that have arrived.
  func run(
    listen: (
      _ onArrival: @escaping @Sendable (Signal) -> Void,
      _ handler: @escaping @Sendable (Signal) async -> Void
    ) -> Void = { SignalSource.start(Signal.allCases, onArrival: $0, handler: $1) },
    handleArrived: () async -> Void = { await SignalSource.handleArrived() }
  ) async -> Int32 {
    if let code = refuseHome() { return code }
    let output = output
    let redirects = RedirectFiles(files: dependencies.files) { [self] in
      note($0, isWarning: true)
    }
    let board = makeBoard(redirects)
    if let code = beginRecording(of: board) { return code }
    var arguments: [String] = []
    if case .script(_, let given) = options.mode { arguments = given }
    let session = LineExecutor(
      board: board, redirects: redirects, scriptArguments: arguments, input: input,
      keepsGoing: !isInteractive && options.keepGoing == true,
      unusedAliases: isInteractive ? [] : Set(options.aliases.keys),
      checksStatusOfFiles: isInteractive && options.checkStatus == nil)
    output.executor.withLock { $0 = session }
    defer { output.executor.withLock { $0 = nil } }
    let reader = PlainLineReader()
    completion.attach(to: board, dependencies)
    session.history.withLock { $0 = { [self] in historyLines } }
    showPromptChanges(of: board)
    listen { [self] signal in
      if signal == .interrupt {
        session.beginInterrupt(dropPending)
        output.cutResult()
      }
      limitEnd(by: signal, board, redirects)
    } _: { [self] in
      answer($0, board, session, reader, redirects)
    }
    defer { editor?.finish() }
    var code = await runLines(board, session, reader)
    withholdSecrets(session)
    code = await finish(code, board, session)
    await board.close()
    redirects.closeAll()
    // Ctrl-C also ends the program that writes the lines, and so the lines.
    await handleArrived()
    if let code = await signalEnd.code { return code }
    signalEnd.finish()
    if let code = output.failureCode { return code }
    guard !isInteractive, board.hasLostRecording else { return code }
    // A line that failed keeps its code. The number of 'exit' is none.
    let exit = board.store.withState { $0.shell.exitCode }
    return code == 0 || code == exit ? ExitCode.io : code
  }

  private func makeBoard(_ redirects: RedirectFiles) -> Board {
    var state = BoardState(features: features, settings: settings)
    state.session.recording = options.record
    if isInteractive, !options.aliases.isEmpty { state.shell.aliases = options.aliases }
    if isInteractive { for feature in features.features { feature.changes.atTerminal(&state) } }
    return Board(
      features: features, state: state, dependencies: dependencies, seed: seed,
      sink: { [output] in output.write($0, redirects) },
      onBackgroundEnd: { redirects.close($0.context.job, status: $0.status) })
  }

  /// Begins the recording of `--record`, if there is one.
  ///
  /// - Returns: The exit code if it cannot begin.
  private func beginRecording(of board: Board) -> Int32? {
    guard let path = options.record else { return nil }
    do throws(FileError) {
      try dependencies.files.checkTarget(path, isRecording: true)
    } catch {
      return complain(error.message, help: nil, code: ExitCode.cannotCreate)
    }
    do throws(RecordingError) {
      try board.record(to: path)
      return nil
    } catch {
      let failure = Failure(error)
      var help = failure.help
      if case .exists = error { help = "--record needs a new file" }
      return complain(
        "\(error)", help: help, code: failure.code, word: failure.error)
    }
  }

  /// Ends the background commands after the lines have ended. The end of a script waits for them.
  /// `exit`, and the end of input at a prompt, cancel them.
  ///
  /// - Returns: The exit code of the lines, or else of the first background command that failed.
  private func finish(_ code: Int32, _ board: Board, _ session: LineExecutor) async -> Int32 {
    let exits = board.store.withState { $0.shell.exitCode } != nil
    let outcome = await session.finish(
      cancelledBy: exits ? Failure.exit : isInteractive ? "the end of input" : nil)
    if isInteractive { return code }
    if outcome.isInterrupted { return outcome.exitCode }
    report(outcome)
    return code == 0 ? outcome.exitCode : code
  }

  /// Refuses a home that is a file or is below one. It must not be treated as an empty home.
  private func refuseHome() -> Int32? {
    guard let home = options.home, let file = PathComponents.file(inPlaceOf: home) else {
      return nil
    }
    return complain(
      "the home '\(home)' is not a folder\(file == home ? "" : ": '\(file)' is a file")",
      help: "--home takes a folder, which is made where there is none", code: ExitCode.cannotCreate)
  }

  /// Reports a failure that no command printed: that of a prefix, which is the first character of
  /// its line, or an interrupt behind the end of a command.
  private func report(_ outcome: LineOutcome, of line: ScriptLine? = nil) {
    guard let message = outcome.message else { return }
    let line = outcome.messageLine ?? line
    let column = (line?.text.prefix(while: \.isWhitespace).count ?? 0) + 1
    let failure = Failure(
      code: outcome.exitCode, error: outcome.isInterrupted ? "cancelled" : "expectedFailure",
      message: message, column: column, length: 1)
    var report = FailureReport(failure, in: line)
    if let line {
      report.show(TypedSecretFinder.shown(line.text, features, dependencies.logger.redactor))
    }
    report.location?.file = line?.location.file.map(masked)
    if line?.location.file == nil { report.location = nil }
    let isJSON = settings.output == .json || ProgramOptions.askForJSON(in: line?.text ?? "")
    output.warn(report.render(json: isJSON, width: terminal.outputWidth ?? 200))
  }

  /// Prints a line of the program itself, as JSON if failures are.
  private func note(
    _ text: String, line: Int = 0, isWarning: Bool = false, _ style: StyledText.Style? = nil,
    wraps: Bool = true
  ) {
    let text = masked(text)
    guard settings.output != .json else {
      return output.warn(NoteReport.json(text, line: line, isWarning: isWarning), wraps: false)
    }
    output.warn(style.map { StyledText(text + "\n", $0) } ?? StyledText(text + "\n"), wraps: wraps)
  }

  private func complain(
    _ message: String, help: String?, code: Int32, word: String? = nil
  ) -> Int32 {
    BoardProgram.complain(
      masked(message), help: help, code: code, word: word, program: features.program.name,
      isJSON: settings.output == .json,
      usesColor: terminal.usesColor(options.color ?? .auto, onError: true))
    return code
  }

  /// Returns a text of the program itself without secrets, which names of its files may hold.
  private func masked(_ text: String) -> String {
    let text = dependencies.logger.redactor.mask(text).value
    return settings.isASCII ? RedactionMark.ascii(text) : text
  }

  /// Removes lines from the history that contain a secret which has become known since.
  private func withholdSecrets(_ session: LineExecutor) {
    let redactor = dependencies.logger.redactor
    let text = editor?.withholdSecrets(
      knownCount: redactor.count, lockCount: redactor.lockCount,
      where: session.containsKnownSecret)
    if let text { note(text, isWarning: true) }
  }

  /// The lines of the history: those of the editor, or else those of the file.
  private var historyLines: [String] {
    if let editor { return editor.historyLines }
    guard keepsHistory else { return [] }
    var file = HistoryFile(path: paths.history)
    return (try? file.read()) ?? []
  }

  /// Keeps the prompt up to date while a line is edited, for example when a background job ends.
  private func showPromptChanges(of board: Board) {
    guard let editor else { return }
    let name = options.namedEnvironment
    editor.showPrompt { [weak board] in
      board.map { BoardPrompt($0, in: name).text(isContinuation: false) } ?? ""
    }
    board.store.observe { [weak board] _, state in
      guard let board else { return }
      let prompt = BoardPrompt(board, copy state, in: name)
      editor.promptMayHaveChanged(prompt.text(isContinuation: false))
    }
  }

  /// Lets further output fit the present width of the terminal.
  private func showWidth(on board: Board) {
    if let width = terminal.outputWidth { board.resize(to: width) }
  }

  // MARK: Lines

  private func runLines(
    _ board: Board, _ session: LineExecutor, _ reader: PlainLineReader
  ) async -> Int32 {
    let source: any LineSource
    switch options.mode {
    case .oneShot(let words):
      let line = ScriptLine(
        text: LineParser.literalText(words), location: LineLocation(nil, line: 1),
        parsed: LineParser.parse(literal: words, isQuoted: options.hasEndedOptions))
      await session.learnSecrets()
      echo(line, session)
      // Behind '--' a word is quoted, which literal words are not.
      return await run(line, session, isLiteral: !options.hasEndedOptions).exitCode
    case .lines(let lines): source = ListLineSource(lines, file: "-c")
    case .script("-", _): source = DescriptorLineSource.standardInput()
    case .script(let path, _):
      do throws(LineSourceError) {
        source = try await DescriptorLineSource.file(path)
      } catch {
        return complain(error.message, help: error.help, code: ExitCode.of(error.kind))
      }
    case .standardInput, .help, .version:
      guard isInteractive else {
        source = DescriptorLineSource.standardInput()
        break
      }
      greet()
      if let code = await runInit(session) { return code }
      let leaving = options.allowsInput ? ExitConfirmation(board) : nil
      session.leaving.withLock { $0 = leaving }
      source = PromptedLineSource(
        reader: editor ?? reader,
        mayEnd: { [output, editor, signalEnd] in
          guard !signalEnd.hasBegun, let running = leaving?.ask() else { return true }
          let newline = editor == nil ? "\n" : ""
          output.warn(
            StyledText(
              newline + "\(running); Ctrl-D again, or 'exit', cancels and leaves\n"))
          return false
        },
        prompt: { [output, name = options.namedEnvironment] in
          output.beginRow()
          return BoardPrompt(board, in: name).text(isContinuation: $0)
        })
    }
    return await run(source, session)
  }

  /// Runs a line, shows that it runs, waits until the user has left its pager, and reports its
  /// outcome. Secrets that it has made known leave the history.
  private func run(
    _ line: ScriptLine, _ session: LineExecutor, isLiteral: Bool = false
  ) async -> LineOutcome {
    // The signal of a new size may still be under way.
    if let width = terminal.outputWidth { await session.board.resizeBeforeLine(to: width) }
    activity?.begin { String(session.shown(line).firstPhysicalLine) }
    let outcome = await session.run(line, isLiteral: isLiteral)
    activity?.end()
    await output.pager?.finish { output.writeUnpaged($0) }
    report(outcome, of: line)
    withholdSecrets(session)
    return output.failureCode.map { LineOutcome(exitCode: $0, stop: true) } ?? outcome
  }

  private func run(_ source: any LineSource, _ session: LineExecutor) async -> Int32 {
    let policy: ScriptRunner.Policy =
      isInteractive ? .interactive : options.keepGoing == true ? .keepGoing : .stopAtFailure
    do throws(LineSourceError) {
      let summary = try await ScriptRunner(source: source, policy: policy).run(
        onInterrupt: { [self] hadText in
          // A terminal that edits lines itself has shown ^C and stays in its row.
          let newline = editor == nil ? "\n" : ""
          output.warn(StyledText(hadText ? newline : newline + "leave with 'exit' or Ctrl-D\n"))
        }
      ) { [self] line in
        if isInteractive { output.noteTypedLine() }
        await session.learnSecrets()
        editor?.remember(line.text, isKept: session.mayKeep(line))
        echo(line, session)
        var outcome = await run(line, session)
        // An interrupted script ends, whatever its failure policy.
        if outcome.isInterrupted, !isInteractive { outcome.stop = true }
        return outcome
      }
      if policy == .keepGoing, let message = summary.message { note(message) }
      return summary.exitCode
    } catch {
      return complain(error.message, help: error.help, code: ExitCode.of(error.kind))
    }
  }

  /// Prints a line before it runs, with `--echo`.
  private func echo(_ line: ScriptLine, _ session: LineExecutor) {
    guard options.echo == true else { return }
    note("+ \(session.shown(line))", line: line.location.line, .faint, wraps: false)
  }

  /// Says how to begin, until the board has kept something.
  private func greet() {
    guard !settings.isQuiet, settings.output != .json else { return }
    let name = features.program.title
    switch settings.environment {
    case .mock: return
    case .preview:
      output.warn(
        """
        \(name) with sample data: nothing is sent; only files you name stay.
        \(features.hasTutorial ? "'tutorial' shows the board in five minutes; " : "")\
        'help' lists the commands.
        Ctrl-D leaves.

        """)
    case .live:
      let files = [paths.configuration, paths.initScript, paths.mainDatabase, paths.keychain]
      guard files.allSatisfy({ FileInfo($0) == nil }) else { return }
      output.warn(
        """
        \(name): \(features.greeting).
        'help' lists the commands; 'doctor' says what is installed, and where files are.

        """
          + (features.hasTutorial
            ? "'\(features.program.name) --environment preview' has sample data, and a short "
              + "'tutorial'.\n" : ""))
    }
  }

  /// Runs the lines of `init.sb`, if it exists. A failing line is reported and does not end the
  /// file; an interrupt ends it, and the prompt follows. A file that cannot be read is reported.
  ///
  /// - Returns: The exit code if one of its lines ended the program.
  private func runInit(_ session: LineExecutor) async -> Int32? {
    let path = paths.initScript
    guard options.runsInitFile, settings.environment == .live, let info = FileInfo(path) else {
      return nil
    }
    func skipped(_ reason: String) -> Int32? {
      note("the lines of '\(path)' were not run: \(reason)", isWarning: true)
      return nil
    }
    // The first prompt would wait for the writer of a pipe.
    guard !info.isPipe, !info.isFolder else { return skipped("it is not a file") }
    let source: DescriptorLineSource
    do throws(LineSourceError) { source = try await .file(path) } catch {
      return skipped(error.message)
    }
    editor?.holdKeys()
    var isInterrupted = false
    let summary = try? await ScriptRunner(source: source, policy: .keepGoing).run { line in
      await session.learnSecrets()
      var outcome = await run(line, session)
      isInterrupted = outcome.isInterrupted
      if isInterrupted { outcome.stop = true }
      return outcome
    }
    guard let summary, summary.didStop, !isInterrupted else { return nil }
    return summary.exitCode
  }

  // MARK: Signals

  /// Limits the time to the end of the program, if the signal ends it. All that follows may wait
  /// for output that is not taken.
  private func limitEnd(by signal: Signal, _ board: Board, _ redirects: RedirectFiles) {
    switch signal {
    case .interrupt where isInteractive || output.pager?.isRunning == true: return
    case .windowChanged, .continued: return
    case .interrupt, .terminate, .hangup: break
    }
    signalEnd.limit(signal) {
      board.stopRecording()
      redirects.closeAll()
    }
  }

  /// Drops what is typed ahead, and what is still to be written of results of interrupted commands.
  /// It happens when the signal arrives: tasks may have no thread to run on while the terminal
  /// takes no output. Never blocks.
  private func dropPending(of jobs: [Int]) {
    // The lines behind the running one were typed without knowing that it would be interrupted.
    // Dropped first, because the next line may begin as soon as this one ends.
    editor?.dropTypedAhead()
    output.cutResults(of: jobs)
  }

  private func answer(
    _ signal: Signal, _ board: Board, _ session: LineExecutor, _ reader: PlainLineReader,
    _ redirects: RedirectFiles
  ) {
    guard !signalEnd.hasBegun else { return }
    switch signal {
    case .interrupt:
      let interrupted = session.interrupt(dropPending)
      // The pager has the terminal.
      if output.pager?.isRunning == true { return }
      switch interrupted {
      case .command where isInteractive, .line where isInteractive: return
      case .nothing where isInteractive:
        if let editor { editor.interrupt() } else { reader.interrupt() }
        return
      // The lines end with the command, and a line between two commands ends itself.
      case .command, .line: return
      case .nothing: break
      }
    case .terminate, .hangup: break
    case .windowChanged:
      if let width = terminal.outputWidth { board.resizeRunning(to: width) }
      editor?.resize()
      return
    case .continued:
      // A stopped program is not told of a new size.
      showWidth(on: board)
      if let editor { editor.continueAfterStop() } else { reader.continueAfterStop() }
      return
    }
    output.pager?.terminate()
    if signal != .interrupt { editor?.finish() }
    signalEnd.begin(signal) {
      await board.close()
      redirects.closeAll()
    }
  }
}
