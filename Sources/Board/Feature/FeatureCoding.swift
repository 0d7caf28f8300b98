import SwiftBoardRecording

/// The reading of a feature's states and actions from recordings.
struct FeatureCoding: Sendable {
  typealias Key = FeatureStates.Key

  let version: Int?
  /// Returns the migrations, relative to the board's state and action.
  let migrations: @Sendable () -> [LogMigration]
  let decodeState: @Sendable (KeyedDecodingContainer<Key>, Key) throws -> FeatureStates.Value
  let decodeAction: @Sendable (KeyedDecodingContainer<Key>, Key) throws -> AnyFeatureAction

  init<State, Action>(_ feature: Feature<State, Action>) {
    let name = feature.name
    version = feature.version
    migrations = { [migrations = feature.migrations, part = feature.version == nil ? nil : name] in
      migrations().map { $0.inside(name, part: part) }
    }
    decodeState = { container, key in
      FeatureStates.Value(try container.decode(State.self, forKey: key))
    }
    decodeAction = { container, key in
      AnyFeatureAction(try container.decode(Action.self, forKey: key), of: name)
    }
  }
}
