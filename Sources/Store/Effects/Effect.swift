/// A value that describes work requested by a reduction. The store starts the work, and its actions
/// are sent back to the reducer.
///
/// An effect has a name, a kind, ids and a location in the source (`descriptor`), which identify it
/// in tests, in recordings and in `Store.effects`. Creating an effect runs nothing. Its size is 80
/// bytes, or that of a large action and some more, plus the captures of its closure. An id or a
/// place in the composition adds one small object.
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
  /// Properties that most effects do not have. `nil` keeps such effects small and cheap to copy.
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

extension EffectProtocol {
  /// Returns an asynchronous operation that ends with one action.
  ///
  /// An error that it throws becomes an issue unless `catch` turns it into an action.
  /// `CancellationError` is not an error.
  ///
  /// - Parameter name: The name in descriptors, issues and recordings. The default is “task”.
  /// - Complexity: One task when it starts, and one lock when it ends.
  @inlinable
  public static func task(
    name: String? = nil, fileID: StaticString = #fileID, line: UInt32 = #line,
    _ operation: @escaping @Sendable () async throws -> Action
  ) -> Self {
    let location = SourceLocation(fileID: fileID, line: line)
    return Self(effect: Effect(.task(operation), name: name, location: location))
  }

  /// Returns an asynchronous operation that sends any number of actions. Actions that are sent
  /// after it has returned or was cancelled are dropped.
  ///
  /// An error that it throws becomes an issue unless `catch` turns it into an action.
  /// `CancellationError` is not an error. An error does not affect the actions that were sent
  /// before it.
  ///
  /// - Parameter name: The name in descriptors, issues and recordings. The default is “run”.
  /// - Complexity: One task when it starts. One lock for each action, and one when it ends.
  @inlinable
  public static func run(
    name: String? = nil, fileID: StaticString = #fileID, line: UInt32 = #line,
    _ operation: @escaping @Sendable (_ send: Send<Action>) async throws -> Void
  ) -> Self {
    let location = SourceLocation(fileID: fileID, line: line)
    return Self(effect: Effect(.run(operation), name: name, location: location))
  }

