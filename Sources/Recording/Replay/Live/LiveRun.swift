import SwiftBoardJSON
import SwiftBoardStore
import Synchronization

/// A live replay in progress: a held store, whose actions it reduces in the order of a recording.
struct LiveRun<R: Reducer> where R.State: Codable, R.Action: Codable {
  typealias Difference = LiveReplay<R>.Difference

  private let store: Store<R>
  private let rules: LiveReplay<R>.Rules
  private let patience: Duration
  /// The patience for effects of these names.
  private let patienceByEffect: [String: Duration]
  private let clock: any Clock<Duration>
  /// The folder of the run's own files.
  private let folder: String?
  private var causes = LiveCauses()
  /// How many more actions that are not compared have come from an effect than the recording has so
  /// far.
  private var unpassed: [Sender: Int] = [:]
  private var events: AsyncStream<Void>.Iterator
  private let continuation: AsyncStream<Void>.Continuation
  private let observation: ObservationToken
  private let reports = Reports()

  /// An effect of a recorded step.
  private struct Sender: Hashable {
    let step: Int
    let effect: EffectName
  }

  /// The reports of the store and the clock, from any thread.
  private final class Reports: Sendable {
    /// The effects that the last step returned.
    let effects = Mutex<[EffectDescriptor]>([])
    /// The recorded step for which the patience has ended.
    let lateStep = Mutex(0)
  }

