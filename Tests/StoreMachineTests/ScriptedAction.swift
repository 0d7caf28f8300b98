@testable import SwiftBoardStore

/// An action that says itself what its reduction returns, so that a machine and a model of it see
/// the same.
struct ScriptedAction: Sendable, Equatable {
  /// Unlike that of every other action of its sequence, and the name of the task that a `send` of
  /// it returns.
  let number: Int
  var effects: [ScriptedEffect] = []
  /// What the state declares from here on; `nil` leaves that as it is.
  var declared: [ScriptedEffect]?
}

/// An effect as a script writes it.
struct ScriptedEffect: Sendable, Equatable {
  indirect enum Kind: Sendable, Equatable {
    case task
    case run
    case send(ScriptedAction)
    case cancel(id: Int)
    case cancelPlace
    case issue
    case merge([ScriptedEffect])
    case concatenate([ScriptedEffect])
    /// Effects of which one is let through an interval: the interval is the work of the first.
    /// Built as `throttled(id:for:clock:latest:)` builds it, but the interval has a number.
    case throttle(interval: Int, [ScriptedEffect], id: Int)
  }

  struct ID: Sendable, Equatable {
    let id: Int
    var cancelsInFlight = false
  }

  /// Unlike that of every other effect of its sequence.
  let number: Int
  var kind: Kind
  var ids: [ID] = []
  /// An id with which it is limited, as `Limits` says.
  var limit: Int?
  var outlives = false
  /// The child that returned it, inside that of the group it is in.
  var child: Int?
}

/// How many effects of an id run at once: the limits of all ids of one sequence.
struct ScriptedLimits: Sendable, Equatable {
  struct Limit: Sendable, Equatable {
    var count = 1
    var isOfPlace = false
    var overflow = OverflowPolicy.drop
    var countsCancelled = false
  }

  /// By id.
  var limits: [Limit]

  /// Ids of throttled effects are from here on.
  static let firstThrottle = 10

  subscript(id: Int) -> Limit {
    if id == Self.firstThrottle {
      return Limit(isOfPlace: true, overflow: .wait(capacity: 1, dropsOldest: true))
    }
    return limits.indices.contains(id) ? limits[id] : Limit(isOfPlace: true)
  }
}

/// Reduces scripted actions: the state is what it has seen.
struct ScriptedReducer: Reducer {
  struct State: Sendable, Equatable {
    var seen: [Int] = []
    var declared: [ScriptedEffect] = []
  }

  let limits: ScriptedLimits

  func reduce(
    _ state: inout State, _ action: ScriptedAction, _ dependencies: Void
  ) -> [Effect<ScriptedAction>] {
    state.seen.append(action.number)
    if let declared = action.declared { state.declared = declared }
    return action.effects.map { $0.effect(limits) }
  }

  func declaresSubscriptions(in path: CompositionPath) -> Bool { true }

  func subscriptions(_ state: State, _ dependencies: Void) -> [Effect<ScriptedAction>] {
    state.declared.map { $0.effect(limits) }
  }
}

extension ScriptedEffect {
  /// The line that an effect of this number stands at.
  static func location(_ number: Int) -> SourceLocation {
    SourceLocation(fileID: "Scripted/Effect.swift", line: UInt32(number))
  }

  /// The effect as a feature would write it.
  func effect(_ limits: ScriptedLimits) -> Effect<ScriptedAction> {
    var effect = Effect(
      operation(limits), name: "\(number)", location: Self.location(number), traits: throttle)
    for id in ids { effect = effect.cancellable(id: id.id, cancelInFlight: id.cancelsInFlight) }
    if let limit {
      let rule = limits[limit]
      let key = CancelKey(id: CancelID(limit))
      effect = effect.with(
        key: key,
        limit: EffectLimit(
          key: key, scope: rule.isOfPlace ? .place : .store, count: rule.count,
          overflow: rule.overflow, countsCancelled: rule.countsCancelled))
    }
    if outlives { effect = effect.outlives() }
    if let child {
      effect = effect.nested(under: ChildKey(identity: CancelID(child), label: "c\(child)"))
    }
    return effect
  }

  private func operation(_ limits: ScriptedLimits) -> Effect<ScriptedAction>.Operation {
    switch kind {
    case .task: .task { throw CancellationError() }
    case .run: .run { _ in }
    case .send(let action): .send(action)
    case .cancel(let id): .cancel(CancelKey(id: CancelID(id)))
    case .cancelPlace: .cancel(CancelKey(id: nil))
    case .issue: .issue("issue")
    case .merge(let members): .merge(members.map { $0.effect(limits) })
    case .concatenate(let members): .concatenate(members.map { $0.effect(limits) })
    case .throttle(let interval, let members, _):
      .merge(
        [ScriptedEffect(number: interval, kind: .run).effect(limits)]
          + members.map { $0.effect(limits) })
    }
  }

  private var throttle: EffectTraits? {
    guard case .throttle(_, _, let id) = kind else { return nil }
    let key = CancelKey(id: CancelID(id))
    return EffectTraits(
      keys: [key],
      limit: EffectLimit(
        key: key, scope: .place, count: 1,
        overflow: id == ScriptedLimits.firstThrottle
          ? .wait(capacity: 1, dropsOldest: true) : .drop, isHeldByInterval: true))
  }
}
