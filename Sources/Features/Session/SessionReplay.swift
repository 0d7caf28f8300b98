import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardRecording
import SwiftBoardStore
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

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
    guard try await offPool({ try !isRotated(query.file) }) else {
      throw Failure(
        code: ExitCode.usage, error: "rotated",
        message: "\(query.file) was rotated; 'session replay' takes one file",
        help: "name one of its files by its number: \(query.file).K; "
          + "'session verify \(query.file)' checks all, 'session timeline \(query.file)' lists their steps"
      )
    }
    if query.isLive {
      return try await SessionLiveReplay(path: query.file, dependencies: dependencies).run()
    }
    let last = try await offPool { try lastStep(query) }
    let feed = ReplayFeed<Part>()
    let isPaced = query.speed != nil || query.isStepped
    async let result = offPool { () -> SessionCheck in
      defer { feed.finish() }
      var renderer = BoardRenderer(isReplay: true)
      var waiting = ""
      let check = check(
        query.file, until: last, acceptsRisk: query.acceptsRisk, isCancelled: { feed.isClosed }
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
      if !waiting.isEmpty { feed.put(Part(time: 0, text: waiting)) }
      return check
    }
    defer { feed.close() }
    try await play(feed, query, job, dependencies, send)
    return try await result
  }

  /// Whether a recording has more than one file, or had; a file by its number is one. What cannot be read is left to whoever does.
  private static func isRotated(_ path: String) throws -> Bool {
    guard !LogChain.numbers(beside: path).isEmpty else { return false }
    do throws(LogChainError) {
      let chain = try LogChain(path: path)
      return chain.parts.count > 1 || chain.isNewestMissing
    } catch {
      if case .unreadable = error { return false }
      throw Failure(error, path)
    }
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
  private static func lastStep(_ query: SessionReplayQuery) throws -> Int? {
    guard let until = query.until else { return nil }
    switch until.kind {
    case .step(let step): return step
    case .end: return nil
    case .mark(let name):
      do throws(LogReadError) {
        let timeline = try LogTimeline(LogFile(path: query.file), effects: false)
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

  /// Replays and compares. Blocks.
  static func check(
    _ path: String, until: Int?, acceptsRisk: Bool, isCancelled: @escaping @Sendable () -> Bool,
    onStep: Replayer<BoardReducer>.OnStep? = nil
  ) -> SessionCheck {
    do throws(ReplayError) {
      let summary = try summary(
        path, until: until, acceptsRisk: acceptsRisk, isCancelled: isCancelled, onStep: onStep)
      return SessionCheck(path, summary)
    } catch {
      return SessionCheck(path, error)
    }
  }

  static func summary(
    _ path: String, until: Int? = nil, acceptsRisk: Bool,
    isCancelled: @escaping @Sendable () -> Bool, onStep: Replayer<BoardReducer>.OnStep? = nil
  ) throws(ReplayError) -> ReplaySummary {
    try replayer().replay(
      acceptRisk: acceptsRisk, until: until,
      from: { () throws(LogReadError) in
        LogReader(CancellableSource(try FileSource(path: path), path, isCancelled))
      }, onStep: onStep)
  }

  /// Replays and compares, in one pass where all is as it should be. Blocks.
  static func verified(
    _ file: LogFile, _ path: String, acceptsRisk: Bool, isCancelled: @escaping @Sendable () -> Bool,
    progress: @escaping (_ step: Int) -> Void
  ) throws(ReplayError) -> ReplaySummary {
    try replayer().verify(
      acceptRisk: acceptsRisk,
      from: { () throws(LogReadError) -> any LogSource in
        CancellableSource(try file.source(), path, isCancelled)
      }, progress: progress)
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
  }
}

/// A file that cannot be read any more as soon as nobody wants it read.
private final class CancellableSource: LogSource {
  private let base: any LogSource
  private let path: String
  private let isCancelled: @Sendable () -> Bool

  init(_ base: any LogSource, _ path: String, _ isCancelled: @escaping @Sendable () -> Bool) {
    self.base = base
    self.path = path
    self.isCancelled = isCancelled
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(LogReadError) -> Int {
    guard !isCancelled() else {
      throw .io(path: path, LogIOError(code: ECANCELED, operation: "read"))
    }
    return try base.read(into: buffer)
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
