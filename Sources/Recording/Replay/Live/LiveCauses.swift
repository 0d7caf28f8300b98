import SwiftBoardJSON
import SwiftBoardStore

/// An action of a recording that a live store has to reduce.
struct ExpectedAction {
  let step: LogStep
  /// The action, encoded by this program.
  let value: JSON
}

/// The causes of actions in a live store and in a recording, so that an action of an effect can be
/// compared with the recorded one.
///
/// Memory is 8 bytes a step, in addition to steps with repeated or other effects.
struct LiveCauses {
  enum Cause: Hashable {
    /// Code that the replay does not stand in for, and its name.
    case program(String)
    /// An effect of a step of the live store. The step is 0 for subscriptions that the initial
    /// state declares, and for effects of steps that are not compared.
    case effect(step: Int)
    /// A user or a link, whose actions only the replay sends.
    case outside
  }

  /// The effects of a step that differ from those of the recorded step. Names may have changed.
  private struct EffectChanges {
    /// The effects that the live step returned and the recorded one did not.
    var added: Set<EffectName>
    /// The effects that the recorded step returned and the live one did not.
    var removed: Set<EffectName>
    /// Whether the live step returned more effects.
    var areMore: Bool
  }

  /// The live step that agreed with each recorded step.
  private var liveStepOfRecorded = StepNumbers()
  /// The recorded step with which each live step agreed.
  private var recordedStepOfLive = StepNumbers()
  /// The live steps whose actions are not compared.
  private var uncomparedSteps: Set<Int> = []
  /// For each recorded step, the effects whose names and ids it returned more than once. Their
  /// actions come in any order.
  private var repeatedEffects: [Int: Set<EffectName>] = [:]
  /// The changes of effects, by the live step.
  private var changes: [Int: EffectChanges] = [:]

  // MARK: Steps

  /// Adds a live step whose action is not compared.
  mutating func addUncompared(_ live: Int) {
    uncomparedSteps.insert(live)
  }

  /// Adds a live step that agreed with a recorded one.
  ///
  /// - Parameter found: The effects of the live step.
  mutating func match(_ live: Int, _ found: [LogEffect], _ step: LogStep) {
    liveStepOfRecorded[step.n] = live
    recordedStepOfLive[live] = step.n
    let expected = step.effects.flatMap(\.sending)
    let found = found.flatMap(\.sending)
    guard expected.count > 1 || found.count > 1 || expected.map(\.key) != found.map(\.key) else {
      return
    }
    var names: Set<EffectName> = []
    // Actions of `send` effects come in the order of the effects.
    let repeated = expected.filter { $0.kind != EffectDescriptor.Kind.send.rawValue }
      .map(\.key).filter { !names.insert($0).inserted }
    if !repeated.isEmpty { repeatedEffects[step.n] = Set(repeated) }
    let added = Self.surplus(of: found, over: expected)
    let removed = Self.surplus(of: expected, over: found)
    if !added.isEmpty || !removed.isEmpty {
      changes[live] = EffectChanges(
        added: added, removed: removed, areMore: found.count > expected.count)
    }
  }

  /// Returns the effects that are in one list more often than in the other.
  private static func surplus(of effects: [LogEffect], over others: [LogEffect]) -> Set<EffectName>
  {
    var counts: [EffectName: Int] = [:]
    for effect in others { counts[effect.key, default: 0] += 1 }
    var surplus: Set<EffectName> = []
    for effect in effects {
      if counts[effect.key, default: 0] > 0 {
        counts[effect.key]? -= 1
      } else {
        surplus.insert(effect.key)
      }
    }
    return surplus
  }

  // MARK: Causes

  /// The cause of an action of the live store.
  func cause(of origin: StepOrigin) -> Cause {
    switch origin {
    case .effect(_, _, let step): cause(ofEffectsOf: step)
    case .program(let name): .program(name)
    case .user, .link: .outside
    }
  }

  /// The cause of the actions of a live step's effects.
  func cause(ofEffectsOf live: Int) -> Cause {
    .effect(step: uncomparedSteps.contains(live) ? 0 : live)
  }

  /// The cause that an action of the recording has in the live store, or `nil` if it is an effect
  /// of an unknown step: of one before the file, or of one that is not compared.
  private func cause(of expected: ExpectedAction) -> Cause? {
    switch expected.step.origin {
    case .effect(_, _, let step): liveStepOfRecorded[step].map { .effect(step: $0) }
    case .program(let name): .program(name)
    case .user, .link: .outside
    }
  }

