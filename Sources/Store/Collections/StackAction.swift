/// An action for a stack of features, or for a feature in it.
public enum StackAction<State, Action> {
  /// An action of one element.
  case element(id: StackElementID, action: Action)
  /// Removes the element and all elements above it. The reducer to which `forEach` is attached sees
  /// the action before they are removed.
  case popFrom(id: StackElementID)
  /// Adds an element on top. Without an id the stack assigns one. An explicit id must be
  /// `StackState.nextID` or later.
  case push(id: StackElementID?, state: State)

  /// Adds an element on top, with an id that the stack assigns.
  @inlinable
  public static func push(_ state: State) -> Self { .push(id: nil, state: state) }
}

/// The action of a stack of features.
///
/// ```swift
/// enum Action { case path(StackActionOf<Path>) }
/// ```
public typealias StackActionOf<R: Reducer> = StackAction<R.State, R.Action>

extension StackAction: Sendable where State: Sendable, Action: Sendable {}
extension StackAction: Equatable where State: Equatable, Action: Equatable {}
extension StackAction: Hashable where State: Hashable, Action: Hashable {}

/// Encoded as `{"element": …, "id": 0}`, `{"popFrom": 0}` or `{"push": …, "id": 0}`.
extension StackAction: Encodable where State: Encodable, Action: Encodable {
  /// Encodes the action as an object.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: StackActionKey.self)
    switch self {
    case .element(let id, let action):
      try container.encode(id, forKey: .id)
      try container.encode(action, forKey: .element)
    case .popFrom(let id):
      try container.encode(id, forKey: .popFrom)
    case .push(let id, let state):
      try container.encodeIfPresent(id, forKey: .id)
      try container.encode(state, forKey: .push)
    }
  }
}

extension StackAction: Decodable where State: Decodable, Action: Decodable {
  /// Decodes an action from an object.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: StackActionKey.self)
    if container.contains(.element) {
      self = .element(
        id: try container.decode(StackElementID.self, forKey: .id),
        action: try container.decode(Action.self, forKey: .element))
    } else if container.contains(.popFrom) {
      self = .popFrom(id: try container.decode(StackElementID.self, forKey: .popFrom))
    } else {
      self = .push(
        id: try container.decodeIfPresent(StackElementID.self, forKey: .id),
        state: try container.decode(State.self, forKey: .push))
    }
  }
}

enum StackActionKey: String, CodingKey {
  case element, popFrom, push, id
}
