/// Work that a reduction asks for, as a value: the store starts it, and its actions come back to
/// the reducer.
///
/// An effect has a name, a kind, ids and a location in the source (`descriptor`), so that tests,
/// recordings and `Store.effects` can say what it is. Making one runs nothing. 80 bytes, and what
/// its closure captures; an id or a position in the composition is one small object more.
public struct Effect<Action: Sendable>: Sendable {
  @usableFromInline
  enum Operation: Sendable {
    case none
    case send(Action)
    case task(@Sendable () async throws -> Action)
    case run(@Sendable (Send<Action>) async throws -> Void)
    case cancel(CancelKey)
    case issue(String)
    case merge([Effect<Action>])
    case concatenate([Effect<Action>])
  }

  @usableFromInline var operation: Operation
  @usableFromInline var name: String?
  @usableFromInline var location: SourceLocation
  /// Properties that most effects do not have; `nil` keeps such effects small and cheap to copy.
  @usableFromInline var traits: EffectTraits?

  @inlinable
  init(
    _ operation: Operation, name: String? = nil, location: SourceLocation,
    traits: EffectTraits? = nil
  ) {
    self.operation = operation
    self.name = name
    self.location = location
    self.traits = traits
  }
}

extension Effect {
  /// Nothing; leaves no trace in descriptors. Allocates nothing.
  @inlinable
  public static var none: Effect { Effect(.none, location: SourceLocation()) }

  /// One asynchronous operation that ends in one action.
  ///
  /// What it throws becomes an issue unless `catch` turns it into an action; `CancellationError` is
  /// no error.
  ///
  /// - Parameter name: Stands in descriptors, issues and recordings; “task” without one.
  /// - Complexity: One task when it starts, and one lock when it ends.
  @inlinable
  public static func task(
    name: String? = nil, fileID: StaticString = #fileID, line: UInt32 = #line,
    _ operation: @escaping @Sendable () async throws -> Action
  ) -> Effect {
    Effect(
      .task(operation), name: name,
      location: SourceLocation(fileID: fileID, line: line))
  }

  /// An asynchronous operation that sends any number of actions. What is sent after it returned or
  /// was cancelled is dropped.
  ///
  /// What it throws becomes an issue unless `catch` turns it into an action; `CancellationError` is
  /// no error. What it sent before stays reduced.
  ///
  /// - Parameter name: Stands in descriptors, issues and recordings; “run” without one.
  /// - Complexity: One task when it starts; one lock for each action, and one when it ends.
  @inlinable
  public static func run(
    name: String? = nil, fileID: StaticString = #fileID, line: UInt32 = #line,
    _ operation: @escaping @Sendable (_ send: Send<Action>) async throws -> Void
  ) -> Effect {
    Effect(.run(operation), name: name, location: SourceLocation(fileID: fileID, line: line))
  }

