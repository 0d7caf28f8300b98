import SwiftBoardCommandLine
import SwiftBoardDependencies
import Synchronization

/// An executor of lines on a board. It turns words into arguments and arguments into an action, and
/// the end of the action determines the exit code of the line. Every line is a step, also one that
/// is not understood.
public final class LineExecutor: Sendable {
  let board: Board
  let redirects: RedirectFiles
  private let scriptArguments: [String]
  /// The aliases of the configuration, off a terminal. A script means the same wherever it runs.
  private let unusedAliases: Set<String>
  /// The folder of the user, which `~/` stands for at the start of a file's name.
  let userHome: String?
  /// Whether a command that writes a file checks the status of HTTP although the settings do not.
  let checksStatusOfFiles: Bool
  let keepsGoing: Bool
  let input: StandardInput
  let redactor: Redactor
  let secrets: TypedSecretFinder
  let jobs: JobControl
  /// Returns the lines of the history, the oldest first.
  let history = Mutex<@Sendable () -> [String]>({ [] })
  /// The question before `exit` while jobs run; `nil` leaves without one.
  let leaving = Mutex<ExitConfirmation?>(nil)
  /// What the program does around the lines of sourced files.
  let sourcedLines = Mutex(SourcedLineHooks())
  /// The end of standard output.
  let lostOutput = Mutex(LostOutput())
  /// The number of known secrets when the state was last searched for them.
  private let knownSecrets = Atomic(0)

  /// What was running when an interrupt arrived.
  public enum Interrupted: Sendable, Hashable {
    /// A command, which was cancelled unless it was just ending.
    case command
    /// A line between two of its commands, while its file was being opened, or while it waited for
    /// background commands, which continue.
    case line
    /// No line. The interrupt had no effect.
    case nothing
  }

  /// Creates an executor.
  ///
  /// - Parameters:
  ///   - board: The board.
  ///   - redirects: The open files of redirected commands.
  ///   - scriptArguments: The values of `$1`, `$2` and so on.
  ///   - keepsGoing: Whether `source` continues after a line that failed. Its exit code is then
  ///     that of the first failure.
  public convenience init(
    board: Board, redirects: RedirectFiles, scriptArguments: [String] = [],
    keepsGoing: Bool = false
  ) {
    self.init(
      board: board, redirects: redirects, scriptArguments: scriptArguments,
      input: StandardInput(.free), keepsGoing: keepsGoing)
  }

  init(
    board: Board, redirects: RedirectFiles, scriptArguments: [String], input: StandardInput,
    keepsGoing: Bool, unusedAliases: Set<String> = [], userHome: String? = nil,
    checksStatusOfFiles: Bool = false
  ) {
    self.userHome = userHome
    self.unusedAliases = unusedAliases
    self.checksStatusOfFiles = checksStatusOfFiles
    self.keepsGoing = keepsGoing
    self.board = board
    self.redirects = redirects
    self.scriptArguments = scriptArguments
    self.input = input
    redactor = board.redactor
    jobs = JobControl(board)
    secrets = TypedSecretFinder(board.features)
  }

  /// Cancels the running command of each running line. A command that has just ended keeps its
  /// outcome, and the next command of its line does not start. The lines end with 130 in any case.
  ///
  /// - Returns: What was running.
  @discardableResult
  public func interrupt() -> Interrupted { interrupt { _ in } }

  /// Does the same, or the rest of it after `beginInterrupt`.
  ///
  /// - Parameter body: As for `beginInterrupt`, unless that has called it.
  func interrupt(_ body: ([Int]) -> Void) -> Interrupted { jobs.interrupt(nil, body) }

  /// Begins what `interrupt` does for the lines that are running now.
  ///
  /// - Parameter body: Called with the running commands, if a line is running, before one of the
  ///   lines can end.
  func beginInterrupt(_ body: ([Int]) -> Void) { jobs.beginInterrupt(body) }

  /// Returns whether a command runs until it is cancelled.
  func isEndless(_ job: Int) -> Bool { jobs.endless.contains(job) }

  /// Returns a line for display, without typed secrets and terminal control characters.
  public func shown(_ line: ScriptLine) -> String {
    let line = withoutAliases(line)
    let text = secrets.refusal(of: line, redactor)?.text ?? secrets.shown(line)
    return escapeControls(text, keepsNewlines: true)
  }

