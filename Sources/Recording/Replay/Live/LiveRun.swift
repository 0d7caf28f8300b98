import SwiftBoardJSON
import SwiftBoardStore
import Synchronization

/// A live replay in progress: a held store, whose actions it reduces in the order of a recording.
struct LiveRun<R: Reducer> where R.State: Codable, R.Action: Codable {
  typealias Difference = LiveReplay<R>.Difference

  private let store: Store<R>
  private let rules: LiveReplay<R>.Rules
  private let patience: Duration
  private let clock: any Clock<Duration>
  /// The folder of the run's own files.
  private let folder: String?
  private var causes = LiveCauses()
  private var events: AsyncStream<Void>.Iterator
  private let continuation: AsyncStream<Void>.Continuation
  private let observation: ObservationToken
  private let reports = Reports()

  /// The reports of the store and the clock, from any thread.
  private final class Reports: Sendable {
    /// The number of effects that can send actions and that the last step returned.
    let sendingEffects = Mutex(0)
    /// The recorded step for which the patience has ended.
    let lateStep = Mutex(0)
  }

  /// Holds the store. Call `end()` afterwards.
  init(
    _ store: Store<R>, _ rules: LiveReplay<R>.Rules, patience: Duration,
    clock: any Clock<Duration>, filesIn folder: String?
  ) async {
    self.store = store
    self.rules = rules
    self.patience = patience
    self.clock = clock
    self.folder = folder
    let (events, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.events = events.makeAsyncIterator()
    self.continuation = continuation
    await store.hold { continuation.yield() }
    observation = store.observe { [reports] step, _ in
      reports.sendingEffects.withLock { count in
        count = step.effects.reduce(0) { $0 + LogEffect($1).sending.count }
      }
    }
  }

  /// Lets the store reduce the actions that wait, and those that follow.
  func end() {
    observation.cancel()
    store.endHold()
    continuation.finish()
  }

  // MARK: Steps

  /// Sends an action of the recording.
  ///
  /// - Returns: A difference if an action that is not recorded precedes it in an open turn.
  mutating func send(_ action: R.Action, as expected: ExpectedAction) -> Difference? {
    let waiting = reduceUncompared()
    if let first = waiting.first, first.isOfTurn { return additional(first) }
    _ = store.sendHeld(action, origin: expected.step.origin)
    match(expected)
    return nil
  }

  /// Waits for an action of the recording, compares and reduces it.
  ///
  /// - Returns: A difference, or `nil` if the action agrees.
  mutating func receive(_ expected: ExpectedAction) async throws(LogReadError) -> Difference? {
    let watch = watch(for: expected.step.n)
    defer { watch.cancel() }
    while true {
      let waiting = reduceUncompared()
      if let first = waiting.first, first.isOfTurn {
        guard causes.isCause(first.origin, of: expected) else {
          return additional(first)
        }
        return compare(first, at: 0, with: expected)
      }
      if let index = index(of: expected, in: waiting) {
        return compare(waiting[index], at: index, with: expected)
      }
      let isLate = reports.lateStep.withLock { $0 == expected.step.n }
      if isLate || !canCome(expected) {
        // The last action may have come after the first look.
        let waiting = reduceUncompared()
        guard let index = lastIndex(of: expected, in: waiting) else {
          return .missing(
            step: expected.step.n, expected: expected.value,
            notSent: rules.unsentProgram(expected.step.origin))
        }
        return compare(waiting[index], at: index, with: expected)
      }
      try await nextEvent()
    }
  }

  /// Waits for an action that the recording does not have, while one can come: that of an effect of
  /// a step that returned more effects than the recorded one.
  mutating func additionalAction() async throws(LogReadError) -> Difference? {
    let watch = watch(for: .max)
    defer { watch.cancel() }
    while true {
      let runningSteps = store.unendedEffects.map(\.step)
      let waiting = reduceUncompared()
      if let action = waiting.first(where: { causes.isOfMoreEffects($0.origin) }) {
        return additional(action)
      }
      let isLate = reports.lateStep.withLock { $0 == .max }
      if isLate || !runningSteps.contains(where: causes.hasMoreEffects) { return nil }
      try await nextEvent()
    }
  }

  /// Reduces the actions that are not compared.
  ///
  /// - Returns: The actions that wait.
  private mutating func reduceUncompared() -> [Store<R>.WaitingAction] {
    while true {
      let waiting = store.waiting
      let canChoose = waiting.first?.isOfTurn != true
      let index = (canChoose ? waiting : Array(waiting.prefix(1))).firstIndex {
        !rules.isCompared($0.action)
      }
      guard let index, store.reduceNext(at: index) else { return waiting }
      causes.addUncompared(store.stepCount)
    }
  }

  private mutating func compare(
    _ action: Store<R>.WaitingAction, at index: Int, with expected: ExpectedAction
  ) -> Difference? {
    let found = rules.value(action.action)
    let changes = changes(expected, found)
    guard changes.isEmpty else {
      return .other(
        step: expected.step.n, expected: expected.value, found: found, changes: changes)
    }
    store.reduceNext(at: index)
    match(expected)
    return nil
  }

  private mutating func match(_ expected: ExpectedAction) {
    causes.match(
      store.stepCount, sendingEffects: reports.sendingEffects.withLock(\.self), expected.step)
  }

  private func additional(_ action: Store<R>.WaitingAction) -> Difference {
    .additional(
      step: causes.recordedStep(of: action.origin), found: rules.value(action.action))
  }

  // MARK: Choosing

  /// Returns the index of the action to compare with an expected one, or `nil` if it has not come
  /// yet.
  private func index(
    of expected: ExpectedAction, in waiting: [Store<R>.WaitingAction]
  ) -> Int? {
    let comesInAnyOrder = causes.comesInAnyOrder(expected)
    return waiting.firstIndex { action in
      causes.isCause(action.origin, of: expected)
        && action.origin.isSameEffect(as: expected.step.origin)
        && (!comesInAnyOrder || agrees(action, expected))
    }
  }

  /// Returns the index of the action to compare with an expected one if no more can come: one of
  /// the same effect, or the same action of an effect whose name or id has changed.
  private func lastIndex(
    of expected: ExpectedAction, in waiting: [Store<R>.WaitingAction]
  ) -> Int? {
    let candidates = waiting.indices.filter {
      causes.isCause(waiting[$0].origin, of: expected)
    }
    return candidates.first { waiting[$0].origin.isSameEffect(as: expected.step.origin) }
      ?? candidates.first { agrees(waiting[$0], expected) }
  }

  /// Whether an expected action can still come.
  private func canCome(_ expected: ExpectedAction) -> Bool {
    let running = store.unendedEffects
    if let cause = causes.cause(of: expected), case .effect = cause {
      return running.contains { causes.cause(ofEffectsOf: $0.step) == cause }
    }
    return !running.isEmpty || store.stepCount > 0 && rules.isUnderWay(store.state)
  }

  private func agrees(_ action: Store<R>.WaitingAction, _ expected: ExpectedAction) -> Bool {
    changes(expected, rules.value(action.action)).isEmpty
  }

  private func changes(_ expected: ExpectedAction, _ found: JSON) -> StateDiff.Changes {
    let changes = StateDiff.changes(expected.value, found, limit: 5, ignoring: rules.ignored)
    guard !changes.isEmpty, let folder else { return changes }
    return StateDiff.changes(
      expected.value, found.naming(folder, as: expected.value), limit: 5, ignoring: rules.ignored)
  }

  // MARK: Waiting

  /// Waits until something has changed in the store, or the patience has ended.
  private mutating func nextEvent() async throws(LogReadError) {
    if await events.next(isolation: nil) == nil || Task.isCancelled { throw .cancelled }
  }

  /// Notes the end of the patience for a recorded step.
  private func watch(for step: Int) -> Task<Void, Never> {
    Task { [clock, patience, reports, continuation] in
      guard (try? await clock.sleep(for: patience)) != nil else { return }
      reports.lateStep.withLock { $0 = step }
      continuation.yield()
    }
  }
}
