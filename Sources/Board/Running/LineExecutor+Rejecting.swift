import SwiftBoardCommandLine

/// The options and the file of a command, and the ends of commands that do not start.
extension LineExecutor {
  /// Applies what a command and the program options behind it say about how it runs.
  func apply(
    _ match: CommandMatch<BoardCommand>, to context: inout CommandContext
  ) throws(UsageError) {
    let globals = match.globals
    guard !globals.isEmpty else { return }
    let options = try ProgramOptions().applying(globals)
    if let output = options.output { context.output = output }
    if options.isQuiet { context.isQuiet = true }
    if options.ascii == true { context.isASCII = true }
    if let checks = options.checkStatus { context.checksStatus = checks }
    if let color = options.color { context.color = color }
    if options.usesPager == false { context.usesPager = false }
    if let timeout = options.timeout { context.timeout = timeout.microseconds / 1000 }
  }

  /// Opens the file that a command writes to. Returns the failure if that is not possible.
  func open(
    _ file: Argument, appends: Bool, _ context: inout CommandContext, _ line: Line
  ) async throws(UsageError) -> Failure? {
    guard let path = file.expandingHome().text else {
      throw UsageError("a secret is not a file name", at: file)
    }
    if path.isEmpty { throw UsageError("the name of a file is empty", at: file) }
    // The '&' is there so that the next line is not held up.
    let (job, waits) = (context.job, !context.isBackground)
    let failure = await jobs.wait(in: line.id) { [redirects] () async throws(Never) in
      await redirects.open(path, appends: appends, job: job, waits: waits)
    }
    if let failure { return failure.at(file) }
    context.redirect = CommandContext.Redirect(file: path, appends: appends)
    return nil
  }

  /// Lets the output of a command go into the file of the command that runs it, if it has one.
  func borrowOutput(of outer: CommandContext, for context: inout CommandContext) {
    guard let redirect = outer.redirect else { return }
    context.redirect = redirect
    redirects.lend(outer.job, to: context.job)
  }

  func reject(
    _ script: ScriptLine, _ line: Line, _ error: UsageError, _ prefix: LinePrefix?
  ) async -> LineOutcome {
    var context = self.context(line, prefix)
    context.name = "line"
    if ProgramOptions.askForJSON(in: script) { context.output = .json }
    let failure = Failure(error)
    let code = await board.run(.shell(.reject(context: context, failure: failure)), context)
    var outcome = LineOutcome(exitCode: code)
    outcome.failure = failure
    return outcome.applying(prefix)
  }

  func reject(
    _ error: UsageError, _ context: CommandContext, _ line: Line, _ command: ParsedCommand
  ) async -> CommandEnd {
    var context = context
    if context.name.isEmpty { context.name = command.words.first?.literal ?? "line" }
    // The options of a command that is not understood have not been applied.
    if ProgramOptions.askForJSON(command.words) { context.output = .json }
    return await reject(Failure(error), context)
  }

  /// Ends a command before it starts. This is a step too.
  ///
  /// - Parameter earlier: The last value from before a command whose output was lost.
  func reject(
    _ failure: Failure, _ context: CommandContext, _ earlier: EarlierLast? = nil
  ) async -> CommandEnd {
    let code = await board.run(
      .shell(.reject(context: context, failure: failure, earlier: earlier)), context)
    return CommandEnd(exitCode: code, failure: failure)
  }

  func fail(_ context: CommandContext, _ failure: Failure) async -> CommandEnd {
    _ = redirects.close(context.job, status: failure.code)
    return await reject(failure, context)
  }
}
