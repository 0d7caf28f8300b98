import SwiftBoardDependencies
import SwiftBoardStore
import SwiftBoardSystem

struct SessionReducer: Reducer {
  /// The navigators for visiting recordings.
  let navigators: SessionNavigators
  /// The service for recording.
  let recording: any RecordingService

  func reduce(
    _ state: inout SessionState, _ action: SessionAction, _ dependencies: Dependencies
  ) -> [Effect<SessionAction>] {
    switch action {
    case .run(let context, let command, let moment):
      if command == .live { state.position = nil }
      if command.changesFile { state.changes?.begin(context.job) }
      return effect(
        of: command, context.job,
        RecordingQueries(
          navigators: navigators, recording: recording, moment: moment,
          position: state.position?.step),
        state, context.isBackground ? dependencies.inBackground : dependencies)
    case .succeeded(let job, let result, _, _):
      state.changes?.end(job)
      note(result, &state)
    case .failed(let job, _, _): state.changes?.end(job)
    case .printed, .printedBytes, .progress: break
    }
    return []
  }

  private func note(_ result: SessionResult, _ state: inout SessionState) {
    switch result {
    case .recording(let path):
      state.recording = path
      state.position = nil
    case .stopped:
      state.recording = nil
      state.position = nil
    case .travelled(let step, let last): state.position = .init(step: step.step, last: last)
    default: break
    }
  }

  private func effect(
    of command: SessionCommand, _ job: Int, _ work: RecordingQueries, _ state: SessionState,
    _ dependencies: Dependencies
  ) -> [Effect<SessionAction>] {
    switch command {
    case .live, .present: return []
    case .record(let path, let rotation, let durability):
      return control("record", job, dependencies) { recording in
        try recording.begin(path, rotation, durability)
        return .recording(path: path)
      }
    case .stop:
      return control("stop", job, dependencies) { SessionResult(try $0.end()) }
    case .status:
      return control("status", job, dependencies) { SessionResult($0.status(), state.position) }
    case .mark(let name):
      return control("mark", job, dependencies) { recording in
        try recording.mark(name, behindEndOf: job)
        return .marked(name: name)
      }
    case .goto(let target): return look("goto", job, dependencies, work) { try $0.go(to: target) }
    case .undo: return look("undo", job, dependencies, work) { try $0.undo() }
    case .state(let path, let at, let file):
      return look("state", job, dependencies, work) { try $0.state(path, at: at, file: file) }
    case .assert(let text): return look("assert", job, dependencies, work) { try $0.assert(text) }
    case .action(let target, let file):
      return look("action", job, dependencies, work) { try $0.action(target, file: file) }
    case .diff(let a, let b, let path, let limit, let file):
      return look("diff", job, dependencies, work) {
        try $0.diff(a, b, path: path, limit: limit, file: file)
      }
    case .timeline(let query):
      return look("timeline", job, dependencies, work) { try $0.timeline(query) }
    case .fork(let target, let file, let from):
      let fork: @Sendable (RecordingQueries) throws -> SessionResult = {
        try $0.fork(at: target, to: file, from: from, by: job) { path in
          try dependencies.files.checkTarget(path, isRecording: true)
          if from == nil { try recording.checkFork(at: path) }
          try dependencies.files.makeFolder(ofRecording: path)
        }
      }
      return state.changes == nil
        ? look("fork", job, dependencies, work, fork)
        : change("fork", job, dependencies, work, fork)
    case .bisect(let path, let assertion, let linear):
      return look("bisect", job, dependencies, work) {
        try $0.bisect(path, assert: assertion, linear: linear)
      }
    case .graph(let path, let label, let opens):
      return look("graph", job, dependencies, work, opens: opens) { try $0.graph(path, by: label) }
    case .causes(let path, let range, let opens):
      return look("graph", job, dependencies, work, opens: opens) { try $0.causes(path, range) }
    case .screenshot(let path):
      return look("screenshot", job, dependencies, work) { try $0.screenshot(path) }
    case .stats(let path): return look("stats", job, dependencies, work) { try $0.stats(path) }
    case .test(let path, let until):
      return look("test", job, dependencies, work) { try $0.test(path, until: until) }
    case .verify(let paths, let format, let acceptsRisk):
      return verify(paths, format, acceptsRisk: acceptsRisk, job, dependencies)
    case .replay(let query): return replay(query, job, dependencies)
    }
  }

  private func verify(
    _ paths: [String], _ format: SessionReportFormat?, acceptsRisk: Bool, _ job: Int,
    _ dependencies: Dependencies
  ) -> [Effect<SessionAction>] {
    let secrets = RecordedSecrets(dependencies.logger.redactor)
    return run("verify", job, dependencies, secrets) { send in
      try await SessionVerification.verify(
        paths, format: format, acceptsRisk: acceptsRisk, job: job, navigators.features,
        running: recording.status().path, dependencies, secrets, send)
    }
  }

  private func replay(
    _ query: SessionReplayQuery, _ job: Int, _ dependencies: Dependencies
  ) -> [Effect<SessionAction>] {
    let secrets = RecordedSecrets(dependencies.logger.redactor)
    return run("replay", job, dependencies, secrets) { send in
      .replayed(
        check: try await SessionReplay.replay(
          query, job: job, navigators, running: recording.status(), dependencies, secrets, send))
    }
  }

  /// Returns an effect that starts, marks or ends the recording of this board. It is short and has
  /// no ID. If it could be cancelled, a recording might start without being in the state. Its
  /// command ends with what it has done, also if it is cancelled.
  private func control(
    _ name: String, _ job: Int, _ dependencies: Dependencies,
    _ body: @escaping @Sendable (any RecordingService) throws -> SessionResult
  ) -> [Effect<SessionAction>] {
    [
      .task(name: "session.\(name)") { [recording] in
        do {
          let (result, masked) = try dependencies.logger.redactor.masking(try body(recording))
          return .succeeded(job: job, result: result, masked: masked)
        } catch {
          return .failed(job: job, failure: Failure(error, dependencies))
        }
      }
    ]
  }

