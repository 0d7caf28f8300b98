import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardStore
import Synchronization

/// Runs lines on a board: words become arguments, arguments an action, and the action's end the
/// line's exit code. Every line is a step, one that is not understood too.
public final class BoardSession: Sendable {
  private let board: Board
  private let redirects: RedirectFiles
  private let scriptArguments: [String]
  private let input: StandardInput
  private let redactor: Redactor
  private let secrets: TypedSecrets
  private let shared = Mutex(Shared())

  private struct Shared {
    /// The commands that Ctrl-C cancels.
    var foreground: [Int] = []
    /// Background commands that nobody has waited for.
    var background: [Int: CommandContext] = [:]
    /// An interrupt has come since the line was begun: no further command of it begins.
    var isInterrupted = false
    /// The last line ended with an interrupt.
    var wasInterrupted = false
    /// Lines that are being run, those of files not counted.
    var lines = 0
    var sourceDepth = 0
    /// How many secrets were known when the state was last looked through.
    var knownSecrets = KnownCount()

    struct KnownCount {
      private var count = 0
      mutating func exchange(_ new: Int) -> Int {
        defer { count = new }
        return count
      }
    }
    /// What the line's outcome has to say about the background commands that it waited for.
    var message: String?
  }

  /// What an interrupt found.
  public enum Interrupted: Sendable, Hashable {
    /// A command was running, and was cancelled unless it was just ending.
    case command
    /// A line was between its commands, or its file was being opened.
    case line
    /// No line was being run: nothing comes of it.
    case nothing
  }

  /// - Parameter scriptArguments: `$1`, `$2` … of the lines.
  public convenience init(
    board: Board, redirects: RedirectFiles, scriptArguments: [String] = []
  ) {
    self.init(
      board: board, redirects: redirects, scriptArguments: scriptArguments,
      input: StandardInput(.free))
  }

  init(
    board: Board, redirects: RedirectFiles, scriptArguments: [String], input: StandardInput
  ) {
    self.board = board
    self.redirects = redirects
    self.scriptArguments = scriptArguments
    self.input = input
    redactor = board.redactor
    secrets = TypedSecrets(board.features)
  }

  /// Cancels the running command; one that has just ended keeps its outcome, and the line's next
  /// one is not begun. The line ends with 130 in any case.
  ///
  /// - Returns: What there was to interrupt.
  @discardableResult
  public func interrupt() -> Interrupted {
    let (found, jobs) = shared.withLock { shared -> (Interrupted, [Int]) in
      guard shared.lines > 0 else { return (.nothing, []) }
      shared.isInterrupted = true
      return (shared.foreground.isEmpty ? .line : .command, shared.foreground)
    }
    cancel(jobs)
    return found
  }

  /// Cancels those of the commands that run.
  private func cancel(_ jobs: [Int], by cause: String? = nil) {
    let running = board.store.withState { $0.shell.running.map(\.job) }
    for job in jobs where running.contains(job) { board.cancel(job, by: cause) }
  }

  /// A line as it may be shown: without a secret that was typed into it, and without what steers a
  /// terminal.
  public func shown(_ line: ScriptLine) -> String {
    let text =
      secrets.refusal(of: line, redactor)?.text ?? secrets.shown(line)
    return escapeControls(text, keepsNewlines: true)
  }

  /// Runs one line.
  ///
  /// - Parameter isLiteral: A shell has taken the words apart already, so that quotes say nothing.
  ///
  /// Cancelling the task interrupts the line, as `interrupt()` does.
  public func run(_ script: ScriptLine, isLiteral: Bool = false) async -> LineOutcome {
    shared.withLock { $0.lines += 1 }
    return await withTaskCancellationHandler {
      leave(await run(script, Line(script, secrets, isLiteral, nil)))
    } onCancel: {
      interrupt()
    }
  }

  /// Runs the text of one line.
  ///
  /// Cancelling the task interrupts the line, as `interrupt()` does.
  ///
  /// - Parameter place: Where the line stands, for messages.
  public func run(
    _ text: String, at place: LinePlace = LinePlace(nil, line: 1)
  ) async -> LineOutcome {
    await run(ScriptLine(text: text, place: place, parsed: LineParser.parse(text)))
  }

