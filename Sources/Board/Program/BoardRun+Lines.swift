import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardSystem

/// Where the lines come from, and what happens around each of them.
extension BoardRun {
  /// Opens the script of `-f` before anything is recorded, as a script that cannot be opened leaves
  /// no recording. Returns `nil` if there is none, or if it is a pipe that may be read, for whose
  /// writer only `runLines` waits.
  func openScript() async throws(LineSourceError) -> DescriptorLineSource? {
    guard case .script(let path, _) = options.mode, path != "-" else { return nil }
    if FileInfo(path)?.isPipe == true, access(path, R_OK) == 0 { return nil }
    return try await .file(path)
  }

  /// Runs the lines to their end.
  ///
  /// - Parameter script: The script, if it is open.
  func runLines(
    _ board: Board, _ session: LineExecutor, _ reader: PlainLineReader,
    _ script: DescriptorLineSource?
  ) async -> Int32 {
    let source: any LineSource
    switch options.mode {
    case .oneShot(let words):
      var line = ScriptLine(
        text: LineParser.literalText(words), location: LineLocation(nil, line: 1),
        parsed: LineParser.parse(literal: words, isQuoted: options.hasEndedOptions))
      line.words = words
      await session.learnSecrets()
      echo(line, session)
      // Behind '--' a word is quoted, which literal words are not.
      return await run(line, session, isLiteral: !options.hasEndedOptions).exitCode
    case .lines(let lines): source = ListLineSource(lines, file: "-c")
    case .script("-", _): source = DescriptorLineSource.standardInput()
    case .script(let path, _):
      do throws(LineSourceError) {
        source = if let script { script } else { try await DescriptorLineSource.file(path) }
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
          guard !signalEnd.hasBegun, editor?.isFinished != true, let running = leaving?.ask()
          else { return true }
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
        // A signal has ended the program while the line was typed.
        if editor?.isFinished == true { return LineOutcome(exitCode: 0, stop: true) }
        if isInteractive { output.noteTypedLine() }
        await session.learnSecrets()
        if let reason = editor?.remember(line.text, isKept: session.mayKeep(line)) {
          note(
            "the history cannot be written (\(paths.history)): \(reason); lines of this session "
              + "are not kept", isWarning: true)
        }
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
  ///
  /// - Parameter source: The command that runs the line, if one does.
  func echo(
    _ line: ScriptLine, _ session: LineExecutor, runBy source: CommandContext? = nil
  ) {
    guard options.echo == true else { return }
    note(
      "+ \(session.shown(line))", line: line.location.line, .faint, wraps: false, runBy: source)
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
      echo(line, session)
      var outcome = await run(line, session)
      isInterrupted = outcome.isInterrupted
      if isInterrupted { outcome.stop = true }
      return outcome
    }
    guard let summary, summary.didStop, !isInterrupted else { return nil }
    return summary.exitCode
  }
}
