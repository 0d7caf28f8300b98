import SwiftBoardTesting

@testable import SwiftBoardStore

/// Draws events that suit what there is: mostly sends and ends of effects that run, now and then
/// all else. Where actions wait, cancels are common.
struct EventGenerator {
  var random: SeededRandom
  /// The number that an action or an effect got last.
  var lastNumber = 0
  /// The number of the last action sent from outside or by an effect.
  var lastAction = 0

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  /// A scenario without events. One store in four is held.
  mutating func scenario() -> MachineScenario {
    MachineScenario(
      limits: ScriptedLimits(limits: (0..<4).map { _ in limit() }), isHeld: chance(4))
  }

  private mutating func limit() -> ScriptedLimits.Limit {
    let overflows: [OverflowPolicy] = [
      .cancelOldest, .drop, .wait(capacity: nil, dropsOldest: false),
      .wait(capacity: 1, dropsOldest: true), .wait(capacity: 1, dropsOldest: false),
      .wait(capacity: 0, dropsOldest: true),
    ]
    return ScriptedLimits.Limit(
      count: pick(1...2), isOfPlace: chance(3), overflow: pick(overflows),
      countsCancelled: chance(2))
  }

  // MARK: Events

  mutating func event(for driver: MachineDriver) -> MachineEvent {
    let isTelling = driver.machine.blockers.contains(.delivering)
    if isTelling || driver.holding != .not, let event = eventAboutWaiting(driver, isTelling) {
      return event
    }
    switch pick(0..<100) {
    case 0..<35:
      return .send(newAction())
    case 35..<80:
      guard !driver.running.isEmpty else { return .send(newAction()) }
      let effect = pick(driver.running)
      switch pick(0..<8) {
      case 0, 1: return .effectEnds(effect: effect.effect)
      case 2: return .effectFails(effect: effect.effect)
      default: return action(of: effect)
      }
    case 80..<86:
      guard !driver.tasks.isEmpty else { return .startSubscriptions }
      return .cancelTask(action: pick(driver.tasks.suffix(6)).action)
    case 86..<90:
      guard !driver.tasks.isEmpty else { return .waitUntilIdle }
      return .waitForTask(action: pick(driver.tasks.suffix(6)).action)
    case 90..<95: return .observe(chance(3, 2))
    case 95: return .cancelAll
    case 96: return .waitUntilIdle
    case 97: return .startSubscriptions
    default:
      // The end, which is not to come early.
      guard driver.steps.count > 20 else { return .startSubscriptions }
      return pick([.drainQueued, .drainQueued, .drainAll, .close])
    }
  }

  /// What is of interest while actions wait or have to: that they are cancelled, or come to be
  /// many.
  private mutating func eventAboutWaiting(
    _ driver: MachineDriver, _ isTelling: Bool
  ) -> MachineEvent? {
    let goesOn: MachineEvent = isTelling ? .told : .reduceNext
    switch pick(0..<12) {
    case 0..<3: return goesOn
    case 3..<6:
      guard driver.hasWaiting else { return isTelling ? goesOn : nil }
      let tasks = driver.waitingTasks
      return tasks.isEmpty || chance(6) ? .cancelAll : .cancelTask(action: pick(tasks))
    case 6..<9:
      guard !driver.running.isEmpty else { return nil }
      return action(of: pick(driver.running))
    case 9 where driver.holding != .not && !isTelling: return .timePasses
    default: return nil
    }
  }

  private mutating func action(of effect: MachineDriver.Running) -> MachineEvent {
    effect.returnsAction
      ? .effectReturns(effect: effect.effect, newAction())
      : .effectSends(effect: effect.effect, newAction(), wantsTask: chance(2))
  }

  // MARK: Actions and effects

  private mutating func newAction(depth: Int = 0) -> ScriptedAction {
    var action = ScriptedAction(number: number())
    guard chance(10, 7) else { return action }
    for _ in 0..<pick(1...3) { action.effects.append(effect(depth: depth)) }
    if chance(12) {
      action.declared = (0..<pick(0...3)).map { _ in subscription() }
    }
    return action
  }

  private mutating func effect(depth: Int) -> ScriptedEffect {
    var effect = ScriptedEffect(number: number(), kind: kind(depth: depth))
    if chance(5) { effect.child = pick(0...1) }
    switch effect.kind {
    case .cancel where chance(4, 3), .cancelPlace,
      .issue where chance(4, 3):
      return effect
    case .send where chance(2): return effect
    case .throttle: break
    default:
      if chance(4) { effect.limit = pick(0...3) }
    }
    if chance(3) { effect.ids.append(.init(id: pick(0...4), cancelsInFlight: chance(4))) }
    if chance(12) { effect.ids.append(.init(id: pick(0...4), cancelsInFlight: chance(2))) }
    if chance(8) { effect.outlives = true }
    return effect
  }

  private mutating func kind(depth: Int) -> ScriptedEffect.Kind {
    switch pick(0..<(depth < 3 ? 30 : 16)) {
    case 0..<6: return .task
    case 6..<11: return .run
    case 11..<14: return .cancel(id: pick(0...4))
    case 14: return .cancelPlace
    case 15: return .issue
    case 16..<20: return .send(newAction(depth: depth + 1))
    case 20..<24: return .merge(members(depth))
    case 24..<28: return .concatenate(members(depth))
    default:
      return .throttle(
        interval: number(), [effect(depth: depth + 1)],
        id: ScriptedLimits.firstThrottle + pick(0...1))
    }
  }

  private mutating func members(_ depth: Int) -> [ScriptedEffect] {
    (0..<pick(2...3)).map { _ in effect(depth: depth + 1) }
  }

  /// Mostly one with an id of its own.
  private mutating func subscription() -> ScriptedEffect {
    var effect = effect(depth: 2)
    switch effect.kind {
    case .cancel, .cancelPlace, .issue: effect.kind = .run
    default: break
    }
    if !chance(8) { effect.ids.insert(.init(id: pick(5...7)), at: 0) }
    return effect
  }

  // MARK: Numbers

  private mutating func number() -> Int {
    lastNumber += 1
    return lastNumber
  }

  /// Once in `of` times.
  private mutating func chance(_ of: Int, _ times: Int = 1) -> Bool {
    Int.random(in: 0..<of, using: &random) < times
  }

  private mutating func pick(_ range: ClosedRange<Int>) -> Int {
    .random(in: range, using: &random)
  }

  private mutating func pick(_ range: Range<Int>) -> Int { .random(in: range, using: &random) }

  /// One of elements of which there are some.
  private mutating func pick<Elements: RandomAccessCollection>(
    _ elements: Elements
  ) -> Elements.Element {
    let offset = Int.random(in: 0..<elements.count, using: &random)
    return elements[elements.index(elements.startIndex, offsetBy: offset)]
  }
}

extension MachineScenario {
  /// The events of a seed, up to the one at which machine and model differ.
  static func generated(
    seed: UInt64, length: Int
  ) -> (scenario: MachineScenario, difference: MachineComparison.Difference?) {
    var generator = EventGenerator(seed: seed)
    var scenario = generator.scenario()
    var comparison = MachineComparison(scenario, copies: seed % 16 == 0 ? 4 : 0)
    var difference: MachineComparison.Difference?
    for _ in 0..<length where difference == nil {
      difference = comparison.handle(generator.event(for: comparison.driver))
    }
    scenario.events = comparison.events
    return (scenario, difference ?? scenario.orderDifference)
  }
}
