import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardStore

extension BoardFeature {
  /// Recording and replay.
  static let session = BoardFeature(
    name: "session", summary: "record what happens, and replay it",
    commands: SessionCommands.table,
    outcome: { action, _ in
      guard case .session(let action) = action else { return nil }
      return SessionOutcomes.outcome(of: action)
    },
    link: { link in link.path.isEmpty || link.path == ["status"] ? ["session", "status"] : nil })
}

public struct SessionState: Codable, Sendable, Equatable {
  /// The file that is being recorded to, as far as steps have told.
  public var recording: String?

  public init() {}
}

public enum SessionAction: Codable, Sendable, Equatable {
  case run(CommandContext, SessionCommand)
  case succeeded(job: Int, SessionResult)
  case failed(job: Int, Failure)
}

public enum SessionCommand: Codable, Sendable, Equatable {
  case record(String)
  case stop, status
  case mark(String)
  case verify([String], acceptsRisk: Bool)
  case replay(String, until: Int?, acceptsRisk: Bool)
}

public enum SessionResult: Codable, Sendable, Equatable {
  case recording(path: String)
  case stopped(path: String, steps: Int)
  case status(path: String?, steps: Int, problem: String?)
  case marked(String)
  case verified([SessionCheck])
  case replayed(SessionReplayed)
}

/// What became of checking one recording.
public struct SessionCheck: Codable, Sendable, Equatable {
  public var path: String
  public var steps: Int
  /// 0, or the exit code of what was found.
  public var code: Int32
  public var message: String
  public var warnings: [String]
}

/// A replay: what the session printed, and how the replay ended.
public struct SessionReplayed: Codable, Sendable, Equatable {
  public var path: String
  public var transcript: String
  public var check: SessionCheck
}

struct SessionReducer: Reducer {
  func reduce(
    _ state: inout SessionState, _ action: SessionAction, _ dependencies: Dependencies
  ) -> [Effect<SessionAction>] {
    switch action {
    case .run(let context, .verify(let paths, let acceptsRisk)):
      return [
        .task(name: "session.verify") {
          var checks: [SessionCheck] = []
          for path in paths {
            checks.append(await SessionReplay.check(path, acceptsRisk: acceptsRisk))
          }
          return .succeeded(job: context.job, .verified(checks))
        }.cancellable(id: context.job)
      ]
    case .run(let context, .replay(let path, let until, let acceptsRisk)):
      return [
        .task(name: "session.replay") {
          let replayed = await SessionReplay.replay(path, until: until, acceptsRisk: acceptsRisk)
          return .succeeded(job: context.job, .replayed(replayed))
        }.cancellable(id: context.job)
      ]
    case .run:
      // Recording is begun and ended around the store, right after this step; the answer comes as an action.
      return []
    case .succeeded(_, .recording(let path)): state.recording = path
    case .succeeded(_, .stopped): state.recording = nil
    case .succeeded, .failed: break
    }
    return []
  }
}

enum SessionOutcomes {
  static func outcome(of action: SessionAction) -> Outcome? {
    switch action {
    case .run: nil
    case .failed(let job, let failure): Outcome(job: job, failure: failure)
    case .succeeded(let job, let result): outcome(of: result, job)
    }
  }

  private static func outcome(of result: SessionResult, _ job: Int) -> Outcome {
    switch result {
    case .recording(let path):
      return Outcome(
        job: job, value: .object([.init("recording", .string(path))]),
        notes: ["recording to \(path); end it with 'session stop'"])
    case .stopped(let path, let steps):
      return Outcome(
        job: job,
        value: .object([.init("recorded", .string(path)), .init("steps", .number(String(steps)))]),
        notes: ["recorded \(steps) steps to \(path); check it with 'session verify \(path)'"])
    case .status(let path, let steps, let problem):
      let value: JSON = .object([
        .init("recording", path.map(JSON.string) ?? .null), .init("steps", .number(String(steps))),
        .init("problem", problem.map(JSON.string) ?? .null),
      ])
      let record =
        path.map { [("recording", $0), ("steps", String(steps))] } ?? [("recording", "no")]
      return Outcome(
        job: job, value: value,
        presentation: .fields(record + (problem.map { [("problem", $0)] } ?? [])))
    case .marked(let name):
      return Outcome(
        job: job, value: .object([.init("mark", .string(name))]), notes: ["marked \(name)"])
    case .verified(let checks): return verified(checks, job)
    case .replayed(let replayed):
      let value = json(replayed.check)
      let presentation: Presentation =
        replayed.transcript.isEmpty ? .none : .text(replayed.transcript)
      let notes = replayed.check.warnings.map { "warning: \($0)" }
      if replayed.check.code == 0 {
        return Outcome(
          job: job, value: value, presentation: presentation,
          notes: notes + [replayed.check.message])
      }
      return Outcome(
        job: job, failure: failure(replayed.check), value: value, presentation: presentation,
        notes: notes)
    }
  }

  private static func verified(_ checks: [SessionCheck], _ job: Int) -> Outcome {
    let value = JSON.array(checks.map(json))
    let presentation = Presentation.text(
      checks.filter { $0.code == 0 }.map { "\($0.path): \($0.message)\n" }.joined())
    let notes = checks.flatMap { check in check.warnings.map { "warning: \(check.path): \($0)" } }
    guard let first = checks.first(where: { $0.code != 0 }) else {
      return Outcome(job: job, value: value, presentation: presentation, notes: notes)
    }
    let others = checks.filter { $0.code != 0 }.dropFirst().map { "\($0.path): \($0.message)" }
    return Outcome(
      job: job, failure: failure(first), value: value, presentation: presentation,
      notes: notes + others)
  }

  private static func failure(_ check: SessionCheck) -> Failure {
    let name =
      switch check.code {
      case ExitCode.no: "differs"
      case ExitCode.missing: "missing"
      case ExitCode.data: "damaged"
      default: "io"
      }
    return Failure(code: check.code, error: name, message: "\(check.path): \(check.message)")
  }

  private static func json(_ check: SessionCheck) -> JSON {
    .object([
      .init("file", .string(check.path)), .init("ok", .bool(check.code == 0)),
      .init("steps", .number(String(check.steps))), .init("message", .string(check.message)),
      .init("warnings", .array(check.warnings.map(JSON.string))),
    ])
  }
}
