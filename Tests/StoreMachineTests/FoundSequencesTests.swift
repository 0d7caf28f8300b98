import Testing

@testable import SwiftBoardStore

/// Short sequences in which the machine once differed from the rules.
@Suite("Sequences that were wrong once")
struct FoundSequencesTests {
  private static func scenario(
    _ limits: [ScriptedLimits.Limit] = [], _ events: MachineEvent...
  ) -> MachineScenario {
    MachineScenario(limits: ScriptedLimits(limits: limits), events: events)
  }

  private func expectNoDifference(_ scenario: MachineScenario) {
    #expect(scenario.difference(copies: 1)?.text == nil, "\(scenario)")
  }

  private static func action(_ number: Int, _ effects: ScriptedEffect...) -> ScriptedAction {
    ScriptedAction(number: number, effects: effects)
  }

  private static func effect(
    _ number: Int, _ kind: ScriptedEffect.Kind, id: Int? = nil, limit: Int? = nil,
    inFlight: Bool = false
  ) -> ScriptedEffect {
    ScriptedEffect(
      number: number, kind: kind, ids: id.map { [.init(id: $0, cancelsInFlight: inFlight)] } ?? [],
      limit: limit)
  }

  @Test("R4 a sequence that goes on in a step of another sender inherits nothing of that")
  func inheritsInTheNextStep() {
    expectNoDifference(
      Self.scenario(
        [], .observe(true), .send(Self.action(1)),
        .send(
          Self.action(
            2,
            Self.effect(
              3, .concatenate([Self.effect(4, .send(Self.action(5))), Self.effect(6, .run)])))),
        .told, .told))
  }

  @Test("R4 an effect that gets another's permit inherits nothing of that")
  func inheritsWithThePermit() {
    expectNoDifference(
      Self.scenario(
        [.init(overflow: .wait(capacity: nil, dropsOldest: false))],
        .send(Self.action(1, Self.effect(2, .run, limit: 0))),
        .send(
          Self.action(3, Self.effect(4, .send(Self.action(5, Self.effect(6, .run))), limit: 0))),
        .effectEnds(effect: 2)))
  }

  @Test("R10 an effect that is due and cancelled before its task is made has ended")
  func endsWithoutTask() {
    let sequence = Self.effect(
      2, .concatenate([Self.effect(3, .issue), Self.effect(4, .run, id: 0)]))
    let scenario = Self.scenario(
      [],
      .send(Self.action(1, Self.effect(5, .merge([sequence, Self.effect(6, .cancel(id: 0))])))),
      .waitForTask(action: 1))
    expectNoDifference(scenario)
    var driver = MachineDriver(scenario.limits, .nobody)
    _ = driver.handle(scenario.events[0])
    #expect(driver.machine.graph.tree.count == 0)
  }

  @Test("a second subscription with an id that runs already is an issue")
  func repeatedSubscription() {
    let first = Self.effect(1, .run, id: 0)
    expectNoDifference(
      Self.scenario(
        [], .startSubscriptions,
        .send(ScriptedAction(number: 2, declared: [first])),
        .send(ScriptedAction(number: 3, declared: [first, Self.effect(4, .run, id: 0)])),
        .send(ScriptedAction(number: 5))))
  }

  @Test("R10 a wait that a step ends is over when observers have been told of that step")
  func resumedWithinTheStep() {
    expectNoDifference(
      Self.scenario(
        [.init(overflow: .wait(capacity: nil, dropsOldest: false))],
        .send(Self.action(1, Self.effect(2, .run, limit: 0))),
        .send(Self.action(3, Self.effect(4, .run, id: 1, limit: 0))),
        .waitForTask(action: 3), .observe(true),
        .send(Self.action(5, Self.effect(6, .cancel(id: 1)))), .told))
  }

