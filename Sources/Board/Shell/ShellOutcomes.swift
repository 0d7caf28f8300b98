import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON

enum ShellOutcomes {
  /// Returns the outcome of an action, or `nil` if it ends no command.
  ///
  /// - Parameter features: The features, whose commands help describes.
  static func outcome(
    of action: ShellAction, in state: BoardState, _ features: FeatureList
  ) -> Outcome? {
    switch action {
    case .run(_, .watch): nil
    case .run(let context, let command):
      outcome(of: command, context.job, in: state, features)
    case .cancelled(let job, _)
    where features.endsCancelled(state, job):
      nil
    case .reject(let context, let failure, _): Outcome(job: context.job, failure: failure)
    case .cancelled(let job, let cause):
      Outcome(job: job, failure: .cancelled(by: cause))
    case .failed(let job, let failure): Outcome(job: job, failure: failure)
    case .watched(let job, let status):
      state.shell.watches?.contains { $0.job == job } == true
        ? nil : ended(job, status, state)
    case .masked, .watchDue, .resized, .continued: nil
    case .diagnosed(let job, let findings):
      diagnosis(findings, job, state, features.program).withMarks
    }
  }

  /// The end of a `watch`, whose rounds have printed all there is. A script that reads JSON looks
  /// for a failure on standard error, and for results alone on standard output.
  private static func ended(_ job: Int, _ status: Int32, _ state: BoardState) -> Outcome {
    if status != 0, state.settings.reportsFailedWatches == true,
      OutcomeContext(state).settings(of: job).output == .json
    {
      return Outcome(
        job: job,
        failure: Failure(
          code: status, error: "roundFailed", message: "the last round of 'watch' has failed"))
    }
    var outcome = Outcome(job: job)
    outcome.status = status
    return outcome
  }

  private static func outcome(
    of command: ShellCommand, _ job: Int, in state: BoardState, _ features: FeatureList
  ) -> Outcome? {
    switch command {
    case .doctor: return nil
    case .echo(let words): return echo(words, job, state)
    case .set(let name, let value):
      var outcome = Outcome(job: job, value: .object([.init(name, .string(value))]))
      outcome.isRemembered = state.settings.setKeepsLast != true
      return outcome
    case .open(_, let isSilent):
      var outcome = Outcome(job: job)
      outcome.hasResult = isSilent != true
      return outcome
    case .unset, .source, .exit, .wait(_, nil), .watch, .unalias:
      return Outcome(job: job)
    case .wait(_, let endless?): return unawaited(endless, job)
    case .assert(let text):
      return assertion(text, job, in: state).noting(state.shell.unloaded, shownBy: command)
    case .state(let path):
      return show(path, job, in: state).noting(state.shell.unloaded, shownBy: command)
    case .help(let words): return help(words, job, state, features)
    case .completions(let shell):
      let program = features.program.name
      return shown(ShellCompletion.script(for: shell, program: program), job, state)
    case .manual:
      return shown(ManualPage(features).text, job, state)
    case .tutorial(let command): return tutorial(command, job, state, features.program)
    case .alias(let name, nil): return aliases(job, state, of: name).withMarks
    case .alias(let name, let line?): return defined(name ?? "", as: line, job, state)
    case .jobs: return jobs(job, state).withMarks
    case .cancel(let wanted): return cancelled(wanted, job, state)
    case .history(_, let first, let lines): return history(lines, from: first, job).withMarks
    case .effects(let effects): return list(effects, job, state)
    }
  }

  private static func echo(_ words: [String], _ job: Int, _ state: BoardState) -> Outcome {
    let text = words.joined(separator: " ")
    let command = state.shell.running.first { $0.job == job }
    let isExact = state.settings.isExact(redirect: command?.redirect)
    let presentation: Presentation =
      // A cell has no line break of its own.
      if state.settings.following(command).output == .csv { .text(text) } else {
        isExact ? .bytes(Array((text + "\n").utf8)) : .text(text + "\n")
      }
    return Outcome(job: job, value: .string(text), presentation: presentation).withMarks
  }

  private static func help(
    _ words: [String], _ job: Int, _ state: BoardState, _ features: FeatureList
  ) -> Outcome {
    do throws(UsageError) {
      let width = state.settings.columns ?? 80
      let topic: String? =
        switch words {
        case ["line"]: LineHelp.text(width)
        case ["shell"]:
          features.shellCommands.overview(width: width) + "\n" + LineHelp.text(width)
        case ["keys"]: KeyHelp.text(width)
        default: nil
        }
      let text =
        if let topic { topic } else {
          try features.commands.help(for: words, besides: LineHelp.pages, width: width)
            + (words.isEmpty ? LineHelp.hint(width) : "")
        }
      // A `nil` in its place would be the JSON `null`.
      var value: JSON?
      if topic == nil { value = try features.commands.helpValue(for: words) }
      var outcome = shown(text, job, state, value: value)
      if case .text(let text) = outcome.presentation {
        outcome.presentation = .styled(HelpText.styled(text))
      }
      return outcome
    } catch {
      return Outcome(job: job, failure: Failure(error))
    }
  }

