import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardSystem

/// The output of a board as a function of its steps alone. The same steps print the same output,
/// live and in a replay.
///
/// Secrets are the exception. Revealed ones go directly to the terminal in a live run and are not
/// printed again; a replay prints their marks. A live run shows the line of a failure without a
/// secret that has become known since it was typed.
public struct BoardRenderer: Sendable {
  private let features: FeatureList
  private let isReplay: Bool
  private let redactor: Redactor?
  /// The start times of running commands, in the time of steps.
  private var begun: [Int: Int64] = [:]
  private var started = StartedCommands()
  /// The commands that have begun and not ended. A state of before, which a fork takes, may have
  /// others.
  private var unended: Set<Int> = []
  /// The running commands that have printed rows.
  private var streams: [Int: RowStream] = [:]

  /// Creates a renderer before the first step.
  ///
  /// - Parameters:
  ///   - features: The features of the board.
  ///   - isReplay: Whether to print revealed secrets as their marks.
  public init(_ features: FeatureList, isReplay: Bool) {
    self.init(features, isReplay: isReplay, redactor: nil)
  }

  /// - Parameter redactor: The redactor with the secrets that are not shown in a command's line. A
  ///   line that unlocks the keychain may contain one.
  init(_ features: FeatureList, isReplay: Bool, redactor: Redactor?) {
    self.features = features
    self.isReplay = isReplay
    self.redactor = redactor
  }

  /// Discards the start times of running commands. A recording that starts now does not contain
  /// them, and its replay must print the same output.
  mutating func forgetBeginnings() {
    begun = [:]
    streams = [:]
    started = StartedCommands()
  }

  /// Returns the output of a step.
  ///
  /// - Parameters:
  ///   - action: The action of the step.
  ///   - state: The state after the step.
  ///   - t: The time of the step in microseconds from any origin.
  public mutating func outputs(of action: BoardAction, in state: BoardState, at t: Int64)
    -> [BoardOutput]
  {
    guard let context = action.started else {
      return outputsAfterStart(of: action, in: state, at: t)
    }
    begun[context.job] = t
    unended.insert(context.job)
    started.note(context)
    var outputs: [BoardOutput] = []
    if announces(context, state) {
      let text = escapeControls(String(shownText(of: context).firstPhysicalLine))
      outputs.append(
        BoardOutput(stream: .standardError, content: "[\(context.job)] \(text)\n", job: 0))
    }
    // Some commands end in the step in which they start.
    return outputs + outputsAfterStart(of: action, in: state, at: t)
  }

  private mutating func outputsAfterStart(
    of action: BoardAction, in state: BoardState, at t: Int64
  ) -> [BoardOutput] {
    if case .session(let action) = action, let output = part(of: action, in: state) {
      return [output]
    }
    if let part = features.partialOutcome(of: action) { return outputs(of: part, in: state) }
    guard let finished = state.shell.finished, let outcome = finished.outcome else { return [] }
    let context = finished.context
    let milliseconds = begun.removeValue(forKey: context.job).map { (t - $0) / 1000 } ?? 0
    let hasEndedBefore = unended.remove(context.job) == nil
    let settings = state.settings.following(context)

    func errorOutputs(_ messages: [Message]) -> [BoardOutput] {
      messages.flatMap { message in
        var outputs = Self.output(.standardError, message.text, outcome.marks, context, state)
        for index in outputs.indices { outputs[index].display.wraps = message.wraps }
        return outputs
      }
    }

    let left = leftOut(outcome, context, state)
    var all = errorOutputs(Self.messages(before: outcome, context, settings))
    if let result = result(outcome, context, state, milliseconds) {
      all += Self.output(.standardOutput, result, outcome.marks, context, state)
    }
    // A round in the background ends with its `watch`, which has the note.
    if hasEndedBefore, !context.isBackground || context.round == nil,
      outcome.failure == .cancelled(by: Failure.fork)
    {
      all += errorOutputs(left + [Self.unfinished(context, settings)].compactMap(\.self))
    } else {
      all += errorOutputs(left + messages(after: outcome, context, state, milliseconds))
    }
    if all.isEmpty, outcome.hasResult, let round = Self.shownRound(of: context, settings) {
      // A round without output takes away what the one before it has shown. One that follows a link
      // is shown by the command of the link.
      var nothing = BoardOutput(stream: .standardOutput, content: "", job: context.job)
      nothing.display.round = round
      return [nothing]
    }
    return all
  }