  /// The outcome of a line that an interrupt, or the board's end, may have ended.
  private func leave(_ outcome: LineOutcome) -> LineOutcome {
    let isInterrupted = shared.withLock { shared in
      shared.lines -= 1
      shared.wasInterrupted = shared.isInterrupted
      if shared.lines == 0 { shared.isInterrupted = false }
      return shared.wasInterrupted
    }
    let isClosed = board.isClosing && outcome.exitCode == ExitCode.interrupted
    return (isInterrupted || isClosed) && !outcome.stop
      ? LineOutcome(exitCode: ExitCode.interrupted, isInterrupted: true) : outcome
  }

  /// Waits for the background commands when no line follows, or cancels them. Ctrl-C cancels those
  /// that are being waited for.
  ///
  /// - Parameter cause: What they are cancelled by, in words; `nil`: they are waited for, unless
  ///   the last line was interrupted.
  /// - Returns: The outcome of the lowest-numbered one that failed, be it before this; success
  ///   where none did. The prefix of its line decides. One that was waited for does not count
  ///   again, and one that was cancelled is no failure: a line wanted it so, or this did.
  public func finish(cancelledBy cause: String?) async -> LineOutcome {
    let (jobs, wasInterrupted) = shared.withLock { shared in
      shared.lines += 1
      return (shared.background.keys.sorted(), shared.wasInterrupted)
    }
    let cause = cause ?? (wasInterrupted ? "the interrupt" : nil)
    if let cause { cancel(jobs, by: cause) }
    let codes = await waitInForeground(for: jobs)
    let failed = zip(jobs, codes).map { job, code in
      let outcome = judge(job, code)
      return code == ExitCode.interrupted ? .success : outcome
    }.first { $0.exitCode != 0 }
    let outcome = leave(failed ?? .success)
    return wasInterrupted
      ? LineOutcome(exitCode: ExitCode.interrupted, isInterrupted: true) : outcome
  }

  /// How a background command ended, by the prefix of its line. It is not asked for again.
  private func judge(_ job: Int, _ code: Int32) -> LineOutcome {
    let context = shared.withLock { $0.background.removeValue(forKey: job) }
    var outcome = LineOutcome(exitCode: code).applying(context?.prefix)
    outcome.message = outcome.message.map { "job \(job): \($0)" }
    return outcome
  }

  private func run(_ script: ScriptLine, _ line: Line) async -> LineOutcome {
    if let typed = secrets.refusal(of: script, redactor) {
      return await reject(line.refused(typed), typed.error, script.parsed.prefix)
    }
    let list: CommandList
    switch script.parsed {
    case .empty: return LineOutcome()
    case .incomplete(let open): return await reject(line, open.error.usageError, open.prefix)
    case .invalid(let error): return await reject(line, error.usageError, error.prefix)
    case .commands(let commands): list = commands
    }
    var end = CommandEnd(exitCode: 0)
    var waits = false
    for command in list.commands {
      waits = waits || !command.isBackground
      end = await run(command, line, list.prefix)
      if board.store.withState({ $0.shell.exitCode }) != nil { break }
      if end.exitCode != 0 { break }
    }
    if let exit = board.store.withState({ $0.shell.exitCode }) {
      return LineOutcome(exitCode: exit, stop: true)
    }
    let (isInterrupted, message) = shared.withLock { ($0.isInterrupted, $0.message.take()) }
    if isInterrupted { return LineOutcome(exitCode: ExitCode.interrupted, isInterrupted: true) }
    // A prefix is about what ends with the line, and about each background command when that has
    // ended.
    var outcome = LineOutcome(exitCode: end.exitCode, message: message)
    (outcome.value, outcome.output, outcome.failure) = (end.value, end.output, end.failure)
    return waits || end.exitCode != 0 ? outcome.applying(list.prefix) : outcome
  }