  // MARK: Aliases

  /// - Parameter name: The alias that is shown, or `nil` for all.
  private static func aliases(_ job: Int, _ state: BoardState, of name: String?) -> Outcome {
    let aliases = (state.shell.aliases ?? [:]).filter { name == nil || $0.key == name }
      .sorted { $0.key < $1.key }
    return Outcome(
      job: job, value: .object(aliases.map { .init($0.key, .string($0.value)) }),
      presentation: .table(
        columns: [Column("alias", isIdentifier: true), Column("stands for", isFolded: true)],
        rows: aliases.map { [$0.key, $0.value] }),
      notes: present("aliases", state, "state shell.aliases"))
  }

  /// The state has the alias unless there was no room for it.
  private static func defined(
    _ name: String, as line: String, _ job: Int, _ state: BoardState
  ) -> Outcome {
    guard state.shell.aliases?[name] != line else { return Outcome(job: job) }
    return Outcome(
      job: job,
      failure: Failure(
        code: ExitCode.data, error: "tooManyAliases",
        message: "there is no room for '\(name)': aliases have at most "
          + "\(ShellState.aliasRoom / 1024) KiB together",
        help: "'unalias NAME' makes room; a long line belongs in a script, for 'source FILE'"))
  }

  // MARK: Jobs, lines and effects

  private static func jobs(_ job: Int, _ state: BoardState) -> Outcome {
    let running = state.shell.running.filter { $0.job != job }
    return Outcome(
      job: job,
      value: .array(
        running.map {
          ["job": JSON($0.job), "command": .string($0.name), "line": .string($0.text)]
        }),
      presentation: .table(
        columns: [
          Column("job", alignment: .right, isIdentifier: true), Column("command"),
          Column("line", isFolded: true),
        ],
        rows: running.map { [String($0.job), $0.name, $0.text] }),
      notes: present("jobs", state, "state shell.running"))
  }

  /// Says why `wait` has ended at once although jobs run.
  private static func unawaited(_ endless: [Int], _ job: Int) -> Outcome {
    let note =
      endless.count == 1
      ? "job \(endless[0]) has no end to wait for; 'cancel \(endless[0])' ends it"
      : "\(endless.count) jobs run, and none has an end to wait for; 'cancel all' ends them"
    return Outcome(job: job, notes: [Outcome.Note(note)])
  }

  private static func cancelled(_ wanted: Int?, _ job: Int, _ state: BoardState) -> Outcome {
    guard let wanted, !state.shell.running.contains(where: { $0.job == wanted }) else {
      return Outcome(job: job)
    }
    return Outcome(job: job, failure: .notRunning(job: wanted))
  }

  private static func history(_ lines: [String], from first: Int, _ job: Int) -> Outcome {
    let numbered = lines.enumerated().map { (number: String(first &+ $0), line: $1) }
    return Outcome(
      job: job,
      value: .array(
        numbered.map {
          ["number": .number($0.number), "line": .string($0.line)]
        }),
      presentation: .table(
        columns: [
          Column("number", alignment: .right, isIdentifier: true), Column("line", isFolded: true),
        ],
        rows: numbered.map { [$0.number, $0.line] }))
  }

  private static func list(_ effects: [EffectLine], _ job: Int, _ state: BoardState) -> Outcome {
    Outcome(
      job: job,
      value: .array(effects.map(json)),
      presentation: .table(
        columns: [
          Column("effect"), Column("id"), Column("phase"),
          Column("step", alignment: .right, isIdentifier: true),
        ],
        rows: effects.map {
          [$0.name, $0.ids?.joined(separator: ", ") ?? $0.id ?? "", $0.phase, String($0.step)]
        }),
      notes: present("effects", state, "session timeline"))
  }

  /// Says of what is listed as it is now that it is not that of the earlier step that is shown.
  private static func present(
    _ what: String, _ state: BoardState, _ past: String
  ) -> [Outcome.Note] {
    guard let position = state.session.position else { return [] }
    return ["these are the \(what) of now; '\(past)' has those of step \(position.step)"]
  }

  private static func diagnosis(
    _ findings: [DoctorFinding], _ job: Int, _ state: BoardState, _ program: ProgramName
  ) -> Outcome {
    let services = "\(state.settings.environment.rawValue) services"
    let findings =
      [
        DoctorFinding(
          InstallationFinding(
            program.name,
            program.version.isEmpty ? services : "\(program.version), \(services)"))
      ] + findings
    let value = JSON.array(
      findings.map { finding in
        [
          "subject": .string(finding.subject), "state": .string(finding.state.rawValue),
          "text": .string(finding.text), "advice": JSON(finding.advice),
        ]
      })
    let table = Presentation.table(
      columns: [
        // Where they do not fit, records are easier to read than a part of them.
        Column("subject", isIdentifier: true), Column("state", isIdentifier: true),
        Column("found", isFolded: true, isIdentifier: true),
      ],
      rows: findings.map { [$0.subject, $0.state.rawValue, $0.text] })
    // The most urgent advice comes first.
    let notes = ([.problem, .note, .good] as [InstallationFinding.State]).flatMap { state in
      findings.filter { $0.state == state }.compactMap { finding in
        finding.advice.map { Outcome.Note("\(finding.subject): \($0)") }
      }
    }
    let problems = findings.count { $0.state == .problem }
    guard problems > 0 else {
      return Outcome(job: job, value: value, presentation: table, notes: notes)
    }
    return Outcome(
      job: job,
      failure: Failure(
        code: ExitCode.no, error: "problems",
        message: problems == 1 ? "1 problem" : "\(problems) problems"),
      value: value, presentation: table, notes: notes)
  }