  /// A text for standard error.
  private struct Message {
    var text: StyledText
    var wraps = true
  }

  /// Returns the details and notes of a command, which precede its result.
  private static func messages(
    before outcome: Outcome, _ context: CommandContext, _ settings: BoardSettings
  ) -> [Message] {
    var messages: [Message] = []
    if settings.isVerbose, !settings.isQuiet, settings.output != .json {
      // What is sent and received is shown as it is.
      messages += outcome.details.map {
        Message(text: visible(StyledText($0), settings), wraps: false)
      }
    }
    for note in outcome.notes {
      guard let text = text(of: note, context, settings) else { continue }
      messages.append(Message(text: text, wraps: settings.output != .json))
    }
    return messages
  }

  /// Returns a note about the columns that a terminal has no room for, or nothing. Call it before
  /// the rows of the command end.
  private func leftOut(
    _ outcome: Outcome, _ context: CommandContext, _ state: BoardState
  ) -> [Message] {
    let columns =
      streams[context.job]?.hiddenColumns
      ?? formatter(context, state).hiddenColumns(of: outcome.presentation)
    guard !columns.isEmpty, !state.settings.following(context).isQuiet else { return [] }
    let text = "left out: \(columns.joined(separator: ", ")); --plain shows all columns\n"
    return [Message(text: StyledText(text, .faint))]
  }

  /// Returns the result of a command, or the end of its rows, or `nil` if there is nothing left to
  /// print.
  private mutating func result(
    _ outcome: Outcome, _ context: CommandContext, _ state: BoardState, _ milliseconds: Int64
  ) -> StyledText? {
    let formatter = formatter(context, state)
    if let rows = streams.removeValue(forKey: context.job)
      ?? (Self.writesLines(context, formatter.format)
        ? nil : begunStream(of: context, formatter, after: 0))
    {
      return StyledText(
        rows.end(
          milliseconds: Int(milliseconds), isOK: outcome.status == 0,
          failure: outcome.failure?.members ?? []))
    }
    guard outcome.hasResult, isReplay || !outcome.isWrittenAlready,
      formatter.format != .json || outcome.failure == nil
    else { return nil }
    return formatter.render(
      line: context.line, command: context.name, presentation: outcome.presentation,
      value: outcome.selectedValue ?? outcome.value, milliseconds: Int(milliseconds),
      isOK: outcome.status == 0)
  }

  /// Returns the end of a command and what follows its result.
  private func messages(
    after outcome: Outcome, _ context: CommandContext, _ state: BoardState, _ milliseconds: Int64
  ) -> [Message] {
    let settings = state.settings.following(context)
    let isJSON = settings.output == .json
    var messages: [Message] = []
    // A round that is cancelled with its `watch` says no more than that one.
    let endsWithWatch =
      context.isBackground && outcome.failure?.isCancellation == true
      && context.round.map { state.shell.isDue($0) == nil } == true
    let failure = endsWithWatch ? nil : outcome.failure
    if let failure, context.isBackground,
      isJSON ? failure.isCancelledAtEnd : failure.isCancellation
    {
      // What was asked for is not a mistake of the line.
      let text = "\(failure.message): \(Self.words(of: context))"
      messages.append(
        isJSON
          ? Message(
            text: NoteReport.json("job \(context.job): \(text)", line: context.line), wraps: false)
          : Message(text: StyledText("[\(context.job)] \(text)\n")))
    } else if let failure {
      let report = report(failure, outcome.value, context, state)
      messages.append(Message(text: formatter(context, state).render(report), wraps: !isJSON))
    } else if announces(context, state) {
      // A success that the line must not have is its failure, which a later line counts.
      let end = context.prefix == .mustFail ? "succeeded, and should have failed" : "done"
      let text = "[\(context.job)] \(end): \(Self.words(of: context))\n"
      messages.append(Message(text: StyledText(text)))
    }
    if let text = outcome.afterword, !settings.isQuiet, !isJSON {
      messages.append(Message(text: StyledText(text + "\n")))
    }
    if context.prefix == .time { messages.append(Self.time(milliseconds, of: context, settings)) }
    return messages
  }