  /// Returns an effect that reads a recording, perhaps a long one, and ends with one action.
  ///
  /// - Parameter opens: Whether to open the picture of the graph that is the result.
  private func look(
    _ name: String, _ job: Int, _ dependencies: Dependencies, _ work: RecordingQueries,
    opens: Bool? = nil, _ body: @escaping @Sendable (RecordingQueries) throws -> SessionResult
  ) -> [Effect<SessionAction>] {
    let secrets = RecordedSecrets(dependencies.logger.redactor)
    let warnings = SessionWarnings(running: recording, secrets)
    return run(
      name, job, dependencies, secrets, opens: opens, warnings,
      reading(job, dependencies, work, warnings, secrets, body))
  }

  /// Returns effects that read a recording and write another one. If the first is cancelled, the
  /// second says whether that was written.
  private func change(
    _ name: String, _ job: Int, _ dependencies: Dependencies, _ work: RecordingQueries,
    _ body: @escaping @Sendable (RecordingQueries) throws -> SessionResult
  ) -> [Effect<SessionAction>] {
    let secrets = RecordedSecrets(dependencies.logger.redactor)
    let warnings = SessionWarnings(running: recording, secrets)
    let read = reading(job, dependencies, work, warnings, secrets, body)
    return .change(
      name: "session.\(name)", id: job, dependencies,
      sending: { [unfinishedWork = navigators.unfinishedWork] send in
        try await unfinishedWork.run { try await read(send) }
      }
    ) {
      let (result, masked) = try await masked($0, dependencies, secrets)
      return .succeeded(
        job: job, result: result, masked: masked, warnings: warnings.texts(dependencies.logger))
    } failure: {
      .failed(job: job, failure: $0, warnings: warnings.texts(dependencies.logger))
    }
  }

  /// Returns the work of an effect that reads a recording, with its progress.
  private func reading(
    _ job: Int, _ dependencies: Dependencies, _ work: RecordingQueries,
    _ warnings: SessionWarnings, _ secrets: RecordedSecrets,
    _ body: @escaping @Sendable (RecordingQueries) throws -> SessionResult
  ) -> @Sendable (Send<SessionAction>) async throws -> SessionResult {
    { [recording] send in
      var work = work
      work.warnings = warnings
      work.secrets = secrets
      await dependencies.keychainService.refresh()
      let redactor = dependencies.logger.redactor
      // Its name is a mark where it holds a secret.
      if let path = recording.path, work.moment?.path == redactor.mask(path).value {
        work.moment?.path = path
      }
      let pace = ProgressPace(dependencies.clock)
      defer { dependencies.terminal.show(nil) }
      work.progress = { now, path in
        let path = redactor.mask(path).value
        dependencies.terminal.show(
          TransferProgress(name: path, done: Int64(now.bytes), total: Int64(now.total)))
        guard pace.isDue else { return }
        send(.progress(job: job, text: "\(Int(now.fraction * 100)) % of \(path) read"))
      }
      return try await withTaskCancellationHandler { [work] in
        try await DetachedThread.run { try body(work) }
      } onCancel: { [flag = work.flag] in
        flag.set()
      }
    }
  }

  /// Returns an effect that reports its progress before it ends. A recording may contain values of
  /// secrets that were not known when it was made.
  ///
  /// - Parameter warnings: Collects the warnings that are no part of the result.
  private func run(
    _ name: String, _ job: Int, _ dependencies: Dependencies, _ secrets: RecordedSecrets,
    opens: Bool? = nil, _ warnings: SessionWarnings? = nil,
    _ body: @escaping @Sendable (Send<SessionAction>) async throws -> SessionResult
  ) -> [Effect<SessionAction>] {
    [
      .run(name: "session.\(name)") { send in
        do {
          var (result, masked) = try await masked(
            try await body(send), dependencies, secrets)
          if opens == true, case .graph(let text) = result {
            result = .opened(picture: try await dependencies.showGraph(text))
          }
          send(
            .succeeded(
              job: job, result: result, masked: masked,
              warnings: warnings?.texts(dependencies.logger)))
        } catch is CancellationError {
          throw CancellationError()
        } catch {
          send(
            .failed(
              job: job, failure: Failure(error, dependencies),
              warnings: warnings?.texts(dependencies.logger)))
        }
      }.cancellable(id: job)
    ]
  }

  /// Replaces known secrets in the result by marks. In values of states and actions, numbers and
  /// keys are checked too.
  ///
  /// - Parameter secrets: Has replaced secrets where the result has parts of values.
  private func masked(
    _ result: SessionResult, _ dependencies: Dependencies, _ secrets: RecordedSecrets
  ) async throws -> (SessionResult, MaskedValues?) {
    await dependencies.keychainService.refresh()
    let redactor = dependencies.logger.redactor
    guard redactor.hasSecrets else { return (result, nil) }
    var names = secrets.names(in: result)
    let marked = result.mapValues { value in
      let masked = redactor.masking(value)
      names += masked.names
      return masked.value
    }
    let (whole, masked) = try redactor.masking(marked)
    return (whole, MaskedValues(names, and: masked))
  }
}

extension SessionResult {
  fileprivate init(_ ended: EndedRecording) {
    self = .stopped(path: ended.path, steps: ended.steps, problem: ended.problem)
  }

  fileprivate init(_ status: RecordingStatus, _ position: SessionPosition?) {
    self = .status(
      path: status.path, steps: status.steps, problem: status.problem, position: position)
  }
}