  @Test("R11 what waits does not start when subscriptions end")
  func drainedSubscriptions() {
    expectNoDifference(
      Self.scenario(
        [.init(overflow: .wait(capacity: nil, dropsOldest: false))], .startSubscriptions,
        .send(ScriptedAction(number: 1, declared: [Self.effect(2, .run, id: 5, limit: 0)])),
        .send(Self.action(3, Self.effect(4, .run, limit: 0))), .drainQueued))
  }

  @Test("R11 what has got a permit, and waits for a reduction, does not start while the store ends")
  func drainedBeforeReduction() {
    expectNoDifference(
      Self.scenario(
        [.init(overflow: .wait(capacity: nil, dropsOldest: false))], .observe(true),
        .send(
          Self.action(1, Self.effect(2, .task, limit: 0), Self.effect(3, .run, limit: 0))), .told,
        .send(Self.action(4)), .effectReturns(effect: 2, Self.action(5)), .drainQueued, .told))
  }

  @Test("R2 what has got a permit starts behind the action of its own sender")
  func startsAfterItsSender() {
    expectNoDifference(
      Self.scenario(
        [.init(overflow: .wait(capacity: nil, dropsOldest: false))], .observe(true),
        .send(
          Self.action(1, Self.effect(2, .task, limit: 0), Self.effect(3, .run, limit: 0))), .told,
        .send(Self.action(4, Self.effect(6, .send(Self.action(7)), id: 1))),
        .effectReturns(effect: 2, Self.action(5)), .told, .told, .told))
  }

  @Test("R11 the next member of a sequence does not wait while the store ends")
  func drainedSequence() {
    expectNoDifference(
      Self.scenario(
        [.init(overflow: .wait(capacity: nil, dropsOldest: false))],
        .send(Self.action(1, Self.effect(2, .run, limit: 0))),
        .send(
          Self.action(
            3, Self.effect(4, .concatenate([Self.effect(5, .run), Self.effect(6, .run, limit: 0)])))
        ), .drainQueued, .effectEnds(effect: 5)))
  }

  @Test("an effect does not start because of one id in flight to be cancelled because of another")
  func twoIDsInFlight() {
    let both = Self.effect(
      7,
      .merge([
        Self.effect(8, .run, id: 1, inFlight: true), Self.effect(9, .run, id: 2, inFlight: true),
      ]))
    expectNoDifference(
      Self.scenario(
        [.init(overflow: .wait(capacity: nil, dropsOldest: false))],
        .send(Self.action(1, Self.effect(2, .run, id: 1, limit: 0))),
        .send(Self.action(3, Self.effect(4, .send(Self.action(5)), id: 2, limit: 0))),
        .send(Self.action(6, both))))
  }

  @Test("a throttled effect that outlives its interval keeps its own limit")
  func throttleWithoutInterval() {
    var work = Self.effect(1, .merge([Self.effect(2, .run, limit: 0), Self.effect(3, .task)]))
    work.outlives = true
    let throttle = Self.effect(5, .throttle(interval: 4, [work], id: ScriptedLimits.firstThrottle))
    var sequence = Self.effect(7, .concatenate([Self.effect(6, .run), throttle]))
    sequence.child = 0
    expectNoDifference(
      Self.scenario(
        [.init()], .send(Self.action(8, sequence)),
        .send(Self.action(9, Self.effect(10, .cancelPlace))), .effectEnds(effect: 6),
        .send(Self.action(11, Self.effect(12, .run, limit: 0)))))
  }

  @Test(
    "R4 permits that one cancel frees are given in the order in which the effects were returned")
  func permitsInOrder() {
    let group = Self.effect(2, .merge([Self.effect(3, .run, limit: 0), Self.effect(4, .run)]))
    let pools: [ScriptedLimits.Limit] = [
      .init(overflow: .wait(capacity: nil, dropsOldest: false)),
      .init(overflow: .wait(capacity: nil, dropsOldest: false)),
    ]
    expectNoDifference(
      Self.scenario(
        pools, .send(Self.action(1, group, Self.effect(5, .run, limit: 1))),
        .send(Self.action(6, Self.effect(7, .run, limit: 0))),
        .send(Self.action(8, Self.effect(9, .run, limit: 1))), .cancelTask(action: 1)))
  }

