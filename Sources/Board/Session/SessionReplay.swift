import SwiftBoardDependencies
import SwiftBoardRecording
import SwiftBoardStore
import SwiftBoardSystem

extension Replayer where R == BoardReducer {
  /// Creates a replayer for recordings of a board with these features, with its own journal.
  public init(_ features: FeatureList) {
    let journal = DrawJournal()
    self.init(
      reducer: BoardReducer(features),
      dependencies: Dependencies.mock.intercepted(by: journal.interceptor), journal: journal,
      schema: features.schema, migrations: features.migrations, userInfo: features.userInfo)
  }
}

/// The replay of recordings of the board. Only reducers run.
enum SessionReplay {

  /// The number of bytes of a transcript that are sent at once if no pause between steps is
  /// requested.
  private static let chunk = 1 << 15

  /// A part of a transcript, with the time in the recording at which it was printed.
  private struct Part: Sendable {
    let time: Int64
    let bytes: [UInt8]
  }

  /// Sends the standard output of a recorded session in parts, and returns how the replay ended.
  static func replay(
    _ query: SessionReplayQuery, job: Int, _ navigators: SessionNavigators,
    running: RecordingStatus, _ dependencies: Dependencies, _ secrets: RecordedSecrets,
    _ send: Send<SessionAction>
  ) async throws -> SessionCheck {
    let features = navigators.features
    await dependencies.keychainService.refresh()
    if query.isLive {
      return try await SessionLiveReplay(
        query, navigators, running: running.path, dependencies: dependencies, secrets
      ).run()
    }
    let pace = try pace(of: query)
    let feed = ReplayFeed<Part>()
    async let result = DetachedThread.run { () -> SessionCheck in
      defer { feed.finish() }
      do {
        return try lookAgain(unless: { feed.hasBegun || feed.isClosed }) {
          try transcribe(query, features, running: running, secrets, to: feed)
        }
      } catch let error as ReplayError {
        return SessionCheck(query.file, error, secrets)
      }
    }
    defer { feed.close() }
    var pacer = ReplayPacer(
      pace, clock: dependencies.clock.standard, nextStep: query.isStepped ? key(dependencies) : nil)
    while let part = await feed.next() {
      guard try await pacer.wait(until: part.time) else { throw Failure.ended }
      if let text = String(validating: part.bytes, as: UTF8.self) {
        let printed = dependencies.logger.redactor.mask(text)
        let masked = secrets.count(printed.names)
        send(.printed(job: job, text: printed.value, masked: masked))
      } else {
        let printed = dependencies.logger.redactor.mask(part.bytes)
        let base64 = Data(printed.value).base64EncodedString()
        send(.printedBytes(job: job, base64: base64, masked: secrets.count(printed.names)))
      }
    }
    try Task.checkCancellation()
    return try await result
  }

  /// Reads a recording, and retries with the remaining files if rotation has removed one.
  static func lookAgain<Result>(
    unless isTooLate: () -> Bool, _ body: () throws -> Result
  ) throws -> Result {
    for _ in 1..<SessionLogs.attempts {
      do {
        return try body()
      } catch  where isAboutNames(error) && !isTooLate() {
        continue
      }
    }
    return try body()
  }

  private static func isAboutNames(_ error: any Error) -> Bool {
    switch error {
    case ReplayError.unreadable(let error), RecordingError.unreadable(let error):
      error.isAboutNames
    case let error as LogReadError: error.isAboutNames
    default: false
    }
  }

  /// Replays, compares, and passes the output of the steps to `feed`. Blocks.
  ///
  /// What the replay prints is recorded. Therefore the running recording is read up to the last
  /// step that it had when the replay began.
  private static func transcribe(
    _ query: SessionReplayQuery, _ features: FeatureList, running: RecordingStatus,
    _ secrets: RecordedSecrets, to feed: ReplayFeed<Part>
  ) throws -> SessionCheck {
    let rotatedLog = try rotatedLog(query.file) { feed.isClosed }
    let end = running.lastStep(ofRecordingAt: query.file)
    let until = try lastStep(query, rotatedLog)
    try check(query, until, end, rotatedLog)
    let last = [until, end].compactMap(\.self).min()
    let isPaced = query.speed != nil || query.isStepped
    var renderer = BoardRenderer(features, isReplay: true)
    var waiting: [UInt8] = []
    defer {
      if !waiting.isEmpty { feed.put(Part(time: 0, bytes: waiting)) }
    }
    let summary = try Replayer(features).replay(
      rotatedLog, acceptRisk: query.acceptsRisk, until: last
    ) { step, state, time in
      var bytes: [UInt8] = []
      for output in renderer.outputs(of: step.action, in: state, at: time)
      where output.stream == .standardOutput && output.redirect == nil {
        bytes += output.bytes
      }
      guard step.number >= query.from ?? 0, !bytes.isEmpty else { return }
      if isPaced {
        feed.put(Part(time: time, bytes: bytes))
        return
      }
      waiting += bytes
      guard waiting.count >= chunk else { return }
      feed.put(Part(time: time, bytes: waiting))
      waiting = []
    }
    var check = SessionCheck(query.file, summary, running: running.path, secrets)
    check.warnings += rotatedLog.oddities(query.file).map(\.text)
    return check
  }

