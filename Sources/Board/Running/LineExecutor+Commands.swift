import SwiftBoardCommandLine
import SwiftBoardStore
import Synchronization

/// The commands that the executor runs itself, because they work outside the store: they wait for
/// other commands, inspect effects, or run other lines.
extension LineExecutor {
  /// Runs a command, or returns `nil` if the reducers run it alone.
  func special(_ action: BoardAction, _ context: CommandContext, _ line: Line) async
    -> CommandEnd?
  {
    guard case .shell(.run(_, let command)) = action else { return nil }
    switch command {
    case .wait(let job, _):
      return await timed(context) { await wait(for: job, $0, line) }
    case .cancel(let job?) where job == context.job:
      // The number is that of the command itself, which cannot end itself.
      return await fail(context, .notRunning(job: job))
    case .cancel(let job?):
      let end = await perform(action, context, line)
      if end.exitCode == 0 { cancelRound(of: job) }
      return end
    case .effects:
      let effects = board.store.effects.map {
        EffectLine(
          name: $0.descriptor.name, id: $0.descriptor.id,
          ids: $0.descriptor.ids.count > 1 ? $0.descriptor.ids : nil,
          phase: String(describing: $0.phase), step: $0.step)
      }
      return await perform(
        .shell(.run(context: context, command: .effects(effects: effects))), context, line)
    case .history(let count, _, _):
      let lines = history.withLock { $0 }()
      let shown = lines.suffix(count).map { board.redactor.mask($0).value }
      return await perform(
        .shell(
          .run(
            context: context,
            command: .history(
              count: count, first: lines.count - shown.count + 1, lines: Array(shown)))),
        context, line)
    case .open(let link, _): return await follow(link, command, context, line)
    case .source(let path, let arguments):
      return await timed(context) {
        await source(path, arguments, .shell(.run(context: $0, command: command)), $0, line)
      }
    case .alias(let name?, nil), .unalias(let name):
      let aliases = board.store.withState { $0.shell.aliases } ?? [:]
      guard aliases[name] == nil else { return nil }
      return await fail(context, .noSuchAlias(name, among: aliases.keys.sorted()))
    case .exit where line.outer == nil && !context.isBackground:
      guard let running = leaving.withLock({ $0 })?.ask() else { return nil }
      return await fail(
        context,
        Failure(
          code: ExitCode.no, error: "jobsRunning", message: running,
          help: "'exit' again, or Ctrl-D, cancels and leaves; 'wait' waits"))
    case .watch(let watch): return await self.watch(watch, action, context, line)
    default: return nil
    }
  }

  /// Runs a command that does not last from the beginning of its step to the end. The prefix `time`
  /// is its own and not that of the step.
  private func timed(
    _ context: CommandContext, _ run: (CommandContext) async -> CommandEnd
  ) async -> CommandEnd {
    guard context.prefix == .time else { return await run(context) }
    var untimed = context
    untimed.prefix = nil
    let clock = board.dependencies.clock
    let start = clock.now
    let end = await run(untimed)
    board.printTime((clock.now - start) / 1000, of: context)
    return end
  }

  /// Waits for one background job or for all. The exit code is that of the first one that failed.
  /// The prefix of a job's own line defines failure.
  private func wait(
    for job: Int?, _ context: CommandContext, _ line: Line
  ) async -> CommandEnd {
    let running = board.store.withState { $0.shell.running }
    let known = Set(jobs.background).union(running.map(\.job))
    // Without a number, it waits for what ends. A round of `watch` ends with it.
    let rounds = running.filter { $0.round != nil }.map(\.job)
    let ending = known.subtracting(jobs.endless).subtracting(rounds)
    if let job, !known.contains(job) {
      return await fail(
        context,
        Failure(
          code: ExitCode.missing, error: "noSuchJob", message: "there is no job \(job)",
          help: "'jobs' lists what runs"))
    }
    let awaited = job.map { [$0] } ?? ending.sorted()
    guard let codes = await jobs.waitForBackground(awaited, in: line.id) else {
      return await fail(context, .cancelled)
    }
    // Judge all jobs, so that the ones that were waited for do not count at the end.
    let ends = zip(awaited, codes).map { (job: $0, outcome: jobs.judge($0, $1)) }
    let failed = ends.filter { $0.outcome.exitCode != 0 }
    guard let first = failed.first else {
      let endless =
        awaited.isEmpty
        ? Set(running.map(\.job)).intersection(jobs.endlessInBackground).subtracting(rounds) : []
      let command = ShellCommand.wait(job: job, endless: endless.isEmpty ? nil : endless.sorted())
      return await perform(.shell(.run(context: context, command: command)), context, line)
    }
    return await fail(
      context,
      Failure(
        code: first.outcome.exitCode, error: "jobFailed", message: Self.message(about: failed)))
  }

