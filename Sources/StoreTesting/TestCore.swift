import SwiftBoardStore
import Synchronization

/// What the two test stores have in common: a held store, its executor and clock, and where each step came from.
final class TestCore<R: Reducer> where R.State: Equatable {
  typealias State = R.State
  typealias Action = R.Action

  /// What the store tells while it reduces, on whichever thread.
  private final class Told: Sendable {
    struct Content {
      var issues: [StoreIssue] = []
      var step: Step<Action>?
    }
    let content = Mutex(Content())
  }

  let clock: TestClock
  let created: TestLocation
  private(set) var failures: [TestFailure] = []
  private(set) var isFinished = false
  private let store: Store<R>
  private let report: TestReporter
  private let told = Told()
  /// The line of the test that reduced each step.
  private var places: [Int: TestLocation] = [:]

  init(
    state: State, reducer: R, dependencies: R.Dependencies, clock: TestClock, created: TestLocation,
    report: @escaping TestReporter
  ) {
    let told = told
    self.clock = clock
    self.created = created
    self.report = report
    store = Store(
      initialState: state, reducer: reducer, dependencies: dependencies, executor: clock.executor,
      onIssue: { issue in told.content.withLock { $0.issues.append(issue) } })
    store.hold()
    store.setHooks { _, _ in
      StepHooks(didReduce: { step, _ in told.content.withLock { $0.step = step } })
    }
  }

  var state: State { store.state }
  var lastStep: Step<Action>? { told.content.withLock { $0.step } }
  var waiting: [Action] { store.waiting.map(\.action) }
  var unended: [RunningEffect<Action>] { store.unendedEffects }

  // MARK: Steps

  /// Reduces an action of the test's.
  func send(_ action: Action, at location: TestLocation) -> StoreTask {
    let task = store.sendHeld(action, origin: .program(location.description))
    places[store.stepCount] = location
    return task
  }

  /// Reduces the oldest received action. False where there is none.
  @discardableResult
  func reduceNext(at location: TestLocation) -> Bool {
    guard store.reduceNext() else { return false }
    places[store.stepCount] = location
    return true
  }

  /// Reduces received actions until none is left, those that this causes too.
  func reduceAll(at location: TestLocation) -> [Action] {
    var actions: [Action] = []
    settle(at: location)
    while let action = waiting.first, reduceNext(at: location) {
      actions.append(action)
      settle(at: location)
    }
    return actions
  }

  /// Runs effects until none can go on, and tells of the issues that came up.
  func settle(at location: TestLocation) {
    clock.executor.run()
    let issues = told.content.withLock { content in
      defer { content.issues = [] }
      return content.issues
    }
    for issue in issues { fail(.issue, "The store reported an issue. \(issue)", at: location) }
  }

  /// Cancels what runs. False where nothing ran.
  func cancelEffects(at location: TestLocation) -> Bool {
    settle(at: location)
    guard !unended.isEmpty else { return false }
    store.cancelEffects()
    settle(at: location)
    return true
  }

  /// Waits for an action or the end of all effects, where these wait for other threads.
  nonisolated(nonsending) func waitForAction(at location: TestLocation) async {
    settle(at: location)
    while waiting.isEmpty, !unended.isEmpty, !Task.isCancelled {
      await clock.executor.waitUntilReady()
      settle(at: location)
    }
  }

  /// Ends the store: what runs is cancelled, what was received is dropped.
  func close(at location: TestLocation) {
    guard !isFinished else { return }
    isFinished = true
    store.closeHeld()
    settle(at: location)
  }

  // MARK: Failures

  func fail(_ kind: TestFailure.Kind, _ message: String, at location: TestLocation) {
    let failure = TestFailure(kind: kind, message: message, location: location)
    failures.append(failure)
    report(failure)
  }

  /// Whether there is still a store to use; says so where there is none.
  func isOpen(at location: TestLocation) -> Bool {
    guard isFinished else { return true }
    fail(.issue, "The test store has finished: finish() is the end of a test.", at: location)
    return false
  }

  /// Why no action was received.
  var whyNothing: String {
    let effects = unended
    guard !effects.isEmpty else {
      return "No effect is running: it never started, has ended, or was cancelled."
    }
    let names = effects.map { title($0.descriptor) }.joined(separator: ", ")
    var text = "Still running: \(names)."
    if let next = clock.sleepers.first {
      text +=
        " The clock shows \(clock.now), and the next sleeper wakes at \(next): advance the clock."
    }
    return text
  }

  /// Tells of received actions and running effects that the test left behind.
  func reportLeftovers(at location: TestLocation) {
    settle(at: location)
    let waiting = waiting
    if !waiting.isEmpty {
      fail(
        .unreceivedActions,
        "\(count(waiting.count, "action")) came from effects and the test did not receive "
          + "\(waiting.count == 1 ? "it" : "them"):\n\(list(waiting))\n"
          + "Receive \(waiting.count == 1 ? "it" : "each"), or call skipReceivedActions().",
        at: location)
    }
    for effect in unended {
      fail(.effectRunning, leftover(effect), at: places[effect.step] ?? created)
    }
  }

  private func leftover(_ effect: RunningEffect<Action>) -> String {
    let name = title(effect.descriptor)
    let cause =
      effect.cause.map { "It was started by `\(short($0))`, step \(effect.step)." }
      ?? "The state declares it since step \(effect.step)."
    if effect.phase == .cancelled {
      return "The effect \(name) was cancelled and has not ended. \(cause) "
        + "It waits for something that does not heed cancellation."
    }
    return "The effect \(name) is still running at the end of the test. \(cause) "
      + "Let it end (advance the clock, give it its answer), cancel it by an action, "
      + "or call skipInFlightEffects()."
  }
}

// MARK: Texts

func title(_ effect: EffectDescriptor) -> String {
  "“\(effect.name)”" + (effect.id.map { " (id \($0))" } ?? "")
}

/// An action in a message, cut where it is long.
func short(_ value: Any) -> String {
  let text = ValueTree(value).oneLine
  return text.count <= 200 ? text : text.prefix(200) + "…"
}

func list(_ values: [some Any]) -> String {
  values.map { "  \(short($0))" }.joined(separator: "\n")
}

func count(_ number: Int, _ noun: String) -> String {
  "\(number) \(noun)\(number == 1 ? "" : "s")"
}

func difference<Value>(_ first: Value, _ second: Value) -> String {
  differenceText(of: first, and: second)
    ?? "  (they are not equal, but differ in nothing that a mirror shows)"
}
