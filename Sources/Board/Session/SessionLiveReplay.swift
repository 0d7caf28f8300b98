import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardRecording
import SwiftBoardStore
import SwiftBoardSystem

/// A replay that sends a recording's lines to services, from the recording's initial state, and
/// compares the actions that follow.
///
/// The live replay runs on a board of its own. Its services have an empty cache and a temporary
/// home. Commands of `session` are skipped: they refer to the recording, and the replay has none.
///
/// What ran the lines sent actions too: it loaded what a line was to show, began the rounds of a
/// `watch`, removed secrets that became known, forgot what services held before a fork, and
/// reported interrupts and widths. No lines run here, so these actions are sent as the lines are.
/// What the board itself sends (`board`) is expected from the replay's own.
///
/// An assertion also has to end as it did when it was recorded (`AssertionComparison`).
struct SessionLiveReplay {
  let path: String
  /// The dependencies of the board at which the line was typed.
  let dependencies: Dependencies
  let sharesHome: Bool
  /// The recording that the board is writing, which naturally has no end yet.
  private let running: String?
  private let features: FeatureList
  private let secrets: RecordedSecrets
  private let unfinishedWork: UnfinishedWork
  /// The time limit for an effect's action. It exceeds the time of a request with all its retries.
  /// The replay detects without it that no action can follow.
  var patience = Duration.seconds(3600)
  /// The same for an effect that runs until it is cancelled, so that an action may never follow.
  private static let endlessPatience = Duration.seconds(10)

  private typealias Live = LiveReplay<BoardReducer>

  private let live: Live

  /// Creates a live replay.
  ///
  /// - Parameter query: Says what is not compared, besides what features declare, and which home is
  ///   used.
  /// - Throws: `Failure` if one of these paths is malformed.
  init(
    _ query: SessionReplayQuery, _ navigators: SessionNavigators, running: String?,
    dependencies: Dependencies, _ secrets: RecordedSecrets
  ) throws {
    self.running = running
    self.secrets = secrets
    features = navigators.features
    unfinishedWork = navigators.unfinishedWork
    path = query.file
    sharesHome = query.sharesHome ?? false
    self.dependencies = dependencies
    let texts = features.volatile + (query.ignored ?? [])
    do throws(JSONPathError) {
      var ignored: [JSONPathPattern] = []
      for text in texts { ignored.append(try JSONPathPattern(parsing: text)) }
      live = Live(
        schema: features.schema, migrations: features.migrations, userInfo: features.userInfo,
        isCompared: { action in
          switch action {
          case .session: false
          case .feature(let action): !action.base.isTimeDriven
          default: true
          }
        },
        sending: ["bootstrap", "watch", "secrets", "terminal", "interrupt", "output", "fork"],
        ignoring: ignored)
    } catch {
      throw Failure(
        code: ExitCode.usage, error: "usage", message: "--ignore: \(error.message)")
    }
  }

  func run() async throws -> SessionCheck {
    let flag = CancelFlag()
    return try await withTaskCancellationHandler {
      do {
        return try await run(try await open(flag))
      } catch let error as ReplayError {
        try Task.checkCancellation()
        return SessionCheck(path, error, secrets)
      }
    } onCancel: {
      flag.set()
    }
  }

  /// Reads the whole recording.
  private func open(_ flag: CancelFlag) async throws -> Live.Recording {
    try await DetachedThread.run { [path, live] in
      try SessionReplay.lookAgain(unless: { flag.isSet }) {
        try live.open(try SessionReplay.rotatedLog(path) { flag.isSet })
      }
    }
  }

  /// Replays the recording with services of its own.
  private func run(_ recording: Live.Recording) async throws -> SessionCheck {
    guard let beside = dependencies.beside else {
      return try await run(recording, dependencies, home: nil)
    }
    try Task.checkCancellation()
    return try await unfinishedWork.run {
      let home = try TemporaryHome()
      var services = beside(home.path, sharesHome, recording.seed)
      services.files = ReplayFileService(
        services.files, outer: dependencies.files, recording: path)
      let result: Result<SessionCheck, any Error>
      do {
        result = .success(try await run(recording, services, home: home.path))
      } catch {
        result = .failure(error)
      }
      await services.shutDown()
      home.remove()
      return try result.get()
    }
  }