  /// Returns an effect that sends an action in the same turn. The action is reduced after the
  /// actions that the turn has already caused, and before any other action. No task is started.
  ///
  /// - Complexity: One element in a queue. No lock, because the thread that reduced the previous
  ///   action reduces this one too.
  @inlinable
  public static func send(
    _ action: Action, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> Self {
    let location = SourceLocation(fileID: fileID, line: line)
    return Self(effect: Effect(.send(action), location: location))
  }

  /// Returns an effect that cancels every effect with `id` at this place or in a child of it,
  /// started or not, ended or not. None of their actions is reduced afterwards. If no effect has
  /// the id, nothing happens.
  ///
  /// - Complexity: No allocation for an `Int` or a `String`. Reducing it is O(number of effects
  ///   found).
  @inlinable
  public static func cancel(
    id: some Hashable & Sendable, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> Self {
    let location = SourceLocation(fileID: fileID, line: line)
    return Self(effect: Effect(.cancel(CancelKey(id: CancelID(id))), location: location))
  }

  /// Returns an effect that reports a misuse detected by the reducer, with the location of the
  /// misuse. `onIssue` and hooks receive it with the number of the step. The reducer should not
  /// change the state.
  ///
  /// - Parameter message: A description of what happened, the likely cause, and the fix.
  /// - Complexity: O(1). No task is started.
  @inlinable
  public static func issue(
    _ message: String, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> Self {
    let location = SourceLocation(fileID: fileID, line: line)
    return Self(effect: Effect(.issue(message), location: location))
  }

  /// Returns one effect that runs several effects concurrently. An id given to it cancels all of
  /// them. `.none` is removed. If one effect remains, it is returned unchanged, and if none
  /// remains, the result is `.none`. A member that is itself a `merge` without an id is replaced by
  /// its members. Other groups in groups are released recursively, which limits their depth to some
  /// thousands.
  ///
  /// - Complexity: O(n), including members of members: an array here, and in the store a node for
  ///   the group and one for each member.
  @inlinable
  public static func merge(
    _ effects: [Effect<Action>], fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> Self {
    let location = SourceLocation(fileID: fileID, line: line)
    return Self(effect: .group(Effect.Operation.merge, of: effects, at: location))
  }

  /// Returns one effect that runs several effects one after the other. Each starts when the work of
  /// the previous one has ended, without waiting for effects that its actions caused. If a member
  /// fails or is cancelled, the next one still starts. Cancelling the sequence also cancels members
  /// that have not begun. A member that is itself a `concatenate` without an id is replaced by its
  /// members.
  ///
  /// - Complexity: The same as `merge`.
  @inlinable
  public static func concatenate(
    _ effects: [Effect<Action>], fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> Self {
    let location = SourceLocation(fileID: fileID, line: line)
    return Self(effect: .group(Effect.Operation.concatenate, of: effects, at: location))
  }

  /// Returns one effect that runs the listed effects concurrently. O(n).
  @inlinable
  public static func merge(
    _ effects: Effect<Action>..., fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> Self {
    merge(effects, fileID: fileID, line: line)
  }

  /// Returns one effect that runs the listed effects one after the other. O(n).
  @inlinable
  public static func concatenate(
    _ effects: Effect<Action>..., fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> Self {
    concatenate(effects, fileID: fileID, line: line)
  }
}

extension Effect {
  /// An effect that does nothing and does not appear in descriptors. Allocates nothing.
  @inlinable
  public static var none: Effect { Effect(.none, location: SourceLocation()) }

  /// Returns an effect that cancels every effect of its place and of all children of that place.
  @inlinable
  static func cancelAll(at place: [ChildKey], location: SourceLocation) -> Effect {
    Effect(.cancel(CancelKey(place: place, id: nil)), location: location)
  }

  /// Returns one effect that runs this effect and another concurrently.
  @inlinable
  public func merge(
    with other: Effect, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> Effect {
    .merge([self, other], fileID: fileID, line: line)
  }

  /// Returns one effect that runs this effect, and then another when the work of this one has
  /// ended.
  @inlinable
  public func concatenate(
    with other: Effect, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> Effect {
    .concatenate([self, other], fileID: fileID, line: line)
  }

  /// Returns a group of effects. A group of the same kind is replaced by its members. Groups are
  /// created only here, so these are already flat.
  @inlinable
  static func group(
    _ make: ([Effect]) -> Operation, of effects: [Effect], at location: SourceLocation
  ) -> Effect {
    var members: [Effect] = []
    members.reserveCapacity(effects.count)
    for effect in effects where !effect.isNone {
      if effect.traits == nil, effect.name == nil, let inner = effect.operation.members,
        effect.operation.kind == make([]).kind
      {
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

  /// Returns the result of `make` for this effect, computed from the results for its members. Not
  /// recursive, because groups can be nested deeply.
  @inlinable
  func folded<Result>(_ make: (_ effect: Effect, _ members: [Result]) -> Result) -> Result {
    guard var members = operation.members else { return make(self, []) }
    var group = self
    var results: [Result] = []
    // The groups that contain the present one.
    var outer: [(group: Effect, members: [Effect], results: [Result])] = []
    while true {
      if results.count < members.count {
        let next = members[results.count]
        if let inner = next.operation.members {
          outer.append((group, members, results))
          (group, members, results) = (next, inner, [])
        } else {
          results.append(make(next, []))
        }
      } else {
        let result = make(group, results)
        if outer.isEmpty { return result }
        // Appended before it is taken out, so that the array is not copied.
        outer[outer.count - 1].results.append(result)
        (group, members, results) = outer.removeLast()
      }
    }
  }
}

extension Effect {
  /// A group as the store keeps it, without the work of its members. Each member holds its own
  /// work, which is released when it has ended. A group with a limit keeps its members, so that it
  /// can be described if it is dropped.
  @usableFromInline
  var withoutWork: Effect {
    if traits?.limit == nil {
      return Effect(operation.emptied, name: name, location: location, traits: traits)
    }
    return replacingWork(
      task: { Operation.task($1).emptied }, run: { Operation.run($1).emptied })
  }
}

extension Effect.Operation {
  /// The members of a group, or `nil` for other effects.
  @inlinable
  var members: [Effect<Action>]? {
    switch self {
    case .merge(let members), .concatenate(let members): members
    case .none, .send, .task, .run, .cancel, .issue: nil
    }
  }

  @inlinable
  var isGroup: Bool { members != nil }

  /// Whether the operation takes time.
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