  private static func tutorial(
    _ command: TutorialCommand?, _ job: Int, _ state: BoardState, _ program: ProgramName
  ) -> Outcome {
    if command == .next, state.shell.tutorial == nil {
      return shown("the tutorial is not running\n", job, state)
    }
    guard let lesson = state.shell.tutorial else {
      // Whether it was running before is not in the state.
      if command == .stop { return shown("the tutorial is not running now\n", job, state) }
      return Outcome(
        job: job,
        failure: Failure(
          code: ExitCode.usage, error: "usage", message: "the tutorial uses sample data",
          help: "run '\(program.name) --environment preview' and type 'tutorial' there"))
    }
    let start = lesson == 0 && command != .next ? Tutorial.start : ""
    // Beyond its end, which 'next' shows, the state goes on counting.
    let isOver = lesson > Tutorial.lessons.count - (command == .next ? 0 : 1)
    let text = start + (isOver ? Tutorial.over : Tutorial.text(of: lesson)) + "\n"
    let wrapped =
      state.settings.columns.map { StyledText(text).wrapped(to: $0) } ?? StyledText(text)
    return shown(
      String(decoding: wrapped.bytes, as: UTF8.self), job, state, value: .string(text))
  }

  /// A text of the program itself, which does not become `{{last}}`.
  private static func shown(
    _ text: String, _ job: Int, _ state: BoardState, value: JSON? = nil
  ) -> Outcome {
    let shown = OutcomeContext(state).isASCII(job) ? HelpText.ascii(text) : text
    let text = state.settings.isASCII ? shown : text
    var outcome = Outcome(job: job, value: value ?? .string(text), presentation: .text(shown))
    outcome.isRemembered = false
    return outcome
  }

  private static func json(_ effect: EffectLine) -> JSON {
    var members: [JSON.Member] = [
      .init("name", .string(effect.name)), .init("id", JSON(effect.id)),
    ]
    if let ids = effect.ids { members.append(.init("ids", .array(ids.map(JSON.string)))) }
    members += [
      .init("phase", .string(effect.phase)), .init("step", JSON(effect.step)),
    ]
    return .object(members)
  }

  private static func assertion(_ text: String, _ job: Int, in state: BoardState) -> Outcome {
    do {
      let condition = try JSONCondition(parsing: text)
      let json = try StateJSON.of(state, askedBy: job)
      if condition.holds(for: json) { return Outcome(job: job, value: .bool(true)) }
      return Outcome(job: job, failure: .assertion(text, condition.unmet(in: json)))
    } catch {
      return Outcome(job: job, failure: Failure(any: error))
    }
  }

  private static func show(_ path: String?, _ job: Int, in state: BoardState) -> Outcome {
    do {
      var json = try StateJSON.of(state, askedBy: job)
      if let path {
        guard let value = json.value(at: try JSONPath(parsing: path)) else {
          return Outcome(
            job: job,
            failure: Failure(
              code: ExitCode.missing, error: "noSuchPath",
              message: "the state has nothing at '\(path)'",
              help: "'state' without a path shows the whole"))
        }
        json = value
      }
      return Outcome(job: job, value: json, presentation: .json(json)).withMarks
    } catch {
      return Outcome(job: job, failure: Failure(any: error))
    }
  }
}

extension Outcome {
  /// Adds what is missing of the state that a command shows.
  fileprivate func noting(_ unloaded: [StateLoadFailure]?, shownBy command: ShellCommand) -> Outcome
  {
    guard let unloaded, let shown = FeaturesReadByCommand(of: command) else { return self }
    var outcome = self
    outcome.notes += unloaded.filter { shown.contains($0.feature) }.map {
      .warning("not all of the state was loaded: \($0.feature): \($0.message)")
    }
    return outcome
  }
}

/// The state as JSON, in the form used by recordings.
enum StateJSON {
  static func of(_ state: BoardState, askedBy job: Int) throws -> JSON {
    var state = state
    // Exclude the line that asks from the result, both while it runs and after its end was noted.
    if let found = state.shell.finished?.found {
      state.shell.lastStatus = found.lastStatus
      state.shell.last = found.last
    }
    state.shell.running.removeAll { $0.job == job }
    state.shell.finished = nil
    return try JSON(parsing: CanonicalEncoder.encode(state))
  }

  /// Returns an earlier state for differences and conditions. It omits the command that the step
  /// ended, which differs from step to step; `session state` shows the whole.
  static func past(_ state: BoardState) throws -> JSON {
    var state = state
    state.shell.finished = nil
    return try JSON(parsing: CanonicalEncoder.encode(state))
  }
}
