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
      try await offPool { try refuseRotated(query.file) }
      return try await SessionLiveReplay(path: query.file, dependencies: dependencies).run()
    }
    let feed = ReplayFeed<Part>()
    async let result = offPool { () -> SessionCheck in
      defer { feed.finish() }
      var attempt = 0
      while true {
        attempt += 1
        do {
          return try transcribe(query, to: feed)
        } catch let error as LogChainError {
          // Rotation may have removed a file that was there: then what is left, as long as nothing was printed.
          if error.isAboutNames, attempt < SessionChains.attempts, !feed.hasBegun, !feed.isClosed {
            continue
          }
          return SessionCheck(query.file, error)
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
    let summaries = try replayer().replay(
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
    return SessionCheck(query.file, chain, summaries)
  }

  /// The recording that bears a name, all of its files; what is read ends with an error once it is cancelled.
  private static func chain(
    _ path: String, _ isCancelled: @escaping @Sendable () -> Bool
  ) throws(LogChainError) -> LogChain {
    LogChain.numbers(beside: path).isEmpty
      ? LogChain(LogFile(path: path, isCancelled: isCancelled))
      : try LogChain(path: path, isCancelled: isCancelled)
  }

  /// A live replay sends one file's lines to the state that this file begins with.
  private static func refuseRotated(_ path: String) throws {
    let chain: LogChain
    do throws(LogChainError) {
      chain = try self.chain(path) { false }
    } catch {
      throw Failure(error, path)
    }
    guard chain.parts.count > 1 || chain.isNewestMissing else { return }
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
    case .step(let step): return step
    case .end: return nil
    case .mark(let name):
      do throws(LogReadError) {
        let timeline = try LogTimeline(chain, effects: false)
        while let entry = try timeline.next() {
          if case .mark(let mark) = entry, mark.name == name { return mark.n }
        }
      } catch {
        throw Failure(error, query.file)
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
    self.init(path, steps: summary.steps, warnings: summary.warnings.map(\.description))
  }

  /// Of a recording, whose files were replayed one after the other.
  init(_ path: String, _ chain: LogChain, _ summaries: [ReplaySummary]) {
    var warnings: [String] = []
    for (part, summary) in zip(chain.parts, summaries) {
      warnings += summary.warnings.map { chain.parts.count > 1 ? "\(part.path): \($0)" : "\($0)" }
    }
    if chain.firstStep > 0 {
      warnings.append("older files were removed: the first step is \(chain.firstStep + 1)")
    }
    if let warning = chain.newestWarning(path) { warnings.append(warning) }
    self.init(path, steps: summaries.reduce(0) { $0 + $1.steps }, warnings: warnings)
  }

  private init(_ path: String, steps: Int, warnings: [String]) {
    self.init(
      path: path, steps: steps, code: 0,
      message: "\(steps) \(steps == 1 ? "step agrees" : "steps agree")", warnings: warnings)
  }

  init(_ path: String, _ error: LogChainError) {
    if case .replay(path, let error) = error {
      self.init(path, error)
    } else {
      self.init(
        path: path, steps: 0, code: error.exitCode, message: error.description, warnings: [])
    }
  }

  init(_ path: String, _ error: ReplayError) {
    self.init(
      path: path, steps: 0, code: error.exitCode, message: error.description, warnings: [])
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