  @Test("R10 what a cancelled task's action causes is cancelled together: none of it starts")
  func cancelledTogether() {
    let group = Self.effect(
      6, .merge([Self.effect(7, .run, limit: 1), Self.effect(8, .run)]), limit: 0)
    // If the group started with the permit of its neighbor, its member would cancel effect 2.
    expectNoDifference(
      Self.scenario(
        [
          .init(overflow: .wait(capacity: nil, dropsOldest: false)), .init(overflow: .cancelOldest),
        ],
        .send(Self.action(1, Self.effect(2, .run, limit: 1))), .observe(true),
        .send(Self.action(3)),
        .send(Self.action(4, Self.effect(5, .run, limit: 0), group)),
        .cancelTask(action: 4), .told))
  }

  @Test("R11 a store is not idle in a step that ends its last effect and starts another")
  func idleWithinTheStep() {
    let pool: [ScriptedLimits.Limit] = [.init(overflow: .wait(capacity: nil, dropsOldest: false))]
    // The member waits for the permit of its own group, so that a cancel ends it at once.
    let waiting = Self.effect(
      2, .concatenate([Self.effect(3, .run, limit: 0), Self.effect(4, .run)]), limit: 0)
    expectNoDifference(
      Self.scenario(
        pool, .send(Self.action(1, waiting)), .waitUntilIdle,
        .send(Self.action(5, Self.effect(6, .run, id: 0, inFlight: true)))))
    expectNoDifference(
      Self.scenario(
        pool, .send(Self.action(1, waiting)), .waitUntilIdle,
        .send(Self.action(5, Self.effect(6, .cancel(id: 0)), Self.effect(7, .run)))))
    var subscription = waiting
    subscription.ids = [.init(id: 5)]
    expectNoDifference(
      Self.scenario(
        pool, .startSubscriptions, .send(ScriptedAction(number: 1, declared: [subscription])),
        .waitUntilIdle,
        .send(ScriptedAction(number: 5, declared: [Self.effect(6, .run, id: 6)]))))
  }

  @Test("R10 what an action in an open turn causes is cancelled with its task")
  func cancelledInAnOpenTurn() {
    let last = Self.action(3, Self.effect(4, .run))
    expectNoDifference(
      Self.scenario(
        [], .send(Self.action(1, Self.effect(2, .run))), .observe(true),
        .effectSends(effect: 2, Self.action(5, Self.effect(6, .send(last))), wantsTask: false),
        .cancelTask(action: 1), .told))
  }

  @Test("R2 an effect that ends while observers are told gives its permit back after the turn")
  func permitInTurn() {
    let second = Self.action(4, Self.effect(5, .task, limit: 0))
    expectNoDifference(
      Self.scenario(
        [.init(overflow: .drop)], .observe(true),
        .send(
          Self.action(1, Self.effect(2, .task, limit: 0), Self.effect(3, .send(second)))),
        .effectReturns(effect: 2, Self.action(6)), .told, .told, .told))
  }

  @Test("R2 a cancel behind work that ends while observers are told waits for the turn")
  func cancelInTurn() {
    let sent = Self.effect(2, .send(Self.action(3)), id: 0)
    let work = Self.effect(
      4, .concatenate([Self.effect(5, .run), Self.effect(6, .cancel(id: 0))]))
    expectNoDifference(
      Self.scenario(
        [], .observe(true), .send(Self.action(1, sent, work)), .effectEnds(effect: 5), .told,
        .told))
  }

  @Test("R2 what follows from an end that waited comes before what arrived later")
  func endBeforeLaterEvents() {
    let work = Self.effect(
      2, .concatenate([Self.effect(3, .run), Self.effect(4, .send(Self.action(5)))]))
    expectNoDifference(
      Self.scenario(
        [], .send(Self.action(1, work)), .observe(true), .send(Self.action(6)),
        .effectEnds(effect: 3), .send(Self.action(7)), .told, .told, .told))
  }