  /// Returns whether a line may be kept in the history: it has no secret and no leading blank.
  /// Line breaks before it, as in pasted text, are no part of it.
  func mayKeep(_ line: ScriptLine) -> Bool {
    let first = line.text.first { !$0.isNewline }
    guard first != " ", first != "\t" else { return false }
    let line = withoutAliases(line)
    return secrets.refusal(of: line, redactor) == nil && secrets.shown(line) == line.text
  }

  /// Returns whether a line of the history contains a known secret, by the rule for new lines. That
  /// rule parses the line, so it is applied only where a secret may be: in the text, or in what is
  /// left of it without backslashes or quotes.
  func containsKnownSecret(_ text: String) -> Bool {
    guard redactor.mayBeSecret(inLine: text) else { return false }
    return !mayKeep(
      ScriptLine(
        text: text, location: LineLocation(nil, line: 1), parsed: LineParser.parse(text)))
  }

  /// Runs one line.
  ///
  /// Cancelling the task interrupts this line and no other.
  ///
  /// - Parameters:
  ///   - script: The line.
  ///   - isLiteral: Whether a shell has already split the words and removed their quotes.
  public func run(_ script: ScriptLine, isLiteral: Bool = false) async -> LineOutcome {
    let id = jobs.beginLine()
    if !withoutAliases(script).leaves { leaving.withLock { $0 }?.forget() }
    return await withTaskCancellationHandler {
      let line = Line(
        withoutAliases(script), secrets, isLiteral, id, knownCount: redactor.count,
        arguments: scriptArguments)
      let outcome = await run(script, line)
      // The state is shown and recorded also if no line follows.
      await hideKnownSecrets()
      return jobs.endLine(id, outcome)
    } onCancel: {
      jobs.interrupt(id)
    }
  }

  /// Runs the text of one line.
  ///
  /// Cancelling the task interrupts this line and no other.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - location: The location of the line, for messages.
  public func run(
    _ text: String, at location: LineLocation = LineLocation(nil, line: 1)
  ) async -> LineOutcome {
    await run(ScriptLine(text: text, location: location, parsed: LineParser.parse(text)))
  }

  /// Waits for the background commands after the last line, or cancels them. Endless commands are
  /// cancelled in any case. Ctrl-C cancels the commands that are waited for.
  ///
  /// - Parameter cause: The cause of the cancellation, or `nil` to wait for the commands unless the
  ///   last line was interrupted.
  /// - Returns: The outcome of the failed command with the lowest number, also if it failed
  ///   earlier, or success. The prefix of its line defines failure. A command that a line has
  ///   waited for does not count again, and a cancelled command is not a failure.
  public func finish(cancelledBy cause: String?) async -> LineOutcome {
    // A command that had not begun when standard output ended was not cancelled.
    if lostOutputCode != nil { endWithoutOutput() }
    let (background, wasInterrupted) = (jobs.background, jobs.wasInterrupted)
    let line = jobs.beginLine()
    let cause = cause ?? (wasInterrupted ? "the interrupt" : nil)
    let cancelled = cause == nil ? jobs.endlessInBackground : background
    jobs.cancel(cancelled, by: cause ?? Failure.endOfLines)
    for job in cancelled { cancelRound(of: job, by: cause ?? Failure.endOfLines) }
    let codes = await jobs.wait(for: background, in: line)
    let failed = zip(background, codes).map { job, code in
      let outcome = jobs.judge(job, code)
      return code == ExitCode.interrupted ? .success : outcome
    }.first { $0.exitCode != 0 }
    var outcome = jobs.endLine(line, failed ?? .success)
    // The commands that it has cancelled have said so.
    if outcome.isInterrupted { outcome.message = nil }
    return wasInterrupted
      ? LineOutcome(exitCode: ExitCode.interrupted, isInterrupted: true) : outcome
  }

  /// Learns the secrets that another process has stored, so that a line is judged by them. Costs a
  /// `stat` of an unlocked keychain that has not changed.
  func learnSecrets() async {
    _ = await board.dependencies.keychainService.refreshUnlessBusy()
  }

