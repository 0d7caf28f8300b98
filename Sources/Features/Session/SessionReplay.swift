import Dispatch
import SwiftBoardDependencies
import SwiftBoardRecording

/// Replays recordings of the board: reducers run, nothing else does.
enum SessionReplay {
  static let schema = LogSchema(
    program: "swiftboard \(BoardProgram.version)", feature: "board", name: "BoardAction", version: 1
  )

  /// Checks that a recording replays to the same states.
  static func check(_ path: String, acceptsRisk: Bool) async -> SessionCheck {
    await offPool { run(path, until: nil, acceptsRisk, onStep: nil) }
  }

  /// Replays a recording and collects what the session printed on standard output.
  static func replay(_ path: String, until: Int?, acceptsRisk: Bool) async -> SessionReplayed {
    await offPool {
      var renderer = BoardRenderer(isReplay: true)
      var transcript = ""
      let check = run(path, until: until, acceptsRisk) { step, state, t in
        for output in renderer.outputs(of: step.action, in: state, at: t)
        where output.stream == .standardOutput && output.redirect == nil {
          transcript += output.text
        }
      }
      return SessionReplayed(path: path, transcript: transcript, check: check)
    }
  }

  private static func run(
    _ path: String, until: Int?, _ acceptsRisk: Bool,
    onStep: Replayer<BoardReducer>.OnStep?
  ) -> SessionCheck {
    let journal = DrawJournal()
    let replayer = Replayer(
      reducer: BoardReducer(),
      dependencies: Dependencies.mock.intercepted(by: journal.interceptor), journal: journal,
      schema: schema)
    do throws(ReplayError) {
      let summary = try replayer.replay(
        path: path, acceptRisk: acceptsRisk, until: until, onStep: onStep)
      return SessionCheck(
        path: path, steps: summary.steps, code: 0,
        message: "\(summary.steps) steps agree",
        warnings: summary.warnings.map(\.description))
    } catch {
      return SessionCheck(
        path: path, steps: 0, code: error.exitCode, message: error.description, warnings: [])
    }
  }

  /// Runs work that takes its time on a thread that is not the pool's.
  private static func offPool<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async
    -> Result
  {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: work()) }
    }
  }
}

extension DrawJournal {
  /// What the generators of the dependencies draw through, so that recordings have their values and replays give them back.
  var interceptor: DrawInterceptor {
    { [self] kind, live in
      guard isReducingHere else { return live() }
      let logged = draw(LoggedDraw.Kind(kind)) { LoggedDraw(live()) }
      return Draw(logged) ?? live()
    }
  }
}
