/// The states of a board's features, by name.
///
/// A feature that is missing from a recording has its initial state and is not stored until an
/// action changes it. Adding a feature therefore does not change existing recordings.
struct FeatureStates: Sendable, Equatable {
  /// The key of a member of a state or an action.
  struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// The state of one feature, changed in place if it is uniquely referenced.
  ///
  /// Unchecked: a box with two references is never changed.
  struct Value: @unchecked Sendable, Equatable {
    fileprivate var box: Box

    init<State: FeatureState>(_ state: State) { box = TypedBox(state) }

    fileprivate init(box: Box) { self.box = box }

    fileprivate mutating func isUnique() -> Bool { isKnownUniquelyReferenced(&box) }

    static func == (left: Self, right: Self) -> Bool { left.box.isEqual(to: right.box) }
  }

  fileprivate class Box {
    func isEqual(to other: Box) -> Bool { false }
    func encode(into container: inout KeyedEncodingContainer<Key>, forKey key: Key) throws {}
  }

  fileprivate final class TypedBox<State: FeatureState>: Box {
    var state: State

    init(_ state: State) { self.state = state }

    override func isEqual(to other: Box) -> Bool { (other as? TypedBox)?.state == state }

    override func encode(
      into container: inout KeyedEncodingContainer<Key>, forKey key: Key
    ) throws {
      try container.encode(state, forKey: key)
    }
  }

  private var values: [String: Value] = [:]

  init() {}

  init(initial features: [AnyFeature]) {
    values = Dictionary(uniqueKeysWithValues: features.map { ($0.name, $0.initialState) })
  }

  func contains(_ name: String) -> Bool { values[name] != nil }

  mutating func add(_ value: Value, of name: String) { values[name] = value }

  func encode(into container: inout KeyedEncodingContainer<Key>) throws {
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      try value.box.encode(into: &container, forKey: Key(stringValue: name))
    }
  }

  subscript<State>(key: FeatureKey<State>) -> State {
    get { (values[key.name]?.box as? TypedBox<State>)?.state ?? key.initialState }
    _modify {
      let box = unique(key)
      yield &box.state
    }
  }

  /// Returns the box of a state, uniquely referenced.
  private mutating func unique<State>(_ key: FeatureKey<State>) -> TypedBox<State> {
    let isUnique = values[key.name]?.isUnique() ?? false
    let known = values[key.name]?.box as? TypedBox<State>
    if isUnique, let known { return known }
    let box = TypedBox(known?.state ?? key.initialState)
    values[key.name] = Value(box: box)
    return box
  }
}

/// The typed key of a feature's state.
struct FeatureKey<State: FeatureState>: Hashable, Sendable {
  let name: String
  let initialState: State

  init<Action>(_ feature: Feature<State, Action>) {
    name = feature.name
    initialState = feature.initialState
  }

  static func == (left: Self, right: Self) -> Bool { left.name == right.name }

  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