  /// A line with what has to be known of it.
  private struct Line {
    /// As it may be part of a step.
    var text: String
    let place: LinePlace
    let isLiteral: Bool
    /// Where its commands print that say nothing themselves: the file of a `source FILE > OUT`.
    let redirect: CommandContext.Redirect?

    init(
      _ line: ScriptLine, _ secrets: TypedSecrets, _ isLiteral: Bool,
      _ redirect: CommandContext.Redirect?
    ) {
      text = secrets.shown(line)
      place = line.place
      self.isLiteral = isLiteral
      self.redirect = redirect
    }

    /// The line without the text that has a secret in it.
    func refused(_ typed: TypedSecret) -> Line {
      var line = self
      line.text = typed.text
      return line
    }
  }

  // MARK: Looking back

  /// While somebody looks at an earlier step, nothing may change.
  private func refuseInThePast(_ action: BoardAction) throws(UsageError) {
    guard let position = board.store.withState({ $0.session.position }), !action.mayRunInThePast
    else { return }
    throw UsageError(
      "you are looking at step \(position.step) of \(position.last), where nothing can be changed",
      help:
        "'session live' goes back to now, 'session fork \(position.step) FILE' goes on from there")
  }

  /// What looks into the recording is told which that is now; what looks at the state looks at that
  /// of the step one is at.
  private func placed(_ action: BoardAction) -> BoardAction {
    let isInThePast = board.store.withState { $0.session.position != nil }
    switch action {
    case .shell(.run(let context, .state(let path))) where isInThePast:
      return .session(
        .run(
          context: context, command: .state(path: path, at: nil, file: nil), moment: board.recording
        ))
    case .shell(.run(let context, .assert(let text))) where isInThePast:
      return .session(
        .run(context: context, command: .assert(condition: text), moment: board.recording))
    case .session(.run(let context, .state(let path, nil, nil), _)) where !isInThePast:
      return .shell(.run(context: context, command: .state(path: path)))
    case .session(.run(let context, let command, _)) where command.wantsMoment:
      return .session(.run(context: context, command: command, moment: board.recording))
    default: return action
    }
  }

  // MARK: One command

  private func run(_ command: ParsedCommand, _ line: Line, _ prefix: LinePrefix?) async
    -> CommandEnd
  {
    var context = self.context(line, prefix)
    var arguments: [Argument] = []
    hideKnownSecrets()
    do throws(UsageError) {
      arguments = try expand(command.words)
      var file: Argument?
      if let redirect = command.redirect { file = try expand([redirect.file])[0] }
      if let typed = secrets.refusal(of: arguments + (file.map { [$0] } ?? []), redactor) {
        context.text = typed.text
        throw typed.error
      }
      try MarkedText.refuse(arguments, file, board.features)
      if let topic = board.features.commands.helpTopic(in: arguments) {
        context.name = "help"
        return await perform(.shell(.run(context: context, command: .help(words: topic))), context)
      }
      let match = try board.features.commands.parse(words: arguments, literal: line.isLiteral)
      context.name = match.name
      context.isBackground = command.isBackground
      try apply(match.globals, to: &context)
      let started = match.output.action(context)
      try refuseInThePast(started)
      if let refusal = refusalOfInput(match.output, arguments) {
        return await reject(refusal, context, line, command)
      }
      if let redirect = command.redirect, let file {
        context.redirect = try await open(file, appends: redirect.appends, context.job)
      } else if let redirect = line.redirect {
        context.redirect = redirect
        try await inherit(redirect, context.job)
      }
      let action = placed(match.output.action(context))
      try refuseHiddenSecret(match.output, context)
      if let special = await special(action, context, line) { return special }
      return await perform(action, context)
    } catch {
      var error = error
      hideTypedSecret(arguments, &context, &error)
      return await reject(error, context, line, command)
    }
  }