  /// Whether an action has the cause of an expected one. If that is a step before the file, any
  /// effect may be the cause. If it is a step that is not compared, the effect's step is none that
  /// was compared.
  func isCause(_ origin: StepOrigin, of expected: ExpectedAction) -> Bool {
    if let cause = cause(of: expected) { return self.cause(of: origin) == cause }
    guard case .effect(_, _, let live) = origin,
      case .effect(_, _, let recorded) = expected.step.origin
    else { return false }
    return recorded == 0 || recordedStepOfLive[live] == nil
  }

  /// Whether an effect of the live store may send an expected action: it has the same cause, and
  /// the same name and id or, if the step returned no such effect, a name that is not recorded.
  func canSend(_ origin: StepOrigin, _ expected: ExpectedAction) -> Bool {
    guard isCause(origin, of: expected) else { return false }
    return origin.effectName == expected.step.origin.effectName
      || isRenamed(origin, expected)
  }

  /// Whether an action has the same sender as an expected one, apart from changed names.
  func isSender(_ origin: StepOrigin, of expected: ExpectedAction) -> Bool {
    isCause(origin, of: expected) && origin.effectName == expected.step.origin.effectName
  }

  /// Whether an effect replaces the one that sent an expected action.
  func isRenamed(_ origin: StepOrigin, _ expected: ExpectedAction) -> Bool {
    guard case .effect(_, _, let step) = origin, let changes = changes[step],
      let name = expected.step.origin.effectName, let found = origin.effectName
    else { return false }
    return changes.removed.contains(name) && changes.added.contains(found)
  }

  /// Whether an expected action may be overtaken by others with the same cause, and may overtake
  /// them.
  ///
  /// - Parameter origin: The sender of the action to compare it with.
  func comesInAnyOrder(_ expected: ExpectedAction, from origin: StepOrigin) -> Bool {
    switch (expected.step.origin, origin) {
    // Subscriptions that the initial state declares.
    case (.effect(_, _, step: 0), .effect(_, _, step: 0)): false
    case (.effect(let name, let id, let step), _):
      liveStepOfRecorded[step] == nil
        || repeatedEffects[step]?.contains(EffectName(name: name, id: id)) == true
    case (.program, _): true
    case (.user, _), (.link, _): false
    }
  }

  /// The recorded step that agreed with the live step that caused an action, or `nil`.
  func recordedStep(of origin: StepOrigin) -> Int? {
    if case .effect(_, _, let live) = origin { recordedStepOfLive[live] } else { nil }
  }

  /// Whether an effect is one that its step returned in addition to the recorded ones.
  func isAdditional(_ origin: StepOrigin) -> Bool {
    guard case .effect(_, _, let live) = origin, let changes = changes[live], changes.areMore,
      let name = origin.effectName
    else { return false }
    return changes.added.contains(name)
  }
}

/// An effect as origins name it.
struct EffectName: Hashable {
  let name: String
  let id: String?
}

extension StepOrigin {
  /// The name of the effect, or `nil` for another sender.
  var effectName: EffectName? {
    if case .effect(let name, let id, _) = self { EffectName(name: name, id: id) } else { nil }
  }

  /// The step that returned the effect, or `nil` for another sender.
  var stepOfEffect: Int? {
    if case .effect(_, _, let step) = self { step } else { nil }
  }
}

extension LogEffect {
  fileprivate var key: EffectName { EffectName(name: name, id: id) }

  /// The effect, or the members of a group, without those that send no actions.
  var sending: [LogEffect] {
    switch EffectDescriptor.Kind(rawValue: kind) {
    case .merge, .concatenate: parts.flatMap(\.sending)
    case .task, .run, .send: [self]
    case .cancel, .issue, nil: []
    }
  }
}

/// A number for each of consecutive steps, some of which have none.
private struct StepNumbers {
  private var first = 0
  private var numbers: [Int32] = []

  /// Setting a number for a step before the first one has no effect.
  subscript(step: Int) -> Int? {
    get {
      let index = step - first
      guard numbers.indices.contains(index), numbers[index] >= 0 else { return nil }
      return Int(numbers[index])
    }
    set {
      if numbers.isEmpty { first = step }
      let index = step - first
      guard index >= 0 else { return }
      while numbers.count <= index { numbers.append(-1) }
      numbers[index] = newValue.flatMap { Int32(exactly: $0) } ?? -1
    }
  }
}
