import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardRecording
import SwiftBoardStore

/// Replays recordings of the board: reducers run, nothing else does.
enum SessionReplay {
  static let schema = LogSchema(
    program: "swiftboard \(BoardProgram.version)", feature: "board", name: "BoardAction", version: 2
  )

  /// The board's reducer with a journal of its own.
  static func replayer() -> Replayer<BoardReducer> {
    let journal = DrawJournal()
    return Replayer(
      reducer: BoardReducer(),
      dependencies: Dependencies.mock.intercepted(by: journal.interceptor), journal: journal,
      schema: schema)
  }

  /// Bytes of a transcript that are sent at once where nothing asks for a pause between two steps.
  private static let chunk = 1 << 15

  /// A part of a transcript, and when in the recording it was printed.
  private struct Part: Sendable {
    let time: Int64
    let text: String
  }

  /// Sends what a recorded session printed on standard output, part by part, and returns how the replay ended.
  static func replay(
    _ query: SessionReplayQuery, job: Int, _ dependencies: Dependencies,
    _ send: Send<SessionAction>
  ) async throws -> SessionCheck {
    if query.isLive {
      let flag = CancelFlag()
      let file = try await withTaskCancellationHandler {
        try await offPool { try onlyFile(query.file) { flag.isSet } }
      } onCancel: {
        flag.set()
      }
      return try await SessionLiveReplay(path: query.file, file: file, dependencies: dependencies)
        .run()
    }
    let feed = ReplayFeed<Part>()
    async let result = offPool { () -> SessionCheck in
      defer { feed.finish() }
      var attempt = 1
      while true {
        do {
          return try transcribe(query, to: feed)
        } catch let error as ReplayError {
          guard case .unreadable(let reason) = error, reason.isAboutNames,
            attempt < SessionChains.attempts, !feed.hasBegun, !feed.isClosed
          else { return SessionCheck(query.file, error) }
          // Rotation may have removed a file that was there: then what is left.
          attempt += 1
        }
      }
    }
    defer { feed.close() }
    try await play(feed, query, job, dependencies, send)
    return try await result
  }

  /// Replays and compares, and feeds what the steps print. Blocks.
  private static func transcribe(
    _ query: SessionReplayQuery, to feed: ReplayFeed<Part>
  ) throws -> SessionCheck {
    let chain = try chain(query.file) { feed.isClosed }
    let last = try lastStep(query, chain)
    let isPaced = query.speed != nil || query.isStepped
    var renderer = BoardRenderer(isReplay: true)
    var waiting = ""
    defer {
      if !waiting.isEmpty { feed.put(Part(time: 0, text: waiting)) }
    }
    let summary = try replayer().replay(
      chain, acceptRisk: query.acceptsRisk, until: last
    ) { step, state, time in
      var text = ""
      for output in renderer.outputs(of: step.action, in: state, at: time)
      where output.stream == .standardOutput && output.redirect == nil {
        text += output.text
      }
      guard step.number >= query.from ?? 0, !text.isEmpty else { return }
      if isPaced {
        feed.put(Part(time: time, text: text))
        return
      }
      waiting += text
      guard waiting.utf8.count >= chunk else { return }
      feed.put(Part(time: time, text: waiting))
      waiting = ""
    }
    var check = SessionCheck(query.file, summary)
    check.warnings += chain.oddities(query.file).map(\.text)
    return check
  }

  /// The recording that bears a name, all of its files; what is read ends with an error once it is cancelled.
  private static func chain(
    _ path: String, _ isCancelled: @escaping @Sendable () -> Bool
  ) throws(ReplayError) -> LogChain {
    do throws(LogChainError) {
      return try LogChain(path: path, isCancelled: isCancelled)
    } catch {
      throw ReplayError(error)
    }
  }

  /// A live replay sends one file's lines to the state that this file begins with.
  private static func onlyFile(
    _ path: String, _ isCancelled: @escaping @Sendable () -> Bool
  ) throws -> LogFile {
    let chain: LogChain
    do throws(LogChainError) {
      chain = try LogChain(path: path, isCancelled: isCancelled)
    } catch {
      throw Failure(error, path)
    }
    guard chain.parts.count > 1 || chain.isNewestMissing else { return chain.files[0] }
    throw Failure(
      code: ExitCode.usage, error: "rotated",
      message: "\(path) was rotated; 'session replay --live' takes one file",
      help: "name one of its files by its number: \(path).K")
  }

  /// Takes the parts at their time, and prints them.
  private static func play(
    _ feed: ReplayFeed<Part>, _ query: SessionReplayQuery, _ job: Int,
    _ dependencies: Dependencies, _ send: Send<SessionAction>
  ) async throws {
    var time: Int64?
    while let part = await feed.next() {
      if let speed = query.speed {
        let pause = min(
          Int64((Double(part.time - (time ?? part.time)) / speed).rounded()),
          query.idleLimit ?? .max)
        try await dependencies.clock.sleep(for: .microseconds(pause))
      }
      time = part.time
      if query.isStepped {
        guard let terminal = dependencies.terminal as? any PausingTerminal,
          let goesOn = try await terminal.pause("-- Enter goes on, q ends -- ")
        else {
          throw Failure(
            code: ExitCode.usage, error: "noTerminal",
            message: "--step waits for a key, and there is no terminal to wait at")
        }
        guard goesOn else { throw Failure.ended }
      }
      send(.printed(job: job, part.text))
    }
    try Task.checkCancellation()
  }

  /// The last step to replay; `nil` is all of them.
  private static func lastStep(_ query: SessionReplayQuery, _ chain: LogChain) throws -> Int? {
    guard let until = query.until else { return nil }
    switch until.kind {
    case .step(let step):
      guard step >= chain.firstStep else {
        throw Failure(
          code: ExitCode.usage, error: "noStep",
          message: "there is no step \(step): the recording begins after step \(chain.firstStep), "
            + "the files before were removed")
      }
      return step
    case .end: return nil
    case .mark(let name):
      do throws(LogReadError) {
        let timeline = try LogTimeline(chain, effects: false)
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

  /// Runs work that takes its time on a thread of its own: the pool, which has one a processor, must be there for Ctrl-C.
  static func offPool<Result: Sendable>(
    _ work: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await OwnThread.run { Swift.Result { try work() } }.get()
  }
}

extension Failure {
  /// Somebody has seen enough.
  fileprivate static let ended = Failure(
    code: ExitCode.interrupted, error: "cancelled", message: "the replay was ended")
}

extension SessionCheck {
  init(_ path: String, _ summary: ReplaySummary) {
    self.init(
      path: path, steps: summary.steps, code: 0,
      message: "\(summary.steps) \(summary.steps == 1 ? "step agrees" : "steps agree")",
      warnings: summary.warnings.map(\.description))
  }

  init(_ path: String, _ error: ReplayError) {
    self.init(
      path: path, steps: 0, code: error.exitCode, message: error.description, warnings: [])
    if case .unreadable(let reason) = error { help = reason.help }
  }
}

/// A terminal at which somebody can say when to go on.
protocol PausingTerminal {
  /// Waits for a key; whether to go on, and `nil` where there is nobody.
  func pause(_ prompt: String) async throws(TerminalError) -> Bool?
}

extension DrawJournal {
  /// What the generators of the dependencies draw through, so that recordings have their values and replays give them back.
  public var interceptor: DrawInterceptor {
    { [self] kind, live in
      guard isReducingHere else { return live() }
      let logged = draw(LoggedDraw.Kind(kind)) { LoggedDraw(live()) }
      return Draw(logged) ?? live()
    }
  }
}
