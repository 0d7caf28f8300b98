import SwiftBoardStore

/// An action that a test expects. Texts are created on demand.
struct Wanted<Action> {
  let location: TestLocation
  let accepts: (Action) -> Bool
  let name: () -> String
  /// Returns the message for an action that is not the expected one.
  let refusal: (Action) -> String
  /// Returns whether an action differs from the expected one only in its values.
  var isNear: (Action) -> Bool = { _ in false }
}

extension Wanted {
  static func accepted(by isExpected: @escaping (Action) -> Bool, at location: TestLocation) -> Self
  {
    Wanted(
      location: location, accepts: isExpected, name: { "an action that the closure accepts" },
      refusal: { "Received an action that the closure does not accept: `\(short($0))`." })
  }

  static func of<Value>(_ path: CasePath<Action, Value>, at location: TestLocation) -> Self {
    Wanted(
      location: location, accepts: path.matches, name: { "an action of the case" },
      refusal: { "Received an action of another case: `\(short($0))`." })
  }

  static func value<Value: Equatable>(
    of path: CasePath<Action, Value>, _ value: Value, at location: TestLocation
  ) -> Self {
    Wanted(path.embed(value), at: location) { path.extract($0) == value }
  }

  private init(
    _ expected: Action, at location: TestLocation, accepts: @escaping (Action) -> Bool
  ) {
    self.init(
      location: location, accepts: accepts, name: { "`\(short(expected))`" },
      refusal: {
        "Received another action than expected (- expected, + received):\n\n"
          + difference(expected, $0)
      }, isNear: { actionLabel($0) == actionLabel(expected) })
  }
}

extension Wanted where Action: Equatable {
  static func equal(to action: Action, at location: TestLocation) -> Self {
    Wanted(action, at: location) { $0 == action }
  }
}

/// The result of searching the queue.
enum Sight<Action> {
  /// The expected action was found and has been reduced.
  case received(Action)
  /// The next action is another one, and has not been reduced.
  case refused(Action)
  /// There is no action, but one may follow.
  case absent
}

/// A step whose action no line has received.
struct PassedAction<State, Action> {
  let step: Int
  let action: Action
  let effects: [EffectDescriptor]
  let before: State
  let after: State
  /// Whether a failed `receive` has reported or skipped the action.
  var isReported = false
}
