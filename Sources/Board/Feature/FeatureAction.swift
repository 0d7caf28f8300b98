import SwiftBoardDependencies
import SwiftBoardStore

/// The state of a feature: part of recordings, so that its form is a promise.
public typealias FeatureState = Codable & Equatable & Sendable

/// An action of a feature: part of recordings, so that its form is a promise.
public protocol FeatureAction: Codable, Equatable, Sendable {
  /// The command that this action starts; `nil` if it starts none.
  var started: CommandContext? { get }

  /// Whether a line with this action only looks: `session undo` passes it by, and it may run while
  /// the board shows an earlier step.
  var onlyLooks: Bool { get }

  /// Whether time alone brings it, and no line: a live replay, in which less time passes, neither
  /// waits for it nor compares it.
  var comesByItself: Bool { get }
}

extension FeatureAction {
  /// No: the action may change what the board or its services keep.
  public var onlyLooks: Bool { false }

  /// No: it follows from a line.
  public var comesByItself: Bool { false }
}

/// An action of a feature whose type the board does not know.
public struct AnyFeatureAction: Sendable, Equatable {
  /// The feature's name: the member under which recordings have the action.
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