  /// Returns a note about a command that a fork's step is inside, and that has ended here before.
  /// Its end in the fork is no failure of the line that forks.
  private static func unfinished(
    _ context: CommandContext, _ settings: BoardSettings
  ) -> Message? {
    guard !settings.isQuiet else { return nil }
    let text = "'\(words(of: context))' was running at this step, and does not go on in the fork"
    return settings.output == .json
      ? Message(text: NoteReport.json(text, line: context.line), wraps: false)
      : Message(text: StyledText(text + "\n"))
  }

  private static func time(
    _ milliseconds: Int64, of context: CommandContext, _ settings: BoardSettings
  ) -> Message {
    let text = "time: \(milliseconds) ms"
    return settings.output == .json
      ? Message(text: NoteReport.json(text, line: context.line), wraps: false)
      : Message(text: StyledText(text + "\n"))
  }

  /// Returns the output of the time of a command that its steps do not tell.
  static func outputs(
    ofTime milliseconds: Int64, of context: CommandContext, in state: BoardState
  ) -> [BoardOutput] {
    let message = time(milliseconds, of: context, state.settings.following(context))
    var outputs = output(.standardError, message.text, .all, context, state)
    for index in outputs.indices { outputs[index].display.wraps = message.wraps }
    return outputs
  }

  /// Returns the text of a note, or `nil` if it is not printed: in JSON, the value has all but
  /// warnings.
  private static func text(
    of note: Outcome.Note, _ context: CommandContext, _ settings: BoardSettings
  ) -> StyledText? {
    guard note.kind == .warning || !settings.isQuiet && settings.output != .json else { return nil }
    guard settings.output == .json else { return visible(note.line, settings) }
    return NoteReport.json(note.text.text, line: context.line, isWarning: true)
  }

  /// Returns the text of one line: breaks in the names that it contains are escaped, and in ASCII
  /// also what stands for bytes of a file that are not UTF-8.
  private static func visible(_ text: StyledText, _ settings: BoardSettings) -> StyledText {
    text.mapParts {
      let text = escapeControls(String(decoding: $0, as: UTF8.self))
      return Array((settings.isASCII ? escapeReplacements(text) : text).utf8)
    } + "\n"
  }

  /// Whether the start and the end of a command are reported: those of background commands, at a
  /// terminal.
  private func announces(_ context: CommandContext, _ state: BoardState) -> Bool {
    let settings = state.settings.following(context)
    return context.isBackground && context.round == nil && settings.isTerminal == true
      && !settings.isQuiet
      && settings.output != .json
  }

  private static func words(of context: CommandContext) -> String {
    context.name.replacing(".", with: " ")
  }

  /// Returns the output of a step on one stream, or nothing if there are no bytes.
  private static func output(
    _ stream: BoardOutput.Stream, _ content: StyledText, _ marks: Outcome.Marks,
    _ context: CommandContext, _ state: BoardState
  ) -> [BoardOutput] {
    guard !content.isEmpty else { return [] }
    // Text on standard error comes from this program. A result may be data that contains the text
    // of a mark.
    let marks = stream == .standardError ? .all : marks
    let settings = state.settings.following(context)
    let redirect = stream == .standardOutput ? context.redirect : nil
    let isExact = !settings.isASCII && redirect == nil || settings.followsEarlierRules
    var output = BoardOutput(
      stream: stream, content: isExact ? content : content.mapParts { marks.written(Array($0)) },
      redirect: redirect, job: context.job)
    output.display.mayPage =
      stream == .standardOutput && context.usesPager != false && !context.isBackground
      && context.source == nil && settings.output != .json
    output.display.color = context.color
    output.display.round = shownRound(of: context, settings)
    if stream == .standardOutput { output.display.cutNote = cutNote(of: context, settings) }
    return [output]
  }