  /// Opens all files of the recording at `path`. Reading throws once it is cancelled.
  static func rotatedLog(
    _ path: String, _ isCancelled: @escaping @Sendable () -> Bool
  ) throws(ReplayError) -> RotatedLog {
    do throws(LogReadError) {
      return try RotatedLog(path: path, isCancelled: isCancelled)
    } catch {
      throw .unreadable(error)
    }
  }

  /// Returns the requested pace, or `nil` to replay as fast as possible.
  private static func pace(of query: SessionReplayQuery) throws -> ReplayPace? {
    guard let speed = query.speed else { return nil }
    do throws(ReplayError) {
      return try ReplayPace(speed: speed, idleLimit: query.idleLimit.map { .microseconds($0) })
    } catch {
      throw Failure(error, query.file)
    }
  }

  /// Returns a closure that waits for a key at the terminal.
  private static func key(_ dependencies: Dependencies) -> ReplayPacer.NextStep {
    {
      guard let terminal = dependencies.terminal as? any PausingTerminal,
        let goesOn = try await terminal.pause("-- Enter: continue, q and Enter: quit -- ")
      else {
        throw Failure(
          code: ExitCode.usage, error: "noTerminal",
          message: "--step waits for a key and needs a terminal")
      }
      return goesOn
    }
  }

  /// Throws if the recording ends before a step that the line names, before anything is printed.
  /// Lines that cannot be read are left to the replay, which reports them.
  ///
  /// - Parameter end: The last step of the running recording, or `nil` for any other.
  private static func check(
    _ query: SessionReplayQuery, _ until: Int?, _ end: Int?, _ rotatedLog: RotatedLog
  ) throws {
    guard let wanted = [query.from, until].compactMap(\.self).max() else { return }
    var last = rotatedLog.firstStep
    do throws(LogReadError) {
      let timeline = try LogTimeline(
        rotatedLog, filter: .init(steps: end.map { 0...$0 }), effects: false)
      while last < wanted, let entry = try timeline.next() {
        if case .step(let step, _) = entry { last = step.n }
      }
    } catch {
      return
    }
    guard last < wanted else { return }
    var failure = Failure(
      ReplayError.noStep(wanted, first: rotatedLog.firstStep, last: last), query.file)
    failure.help = "'session timeline \(query.file)' lists them"
    throw failure
  }

  /// Returns the last step to replay, or `nil` for all steps.
  private static func lastStep(_ query: SessionReplayQuery, _ rotatedLog: RotatedLog) throws -> Int?
  {
    guard let until = query.until else { return nil }
    switch until.kind {
    case .step(let step):
      guard step >= rotatedLog.firstStep else {
        throw Failure(
          code: ExitCode.usage, error: "noStep",
          message:
            "there is no step \(step): the recording begins after step \(rotatedLog.firstStep), "
            + "the files before were removed")
      }
      return step
    case .end: return nil
    case .mark(let name):
      do throws(LogReadError) {
        let timeline = try LogTimeline(rotatedLog, effects: false)
        while let entry = try timeline.next() {
          if case .mark(let mark) = entry, mark.name == name { return mark.n }
        }
      } catch {
        throw ReplayError.unreadable(error)
      }
      throw Failure(.noMark(name), query.file)
    case .relative:
      throw Failure(
        code: ExitCode.usage, error: "noStep",
        message: "--until takes a step's number, @MARK or end, not \(until.rawValue)")
    }
  }
}

extension Failure {
  /// The error when the user ends a replay.
  fileprivate static let ended = Failure(
    code: ExitCode.interrupted, error: "cancelled", message: "the replay was ended")
}

extension SessionCheck {
  init(
    _ path: String, _ summary: ReplaySummary, running: String?, _ secrets: RecordedSecrets
  ) {
    self.init(
      path: path, steps: summary.steps, code: 0,
      message: "\(summary.steps) \(summary.steps == 1 ? "step agrees" : "steps agree")",
      warnings: SessionWarnings.texts(of: summary.warnings, path, running: running, secrets))
  }

  init(_ path: String, _ error: ReplayError, _ secrets: RecordedSecrets) {
    let error = error.mapValues(secrets.masked)
    self.init(
      path: path, steps: 0, code: ExitCode.of(error), message: error.description, warnings: [])
    if case .unreadable(let reason) = error { help = Failure.help(for: reason) }
  }
}

/// A terminal that can wait for a key before the replay continues.
protocol PausingTerminal {
  /// Waits for a key. Returns whether to continue, or `nil` if no question can be asked at the
  /// terminal.
  func pause(_ prompt: String) async throws(TerminalError) -> Bool?
}

extension DrawJournal {
  /// The interceptor of the dependencies' generators. It records their values and returns them in
  /// replays.
  public var interceptor: DrawInterceptor {
    { [self] kind, live in
      guard isReducingHere else { return live() }
      let logged = draw(LoggedDraw.Kind(kind)) { LoggedDraw(live()) }
      return Draw(logged) ?? live()
    }
  }
}