  func withoutAliases(_ script: ScriptLine) -> ScriptLine {
    AliasExpansion.line(
      script, board.store.withState { $0.shell.aliases }, secrets.firstWords)
  }

  func run(_ script: ScriptLine, _ line: Line) async -> LineOutcome {
    if let exit = board.store.withState({ $0.shell.exitCode }) {
      return LineOutcome(exitCode: exit, stop: true)
    }
    await learnSecrets()
    if let typed = secrets.refusal(of: withoutAliases(script), redactor) {
      return await reject(script, line.refused(typed), typed.error, script.parsed.prefix)
    }
    let list: CommandList
    switch script.parsed {
    case .empty: return LineOutcome()
    case .incomplete(let open):
      return await reject(script, line, open.error.usageError, nil)
    case .invalid(let error): return await reject(script, line, error.usageError, error.prefix)
    case .commands(let commands): list = commands
    }
    var end = CommandEnd(exitCode: 0)
    var waits = false
    for command in list.commands {
      if lostOutputCode != nil { break }
      waits = waits || !command.isBackground
      end = await run(command, line, list.prefix)
      if board.store.withState({ $0.shell.exitCode }) != nil { break }
      if end.exitCode != 0 { break }
    }
    if let exit = board.store.withState({ $0.shell.exitCode }) {
      return outcome(ofExit: exit, after: end, list.prefix)
    }
    if jobs.isInterrupted(line.id) {
      return .interrupted(after: end.exitCode, saying: end.message)
    }
    if let code = lostOutputCode { return LineOutcome(exitCode: code, stop: true) }
    // A prefix applies to the commands that end with the line, and to each background command when
    // it ends.
    var outcome = LineOutcome(exitCode: end.exitCode, message: end.message)
    (outcome.value, outcome.output, outcome.failure) = (end.value, end.output, end.failure)
    if end.exitCode != 0, outcome.failure == nil { outcome.failure = .unnamed(end.exitCode) }
    return waits || end.exitCode != 0 ? outcome.applying(list.prefix) : outcome
  }

  /// Returns the outcome of a line that has run `exit`. A plain one hides no failure before it in
  /// the file that the line sources.
  private func outcome(
    ofExit exit: Int32, after end: CommandEnd, _ prefix: LinePrefix?
  ) -> LineOutcome {
    guard exit == 0, end.exitCode != 0 else { return LineOutcome(exitCode: exit, stop: true) }
    let failed = LineOutcome(exitCode: end.exitCode).applying(prefix)
    var outcome = LineOutcome(exitCode: failed.exitCode, stop: true)
    outcome.hasFailedBeforeExit = failed.exitCode != 0
    return outcome
  }

  // MARK: Earlier steps

  /// Rejects an action that changes something, or shows what services have now, while the board
  /// shows an earlier step.
  private func refuseInThePast(_ action: BoardAction) throws(UsageError) {
    guard let position = board.store.withState({ $0.session.position }),
      !action.isAllowedAtEarlierStep
    else { return }
    let reason =
      if case .feature(let action) = action {
        "and '\(action.feature)' works on the present"
      } else {
        "where nothing can be changed"
      }
    throw UsageError(
      "you are looking at step \(position.step), \(reason)",
      help:
        "'session live' returns to the present, 'session fork \(position.step) FILE' continues from this step"
    )
  }

  /// The running recording, without secrets in its name.
  private var moment: SessionMoment? {
    board.recording.map {
      SessionMoment(path: redactor.mask($0.path).value, step: $0.step)
    }
  }

  /// Returns the action to run. While the board shows an earlier step, commands that show the state
  /// are redirected to the recording. Commands that read the current recording get its name.
  func redirectedToRecording(_ action: BoardAction) -> BoardAction {
    let isInThePast = board.store.withState { $0.session.position != nil }
    switch action {
    case .shell(.run(let context, .state(let path))) where isInThePast:
      return .session(
        .run(
          context: context, command: .state(path: path, at: nil, file: nil), moment: moment))
    case .shell(.run(let context, .assert(let text))) where isInThePast:
      return .session(
        .run(context: context, command: .assert(condition: text), moment: moment))
    case .session(.run(let context, .live, _)) where !isInThePast:
      return .session(.run(context: context, command: .present))
    case .session(.run(let context, .state(let path, nil, nil), _)) where !isInThePast:
      return .shell(.run(context: context, command: .state(path: path)))
    case .session(.run(let context, let command, _)) where command.wantsMoment:
      return .session(.run(context: context, command: command, moment: moment))
    default: return action
    }
  }

