/// The state of a feature. It is part of recordings, so its encoding must stay compatible.
public typealias FeatureState = Codable & Equatable & Sendable

/// An action of a feature. It is part of recordings, so its encoding must stay compatible.
public protocol FeatureAction: Codable, Equatable, Sendable {
  /// The command that this action starts, or `nil` if it starts none.
  var started: CommandContext? { get }

  /// The number of the command that this action belongs to, or `nil` if it belongs to none. Effects
  /// of a command in the background ask nothing at the terminal.
  var owningJob: Int? { get }

  /// Whether a line with this action is read-only. `session undo` skips such a line, and the line
  /// is permitted while the board shows an earlier step.
  var isReadOnly: Bool { get }

  /// The result of loading data for the state, or `nil` if the action does not end the loading. See
  /// `Feature.bootstrap`.
  var loading: LoadingEnd? { get }

  /// Whether the action comes with time, or only where something is already loaded. A live replay
  /// does not compare it, and does not miss it. Before the next line, it waits for a task that
  /// sends it.
  var isTimeDriven: Bool { get }
}

extension FeatureAction {
  /// By default, the number of the command that this action starts.
  public var owningJob: Int? { started?.job }

  /// By default, `false`: the action may change the state of the board or its services.
  public var isReadOnly: Bool { false }

  /// By default, `nil`: the action does not end the loading of data.
  public var loading: LoadingEnd? { nil }

  /// By default, `false`: a line causes the action.
  public var isTimeDriven: Bool { false }
}

/// The result of loading the service data that a feature's state shows.
public enum LoadingEnd: Sendable, Equatable {
  /// The data is in the state.
  case loaded
  /// The data could not be loaded. The line that shows the state reports it.
  case failed(Failure)

  /// Creates a result from a failure, or `loaded` if the failure is `nil`.
  public init(_ failure: Failure?) { self = failure.map(Self.failed) ?? .loaded }
}

/// An action of a feature with an erased type.
public struct AnyFeatureAction: Sendable, Equatable {
  /// The feature's name. Recordings store the action under it.
  let feature: String
  let base: any FeatureAction

  init(_ base: any FeatureAction, of feature: String) {
    self.feature = feature
    self.base = base
  }

  /// Whether both are equal actions of one feature.
  public static func == (left: Self, right: Self) -> Bool {
    func isEqual<Action: FeatureAction>(_ action: Action) -> Bool {
      right.base as? Action == action
    }
    return left.feature == right.feature && isEqual(left.base)
  }
}