  /// What became known as a secret since the last command is taken out of what the board remembers:
  /// variables and the last value.
  private func hideKnownSecrets() {
    let count = redactor.count
    guard shared.withLock({ $0.knownSecrets.exchange(count) }) != count else { return }
    let (variables, last) = board.store.withState { ($0.shell.variables, $0.shell.last) }
    let masked = variables.compactMapValues { value in
      let masked = redactor.mask(value)
      return masked.names.isEmpty ? nil : masked.value
    }
    let maskedLast = last.flatMap { last in
      let masked = redactor.mask(last, isJSON: true)
      return masked.names.isEmpty ? nil : masked.value
    }
    guard !masked.isEmpty || maskedLast != nil else { return }
    board.hideSecrets(variables: masked, last: maskedLast, lastLength: last?.utf8.count)
  }

  /// `keychain set NAME VALUE`, however its words were quoted or put together: the value stays out
  /// of the step.
  private func hideTypedSecret(
    _ arguments: [Argument], _ context: inout CommandContext, _ error: inout UsageError
  ) {
    guard arguments.count > 3, let feature = arguments[0].text, let command = arguments[1].text,
      board.features[feature]?.secretWords.storing == command
    else { return }
    let mark = TypedSecret.text(for: arguments[2].shown)
    context.text = "\(feature) \(command) \(arguments[2].shown) \(mark)"
    error.column = nil
    error.length = nil
    error.lineOffset = 0
    for value in arguments[3...].compactMap(\.text)
    where value.count > 1 && !["--generate", "--from-file", "--from-stdin"].contains(value) {
      error.message = error.message.replacing(value, with: mark)
      error.help = error.help?.replacing(value, with: mark)
    }
  }

  /// A command that reads standard input to its end would take the lines that come from there.
  private func refusalOfInput(_ command: BoardCommand, _ arguments: [Argument]) -> UsageError? {
    guard let option = command.readsInput, let refusal = input.refusal(of: option) else {
      return nil
    }
    return UsageError(
      refusal.message, help: refusal.help,
      at: arguments.first { $0.leadingText.hasPrefix(option) })
  }

  /// A secret that a command shows goes straight to standard output: nothing else may stand between.
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

  private func context(_ line: Line, _ prefix: LinePrefix?) -> CommandContext {
    CommandContext(
      job: board.nextJob(), line: line.place.line, source: line.place.file, text: line.text,
      name: "", prefix: prefix,
      timeout: board.store.withState { $0.settings.timeout })
  }

  /// - Parameter link: The link that the command stands for; `nil` for a line.
  private func perform(
    _ action: BoardAction, _ context: CommandContext, link: String? = nil
  ) async -> CommandEnd {
    let isInterrupted = shared.withLock { shared in
      if shared.isInterrupted { return true }
      if context.isBackground {
        shared.background[context.job] = context
      } else {
        shared.foreground = [context.job]
      }
      return false
    }
    if isInterrupted { return await fail(context, .cancelled) }
    if context.isBackground {
      board.start(action, context, link: link)
      return CommandEnd(exitCode: 0)
    }
    board.expectEnd(of: context.job)
    board.start(action, context, link: link)
    let code = await waitInForeground(for: [context.job])[0]
    let error = redirects.close(context.job, status: code)
    return board.takeEnd(of: context.job, exitCode: error ?? code)
  }

  /// Waits for jobs that Ctrl-C cancels meanwhile, and gives their codes.
  private func waitInForeground(for jobs: [Int]) async -> [Int32] {
    let isInterrupted = shared.withLock { shared in
      shared.foreground = jobs
      return shared.isInterrupted
    }
    // An interrupt that came before a job began, or before it was waited for, found nothing to
    // cancel.
    if isInterrupted { cancel(jobs) }
    var codes: [Int32] = []
    for job in jobs { codes.append(await board.wait(for: job)) }
    shared.withLock { $0.foreground = [] }
    return codes
  }

  // MARK: Words

  private func expand(_ words: [Word]) throws(UsageError) -> [Argument] {
    let shell = board.store.withState { $0.shell }
    let lastValue = shell.last.flatMap { try? JSON(parsing: $0) }
    var arguments: [Argument] = []
    for word in words {
      try refuseEncodedBody(word, lastValue)
      arguments.append(
        try word.expanded(
          variables: { name in
            if let number = Int(name), number >= 1 {
              return number <= scriptArguments.count ? scriptArguments[number - 1] : nil
            }
            return shell.variables[name]
          },
          last: { path in
            guard let lastValue else { return nil }
            if path.isEmpty { return lastValue }
            guard let path = try? JSONPath(parsing: path) else { return nil }
            return lastValue.value(at: path)
          }))
    }
    return arguments
  }

