import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardStore

/// Combines the features, and tracks the running commands and the result of the last one.
public struct BoardReducer: ComposedReducer {
  private let features: FeatureList
  private let navigators: SessionNavigators
  private let recording: any RecordingService
  private let steps: StepCounter?
  private let reducers: FeatureReducers

  /// Creates the reducer of a board that is not recorded, for example in a replay.
  public init(_ features: FeatureList) {
    self.init(features, navigators: SessionNavigators(features), recording: NoRecording())
  }

  /// - Parameters:
  ///   - navigators: The recordings that effects read.
  ///   - recording: The service that effects record with. It continues in forks that `navigators`
  ///     made.
  ///   - steps: Numbers the steps of one store for its log. If `nil`, log lines contain no step.
  init(
    _ features: FeatureList, navigators: SessionNavigators, recording: any RecordingService,
    steps: StepCounter? = nil
  ) {
    self.features = features
    self.navigators = navigators
    self.recording = recording
    self.steps = steps
    reducers = FeatureReducers(features)
  }

  /// Runs the feature of an action, then updates the running commands from the
  /// result.
  public var body: some Reducer<BoardState, BoardAction, Dependencies> {
    LogCauseReducer(steps, features) {
      reducers
      ReloadReducer(features: features)
      Scope(state: \.session, action: BoardAction.session, id: "session") {
        SessionReducer(navigators: navigators, recording: recording)
      }
      ShellReducer(features: features)
      JobsReducer(features: features)
      ForkReducer(features: features, recording: recording)
    }
  }

  /// Returns the subscriptions of the features that declare some. To ask the others after each step
  /// would copy their states for nothing. The board's own reducers declare none.
  public func subscriptions(
    _ state: BoardState, _ dependencies: Dependencies
  ) -> [Effect<BoardAction>] {
    reducers.subscriptions(state, dependencies)
  }
}

/// The reducers of the features. Runs the one that an action belongs to, because each of them would
/// need longer to see that an action belongs to another one than the lookup takes. Effects of
/// commands in the background ask nothing at the terminal.
private struct FeatureReducers: Reducer {
  typealias Part = AnyReducer<BoardState, BoardAction, Dependencies>

  private let byName: [String: Part]
  private let all: ReducerList<Part>
  /// The reducers that declare subscriptions.
  private let subscribing: [Part]

  init(_ features: FeatureList) {
    let reducers = features.features.map(\.reducer)
    byName = Dictionary(uniqueKeysWithValues: features.features.map { ($0.name, $0.reducer) })
    all = ReducerBuilder.buildArray(reducers)
    subscribing = reducers.filter { $0.declaresSubscriptions(in: CompositionPath()) }
  }

  func reduce(
    _ state: inout BoardState, _ action: BoardAction, _ dependencies: Dependencies
  ) -> [Effect<BoardAction>] {
    guard case .feature(let own) = action, let reducer = byName[own.feature] else { return [] }
    let command =
      own.base.started ?? state.shell.running.first { $0.job == own.base.owningJob }
    // Most commands need no copy of the dependencies.
    guard let command, command.isBackground || command.changesNotes else {
      return reducer.reduce(&state, action, dependencies)
    }
    return reducer.reduce(&state, action, dependencies.serving(command))
  }

  func declaresSubscriptions(in path: CompositionPath) -> Bool {
    !subscribing.isEmpty
  }

  func subscriptions(_ state: BoardState, _ dependencies: Dependencies) -> [Effect<BoardAction>] {
    subscribing.flatMap { $0.subscriptions(state, dependencies) }
  }

  func findAbsentChildren(in state: BoardState, _ search: inout ChildSearch) {
    all.findAbsentChildren(in: state, &search)
  }
}

extension Dependencies {
  /// Returns the dependencies with a terminal for the effects of one command.
  fileprivate func serving(_ command: CommandContext) -> Dependencies {
    var dependencies = self
    if var terminal = terminal as? BoardTerminal {
      terminal.command = command
      dependencies.terminal = terminal
    }
    return command.isBackground ? dependencies.inBackground : dependencies
  }
}

extension CommandContext {
  /// Whether an option behind the command decides the form of its notes.
  fileprivate var changesNotes: Bool {
    output != nil || isQuiet != nil || isASCII != nil || color != nil
  }
}

/// Continues in a fork of the running recording. It runs last because the state must equal the
/// fork's exactly.
struct ForkReducer: Reducer {
  let features: FeatureList
  let recording: any RecordingService

