import SwiftBoardDependencies
import SwiftBoardStore

/// The reducer of the board's own commands. It is at the root because `cancel` affects every
/// feature.
struct ShellReducer: Reducer {
  let features: FeatureList

  func reduce(
    _ state: inout BoardState, _ action: BoardAction, _ dependencies: Dependencies
  ) -> [Effect<BoardAction>] {
    guard case .shell(let action) = action else { return [] }
    switch action {
    case .run(let context, let command):
      return run(command, context, &state, dependencies)
    case .reject(_, _, let earlier?):
      state.shell.last = earlier.value
      return []
    case .reject, .diagnosed:
      return []
    case .masked(let removal):
      return state.apply(removal, features).map {
        .send(.shell(.failed(job: $0.job, failure: Failure(hiding: $0))))
      }
    case .resized(let width):
      state.settings.width = width
      return []
    case .continued:
      for feature in features.features { feature.changes.continued(&state) }
      return []
    case .watched(let job, let status):
      return state.shell.endRound(of: job, status: status).map { pause($0, dependencies) } ?? []
    case .watchDue(let job):
      state.shell.beginRound(of: job)
      return []
    case .cancelled(let job, _), .failed(let job, _):
      state.shell.endWatch(job)
      if case .failed = action { state.session.changes?.end(job) }
      // The effects of a cancelled command send no action that would report this.
      for feature in features.features { feature.changes.cancelled(&state, job) }
      return [.cancel(id: job)]
    }
  }

  private func run(
    _ command: ShellCommand, _ context: CommandContext, _ state: inout BoardState,
    _ dependencies: Dependencies
  ) -> [Effect<BoardAction>] {
    switch command {
    case .set(let name, let value): state.shell.set(name, to: value, job: context.job)
    case .unset(let name): state.shell.variables[name] = nil
    case .exit(let code): state.shell.exitCode = code
    case .cancel(let job):
      let jobs = job.map { [$0] } ?? state.shell.running.map(\.job)
      return jobs.filter { $0 != context.job }.map { .send(.shell(.cancelled(job: $0))) }
    case .watch(let watch): state.shell.beginWatch(context.job, watch)
    case .doctor:
      return .task(name: "shell.doctor") {
        let findings = await dependencies.installation().map(DoctorFinding.init)
        let masked = try await masking(findings, dependencies).value
        return .shell(.diagnosed(job: context.job, findings: masked))
      }
      .catchFailure(dependencies) { .shell(.failed(job: context.job, failure: $0)) }
      .cancellable(id: context.job)
    case .tutorial(let command):
      state.shell.tutorial =
        switch command {
        case nil where state.settings.environment == .preview: state.shell.tutorial ?? 0
        case .restart where state.settings.environment == .preview: 0
        case .next: state.shell.tutorial.map { $0 + 1 }
        case nil, .restart, .stop: nil
        }
    case .alias(let name?, let line?): state.shell.addAlias(name, line)
    case .unalias(let name): state.shell.removeAlias(name)
    case .echo, .assert, .state, .help, .jobs, .wait, .effects, .history, .open, .source, .alias,
      .completions, .manual:
      break
    }
    return []
  }

  /// The time between two rounds.
  private func pause(
    _ watch: RepeatedCommand, _ dependencies: Dependencies
  ) -> [Effect<BoardAction>] {
    let (job, interval) = (watch.job, Duration.milliseconds(watch.interval))
    return .task(name: "shell.watch") {
      try await dependencies.clock.sleep(for: interval)
      return .shell(.watchDue(job: job))
    }
    .cancellable(id: job)
  }
}

extension ShellState {
  /// The most bytes of all aliases, with their names.
  static let aliasRoom = 256 << 10

  /// Adds an alias if there is room for it.
  fileprivate mutating func addAlias(_ name: String, _ line: String) {
    let all = (aliases ?? [:]).merging([name: line]) { $1 }
    let bytes = all.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    if bytes <= Self.aliasRoom { aliases = all }
  }

  mutating func removeAlias(_ name: String) {
    aliases?[name] = nil
    if aliases?.isEmpty == true { aliases = nil }
  }
}
