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

  /// Whether the action is caused by time alone and not by a line. A live replay, in which less
  /// time passes, neither waits for it nor compares it.
  var comesByItself: Bool { get }
}

extension FeatureAction {
  /// `false`: the action may change the state of the board or its services.
  public var onlyLooks: Bool { false }

  /// `false`: the action follows from a line.
  public var comesByItself: Bool { false }
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