  private func run(
    _ recording: Live.Recording, _ dependencies: Dependencies, home: String?
  ) async throws -> SessionCheck {
    var state = recording.initialState
    // The command that began the recording was still running.
    state.shell.running.removeAll { $0.name.hasPrefix("session.") }
    let board = Board(
      features: features, state: state, dependencies: dependencies, seed: 0, sink: { _ in })
    let assertions = AssertionComparison()
    board.store.observe { step, state in assertions.note(step.action, state) }
    let report: Result<Live.Report, ReplayError>
    do throws(ReplayError) {
      report = .success(
        try await live.run(
          recording, on: board.store, patience: patience,
          patienceByEffect: features.endlessEffects.reduce(into: [:]) {
            $0[$1] = Self.endlessPatience
          },
          clock: dependencies.clock.standard, filesIn: home))
    } catch {
      report = .failure(error)
    }
    await board.store.shutdown(deadline: .zero)
    let live = try report.get()
    let (difference, error) = await DetachedThread.run { [features] in
      assertions.compare(with: recording.rotatedLog, features)
    }
    try Task.checkCancellation()
    // An assertion was sent before the action that ended the run.
    var check = difference.map { found(live, text($0), help: usualHelp) } ?? check(live)
    if check.code != 0, check.help == usualHelp {
      check.environment = recording.initialState.settings.environment
    }
    check.warnings = SessionWarnings.texts(
      of: recording.warnings, path, running: running, secrets)
    check.warnings += recording.rotatedLog.oddities(path).map(\.text)
    if let error {
      let error = error.mapValues(secrets.masked)
      check.warnings.append("not every assertion was compared with its recorded end: \(error)")
    }
    return check
  }

  private func check(_ report: Live.Report) -> SessionCheck {
    if let difference = report.difference {
      return found(report, text(difference), help: help(difference))
    }
    let message =
      "\(Counted.text(report.sent, "line")) \(report.sent == 1 ? "was" : "were") sent, "
      + "\(Counted.text(report.agreed, "step")) \(report.agreed == 1 ? "agrees" : "agree")"
    return SessionCheck(path: path, steps: report.agreed, code: 0, message: message, warnings: [])
  }

  /// Returns the check of a run with a difference.
  private func found(_ report: Live.Report, _ text: String, help: String) -> SessionCheck {
    SessionCheck(
      path: path, steps: report.agreed, code: ExitCode.no,
      // The answers of the run's services may contain this board's secrets.
      message: dependencies.logger.redact(text), warnings: [], help: help)
  }

  private func help(_ difference: Live.Difference) -> String {
    guard case .missing(_, let expected, _, wasUnderWay: true) = difference else {
      return usualHelp
    }
    // The line of a command that a fork ended is in the recording, and the fork is not.
    let message = expected["shell"]?["failed"]?["failure"]?["message"]?.stringValue
    let reason =
      message?.hasPrefix(Failure.cancelled(by: Failure.fork).message) == true
      ? "the recording is a fork, which ended the running command, and no line of it does that"
      : "its command was running when the recording began, and no line of it starts that"
    return "\(reason); 'session verify' checks such a recording"
  }

  /// What lines may have met otherwise than when they were recorded.
  private var usualHelp: String {
    let home =
      "the lines met a new home, without documents, services and secrets; --this-home takes "
      + "those of this one; "
    return (sharesHome ? "" : home)
      + "no '> FILE' was written again, so a file that lines read has to be in place"
  }

  /// Returns excerpts of two values without this board's secrets, which the answers of the run's
  /// services may contain.
  private func values(_ old: JSON?, _ new: JSON?) -> (old: String, new: String) {
    SessionText.values(old.map(secrets.masked), new.map(secrets.masked), limit: 200)
  }

  /// Returns the text of a difference. Only values of the recording may contain non-ASCII
  /// characters.
  private func text(_ difference: Live.Difference) -> String {
    switch difference {
    case .other(let step, _, _, let changes):
      var lines = ["step \(step): the action is not the recorded one"]
      for change in changes.entries {
        let (expected, found) = values(change.old, change.new)
        lines.append("  \(change.path): expected \(expected), found \(found)")
      }
      if changes.isTruncated { lines.append("  ... and more") }
      return lines.joined(separator: "\n")
    case .missing(let step, let expected, _, _):
      let shown = values(expected, nil).old
      return "step \(step): expected the action \(shown), nothing came"
    case .additional(let step, let found):
      let shown = values(found, nil).old
      return "step \(step): an effect sent the action \(shown), which is not recorded"
    }
  }

  private func text(_ difference: AssertionComparison.Difference) -> String {
    let found = difference.found
    return
      "step \(difference.step): '\(difference.line)' ended with \(difference.expected) when it "
      + "was recorded, and ends with \(found.status) now"
      + (found.message.map { "\n  \($0)" } ?? "")
  }
}