  /// An action of the same turn: it is reduced after what the turn has caused already, and before
  /// any other action. No task is started.
  ///
  /// - Complexity: An element of a queue; no lock, since the thread that reduced the action that
  ///   returned it continues.
  @inlinable
  public static func send(
    _ action: Action, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> Effect {
    Effect(.send(action), location: SourceLocation(fileID: fileID, line: line))
  }

  /// Cancels every effect that has `id` here or in a child of here, started or not. No action of
  /// theirs is reduced afterwards. If none has it, nothing happens.
  ///
  /// - Complexity: No allocation for an `Int` or a `String`. When it is reduced O(number of effects
  ///   found), and O(length of the queue) where actions wait in it.
  @inlinable
  public static func cancel(
    id: some Hashable & Sendable, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> Effect {
    Effect(
      .cancel(CancelKey(id: CancelID(id))), location: SourceLocation(fileID: fileID, line: line))
  }

  /// Cancels every effect of the place it is returned at and of all children of that place.
  @inlinable
  static func cancelScope(path: [ScopeKey], location: SourceLocation) -> Effect {
    Effect(.cancel(CancelKey(path: path, id: nil)), location: location)
  }

  /// Reports a misuse that the reducer found, at the line that is to blame: to `onIssue` and to
  /// hooks, with the number of the step. The state should be left as it is.
  ///
  /// - Parameter message: What happened, why that is likely, and what to do.
  /// - Complexity: O(1); starts nothing.
  @inlinable
  public static func issue(
    _ message: String, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> Effect {
    Effect(.issue(message), location: SourceLocation(fileID: fileID, line: line))
  }

  /// Effects that run side by side, as one: an id given to it cancels all of them. `.none` is left
  /// out; of one effect alone that one is returned, and of none `.none`. A member that is a `merge`
  /// itself, without an id, counts as its members: such groups may be nested to any depth.
  ///
  /// - Complexity: O(n), members of members included: an array here, and a node in the
  ///   store for the group and for each member.
  @inlinable
  public static func merge(
    _ effects: [Effect], fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> Effect {
    let location = SourceLocation(fileID: fileID, line: line)
    return combined(effects, Operation.merge, location) {
      if case .merge(let members) = $0 { members } else { nil }
    }
  }

  /// Effects that run one after the other: each starts when the work of the one before has ended,
  /// without waiting for what its actions caused. One that fails or is cancelled does not keep the
  /// next from starting. Cancelling the whole also cancels members that have not begun. A member
  /// that is a `concatenate` itself, without an id, counts as its members.
  ///
  /// - Complexity: As `merge`.
  @inlinable
  public static func concatenate(
    _ effects: [Effect], fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> Effect {
    let location = SourceLocation(fileID: fileID, line: line)
    return combined(effects, Operation.concatenate, location) {
      if case .concatenate(let members) = $0 { members } else { nil }
    }
  }

  /// `merge` with the effects spelled out. O(n).
  @inlinable
  public static func merge(
    _ effects: Effect..., fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> Effect {
    merge(effects, fileID: fileID, line: line)
  }

  /// `concatenate` with the effects spelled out. O(n).
  @inlinable
  public static func concatenate(
    _ effects: Effect..., fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> Effect {
    concatenate(effects, fileID: fileID, line: line)
  }

  /// This effect and another, side by side: `merge` of the two.
  @inlinable
  public func merge(
    with other: Effect, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> Effect {
    .merge([self, other], fileID: fileID, line: line)
  }

  /// This effect, and another when the work of this one has ended: `concatenate` of the two.
  @inlinable
  public func concatenate(
    with other: Effect, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> Effect {
    .concatenate([self, other], fileID: fileID, line: line)
  }

  /// - Parameter members: Gives the members of a group of the same kind, which are flat already:
  ///   groups are made here.
  @inlinable
  static func combined(
    _ effects: [Effect], _ make: ([Effect]) -> Operation, _ location: SourceLocation,
    members flatMembers: (Operation) -> [Effect]?
  ) -> Effect {
    var members: [Effect] = []
    members.reserveCapacity(effects.count)
    for effect in effects where !effect.isNone {
      if effect.traits == nil, effect.name == nil, let inner = flatMembers(effect.operation) {
        members += inner
      } else {
        members.append(effect)
      }
    }
    switch members.count {
    case 0: return Effect(.none, location: location)
    case 1: return members[0]
    default: return Effect(make(members), location: location)
    }
  }

  @inlinable
  var isNone: Bool {
    if case .none = operation { true } else { false }
  }

  /// What `make` gives for this effect, from what it has given for the members. Without recursion,
  /// since groups nest as deep as they like.
  @inlinable
  func folded<Result>(_ make: (_ effect: Effect, _ members: [Result]) -> Result) -> Result {
    guard let members = operation.members else { return make(self, []) }
    var groups = [(effect: self, rest: members[...], results: [Result]())]
    while true {
      let last = groups.count - 1
      guard let next = groups[last].rest.popFirst() else {
        let group = groups.removeLast()
        let result = make(group.effect, group.results)
        if last == 0 { return result }
        groups[last - 1].results.append(result)
        continue
      }
      if let members = next.operation.members {
        groups.append((next, members[...], []))
      } else {
        groups[last].results.append(make(next, []))
      }
    }
  }
}

extension Effect {
  /// The same effect without its operation's closure.
  @inlinable
  var emptied: Effect {
    Effect(operation.emptied, name: name, location: location, traits: traits)
  }
}

extension Effect {
  /// A group as the store keeps it: each member's work is held by that member alone, and released
  /// when it has ended. One with a limit can be dropped, and is described then with its members.
  @usableFromInline
  var withoutWork: Effect {
    guard traits?.limit != nil else { return emptied }
    return replacingWork(
      task: { Operation.task($1).emptied }, run: { Operation.run($1).emptied })
  }
}

extension Effect.Operation {
  /// The members of a group; `nil` for an effect that is none.
  @inlinable
  var members: [Effect<Action>]? {
    switch self {
    case .merge(let members), .concatenate(let members): members
    case .none, .send, .task, .run, .cancel, .issue: nil
    }
  }

  /// Whether it is work that takes time.
  @inlinable
  var isTask: Bool {
    switch self {
    case .task, .run: true
    case .none, .send, .cancel, .issue, .merge, .concatenate: false
    }
  }

  /// An operation of the same kind that does nothing.
  @inlinable
  var emptied: Self {
    switch self {
    case .task: .task { throw CancellationError() }
    case .run: .run { _ in }
    default: .none
    }
  }
}