  func reduce(
    _ state: inout BoardState, _ action: BoardAction, _ dependencies: Dependencies
  ) -> [Effect<BoardAction>] {
    switch action {
    case .session(.succeeded(let job, .forked(let fork), _, _)) where fork.isContinued:
      let redactor = dependencies.logger.redactor
      let failures = failures(ofRunning: state)
      return [.run(name: "session.resume", resume(job, failures, redactor))]
    case .resumed(let other, let path, _):
      let failures = failures(ofRunning: state)
      // The commands that started after the fork was made.
      let late = state.shell.running.map(\.job)
      let shell = state.shell
      state = other
      state.shell.takeTexts(from: shell)
      // That command has already printed its output.
      state.shell.finished?.outcome = nil
      // The commands that ran at that step no longer run, also those that end themselves.
      return late.map { .cancel(id: $0) }
        + other.shell.running.map(\.job).map { job in
          let failure = failures[job] ?? .cancelledByFork(mayHaveChanged: false)
          return .send(.shell(.failed(job: job, failure: failure)))
        }
        + [
          .send(.session(.succeeded(job: 0, result: .recording(path: path)))),
          // An effect of this step runs after the recording has started or failed to start.
          .run(name: "session.resumed") { [recording] send in
            guard recording.resumed().path == nil else { return }
            send(.session(.succeeded(job: 0, result: .stopped(path: path, steps: 0))))
          },
        ]
    default: return []
    }
  }

  /// Returns the failures with which a fork ends the running commands, by their jobs.
  private func failures(ofRunning state: BoardState) -> [Int: Failure] {
    let jobs = state.shell.running.map(\.job)
    return Dictionary(
      jobs.map { ($0, .cancelledByFork(mayHaveChanged: features.endsCancelled(state, $0))) },
      uniquingKeysWith: { first, _ in first })
  }

  /// Ends the recording and the running commands, and takes the state of the fork.
  ///
  /// - Parameter failures: Those of the running commands, by their jobs.
  private func resume(
    _ job: Int, _ failures: [Int: Failure], _ redactor: Redactor
  ) -> @Sendable (Send<BoardAction>) async throws -> Void {
    { [recording] send in
      let fork: ForkedState
      do {
        fork = try recording.resume(job)
      } catch {
        send(.session(.failed(job: job, failure: Failure(any: error))))
        return
      }
      // The recording has ended, so these actions are in neither one. `resumed` cancels the
      // commands that are also in the fork's state.
      let late = Set(failures.keys).subtracting(fork.state.shell.running.map(\.job))
      for (job, failure) in failures.sorted(by: { $0.key < $1.key }) where late.contains(job) {
        send(.shell(.failed(job: job, failure: failure)))
      }
      send(.resumed(fork.state, path: redactor.mask(fork.path).value, job: job))
    }
  }
}

extension BoardAction {
  /// Whether the outcome depends on the state, which the command's end changes.
  fileprivate var looksAtState: Bool {
    switch self {
    case .shell(.run(_, .state)), .shell(.run(_, .assert)): true
    default: false
    }
  }
}

extension ShellState {
  fileprivate mutating func notePart(of job: Int) {
    guard let index = running.firstIndex(where: { $0.job == job }),
      let parts = running[index].parts
    else { return }
    running[index].parts = parts &+ 1
  }
}

/// Tracks the running commands, the exit code of the last one, and its value for `{{last}}`.
struct JobsReducer: Reducer {
  let features: FeatureList

  func reduce(
    _ state: inout BoardState, _ action: BoardAction, _ dependencies: Dependencies
  ) -> [Effect<BoardAction>] {
    state.shell.finished = nil
    if case .feature(let own) = action, let end = own.base.loading {
      state.shell.note(end, of: own.feature)
    }
    if let context = action.started { state.shell.running.append(context) }
    if let part = features.partialOutcome(of: action) { state.shell.notePart(of: part.job) }
    guard let outcome = features.outcome(of: action, in: state),
      let index = state.shell.running.firstIndex(where: { $0.job == outcome.job })
    else { return [] }
    let context = state.shell.running.remove(at: index)
    state.shell.finished = FinishedJob(
      context: context, status: outcome.status,
      found: action.looksAtState
        ? FinishedJob.Found(lastStatus: state.shell.lastStatus, last: state.shell.last) : nil,
      outcome: outcome)
    if let text = Tutorial.advance(
      &state.shell.tutorial, by: context, with: outcome,
      checksLines: state.settings.checksLessons == true)
    {
      state.shell.finished?.outcome?.afterword = text
    }
    state.shell.lastStatus = outcome.status
    if outcome.hasNewLast, outcome.value != .null || state.settings.remembersNull == true {
      state.shell.last = StateText(outcome.value.text, job: outcome.job)
    }
    return []
  }
}
