@testable import SwiftBoardStore

/// Hands events to a machine and to the naive model, and compares after each.
struct MachineComparison {
  struct Difference {
    /// The events up to the one at fault.
    let events: [MachineEvent]
    let text: String
  }

  private(set) var driver: MachineDriver
  private var model: NaiveStore
  private(set) var events: [MachineEvent] = []
  /// How often a copy of the machine is compared; 0 for never.
  let copies: Int

  /// - Parameter scenario: Its events are not looked at.
  init(_ scenario: MachineScenario, copies: Int = 0) {
    driver = MachineDriver(scenario.limits, .events, scenario.isHeld ? .untilEvents : .not)
    model = NaiveStore(scenario.limits, isHeld: scenario.isHeld)
    self.copies = copies
  }

  /// `nil` where both agree, and where what the event names is not there.
  mutating func handle(_ event: MachineEvent) -> Difference? {
    guard driver.canHandle(event) else { return nil }
    events.append(event)
    // Only where it is needed: with a copy about, all that the event changes is copied.
    let original = copies > 0 && events.count % copies == 0 ? driver : nil
    let outcome = driver.handle(event)
    let expected = model.handle(event, wait: driver.lastWait)
    var texts = differences(outcome, expected) + differences(driver.contents, model.contents)
    texts += driver.brokenInvariants
    if driver.machine.state.seen.count != model.step { texts.append("the state has other actions") }
    if let original { texts += differencesOfCopies(original, event) }
    if texts.isEmpty { return nil }
    return Difference(events: events, text: texts.joined(separator: "\n"))
  }

  /// A copy does the same, and nothing to the original.
  private func differencesOfCopies(_ original: MachineDriver, _ event: MachineEvent) -> [String] {
    let before = original.everything
    var copy = original
    _ = copy.handle(event)
    var texts: [String] = []
    if original.everything != before { texts.append("a copy has changed the original") }
    if copy.everything != driver.everything { texts.append("a copy has done something else") }
    return texts
  }

  private func differences(_ machine: MachineOutcome, _ model: MachineOutcome) -> [String] {
    if machine == model { return [] }
    return difference("steps", machine.steps, model.steps)
      + difference("started", machine.started, model.started)
      + difference("cancelled", machine.cancelled, model.cancelled)
      + difference("dropped effects", machine.droppedEffects, model.droppedEffects)
      + difference("dropped actions", machine.droppedActions, model.droppedActions)
      + difference("issues", machine.issues, model.issues)
      + difference("resumed", machine.resumed, model.resumed)
      + difference("ends", machine.ends, model.ends)
  }

  private func differences(_ machine: MachineContents, _ model: MachineContents) -> [String] {
    if machine == model { return [] }
    return difference("pending", machine.pending, model.pending)
      + difference("waiting", machine.waiting, model.waiting)
      + difference("running", machine.running, model.running)
      + difference("cancelled before", machine.cancelled, model.cancelled)
      + difference("queue", machine.queue, model.queue)
      + difference("received", machine.received, model.received)
      + difference("unended tasks", machine.tasks, model.tasks)
      + difference("idle", machine.isIdle, model.isIdle)
  }

  private func difference<T: Equatable>(_ name: String, _ machine: T, _ model: T) -> [String] {
    machine == model ? [] : ["\(name): the machine says \(machine), the model \(model)"]
  }
}

extension MachineScenario {
  /// What differs first, if something does.
  func difference(copies: Int = 0) -> MachineComparison.Difference? {
    var comparison = MachineComparison(self, copies: copies)
    for event in events {
      if let difference = comparison.handle(event) { return difference }
    }
    return orderDifference
  }

  /// R2: the steps are the same when somebody watches, and in a held store that does not wait.
  var orderDifference: MachineComparison.Difference? {
    let plain = actions(MachineDriver(limits, .nobody))
    let other = actions(
      isHeld
        ? MachineDriver(limits, .nobody, .notWaiting) : MachineDriver(limits, .everybody))
    if other != plain {
      return MachineComparison.Difference(
        events: events,
        text: "\(isHeld ? "held" : "watched"), \(other) is reduced, and else \(plain)")
    }
    return isHeld ? nil : slowObserverDifference
  }

  /// R2: the steps are the same when other events come while observers are told. What acts at once,
  /// such as a cancel from outside, is left out.
  private var slowObserverDifference: MachineComparison.Difference? {
    let events = events.filter { event in
      switch event {
      case .send, .effectSends, .effectReturns, .effectEnds, .effectFails, .told: true
      case .cancelTask, .cancelAll, .reduceNext, .timePasses, .observe, .startSubscriptions,
        .waitForTask, .waitUntilIdle, .drainQueued, .drainAll, .close:
        false
      }
    }
    var slow = MachineDriver(limits, .events)
    var plain = MachineDriver(limits, .nobody)
    _ = slow.handle(.observe(true))
    _ = slow.handle(.startSubscriptions)
    _ = plain.handle(.startSubscriptions)
    for event in events where slow.canHandle(event) {
      _ = slow.handle(event)
      if event != .told, plain.canHandle(event) { _ = plain.handle(event) }
    }
    while slow.canHandle(.told) { _ = slow.handle(.told) }
    let (other, expected) = (slow.steps.map(\.action), plain.steps.map(\.action))
    if other == expected { return nil }
    return MachineComparison.Difference(
      events: events,
      text: "with slow observers, \(other) is reduced, and else \(expected)")
  }

  private func actions(_ driver: MachineDriver) -> [Int] {
    var driver = driver
    for event in events where driver.canHandle(event) {
      if isHeld, case .effectReturns(let effect, let action) = event,
        driver.endMatters(effect)
      {
        // Work ends earlier in a held store; here it ends behind its action in both.
        _ = driver.handle(.effectSends(effect: effect, action, wantsTask: false))
        _ = driver.handle(.effectEnds(effect: effect))
      } else {
        _ = driver.handle(event)
      }
    }
    return driver.steps.map { $0.action }
  }
}
