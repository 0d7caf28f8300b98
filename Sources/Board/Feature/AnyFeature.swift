import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardRecording
import SwiftBoardStore

/// A feature with erased state and action types.
final class AnyFeature: Sendable {
  typealias Key = FeatureStates.Key

  let name: String
  let summary: String
  let details: String
  let commands: CommandTable<BoardCommand>
  let link: @Sendable (BoardLink) -> [String]?
  /// Texts of `JSONPathPattern`, relative to the board's action.
  let volatile: [String]
  let version: Int?
  /// Returns the migrations, relative to the board's state and action.
  let migrations: @Sendable () -> [LogMigration]
  let passesWordsOn: Bool
  let secretWords: SecretWords
  let reducer: AnyReducer<BoardState, BoardAction, Dependencies>
  let outcome: @Sendable (AnyFeatureAction, BoardState) -> Outcome?
  let partialOutcome: @Sendable (AnyFeatureAction) -> PartialOutcome?
  let events: @Sendable (AnyFeatureAction, BoardState) -> [AnalyticsEvent]
  let cancelled: @Sendable (inout BoardState, _ job: Int) -> Void
  let forget: @Sendable (inout BoardState) -> Void
  let hide: @Sendable (inout BoardState, _ job: Int) -> Bool
  let replacesData: @Sendable (AnyFeatureAction) -> Bool
  let reload: @Sendable (inout BoardState) -> Void
  let atTerminal: @Sendable (inout BoardState) -> Void
  let bootstrap: @Sendable (BoardState) -> BoardAction?
  let candidates: @Sendable (ValueKind, BoardState, Dependencies) async -> [LineCompletion.Value]
  let initialState: FeatureStates.Value
  let decodeState: @Sendable (KeyedDecodingContainer<Key>, Key) throws -> FeatureStates.Value
  let decodeAction: @Sendable (KeyedDecodingContainer<Key>, Key) throws -> AnyFeatureAction

  init<State, Action>(_ feature: Feature<State, Action>) {
    let name = feature.name
    let key = FeatureKey(feature)
    self.name = name
    summary = feature.summary
    details = feature.details
    commands = feature.commands.map { command in
      command.map { .feature(AnyFeatureAction($0, of: name)) }
    }
    link = feature.link
    volatile = feature.volatile.map { "\(name).\($0)" }
    version = feature.version
    migrations = { [migrations = feature.migrations, part = feature.version == nil ? nil : name] in
      migrations().map { $0.inside(name, part: part) }
    }
    passesWordsOn = feature.passesWordsOn
    secretWords = feature.secretWords
    reducer = AnyReducer(
      FeatureScope(key, action: BoardAction.path(to: feature), feature.reducer))
    outcome = { [outcome = feature.outcome] action, state in
      guard let action = action.base as? Action else { return nil }
      return outcome(action, state[key], OutcomeContext(state))
    }
    partialOutcome = { [partial = feature.partialOutcome] action in
      (action.base as? Action).flatMap(partial)
    }
    events = { [events = feature.events] action, state in
      (action.base as? Action).map { events($0, state[key]) } ?? []
    }
    cancelled = { [cancelled = feature.cancelled] state, job in
      // A missing state has nothing to update and is not created.
      if state.features.contains(name) { cancelled(&state[key], job) }
    }
    forget = { [forget = feature.forget] state in
      if state.features.contains(name) { forget(&state[key]) }
    }
    hide = { [hide = feature.hide] state, job in
      state.features.contains(name) ? hide(&state[key], job) : true
    }
    replacesData = { [replacesData = feature.replacesData] action in
      (action.base as? Action).map(replacesData) ?? false
    }
    reload = { [reload = feature.reload] state in
      if state.features.contains(name) { reload(&state[key]) }
    }
    atTerminal = { [atTerminal = feature.atTerminal] state in atTerminal(&state[key]) }
    bootstrap = { [bootstrap = feature.bootstrap] state in
      bootstrap(state[key]).map { .feature(AnyFeatureAction($0, of: name)) }
    }
    candidates = { [candidates = feature.candidates] kind, state, dependencies in
      await candidates(kind, state[key], dependencies).map {
        LineCompletion.Value($0, isPartial: $0.hasSuffix("/"))
      }
    }
    initialState = FeatureStates.Value(feature.initialState)
    decodeState = { container, key in
      FeatureStates.Value(try container.decode(State.self, forKey: key))
    }
    decodeAction = { container, key in
      AnyFeatureAction(try container.decode(Action.self, forKey: key), of: name)
    }
  }
}