  /// Returns the note that Ctrl-C has ended the printing of a background command's result. The line
  /// of another command says that it was cancelled.
  private static func cutNote(
    of context: CommandContext, _ settings: BoardSettings
  ) -> StyledText? {
    guard context.isBackground, !settings.isQuiet else { return nil }
    let job = context.round ?? context.job
    let text = "the rest of the output was left out"
    return settings.output == .json
      ? NoteReport.json("job \(job): \(text)", line: context.line)
      : StyledText("[\(job)] \(text)\n", .faint)
  }

  /// Returns the `watch` whose rounds are shown in one place.
  private static func shownRound(
    of context: CommandContext, _ settings: BoardSettings
  ) -> Int? {
    context.isBackground || settings.output == .json ? nil : context.round
  }

  private func formatter(_ context: CommandContext, _ state: BoardState) -> OutputFormatter {
    let settings = state.settings.following(context)
    return OutputFormatter(
      format: settings.output, width: context.redirect == nil ? settings.columns : nil,
      ascii: settings.isASCII || context.redirect != nil,
      isExact: settings.isExact(redirect: context.redirect),
      limitsPadding: settings.limitsPadding == true)
  }

  /// Returns the output of rows of a running command.
  private mutating func outputs(of part: PartialOutcome, in state: BoardState) -> [BoardOutput] {
    guard let context = state.shell.running.first(where: { $0.job == part.job }) else { return [] }
    var outputs: [BoardOutput] = []
    let settings = state.settings.following(context)
    if let masked = part.masked,
      let text = Self.text(of: .warning(masked.note), context, settings)
    {
      var added = Self.output(.standardError, text, .all, context, state)
      for index in added.indices { added[index].display.wraps = settings.output != .json }
      outputs += added
    }
    let formatter = formatter(context, state)
    let marks =
      part.marks ?? part.masked.map { Outcome.Marks.these($0.names.map(RedactionMark.named)) }
    if Self.writesLines(context, formatter.format) {
      // Other commands write between the rows, so each row is a separate line.
      let text = RowStream.lines(part.values, line: context.line, command: context.name)
      return outputs
        + Self.output(.standardOutput, StyledText(text), marks ?? .none, context, state)
    }
    var rows =
      streams[part.job] ?? begunStream(of: context, formatter, after: 1)
      ?? RowStream(formatter, line: context.line, command: context.name)
    rows.resize(to: formatter.width)
    let text = rows.text(part.columns, part.rows, values: part.values)
    streams[part.job] = rows
    return outputs + Self.output(.standardOutput, text, marks ?? .none, context, state)
  }

  /// Returns whether a running command has printed a part of a value that its end closes.
  static func hasOpenValue(_ context: CommandContext, _ state: BoardState) -> Bool {
    let format = state.settings.following(context).output
    return format == .json && (context.parts ?? 0) > 0 && !writesLines(context, format)
  }

  /// Whether each row is a line of its own, because other commands write between the rows.
  private static func writesLines(_ context: CommandContext, _ format: OutputFormat) -> Bool {
    format == .json && context.isBackground && context.redirect == nil
  }

  /// Returns the stream of a command that showed rows before the recording began, or `nil` if it
  /// did not.
  ///
  /// - Parameter count: The number of steps with rows of which nothing is shown yet.
  private func begunStream(
    of context: CommandContext, _ formatter: OutputFormatter, after count: Int
  ) -> RowStream? {
    guard let parts = context.parts, parts > count else { return nil }
    var stream = RowStream(formatter, line: context.line, command: context.name)
    stream.hasBegun = true
    return stream
  }