  /// Names all jobs that failed, those that ended alike together.
  private static func message(about failed: [(job: Int, outcome: LineOutcome)]) -> String {
    var texts = failed.compactMap(\.outcome.message)
    let unnamed = failed.filter { $0.outcome.message == nil }
    let groups = [
      (unnamed.filter { $0.outcome.exitCode == ExitCode.interrupted }, "was", "were", " cancelled"),
      (unnamed.filter { $0.outcome.exitCode != ExitCode.interrupted }, "has", "have", " failed"),
    ]
    for (jobs, one, several, end) in groups where !jobs.isEmpty {
      let numbers = jobs.map { String($0.job) }
      let last = numbers[numbers.count - 1]
      texts.append(
        numbers.count == 1
          ? "job \(last) \(one)\(end)"
          : "jobs \(numbers.dropLast().joined(separator: ", ")) and \(last) \(several)\(end)")
    }
    return texts.joined(separator: "; ")
  }

  /// Runs the command of a link. The prefix of the line applies to this command, and not to the
  /// step of `open`, which succeeds before it.
  private func follow(
    _ text: String, _ open: ShellCommand, _ context: CommandContext, _ line: Line
  ) async -> CommandEnd {
    let link: BoardLink
    do throws(UsageError) {
      link = try BoardLink(parsing: text)
    } catch {
      return await fail(context, Failure(error))
    }
    guard let words = board.features.words(for: link) else {
      return await fail(context, .noSuchLink(text, to: link.feature, board.features))
    }
    var next = self.context(line, context.prefix)
    next.round = context.round
    redirects.give(context.job, to: next.job)
    var opening = context
    opening.prefix = nil
    let end = await perform(.shell(.run(context: opening, command: open)), opening, line)
    guard end.exitCode == 0 else {
      _ = redirects.close(next.job, status: end.exitCode)
      return end
    }
    do throws(UsageError) {
      // No word of a link is an option, even if it begins with a hyphen.
      let match = try board.features.commands.parse(
        words: words.map { Argument(parts: [.text($0)], quoting: .data) })
      next.name = match.name
      next.takeOptions(of: context)
      next.isBackground = context.isBackground
      next.redirect = context.redirect
      return await perform(match.output.action(next), next, line, link: text)
    } catch {
      next.name = "open"
      _ = redirects.close(next.job, status: ExitCode.usage)
      return await reject(Failure(error), next)
    }
  }

  private func source(
    _ path: String, _ arguments: [String]?, _ action: BoardAction, _ context: CommandContext,
    _ line: Line
  ) async -> CommandEnd {
    if let refusal = refusalOfSource(path, context, line) { return await fail(context, refusal) }
    let file: DescriptorLineSource
    do throws(LineSourceError) {
      file = try await jobs.wait(in: line.id) { () async throws(LineSourceError) in
        try await DescriptorLineSource.file(path)
      }
    } catch {
      return await fail(context, Failure(error))
    }
    file.withDescriptor { input.noteScript($0) }
    // The command ends before its lines run, which write into its file. No job has this number.
    var outer = context
    outer.job = -context.job
    redirects.give(context.job, to: outer.job)
    let end = await perform(action, context, line)
    guard end.exitCode == 0 else {
      _ = redirects.close(outer.job, status: end.exitCode)
      return end
    }
    do throws(LineSourceError) {
      let (exitCode, outcome) = try await runLines(of: file, arguments, outer, line)
      if let failure = redirects.close(outer.job, status: exitCode) {
        return await fail(self.context(line, nil), failure)
      }
      return CommandEnd(
        exitCode: exitCode, value: outcome.value, output: outcome.output,
        message: outcome.message, failure: exitCode == 0 ? nil : outcome.failure)
    } catch {
      _ = redirects.close(outer.job, status: ExitCode.io)
      return await fail(self.context(line, nil), Failure(error))
    }
  }