  // MARK: One command

  private func run(_ command: ParsedCommand, _ line: Line, _ prefix: LinePrefix?) async
    -> CommandEnd
  {
    var context = self.context(line, prefix)
    await hideKnownSecrets()
    do throws(UsageError) {
      var expansion = board.store.withState {
        LineExpansion(
          $0.shell, lastIsInParts: board.lastIsInParts, scriptArguments: line.arguments,
          // A shell has put it in where it was to be.
          userHome: line.isLiteral ? nil : userHome)
      }
      let aliases = board.store.withState { $0.shell.aliases }
      let arguments = try expansion.arguments(
        AliasExpansion.words(command.words, aliases, secrets.firstWords))
      var file: Argument?
      if let redirect = command.redirect { file = try expansion.argument(redirect.file) }
      if let typed = secrets.refusal(of: arguments.withoutWatch(secrets.firstWords), file, redactor)
      {
        context.text = typed.text
        throw typed.error
      }
      try MarkedText.refuse(arguments.withoutWatch(secrets.firstWords), file, board.features)
      try AliasExpansion.refuseSecond(
        behind: command.words, arguments, aliases, secrets.firstWords)
      if let file, command.words.first?.literal != arguments.first?.text,
        arguments.first?.text == "assert", arguments.count > 1, !arguments[1].isQuoted
      {
        throw UsageError(
          "'>' is followed by a file here", help: "quote the condition, as in 'PATH > 0'", at: file)
      }
      let commands = board.features.commands
      let help = commands.helpWords(in: arguments, literal: line.isLiteral)
      if help == nil {
        try AliasExpansion.refuseUnused(unusedAliases, arguments, secrets.firstWords)
      }
      let match = try commands.parse(words: help ?? arguments, literal: line.isLiteral)
      context.name = match.name
      context.isBackground = command.isBackground
      // What comes behind the pager's first text would wait for its end.
      if line.hasSeveralCommands { context.usesPager = false }
      try apply(match, to: &context)
      try checkRepeated(match.output.repeated)
      let started = match.output.action(context)
      if case .shell(.run(_, .alias(let name?, _?))) = started {
        try AliasExpansion.refuseCommand(name, secrets.firstWords)
      }
      try refuseInThePast(started)
      if let refusal = refusalOfInput(match.output, arguments) {
        return await reject(refusal, context, line, command)
      }
      if let redirect = command.redirect, let file {
        if let failure = try await open(file, appends: redirect.appends, &context, line) {
          return jobs.isInterrupted(line.id)
            ? await fail(context, .cancelled)
            : endInBackground(await reject(failure, context), context, line)
        }
      } else if let outer = line.outer, outer.redirect != nil {
        borrowOutput(of: outer, for: &context)
      }
      if match.output.isEndless {
        jobs.noteEndless(context)
        context.usesPager = false
        if context.redirect == nil { lostOutput.withLock { $0.watchReader }() }
      }
      let action = redirectedToRecording(match.output.action(context))
      try refuseHiddenSecret(match.output, context)
      if let special = await special(action, context, line) {
        return endInBackground(special, context, line)
      }
      return await perform(action, context, line)
    } catch {
      if jobs.isInterrupted(line.id) { return await fail(context, .cancelled) }
      return await reject(error, context, line, command)
    }
  }

  /// Returns the end of a command for its line. The failure of a command in the background, except
  /// wrong usage, is not that of its line: it counts when the job is waited for.
  private func endInBackground(
    _ end: CommandEnd, _ context: CommandContext, _ line: Line
  ) -> CommandEnd {
    guard context.isBackground, ![0, ExitCode.usage].contains(end.exitCode),
      jobs.begin(context, in: line.id)
    else { return end }
    return CommandEnd(exitCode: 0)
  }

  /// Removes newly known secrets from the state, so that the next line does not find them.
  private func hideKnownSecrets() async {
    let count = redactor.count
    guard knownSecrets.exchange(count, ordering: .relaxed) != count else { return }
    await board.hideSecrets()?.finish()
  }