  /// Returns the output of a running command of `session`.
  private func part(of action: SessionAction, in state: BoardState) -> BoardOutput? {
    func context(_ job: Int) -> CommandContext? {
      state.shell.running.first { $0.job == job }
    }
    // Marks of the recording itself stay as they are.
    func marked(_ bytes: [UInt8], _ masked: MaskedValues?) -> [UInt8] {
      guard let masked, state.settings.isASCII else { return bytes }
      return Outcome.Marks.these(masked.names.map(RedactionMark.named)).written(bytes)
    }
    // A recording that a script made may have text that would control the terminal.
    func transcript(_ text: String, _ context: CommandContext) -> String {
      let settings = state.settings
      return settings.followsEarlierRules || settings.isExact(redirect: context.redirect)
        ? text : escapeControls(text, keepsNewlines: true, keepsTabs: true)
    }
    switch action {
    case .printed(let job, let text, let masked):
      guard let context = context(job), (context.output ?? state.settings.output) != .json else {
        return nil
      }
      let text = String(decoding: marked(Array(text.utf8), masked), as: UTF8.self)
      return BoardOutput(
        stream: .standardOutput, content: StyledText(transcript(text, context)),
        redirect: context.redirect, job: job)
    case .printedBytes(let job, let base64, let masked):
      guard let context = context(job), (context.output ?? state.settings.output) != .json,
        let data = Data(base64Encoded: base64)
      else { return nil }
      let bytes = marked([UInt8](data), masked)
      let text = String(decoding: bytes, as: UTF8.self)
      let shown = transcript(text, context)
      return BoardOutput(
        stream: .standardOutput,
        content: shown == text ? StyledText(bytes: bytes) : StyledText(shown),
        redirect: context.redirect, job: job)
    case .progress(let job, let text):
      guard !state.settings.isQuiet, let context = context(job),
        (context.output ?? state.settings.output) != .json
      else { return nil }
      let name = context.name.replacing(".", with: " ")
      return BoardOutput(
        stream: .standardError, content: StyledText(escapeControls("\(name): \(text)") + "\n"),
        job: job)
    case .run, .succeeded, .failed: return nil
    }
  }

  /// Returns a failure that marks the command, if it names no word.
  func placed(
    _ failure: Failure, in context: CommandContext, _ aliases: [String: String]?
  ) -> Failure {
    guard failure.column == nil else { return failure }
    var failure = failure
    let place = CommandPlace(
      of: context, count: started.count(of: context), aliases, in: features.commands)
    (failure.column, failure.length) = (place.column, place.length)
    failure.lineOffset = place.lineOffset
    return failure
  }

  /// Returns the line of a command, or what stands for it if it contains a secret that has become
  /// known since it was typed.
  private func shownText(of context: CommandContext) -> String {
    redactor.map { TypedSecretFinder.shown(context.text, features, $0) } ?? context.text
  }

  /// Returns the report of a failure. If the failure names no word, the report marks the command.
  private func report(
    _ failure: Failure, _ value: JSON, _ context: CommandContext, _ state: BoardState
  ) -> FailureReport {
    var failure = failure
    if context.isBackground { failure.message = "job \(context.job): \(failure.message)" }
    failure = placed(failure, in: context, state.shell.aliases)
    var report = FailureReport(
      failure, location: context.source.map { LineLocation($0, line: context.line) },
      line: context.line, text: context.text, value: value == .null ? JSON?.none : .some(value))
    report.show(shownText(of: context))
    if context.isSourced == true { report.sourcedFile = context.source }
    return report
  }
}

extension Outcome.Marks {
  /// Returns the bytes with these marks in ASCII.
  fileprivate func written(_ bytes: [UInt8]) -> [UInt8] {
    switch self {
    case .none: bytes
    case .all: RedactionMark.ascii(bytes)
    case .these(let marks): RedactionMark.ascii(bytes, marks: marks)
    }
  }
}
