import Dispatch
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardRecording
import SwiftBoardSystem

/// One run of the program: a board, its line source, and its signal handling.
final class BoardRun: Sendable {
  let options: ProgramOptions
  let terminal: Terminal
  let isInteractive: Bool
  let features: FeatureList
  let settings: BoardSettings
  private let dependencies: Dependencies
  let paths: BoardPaths
  private let userHome: String
  /// What names the home and the recording, for messages: an option, its variable, or a key of the
  /// configuration file.
  private let sources: (home: String, record: String)
  private let seed: UInt64
  let output: BoardOutputWriter
  let signalEnd: SignalEnd
  private let input: StandardInput
  /// The row that shows what runs, or `nil` if none is shown.
  let activity: ActivityLine?
  /// Reads lines with the line editor, or `nil` if the terminal cannot edit them.
  let editor: EditingLineReader?
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
    let shown = BoardRun.shownOptions(options, features)
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
      options, environment, features.program, BoardRun.settings(shown, terminal, isInteractive),
      seed: seed, activity, output)
    paths = configuration.paths
    userHome = BoardPaths.userHome(environment)
    sources = (
      options.givenHome == nil
        ? "'home' of config.json" : ProgramOption.source(of: "home", options.home, in: environment),
      ProgramOption.source(of: "record", options.record, in: environment)
    )
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
      mayAsk: options.allowsInput && terminal.isInputTerminal, isUTF8: terminal.isUTF8,
      showsOutput: terminal.isOutputTerminal, columns: { [terminal] in terminal.size.columns },
      input: input, activity: activity, reader: editor,
      holdOutput: { [output] in if $0 { output.beginPrompt() } else { output.endPrompt() } },
      note: BoardRun.note(settings, output),
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
    let script: DescriptorLineSource?
    do throws(LineSourceError) { script = try await openScript() } catch {
      return complain(error.message, help: error.help, code: ExitCode.of(error.kind))
    }
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
      unusedAliases: isInteractive ? [] : Set(options.aliases.keys), userHome: userHome,
      checksStatusOfFiles: isInteractive && options.checkStatus == nil)
    session.lostOutput.withLock { $0 = output.lost }
    output.executor.withLock { $0 = session }
    defer { output.executor.withLock { $0 = nil } }
    let reader = PlainLineReader()
    completion.attach(to: board, dependencies, userHome: userHome)
    session.history.withLock { $0 = { [self] in historyLines } }
    session.sourcedLines.withLock {
      if options.echo == true { $0.echo = { [self] in echo($0, $1, runBy: $2) } }
      $0.report = { [self] in report($0, of: $1, runBy: $2) }
    }
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
    var code = await runLines(board, session, reader, script)
    if editor?.isFinished == true {
      // A signal has ended the lines. It ends the commands in the background, too.
      await handleArrived()
      if let code = await signalEnd.code { return code }
    }
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
      try dependencies.files.makeFolder(ofRecording: path)
    } catch {
      return complain(error.message, help: nil, code: ExitCode.cannotCreate)
    }
    do throws(RecordingError) {
      try board.record(to: path)
      return nil
    } catch {
      let failure = Failure(error)
      var help = failure.help
      if case .exists = error { help = "\(sources.record) needs a new file" }
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
    guard let home = options.home,
      case .file(let file)? = PathObstacle(to: home, isFolder: true)
    else { return nil }
    return complain(
      "the home '\(home)' is not a folder\(file == home ? "" : ": '\(file)' is a file")",
      help: "\(sources.home) takes a folder, which is made where there is none",
      code: ExitCode.cannotCreate)
  }

  /// Reports a failure that no command printed: that of a prefix, which is the first character of
  /// its line, or an interrupt behind the end of a command.
  ///
  /// - Parameter source: The command that runs the line, if the line is of a sourced file.
  func report(
    _ outcome: LineOutcome, of line: ScriptLine? = nil, runBy source: CommandContext? = nil
  ) {
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
    if source != nil { report.sourcedFile = report.location?.file }
    let format = source?.output ?? settings.output
    let isJSON = format == .json || line.map { ProgramOptions.askForJSON(in: $0) } == true
    output.warn(report.render(json: isJSON, width: terminal.outputWidth ?? 200), source?.color)
  }

  /// Prints a line of the program itself, as JSON if failures are.
  ///
  /// - Parameter source: The command whose options apply, or `nil` for those of the program.
  func note(
    _ text: String, line: Int = 0, isWarning: Bool = false, _ style: StyledText.Style? = nil,
    wraps: Bool = true, runBy source: CommandContext? = nil
  ) {
    let settings = settings.following(source)
    let text = masked(text, isASCII: settings.isASCII)
    guard settings.output != .json else {
      return output.warn(NoteReport.json(text, line: line, isWarning: isWarning), wraps: false)
    }
    let shown = (settings.isASCII ? escapeReplacements(text) : text) + "\n"
    output.warn(
      style.map { StyledText(shown, $0) } ?? StyledText(shown), source?.color, wraps: wraps)
  }

  func complain(
    _ message: String, help: String?, code: Int32, word: String? = nil
  ) -> Int32 {
    BoardProgram.complain(
      masked(message), help: help, code: code, word: word, program: features.program.name,
      isJSON: settings.output == .json,
      usesColor: terminal.usesColor(options.color ?? .auto, onError: true))
    return code
  }

  /// Returns a text of the program itself without secrets, which names of its files may hold.
  private func masked(_ text: String) -> String { masked(text, isASCII: settings.isASCII) }

  private func masked(_ text: String, isASCII: Bool) -> String {
    let text = dependencies.logger.redactor.mask(text).value
    return isASCII ? RedactionMark.ascii(text) : text
  }

  /// Removes lines from the history that contain a secret which has become known since.
  func withholdSecrets(_ session: LineExecutor) {
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
}