  /// Returns the error of a command that reads standard input to its end if lines come from there,
  /// or `nil`.
  private func refusalOfInput(_ command: BoardCommand, _ arguments: [Argument]) -> UsageError? {
    guard let option = command.readsInput, let refusal = input.refusal(of: option) else {
      return nil
    }
    return UsageError(
      refusal.message, help: refusal.help,
      at: arguments.first { $0.leadingText.hasPrefix(option) })
  }

  /// Rejects a command that reveals a secret if its output is redirected, in the background or in
  /// JSON. The secret goes directly to standard output.
  private func refuseHiddenSecret(_ command: BoardCommand, _ context: CommandContext)
    throws(UsageError)
  {
    guard let option = command.writesSecret else { return }
    let format = context.output ?? board.store.withState { $0.settings.output }
    guard context.redirect != nil || context.isBackground || format == .json else { return }
    _ = redirects.close(context.job, status: ExitCode.usage)
    throw UsageError(
      "\(option) writes the secret to standard output as it is: no > FILE, no & and no --json",
      help: "redirect the whole program's output instead")
  }

  func context(_ line: Line, _ prefix: LinePrefix?) -> CommandContext {
    let settings = board.store.withState { $0.settings }
    var context = CommandContext(
      job: board.nextJob(), line: line.location.line,
      source: line.location.file.map { redactor.mask($0).value },
      text: shownText(of: line), name: "", prefix: prefix, timeout: settings.timeout)
    if !settings.checksStatus, !checksStatusOfFiles { context.checksStatus = false }
    context.parts = 0
    if let outer = line.outer {
      context.takeOptions(of: outer)
      context.isSourced = true
    }
    return context
  }

  /// Returns the text of a line for a step, also if an earlier command of the line has made a
  /// secret known.
  private func shownText(of line: Line) -> String {
    guard redactor.count != line.knownCount else { return line.text }
    let script = ScriptLine(
      text: line.text, location: line.location, parsed: LineParser.parse(line.text))
    return secrets.refusal(of: withoutAliases(script), redactor)?.text ?? line.text
  }

  /// Runs a command until its end, or starts it in the background, where only a round of `watch` is
  /// waited for.
  ///
  /// - Parameter link: The link that started the command, or `nil` for a line.
  func perform(
    _ action: BoardAction, _ context: CommandContext, _ line: Line, link: String? = nil
  ) async -> CommandEnd {
    if let shown = FeaturesReadByCommand(of: action) {
      await jobs.wait(in: line.id) { [board] () async throws(Never) in
        await board.bootstrap(shown)
      }
    }
    guard jobs.begin(context, in: line.id) else { return await fail(context, .cancelled) }
    if context.isBackground {
      board.start(action, context, link: link)
      endIfUnread(context)
      // The next line must see the recording started, marked or ended.
      if action.changesRecording { _ = await board.wait(for: context.job) }
      // The pause of a `watch` begins when its round has ended.
      guard let watch = context.round else { return CommandEnd(exitCode: 0) }
      return CommandEnd(exitCode: await wait(forRound: context.job, of: watch))
    }
    board.expectEnd(of: context.job)
    board.start(action, context, link: link)
    endIfUnread(context)
    let code = await jobs.wait(for: [context.job], in: line.id)[0]
    return await closeOutput(of: context, code, line)
  }

  /// Closes the file that receives a command's output, if any. A failed write is a failure of its
  /// line.
  func closeOutput(of context: CommandContext, _ code: Int32, _ line: Line) async -> CommandEnd {
    let end = board.takeEnd(of: context.job, exitCode: code)
    guard let failure = redirects.close(context.job, status: code) else { return end }
    // The command has ended, and said how long it took.
    var next = self.context(line, nil)
    next.name = context.name
    let earlier = board.takeReplacedLast(by: context.job)
    return await reject(board.placed(failure, in: context), next, earlier)
  }
}

extension ScriptLine {
  /// Whether the last command of the line is `exit`.
  fileprivate var leaves: Bool {
    guard case .commands(let list) = parsed else { return false }
    return list.commands.last?.words.first?.literal == "exit"
  }
}
