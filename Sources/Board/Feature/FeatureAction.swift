import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardStore

/// The state of a feature. It is part of recordings, so its encoding must stay compatible.
public typealias FeatureState = Codable & Equatable & Sendable

/// An action of a feature. It is part of recordings, so its encoding must stay compatible.
public protocol FeatureAction: Codable, Equatable, Sendable {
  /// The command that this action starts, or `nil` if it starts none.
  var started: CommandContext? { get }

  /// Whether a line with this action is read-only. `session undo` skips such a line, and it may run
  /// while the board shows an earlier step.
  var onlyLooks: Bool { get }

  /// How the loading of what the state shows has ended, or `nil` for an action that ends none. See
  /// `Feature.bootstrap`.
  var loading: LoadingEnd? { get }

  /// Whether the action is caused by time alone and not by a line. A live replay, in which less
  /// time passes, neither waits for it nor compares it.
  var comesByItself: Bool { get }
}

extension FeatureAction {
  /// `false`: the action may change the state of the board or its services.
  public var onlyLooks: Bool { false }

  /// `nil`: the action ends no loading.
  public var loading: LoadingEnd? { nil }

  /// `false`: the action follows from a line.
  public var comesByItself: Bool { false }
}

/// The end of loading what the state of a feature shows of services.
public enum LoadingEnd: Sendable, Equatable {
  /// The state has it.
  case loaded
  /// It could not be loaded. The line that shows the state says so.
  case failed(Failure)

  /// Creates an end with a failure, or `loaded` if that is `nil`.
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
