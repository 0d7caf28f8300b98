/// An action of one of many children, with the child's id.
///
/// ```swift
/// enum Action { case rows(ElementAction<Row.ID, Row.Action>) }
/// store.send(.rows(.element(id: 3, action: .tapped)))
/// ```
public enum ElementAction<ID, Action> {
  /// The child's id and action.
  case element(id: ID, action: Action)

  /// The id of the child.
  @inlinable
  public var id: ID {
    switch self {
    case .element(let id, _): id
    }
  }

  /// The action of the child.
  @inlinable
  public var action: Action {
    switch self {
    case .element(_, let action): action
    }
  }
}

/// The action of a list of features whose states are `Identifiable`.
///
/// ```swift
/// enum Action { case rows(ElementActionOf<Row>) }
/// ```
public typealias ElementActionOf<R: Reducer> = ElementAction<R.State.ID, R.Action>
where R.State: Identifiable

extension ElementAction: Sendable where ID: Sendable, Action: Sendable {}
extension ElementAction: Equatable where ID: Equatable, Action: Equatable {}
extension ElementAction: Hashable where ID: Hashable, Action: Hashable {}

/// Encoded as `{"id": …, "action": …}`.
extension ElementAction: Encodable where ID: Encodable, Action: Encodable {
  /// Encodes the action as an object.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: ElementActionKey.self)
    try container.encode(id, forKey: .id)
    try container.encode(action, forKey: .action)
  }
}

extension ElementAction: Decodable where ID: Decodable, Action: Decodable {
  /// Decodes an action from an object.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: ElementActionKey.self)
    self = .element(
      id: try container.decode(ID.self, forKey: .id),
      action: try container.decode(Action.self, forKey: .action))
  }
}

enum ElementActionKey: String, CodingKey {
  case id, action
}