  /// A body that is no text cannot be put into a line as it is.
  private func refuseEncodedBody(_ word: Word, _ last: JSON?) throws(UsageError) {
    guard let last else { return }
    for case .last(let path, _) in word.segments where EncodedBody.isPart(path, of: last) {
      throw UsageError(
        "the body of the last answer is no text and cannot be put into a line",
        help: "write it to a file with --out FILE, and send that with @FILE", column: word.column,
        length: max(1, word.length), lineOffset: word.lineOffset, code: ExitCode.data)
    }
  }

  /// Options of the program that stood behind the command.
  private func apply(_ globals: OptionValues, to context: inout CommandContext) throws(UsageError) {
    guard !globals.isEmpty else { return }
    let options = try ProgramOptions().applying(globals)
    if let output = options.output { context.output = output }
    if options.verbosity > 0 { context.isVerbose = true }
    if let timeout = options.timeout { context.timeout = max(1, timeout.microseconds / 1000) }
  }

  private func open(_ file: Argument, appends: Bool, _ job: Int) async throws(UsageError)
    -> CommandContext.Redirect
  {
    guard let path = file.text else { throw UsageError("a secret is no file name", at: file) }
    if let failure = await redirects.open(path, appends: appends, job: job) {
      throw UsageError(failure.message, help: failure.help, at: file, code: failure.code)
    }
    return CommandContext.Redirect(file: path, appends: appends)
  }

  /// Opens a file that another command has emptied, for what this one adds.
  private func inherit(_ redirect: CommandContext.Redirect, _ job: Int) async throws(UsageError) {
    if let failure = await redirects.open(redirect.file, appends: true, job: job) {
      throw UsageError(failure.message, help: failure.help, code: failure.code)
    }
  }

  // MARK: Lines that were not understood

  private func reject(_ line: Line, _ error: UsageError, _ prefix: LinePrefix?) async
    -> LineOutcome
  {
    var context = self.context(line, prefix)
    context.name = "line"
    let failure = Failure(error)
    let code = await board.run(.shell(.reject(context: context, failure: failure)), context)
    var outcome = LineOutcome(exitCode: code)
    outcome.failure = failure
    return outcome.applying(prefix)
  }

  private func reject(
    _ error: UsageError, _ context: CommandContext, _ line: Line, _ command: ParsedCommand
  ) async -> CommandEnd {
    var context = context
    if context.name.isEmpty { context.name = command.words.first?.literal ?? "line" }
    return await reject(Failure(error), context)
  }

  /// Ends a command before it begins: a step like any other.
  private func reject(_ failure: Failure, _ context: CommandContext) async -> CommandEnd {
    let code = await board.run(.shell(.reject(context: context, failure: failure)), context)
    return CommandEnd(exitCode: code, failure: failure)
  }

  // MARK: Commands that reach around the store

  /// `nil` for commands that the reducers do alone.
  private func special(_ action: BoardAction, _ context: CommandContext, _ line: Line) async
    -> CommandEnd?
  {
    guard case .shell(.run(_, let command)) = action else { return nil }
    switch command {
    case .wait(let job):
      return await wait(for: job, action, context)
    case .effects:
      let effects = board.store.effects.map {
        EffectLine(
          name: $0.descriptor.name, id: $0.descriptor.id,
          ids: $0.descriptor.ids.count > 1 ? $0.descriptor.ids : nil,
          phase: String(describing: $0.phase), step: $0.step)
      }
      return await perform(
        .shell(.run(context: context, command: .effects(effects: effects))), context)
    case .open(let link): return await follow(link, action, context, line)
    case .source(let path): return await source(path, action, context, line)
    default: return nil
    }
  }

