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

  init(_ limits: ScriptedLimits, copies: Int = 0) {
    driver = MachineDriver(limits, .events)
    model = NaiveStore(limits)
    self.copies = copies
  }

  /// `nil` where both agree, and where what the event names is not there.
  mutating func handle(_ event: MachineEvent) -> Difference? {
    guard driver.canHandle(event) else { return nil }
    events.append(event)
    let original = driver
    let outcome = driver.handle(event)
    let expected = model.handle(event, wait: driver.lastWait)
    var texts = differences(outcome, expected) + differences(driver.contents, model.contents)
    texts += driver.brokenInvariants
    if driver.machine.state.seen.count != model.step { texts.append("the state has other actions") }
    if copies > 0, events.count % copies == 0 { texts += differencesOfCopies(original, event) }
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
    var comparison = MachineComparison(limits, copies: copies)
    for event in events {
      if let difference = comparison.handle(event) { return difference }
    }
    return watchingDifference
  }

  /// R2: the steps are the same whoever watches.
  var watchingDifference: MachineComparison.Difference? {
    let (unwatched, watched) = (actions(.nobody), actions(.everybody))
    if watched == unwatched { return nil }
    return MachineComparison.Difference(
      events: events, text: "watched, \(watched) is reduced, and unwatched \(unwatched)")
  }

  private func actions(_ watching: MachineDriver.Watching) -> [Int] {
    var driver = MachineDriver(limits, watching)
    for event in events where driver.canHandle(event) { _ = driver.handle(event) }
    return driver.steps.map(\.action)
  }
}