  /// Holds the store. Call `end()` afterwards.
  init(
    _ store: Store<R>, _ rules: LiveReplay<R>.Rules, patience: Duration,
    _ patienceByEffect: [String: Duration], clock: any Clock<Duration>, filesIn folder: String?
  ) async {
    self.store = store
    self.rules = rules
    self.patience = patience
    self.patienceByEffect = patienceByEffect
    self.clock = clock
    self.folder = folder
    let (events, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.events = events.makeAsyncIterator()
    self.continuation = continuation
    await store.hold { continuation.yield() }
    observation = store.observe { [reports] step, _ in
      reports.effects.withLock { $0 = step.effects }
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
  /// - Returns: A difference if an action that is not recorded precedes it in an open turn, or if
  ///   the store has ended.
  mutating func send(_ action: R.Action, as expected: ExpectedAction) -> Difference? {
    reduceAllUncompared()
    if let next = store.nextWaiting, next.isOfTurn { return additional(next, expected) }
    let step = store.stepCount
    _ = store.sendHeld(action, origin: expected.step.origin)
    guard store.stepCount > step else { return missing(expected) }
    match(expected)
    return nil
  }

  /// Waits for an action of the recording, compares and reduces it.
  ///
  /// - Returns: A difference, or `nil` if the action agrees.
  mutating func receive(_ expected: ExpectedAction) async throws(LogReadError) -> Difference? {
    let watch = watch(
      for: expected.step.n,
      patience: expected.step.origin.effectName.flatMap { patienceByEffect[$0.name] } ?? patience)
    defer { watch.cancel() }
    while true {
      reduceUncompared()
      if let next = store.nextWaiting, next.isOfTurn, !causes.isCause(next.origin, of: expected) {
        return additional(next, expected)
      }
      var candidate = candidate(expected)
      // An effect's actions are reduced in their order.
      if let candidate, reduceUncompared(before: candidate) { continue }
      if candidate == nil, !isLate(expected.step.n), reduceAllUncompared() {
        if Task.isCancelled { throw .cancelled }
        continue
      }
      if candidate == nil, isLate(expected.step.n) || !canCome(expected) {
        // The last action may have come after the first look.
        reduceAllUncompared()
        candidate = self.candidate(expected) ?? lastCandidate(expected)
        if candidate == nil { return missing(expected) }
      }
      guard let candidate else {
        try await nextEvent()
        continue
      }
      switch compare(candidate, with: expected) {
      case .agreed: return nil
      case .different(let difference): return difference
      case .moved: continue
      }
    }
  }

  /// Waits until an action that is not compared has come from the effect that sent a recorded one,
  /// because what follows may read what it changed. An effect that may send several actions is not
  /// waited for: they may come with time.
  mutating func passUncompared(_ step: LogStep) async throws(LogReadError) {
    reduceAllUncompared()
    guard case .effect(let name, let id, let first) = step.origin, first > 0 else { return }
    let expected = ExpectedAction(step: step, value: .null)
    let sender = Sender(step: first, effect: EffectName(name: name, id: id))
    func isAwaited() -> Bool {
      unpassed[sender] == nil
        && senders(of: expected).contains { $0.descriptor.kind == .task }
    }
    if isAwaited() {
      let watch = watch(for: step.n, patience: patienceByEffect[name] ?? patience)
      defer { watch.cancel() }
      while !isLate(step.n), isAwaited() {
        try await nextEvent()
        reduceAllUncompared()
      }
      reduceAllUncompared()
    }
    if let count = unpassed[sender] { unpassed[sender] = count > 1 ? count - 1 : nil }
  }

  /// Waits for an action that the recording does not have, while one can come: that of an effect
  /// that a step returned in addition to the recorded ones.
  mutating func additionalAction() async throws(LogReadError) -> Difference? {
    let watch = watch(for: .max, patience: patience)
    defer { watch.cancel() }
    while true {
      // An effect that sends any number of actions need not send one.
      let canCome = store.unendedEffects.contains {
        $0.phase != .cancelled && $0.descriptor.kind == .task && causes.isAdditional($0.origin)
      }
      reduceAllUncompared()
      if let action = store.waiting.first(where: { causes.isAdditional($0.origin) }) {
        return .additional(
          step: causes.recordedStep(of: action.origin) ?? 0, found: rules.value(action.action))
      }
      if isLate(.max) || !canCome { return nil }
      try await nextEvent()
    }
  }

  /// Reduces the next actions as long as they are not compared.
  private mutating func reduceUncompared() {
    while !Task.isCancelled, let next = store.nextWaiting, !rules.isCompared(next.action) {
      guard store.reduceNext() else { return }
      noteUncompared(next)
    }
  }

  /// Reduces all waiting actions that are not compared, unless a turn is open. O(number of waiting
  /// actions) for each of them.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  private mutating func reduceAllUncompared() -> Bool {
    let steps = store.stepCount
    reduceUncompared()
    while !Task.isCancelled, store.nextWaiting?.isOfTurn == false {
      let waiting = store.waiting
      guard let index = waiting.firstIndex(where: { !rules.isCompared($0.action) }),
        store.reduce(waiting[index], at: index)
      else { break }
      noteUncompared(waiting[index])
      reduceUncompared()
    }
    return store.stepCount > steps
  }

  /// Reduces an action that is not compared and that the effect of a candidate sent before it.
  ///
  /// - Returns: Whether there was one.
  private mutating func reduceUncompared(before candidate: Candidate) -> Bool {
    guard candidate.index > 0 else { return false }
    let earlier = store.waiting.prefix(candidate.index)
    let index = earlier.firstIndex {
      $0.origin == candidate.action.origin && !rules.isCompared($0.action)
    }
    guard let index, store.reduce(earlier[index], at: index) else { return false }
    noteUncompared(earlier[index])
    return true
  }

  /// Notes that an action that is not compared was reduced.
  private mutating func noteUncompared(_ action: Store<R>.WaitingAction) {
    causes.addUncompared(store.stepCount)
    if let step = causes.recordedStep(of: action.origin), let effect = action.origin.effectName {
      unpassed[Sender(step: step, effect: effect), default: 0] += 1
    }
  }

  private enum Comparison {
    case agreed
    case different(Difference)
    /// There is another action at the index by now, because effects were cancelled.
    case moved
  }

  /// Compares an action, and reduces it if it agrees.
  private mutating func compare(
    _ candidate: Candidate, with expected: ExpectedAction
  ) -> Comparison {
    let found = rules.value(candidate.action.action)
    let changes = changes(expected, found)
    guard changes.isEmpty else {
      return .different(
        .other(step: expected.step.n, expected: expected.value, found: found, changes: changes))
    }
    guard store.reduce(candidate.action, at: candidate.index) else { return .moved }
    match(expected)
    return .agreed
  }

  private mutating func match(_ expected: ExpectedAction) {
    causes.match(
      store.stepCount, reports.effects.withLock { $0.map(LogEffect.init) }, expected.step)
  }

  private func missing(_ expected: ExpectedAction) -> Difference {
    .missing(
      step: expected.step.n, expected: expected.value,
      notSent: rules.unsentProgram(expected.step.origin),
      wasUnderWay: expected.step.origin.stepOfEffect == 0)
  }

  private func additional(
    _ action: Store<R>.WaitingAction, _ expected: ExpectedAction
  ) -> Difference {
    .additional(
      step: causes.recordedStep(of: action.origin) ?? expected.step.n,
      found: rules.value(action.action))
  }

  // MARK: Choosing

  /// A waiting action and its index.
  private typealias Candidate = (action: Store<R>.WaitingAction, index: Int)

  /// Returns the action to compare with an expected one, or `nil` if it has not come yet.
  private func candidate(_ expected: ExpectedAction) -> Candidate? {
    guard let next = store.nextWaiting else { return nil }
    // Usually the next action is the expected one.
    if next.isOfTurn || isWanted(next, expected) { return (next, 0) }
    let waiting = store.waiting
    return waiting.firstIndex { isWanted($0, expected) }.map { (waiting[$0], $0) }
  }

  /// Returns the action to compare with an expected one if no more can come.
  private func lastCandidate(_ expected: ExpectedAction) -> Candidate? {
    let waiting = store.waiting
    return waiting.firstIndex { causes.isSender($0.origin, of: expected) }
      .map { (waiting[$0], $0) }
  }

  /// Whether an action is the one to compare with an expected one. If actions come in any order, or
  /// if the name of the effect has changed, it must agree.
  private func isWanted(
    _ action: Store<R>.WaitingAction, _ expected: ExpectedAction
  ) -> Bool {
    if causes.isSender(action.origin, of: expected) {
      return !causes.comesInAnyOrder(expected, from: action.origin) || agrees(action, expected)
    }
    return causes.isRenamed(action.origin, expected)
      && causes.isCause(action.origin, of: expected) && agrees(action, expected)
  }

  /// Whether an expected action can still come: an effect may send it whose last action does not
  /// wait yet, or code that the replay does not stand in for.
  private func canCome(_ expected: ExpectedAction) -> Bool {
    if case .effect = expected.step.origin { return !senders(of: expected).isEmpty }
    // Subscriptions have no cause, and run on without a sent action.
    return runningEffects.contains { $0.cause != nil }
      || store.waiting.contains { $0.origin.effectName != nil }
      || store.stepCount > 0 && rules.isUnderWay(store.state)
  }

  /// The effects that may still send actions. A `.send` in a sequence may not have been reached
  /// yet.
  private var runningEffects: [RunningEffect<R.Action>] {
    store.effects.filter { effect in
      effect.phase == .pending || effect.phase == .running && effect.descriptor.kind != .send
    }
  }

  /// Returns the effects that may send an expected action, without those whose last action waits.
  private func senders(of expected: ExpectedAction) -> [RunningEffect<R.Action>] {
    var senders = runningEffects.filter { causes.canSend($0.origin, expected) }
    for action in store.waiting where action.endsEffect {
      if let index = senders.firstIndex(where: { $0.origin == action.origin }) {
        senders.remove(at: index)
      }
    }
    return senders
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

  /// Whether the patience for a recorded step has ended.
  private func isLate(_ step: Int) -> Bool { reports.lateStep.withLock { $0 == step } }

  /// Notes the end of the patience for a recorded step.
  private func watch(for step: Int, patience: Duration) -> Task<Void, Never> {
    Task { [clock, reports, continuation] in
      guard (try? await clock.sleep(for: patience)) != nil else { return }
      reports.lateStep.withLock { $0 = max($0, step) }
      continuation.yield()
    }
  }
}

extension RunningEffect {
  /// The origin of the effect's actions.
  fileprivate var origin: StepOrigin {
    .effect(name: descriptor.name, id: descriptor.id, step: step)
  }
}
