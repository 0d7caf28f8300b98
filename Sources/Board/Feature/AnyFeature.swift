import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardStore

/// A feature with erased state and action types.
final class AnyFeature: Sendable {
  let name: String
  let summary: String
  let details: String
  let commands: CommandTable<BoardCommand>
  let link: @Sendable (BoardLink) -> [String]?
  /// Texts of `JSONPathPattern`, relative to the board's action.
  let volatile: [String]
  let endlessEffects: [String]
  let passesWordsOn: Bool
  let secretWords: SecretWords
  let reducer: AnyReducer<BoardState, BoardAction, Dependencies>
  let outcome: @Sendable (AnyFeatureAction, BoardState) -> Outcome?
  let partialOutcome: @Sendable (AnyFeatureAction) -> PartialOutcome?
  let events: @Sendable (AnyFeatureAction, BoardState) -> [AnalyticsEvent]
  let changes: FeatureStateChanges
  let replacesData: @Sendable (AnyFeatureAction) -> Bool
  let bootstrap: @Sendable (BoardState) -> BoardAction?
  let candidates: @Sendable (ValueKind, BoardState, Dependencies) async -> [LineCompletion.Value]
  let initialState: FeatureStates.Value
  let coding: FeatureCoding

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
    endlessEffects = feature.endlessEffects
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
    changes = FeatureStateChanges(feature, key)
    replacesData = { [replacesData = feature.replacesData] action in
      (action.base as? Action).map(replacesData) ?? false
    }
    bootstrap = { [bootstrap = feature.bootstrap] state in
      bootstrap(state[key]).map { .feature(AnyFeatureAction($0, of: name)) }
    }
    candidates = { [candidates = feature.candidates] kind, state, dependencies in
      await candidates(kind, state[key], dependencies).map {
        LineCompletion.Value($0, isPartial: $0.hasSuffix("/"))
      }
    }
    initialState = FeatureStates.Value(feature.initialState)
    coding = FeatureCoding(feature)
  }
}
