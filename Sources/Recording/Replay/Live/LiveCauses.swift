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
/// Memory is 8 bytes a step, in addition to steps with unusual effects.
struct LiveCauses {
  enum Cause: Hashable {
    /// Code that the replay does not stand in for, and its name.
    case program(String)
    /// An effect of a step of the live store, which is 0 if its action is not compared.
    case effect(step: Int)
    /// A user or a link, whose actions only the replay sends.
    case outside
  }

  /// An effect as origins name it.
  private struct EffectName: Hashable {
    let name: String
    let id: String?
  }

  /// The live step that agreed with each recorded step.
  private var liveSteps = StepNumbers()
  /// The recorded step with which each live step agreed.
  private var recordedSteps = StepNumbers()
  /// The live steps whose actions are not compared.
  private var uncomparedSteps: Set<Int> = []
  /// For each recorded step, the effects whose names and ids it returned more than once. Their
  /// actions come in any order.
  private var repeatedEffects: [Int: Set<EffectName>] = [:]
  /// The live steps that returned more effects that send actions than the recorded steps.
  private var stepsWithMoreEffects: Set<Int> = []

  // MARK: Steps

  /// Adds a live step whose action is not compared.
  mutating func addUncompared(_ live: Int) {
    uncomparedSteps.insert(live)
  }

  /// Adds a live step that agreed with a recorded one.
  ///
  /// - Parameter sendingEffects: The number of effects of the live step that can send actions.
  mutating func match(_ live: Int, sendingEffects: Int, _ step: LogStep) {
    liveSteps[step.n] = live
    recordedSteps[live] = step.n
    let effects = step.effects.flatMap(\.sending)
    if sendingEffects > effects.count { stepsWithMoreEffects.insert(live) }
    guard effects.count > 1 else { return }
    var names: Set<EffectName> = []
    // Actions of `send` effects come in the order of the effects.
    let repeated = effects.filter { $0.kind != EffectDescriptor.Kind.send.rawValue }
      .map { EffectName(name: $0.name, id: $0.id) }
      .filter { !names.insert($0).inserted }
    if !repeated.isEmpty { repeatedEffects[step.n] = Set(repeated) }
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
  func cause(of expected: ExpectedAction) -> Cause? {
    switch expected.step.origin {
    case .effect(_, _, let step): liveSteps[step].map { .effect(step: $0) }
    case .program(let name): .program(name)
    case .user, .link: .outside
    }
  }

  /// Whether an action has the cause of an expected one, or any effect sent it and the cause is
  /// unknown.
  func isCause(_ origin: StepOrigin, of expected: ExpectedAction) -> Bool {
    guard let cause = cause(of: expected) else {
      if case .effect = origin { return true } else { return false }
    }
    return self.cause(of: origin) == cause
  }

  /// Whether the action may be overtaken by others with the same cause, and may overtake them.
  func comesInAnyOrder(_ expected: ExpectedAction) -> Bool {
    switch expected.step.origin {
    case .effect(let name, let id, let step):
      liveSteps[step] == nil
        || repeatedEffects[step]?.contains(EffectName(name: name, id: id)) == true
    case .program: true
    case .user, .link: false
    }
  }

  /// The recorded step that agreed with the live step that caused an action, or 0.
  func recordedStep(of origin: StepOrigin) -> Int {
    if case .effect(_, _, let live) = origin { recordedSteps[live] ?? 0 } else { 0 }
  }

  /// Whether a live step returned more effects that send actions than the recorded step.
  func hasMoreEffects(_ live: Int) -> Bool { stepsWithMoreEffects.contains(live) }

  /// Whether an action was caused by such a step.
  func isOfMoreEffects(_ origin: StepOrigin) -> Bool {
    if case .effect(_, _, let live) = origin { hasMoreEffects(live) } else { false }
  }
}

extension StepOrigin {
  /// Whether both are effects with the same name and id, or neither is an effect.
  func isSameEffect(as other: StepOrigin) -> Bool {
    switch (self, other) {
    case (.effect(let name, let id, _), .effect(let otherName, let otherID, _)):
      name == otherName && id == otherID
    default: true
    }
  }
}

extension LogEffect {
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