  @Test("R5 what follows an effect whose action was dropped is received in the same step")
  func afterDroppedAction() {
    let group = Self.effect(
      2,
      .concatenate([
        Self.effect(3, .task, id: 0), Self.effect(4, .cancel(id: 1)),
        Self.effect(5, .send(Self.action(6))),
      ]))
    var scenario = Self.scenario(
      [], .send(Self.action(1, group)), .effectReturns(effect: 3, Self.action(7)),
      .send(Self.action(8, Self.effect(9, .cancel(id: 0)))), .reduceNext)
    scenario.isHeld = true
    expectNoDifference(scenario)
  }

  @Test("R9 the error of an effect is reported although a cancel comes while its end waits")
  func failureThatWaits() {
    expectNoDifference(
      Self.scenario(
        [], .send(Self.action(1, Self.effect(2, .run))), .observe(true), .send(Self.action(3)),
        .effectFails(effect: 2), .cancelTask(action: 1), .told))
    var driver = MachineDriver(ScriptedLimits(limits: []), .events)
    for event in [
      .send(Self.action(1, Self.effect(2, .run))), .observe(true), .send(Self.action(3)),
      .effectFails(effect: 2),
    ] as [MachineEvent] { _ = driver.handle(event) }
    #expect(driver.handle(.cancelTask(action: 1)).issues.map(\.line) == [2])
    #expect(driver.handle(.told).issues.isEmpty)
  }

  @Test("R9 the error of a subscription is reported although the store drains while its end waits")
  func failureOfSubscription() {
    expectNoDifference(
      Self.scenario(
        [], .startSubscriptions,
        .send(ScriptedAction(number: 1, declared: [Self.effect(2, .run, id: 5)])), .observe(true),
        .send(Self.action(3)), .effectFails(effect: 2), .drainQueued, .told))
  }

  @Test("R9 an error whose end waits is reported before what follows from the cancel")
  func failureBeforePermit() {
    expectNoDifference(
      Self.scenario(
        [.init(overflow: .wait(capacity: nil, dropsOldest: false))], .startSubscriptions,
        .send(Self.action(1, Self.effect(2, .run, limit: 0), Self.effect(3, .task))),
        .send(ScriptedAction(number: 4, declared: [Self.effect(5, .issue, id: 6, limit: 0)])),
        .observe(true), .send(Self.action(7)), .effectFails(effect: 3), .cancelTask(action: 1),
        .told))
  }

  @Test("R9 an error behind a step that cancels the effect is none, whether that is watched or not")
  func failureOfCancelled() {
    for isObserved in [false, true] {
      var driver = MachineDriver(ScriptedLimits(limits: []), .events)
      for event in [
        .send(Self.action(1, Self.effect(2, .run, id: 0))), .observe(isObserved),
        .send(Self.action(3)),
        .effectSends(
          effect: 2, Self.action(4, Self.effect(5, .cancel(id: 0))), wantsTask: false),
      ] as [MachineEvent] { _ = driver.handle(event) }
      var issues = driver.handle(.effectFails(effect: 2)).issues
      while driver.canHandle(.told) { issues += driver.handle(.told).issues }
      #expect(issues.isEmpty, "observed: \(isObserved)")
    }
  }

  @Test("R5 an effect that has returned sends nothing more while its end waits")
  func sendingAfterTheEnd() {
    var driver = MachineDriver(ScriptedLimits(limits: []), .events)
    for event in [
      .send(Self.action(1, Self.effect(2, .run))), .observe(true), .send(Self.action(3)),
    ] as [MachineEvent] { _ = driver.handle(event) }
    guard let id = driver.running.first?.id else {
      Issue.record("the effect does not run")
      return
    }
    _ = driver.handle(.effectEnds(effect: 2))
    var task = EffectID.none
    let late = driver.machine.send(
      ScriptedAction(number: 4), from: id, wantsTask: false, task: &task)
    #expect(late == nil)
    _ = driver.handle(.told)
    #expect(driver.steps.map(\.action) == [1, 3])
  }
}