  /// Returns why a file cannot be sourced here, or `nil` if it can.
  private func refusalOfSource(
    _ path: String, _ context: CommandContext, _ line: Line
  ) -> Failure? {
    if context.isBackground {
      return Failure(
        code: ExitCode.usage, error: "usage",
        message: "'source' runs its lines one after the other and takes no '&'",
        help: "put the '&' behind a line of the file")
    }
    if let error = input.refusal(ofLinesFrom: path) { return Failure(error) }
    guard line.depth >= 16 else { return nil }
    return Failure(
      code: ExitCode.usage, error: "usage",
      message: "files that source each other go 16 deep and no deeper: \(path)")
  }

  /// Runs the lines of a sourced file.
  ///
  /// - Parameters:
  ///   - arguments: The values of `$1` and so on, or `nil` for those of the command's line.
  ///   - outer: The command that sources it.
  ///   - sourcing: The line of the command.
  /// - Returns: The exit code, and the outcome for the file: the first failure, or else the last
  ///   outcome.
  private func runLines(
    of file: DescriptorLineSource, _ arguments: [String]?, _ outer: CommandContext,
    _ sourcing: Line
  ) async throws(LineSourceError) -> (exitCode: Int32, LineOutcome) {
    let counted = Mutex(LineOutcome.success)
    let policy: ScriptRunner.Policy = keepsGoing ? .keepGoing : .stopAtFailure
    let lines = SourcedLines(file: file, jobs: jobs, line: sourcing.id)
    let summary = try await ScriptRunner(source: lines, policy: policy).run { [self] line in
      var inner = Line(
        withoutAliases(line), secrets, false, sourcing.id, knownCount: redactor.count,
        arguments: arguments ?? sourcing.arguments)
      (inner.outer, inner.depth) = (outer, sourcing.depth + 1)
      if let echo = sourcedLines.withLock({ $0.echo }) {
        await learnSecrets()
        echo(line, self, outer)
      }
      var outcome = await run(line, inner)
      // An interrupt ends the file, regardless of its failure policy.
      if outcome.isInterrupted { outcome.stop = true }
      if outcome.message != nil, let report = sourcedLines.withLock({ $0.report }) {
        report(outcome, line, outer)
        outcome.message = nil
      }
      counted.withLock { if $0.exitCode == 0 || outcome.stop { $0 = outcome } }
      return outcome
    }
    return (summary.exitCode, counted.withLock { $0 })
  }
}

/// The lines of a sourced file. An interrupt of the line that sources it ends a wait for them.
private struct SourcedLines: LineSource {
  let file: DescriptorLineSource
  let jobs: JobControl
  let line: JobControl.LineID

  func next(isContinuation: Bool) async throws(LineSourceError) -> NextLine {
    try await jobs.wait(in: line) { [file] () async throws(LineSourceError) in
      try await file.next(isContinuation: isContinuation)
    }
  }
}

extension Failure {
  fileprivate static func noSuchLink(
    _ text: String, to feature: String, _ features: FeatureList
  ) -> Failure {
    let isKnown = features.names.contains(feature)
    return Failure(
      code: ExitCode.missing, error: "noSuchLink",
      message: isKnown
        ? "'\(feature)' has no link '\(text)'" : "no feature answers the link '\(text)'",
      help: isKnown
        ? features.linkHosts.contains(feature)
          ? "'open swiftboard://\(feature)' is one; 'help \(feature)' lists the commands"
          : "'help \(feature)' lists the commands"
        : "features: " + features.linkHosts.joined(separator: ", "))
  }

  fileprivate static func noSuchAlias(_ name: String, among names: [String]) -> Failure {
    let nearest = Suggestion.nearest(to: name, among: names)
    return Failure(
      code: ExitCode.missing, error: "noSuchAlias", message: "there is no alias '\(name)'",
      help: nearest.map { "did you mean '\($0)'?" } ?? "'alias' lists them")
  }
}