  /// Waits for one background job or for all; the first that failed gives its code. The prefix of a
  /// job's own line decides what a failure is.
  private func wait(
    for job: Int?, _ action: BoardAction, _ context: CommandContext
  ) async -> CommandEnd {
    let running = board.store.withState { $0.shell.running.map(\.job) }
    let known = Set(shared.withLock { $0.background.keys }).union(running)
    if let job, !known.contains(job) {
      return await fail(
        context,
        Failure(
          code: ExitCode.missing, error: "noSuchJob", message: "there is no job \(job)",
          help: "'jobs' lists what runs"))
    }
    let jobs = job.map { [$0] } ?? known.sorted()
    let codes = await waitInForeground(for: jobs)
    // All are judged: what was waited for does not count at the end.
    let failed = zip(jobs, codes).map { judge($0, $1) }.first { $0.exitCode != 0 }
    shared.withLock { $0.message = failed?.message }
    var own = await perform(action, context)
    if let failed { own.exitCode = failed.exitCode }
    return own
  }

  private func follow(
    _ text: String, _ action: BoardAction, _ context: CommandContext, _ line: Line
  ) async -> CommandEnd {
    let link: BoardLink
    do throws(UsageError) {
      link = try BoardLink(parsing: text)
    } catch {
      return await fail(context, Failure(error))
    }
    guard let words = board.features.words(for: link) else {
      return await fail(
        context,
        Failure(
          code: ExitCode.missing, error: "noSuchLink",
          message: "no feature answers the link '\(text)'",
          help: "features: " + board.features.names.joined(separator: ", ")))
    }
    let end = await perform(action, context)
    guard end.exitCode == 0 else { return end }
    var next = self.context(line, nil)
    do throws(UsageError) {
      // In quotes a word is no option, whatever it begins with.
      let match = try board.features.commands.parse(
        words: words.map { Argument(parts: [.text($0)], quoting: .single) })
      next.name = match.name
      next.output = context.output
      next.isBackground = context.isBackground
      if let redirect = context.redirect {
        next.redirect = redirect
        try await inherit(redirect, next.job)
      }
      return await perform(match.output.action(next), next, link: text)
    } catch {
      next.name = "open"
      return await reject(Failure(error), next)
    }
  }

  private func source(
    _ path: String, _ action: BoardAction, _ context: CommandContext, _ line: Line
  ) async -> CommandEnd {
    guard !context.isBackground else {
      return await fail(
        context,
        Failure(
          code: ExitCode.usage, error: "usage",
          message: "'source' runs its lines one after the other and takes no '&'",
          help: "put the '&' behind a line of the file"))
    }
    let depth = shared.withLock { shared -> Int in
      shared.sourceDepth += 1
      return shared.sourceDepth
    }
    defer { shared.withLock { $0.sourceDepth -= 1 } }
    guard depth <= 16 else {
      return await fail(
        context,
        Failure(
          code: ExitCode.usage, error: "usage",
          message: "files that source each other go 16 deep and no deeper: \(path)"))
    }
    let file: DescriptorLineSource
    do throws(LineSourceError) {
      file = try DescriptorLineSource.file(path)
    } catch {
      return await fail(context, Failure(error))
    }
    file.withDescriptor { input.noteScript($0) }
    let end = await perform(action, context)
    guard end.exitCode == 0 else { return end }
    do throws(LineSourceError) {
      let last = Mutex(LineOutcome.success)
      let summary = try await ScriptRunner(source: file, policy: .stopAtFailure).run { line in
        let outcome = await self.run(line, Line(line, self.secrets, false, context.redirect))
        last.withLock { $0 = outcome }
        return outcome
      }
      let outcome = last.withLock { $0 }
      return CommandEnd(
        exitCode: summary.exitCode, value: outcome.value, output: outcome.output,
        failure: outcome.failure)
    } catch {
      return await fail(self.context(line, nil), Failure(error))
    }
  }

  private func fail(_ context: CommandContext, _ failure: Failure) async -> CommandEnd {
    _ = redirects.close(context.job, status: failure.code)
    return await reject(failure, context)
  }
}
