@testable import SwiftBoardStore

/// What a store has to do, said as simply as possible: one list of all effects that there ever
/// were, one of actions, and searches through both. Every decision is one of the rules R1 to R11.
/// There is no index, no tree, no slot and no counter.
///
/// `+Effects` is what becomes of effects, `+Cancelling` and `+Limits` are those rules.
struct NaiveStore {
  /// An id, or all of a place, with the children that lead there.
  struct Key: Equatable {
    var path: [Int]
    var id: Int?
  }

  enum Status { case pending, waiting, running, cancelled, ended }

  struct Effect {
    let script: ScriptedEffect
    let number: Int
    let isGroup: Bool
    /// The group it is a member of.
    let group: Int?
    /// The list it was returned in: the number of the first effect of that.
    let list: Int
    /// What it belongs to.
    let task: Int
    /// Its ids and those of the groups it is in.
    let keys: [Key]
    /// Its own ids.
    let ownKeys: [Key]
    let path: [Int]
    let outlives: Bool
    let step: Int

    var status = Status.pending
    /// Nothing that it sent is reduced any more.
    var isCancelled = false
    /// Its operation was handed to a task.
    var hasTask = false
    /// Its last action is being reduced, or was.
    var isDone = false
    /// Its work has ended, and its end waits.
    var hasReturned = false

    var isEnded: Bool { status == .ended }
    var isOpen: Bool { status == .pending || status == .waiting || status == .running }
  }

  enum Sender {
    case outside
    case effect(Int)
    /// The work of the effect ends with the action.
    case ending(Int)
    case immediate(step: Int)
  }

  struct Item {
    let action: ScriptedAction
    let sender: Sender
    let task: Int
    let inherits: Bool

    var effect: Int? {
      switch sender {
      case .effect(let effect), .ending(let effect): effect
      case .outside, .immediate: nil
      }
    }
  }

  /// What waits.
  enum Entry {
    case action(Item)
    /// The work of an effect has ended while observers were told.
    case end(Int, fails: Bool)

    var item: Item? { if case .action(let item) = self { item } else { nil } }
  }

  /// What a `send` or a subscription set going.
  struct Task {
    /// The number of the action; `nil` for a subscription.
    let action: Int?
    let parent: Int?
    var isCancelled = false
    /// A subscription that is declared.
    var isKept = false
  }

  struct Permit {
    enum State { case held, returning, waiting }

    let key: Key
    let limit: ScriptedLimits.Limit
    var effect: Int
    /// The effect whose queued actions keep the permit although it has ended.
    var keeper: Int?
    /// Kept permits are returned in this order: that of an effect before that of its group.
    var keptOrder = 0
    /// Whether the work ended with the action that keeps the permit.
    var endsWithAction = false
    var state: State
  }

  struct Subscription {
    /// The line of one that is not started.
    var line: Int?
    var key: Key?
    var task: Int?
    var effect: Int?
  }

  let limits: ScriptedLimits
  /// The store is that of a test, which takes the steps one by one.
  let isHeld: Bool
  var effects: [Effect] = []
  var tasks: [Task] = []
  /// In the order in which they were given or asked for.
  var permits: [Permit] = []
  /// What has got the permit of an effect whose last action has not been reduced.
  var afterReduction: [(ending: Int, next: Int)] = []
  /// The turn under way, then those to come.
  var turns: [[Entry]] = [[]]
  /// Where the turn stands that an end from the queue opens next; `nil` outside of such an end.
  var nextTurn: Int?
  var step = 0
  var declared: [ScriptedEffect] = []
  var subscriptions: [Subscription] = []
  var areSubscriptionsActive = false
  var haveSubscriptionsEnded = false
  var isObserved = false
  /// Observers are being told.
  var isTelling = false
  var isInStep = false
  var isDraining = false
  var isClosed = false
  var waits: [(wait: Int, task: Int)] = []
  var idleWaits: [Int] = []
  var overdue: [Int] = []
  /// What follows from an event, once it has been dealt with.
  var later: [Later] = []
  /// Effects that are due, and have not done anything yet.
  var due: [Int] = []
  /// The list of the effect whose task reduces, starts and ends here: what is of it inherits the
  /// values of that task.
  var inheritingList: Int?
  var outcome = MachineOutcome()

  enum Later {
    case begin(Int)
    case advance(Int)
  }

  init(_ limits: ScriptedLimits, isHeld: Bool = false) {
    self.limits = limits
    self.isHeld = isHeld
  }
}

// MARK: Events

extension NaiveStore {
  /// What follows from an event. `wait` is the number of a wait.
  mutating func handle(_ event: MachineEvent, wait: Int) -> MachineOutcome {
    outcome = MachineOutcome()
    switch event {
    case .send(let action): send(action)
    case .effectSends(let number, let action, let wantsTask):
      if let effect = named(number) { send(action, from: effect, wantsTask: wantsTask) }
    case .effectReturns(let number, let action):
      if let effect = named(number) { complete(effect, action) }
    case .effectEnds(let number):
      if let effect = named(number) { endWork(effect, fails: false) }
    case .effectFails(let number):
      if let effect = named(number) { endWork(effect, fails: true) }
    case .cancelTask(let number):
      for task in tasks.indices where tasks[task].action == number { cancelTask(task) }
    case .cancelAll: cancelAll()
    case .reduceNext: reduceNext()
    case .timePasses: passTime()
    case .observe(let isObserved): self.isObserved = isObserved
    case .told:
      isTelling = false
      outcome.resumed += overdue
      overdue = []
      if isClosed { outcome.ends += 1 }
    case .startSubscriptions:
      guard !areSubscriptionsActive, !haveSubscriptionsEnded else { break }
      areSubscriptionsActive = true
      updateSubscriptions()
    case .waitForTask(let number):
      let task = tasks.firstIndex { $0.action == number }
      if let task, isAlive(task) {
        waits.append((wait, task))
      } else if isTelling {
        overdue.append(wait)
      } else {
        outcome.resumed.append(wait)
      }
    case .waitUntilIdle:
      if isIdle || isClosed { outcome.resumed.append(wait) } else { idleWaits.append(wait) }
    case .drainQueued, .drainAll:
      // First, so that what waits does not start instead of what ends.
      isDraining = true
      reportingFailures { model in
        if event == .drainAll { model.cancelEffects() } else { model.cancelWaiting() }
        model.carryOut()
        model.endSubscriptions()
      }
    case .close: close()
    }
    goOn()
    outcome.sortWhatHasNoOrder()
    return outcome
  }

  private func named(_ number: Int) -> Int? {
    effects.firstIndex { $0.number == number }
  }

  private mutating func send(_ action: ScriptedAction) {
    if isClosed {
      outcome.droppedActions.append(action.number)
      outcome.issues.append(.init(line: action.number, step: step))
      return
    }
    tasks.append(Task(action: action.number, parent: nil))
    let item = Item(
      action: action, sender: .outside, task: tasks.count - 1, inherits: !isTelling)
    // R2: at once where nothing is under way. In a held store before what waits.
    if isTelling { enqueue(item) } else { reduce(item) }
  }

  private mutating func send(_ action: ScriptedAction, from effect: Int, wantsTask: Bool) {
    guard effects[effect].status == .running else {
      outcome.droppedActions.append(action.number)
      return
    }
    var task = effects[effect].task
    if wantsTask {
      tasks.append(Task(action: action.number, parent: task))
      task = tasks.count - 1
    }
    enqueue(
      Item(action: action, sender: .effect(effect), task: task, inherits: isReducedBySender))
  }

  /// Whether an action of an effect is reduced by the thread that sends it.
  private var isReducedBySender: Bool { !isTelling && !isClosed && !isHeld }

  private mutating func complete(_ effect: Int, _ action: ScriptedAction) {
    guard effects[effect].status == .running else {
      outcome.droppedActions.append(action.number)
      return endWork(effect, fails: false)
    }
    // In a held store the work has ended when its action comes, and does not wait for a test to
    // receive it, unless a cancel follows.
    let ends = isHeld && !isFollowedByCancel(effect)
    enqueue(
      Item(
        action: action, sender: ends ? .effect(effect) : .ending(effect),
        task: effects[effect].task, inherits: isReducedBySender))
    if ends {
      keepPermits(endingWith: effect, withAction: true)
      endWork(effect, fails: false)
    }
  }

  /// R2: an end waits until no turn is open, like an action. In a held store it waits for the turn
  /// alone, unless the order of what follows depends on the actions.
  private mutating func endWork(_ effect: Int, fails: Bool) {
    if isClosed || !isHeld && !isTelling { return end(effect, fails: fails) }
    guard isHeld else {
      effects[effect].hasReturned = true
      return turns.append([.end(effect, fails: fails)])
    }
    let isAlone = turns.allSatisfy(\.isEmpty)
    if !isTurnOpen, isAlone || canEndEarly(effect) {
      keepPermits(endingWith: effect, withAction: false)
      return end(effect, fails: fails)
    }
    effects[effect].hasReturned = true
    turns.append([.end(effect, fails: fails)])
    endAfterTurn()
  }

  private var isTurnOpen: Bool {
    turns[0].contains { entry in entry.item.map { !isDropped($0) } ?? false }
  }

  /// The effect or the group of it that has a member behind it in a sequence.
  private func memberInSequence(_ effect: Int) -> Int? {
    guard let group = effects[effect].group else { return nil }
    return follower(of: effect, in: group) == nil ? memberInSequence(group) : effect
  }

  private func follower(of member: Int, in group: Int) -> Int? {
    guard case .concatenate = effects[group].script.kind else { return nil }
    return members(group).first { $0 > member && !effects[$0].isEnded }
  }

  private func isFollowedByCancel(_ effect: Int) -> Bool {
    guard let member = memberInSequence(effect), let group = effects[member].group else {
      return false
    }
    return follower(of: member, in: group).map { hasCancel($0) } ?? false
  }

  /// Whether what follows comes in its order although the actions before have not been reduced: it
  /// does not follow a `.send` as well, and is no cancel.
  private func canEndEarly(_ effect: Int) -> Bool {
    guard let member = memberInSequence(effect) else { return true }
    let others = leaves(member).filter {
      $0 != effect && effects[$0].isOpen && !effects[$0].hasReturned
    }
    let areWork = others.allSatisfy { other in
      switch effects[other].script.kind {
      case .task, .run: true
      default: false
      }
    }
    return areWork && !isFollowedByCancel(effect)
  }

  private func isOnlyWork(_ effect: Int) -> Bool {
    leaves(effect).allSatisfy { leaf in
      switch effects[leaf].script.kind {
      case .task, .run: true
      default: effects[leaf].isEnded
      }
    }
  }

  private func hasCancel(_ effect: Int) -> Bool {
    switch effects[effect].script.kind {
    case .cancel, .cancelPlace: effects[effect].isOpen
    default: members(effect).contains { hasCancel($0) }
    }
  }

  private mutating func end(_ effect: Int, fails: Bool, inherits: Bool = true) {
    if fails, effects[effect].status == .running {
      outcome.issues.append(
        .init(line: effects[effect].script.number, step: effects[effect].step))
    }
    inheritingList = inherits ? effects[effect].list : nil
    finish(effect)
    carryOut()
    inheritingList = nil
  }

  /// What an end from the queue causes comes before the rest of the queue.
  private mutating func endFromQueue(_ effect: Int, fails: Bool) {
    nextTurn = 1
    end(effect, fails: fails, inherits: false)
    nextTurn = nil
  }

  private mutating func endAfterTurn() {
    while isHeld, !isTurnOpen, endWorkInQueue() {}
  }

  /// What only waits for a test to receive actions starts before time passes: work behind a `.send`
  /// in a sequence, and what follows work. A cancel waits on.
  private mutating func passTime() {
    var ended: [Int] = []
    for turn in turns.indices {
      for place in turns[turn].indices {
        guard let item = turns[turn][place].item, case .ending(let effect) = item.sender,
          isSendBeforeWork(effect)
        else { continue }
        turns[turn][place] = .action(
          Item(
            action: item.action, sender: .effect(effect), task: item.task, inherits: item.inherits))
        ended.append(effect)
      }
    }
    for effect in ended { endFromQueue(effect, fails: false) }
    _ = endWorkInQueue()
    for case .end(let effect, _)? in turns.map(\.first) where effects[effect].status == .running {
      leaveLimit(effect)
      carryOut()
    }
    for permit in permits {
      guard permit.keeper != nil,
        let next = permits.firstIndex(where: { $0.key == permit.key && $0.state == .waiting }),
        !hasCancel(permits[next].effect)
      else { continue }
      if let kept = permits.firstIndex(where: { $0.effect == permit.effect && $0.key == permit.key }
      ) {
        later += [passPermitOn(at: kept)].compactMap { $0.map { .begin($0) } }
        carryOut()
      }
    }
  }

  /// What follows work comes where its end was in the queue.
  private mutating func endWorkInQueue() -> Bool {
    var hasEnded = false
    var place = 1
    while place < turns.count {
      if case .end(let effect, let fails)? = turns[place].first,
        turns[..<place].allSatisfy(\.isEmpty)
          || canEndEarly(effect)
      {
        turns.remove(at: place)
        nextTurn = place
        keepPermits(endingWith: effect, withAction: false)
        end(effect, fails: fails, inherits: false)
        place = nextTurn ?? place
        nextTurn = nil
        hasEnded = true
      } else {
        place += 1
      }
    }
    return hasEnded
  }

  private func isSendBeforeWork(_ effect: Int) -> Bool {
    guard case .send = effects[effect].script.kind, effects[effect].status == .running,
      effects[effect].script.limit == nil, let group = effects[effect].group,
      case .concatenate = effects[group].script.kind
    else { return false }
    let open = members(group).filter { !effects[$0].isEnded }
    return open.count > 1 && isOnlyWork(open[1])
  }

  private mutating func close() {
    guard !isClosed else { return }
    isClosed = true
    // R11: at once, since observers may take longer than a deadline.
    outcome.resumed += idleWaits
    idleWaits = []
    cancelAll()
    endSubscriptions()
    while let entry = takeNext() {
      switch entry {
      case .action(let item): drop(item)
      case .end(let effect, let fails): end(effect, fails: fails, inherits: false)
      }
    }
    if !isTelling { outcome.ends += 1 }
  }
}

// MARK: Turns

extension NaiveStore {
  mutating func enqueue(_ item: Item) {
    if isInStep {
      turns[0].append(.action(item))
    } else if let place = nextTurn {
      turns.insert([.action(item)], at: place)
      nextTurn = place + 1
    } else {
      turns.append([.action(item)])
    }
  }

  private mutating func takeNext() -> Entry? {
    while turns.count > 1, turns[0].isEmpty { turns.removeFirst() }
    return turns[0].isEmpty ? nil : turns[0].removeFirst()
  }

  /// Reduces what waits, until observers have to be told. A held store waits to be told to, but
  /// drops what is next and cancelled.
  private mutating func goOn() {
    endAfterTurn()
    resumeWaits()
    if isHeld { return dropNextCancelled() }
    while reduceNext() {}
  }

  private mutating func dropNextCancelled() {
    while !isTelling, !isClosed, let next = turns.first(where: { !$0.isEmpty })?.first?.item,
      isDropped(next)
    {
      _ = takeNext()
      drop(next)
    }
  }

  /// Reduces the next action. False where none can be.
  @discardableResult
  private mutating func reduceNext() -> Bool {
    while !isTelling, !isClosed, let next = takeNext() {
      switch next {
      case .end(let effect, let fails):
        endFromQueue(effect, fails: fails)
        resumeWaits()
      case .action(let item) where isDropped(item):
        drop(item)
      case .action(let item):
        reduce(item)
        resumeWaits()
        return true
      }
    }
    return false
  }

  /// R5: of what was cancelled nothing is reduced.
  private func isDropped(_ item: Item) -> Bool {
    if case .immediate = item.sender { return tasks[item.task].isCancelled }
    return item.effect.map { effects[$0].isCancelled } ?? false
  }

  private mutating func drop(_ item: Item) {
    outcome.droppedActions.append(item.action.number)
    endSender(of: item)
    carryOut()
    endAfterTurn()
    resumeWaits()
  }

  private mutating func reduce(_ item: Item) {
    let wasCancelled = tasks[item.task].isCancelled
    step += 1
    outcome.steps.append(.init(action: item.action.number, origin: origin(item.sender)))
    returnKeptPermits(by: item, beforeReduction: true)
    if case .ending(let effect) = item.sender {
      returnPermits(endingWith: effect)
      effects[effect].isDone = true
    }
    if let declared = item.action.declared { self.declared = declared }
    isInStep = true
    take(item.action.effects, task: item.task, inherits: item.inherits)
    updateSubscriptions()
    if wasCancelled {
      cancelEffects(ofTask: item.task)
      beginLater()
    }
    isInStep = false
    endSender(of: item)
    carryOut()
    endAfterTurn()
    if isObserved { isTelling = true }
    resumeWaits()
  }

  /// R2: what stands behind a `.send` belongs to the turn, what stands behind work opens one.
  private mutating func endSender(of item: Item) {
    if case .effect(let effect) = item.sender {
      returnKeptPermits(by: item, beforeReduction: false)
      nextTurn = 1
      startNext(after: effect)
      nextTurn = nil
    }
    guard case .ending(let effect) = item.sender else { return }
    nextTurn = 1
    if case .send = effects[effect].script.kind { isInStep = true }
    inheritingList = item.inherits ? effects[effect].list : nil
    later += afterReduction.filter { $0.ending == effect }.map { .begin($0.next) }
    afterReduction.removeAll { $0.ending == effect }
    finish(effect)
    carryOut()
    inheritingList = nil
    isInStep = false
    nextTurn = nil
  }

  private func origin(_ sender: Sender) -> StepOrigin {
    switch sender {
    case .outside: return .program("test")
    case .immediate(let step):
      return .effect(name: "send", id: nil, step: step)
    case .effect(let index), .ending(let index):
      let effect = effects[index]
      let id = effect.ownKeys.first.map { key in
        (key.path.map { "c\($0)" } + [key.id.map { "\($0)" } ?? ""]).joined(separator: "/")
      }
      return .effect(name: "\(effect.script.number)", id: id, step: effect.step)
    }
  }
}

// MARK: Waiting

extension NaiveStore {
  var queue: [Item] { turns.flatMap { $0.compactMap(\.item) } }

  /// Whether `task` is `other`, or was set going inside it.
  func task(_ task: Int, isIn other: Int) -> Bool {
    task == other || tasks[task].parent.map { self.task($0, isIn: other) } == true
  }

  /// R10: a task ends when its effects have, and what they caused.
  func isAlive(_ task: Int) -> Bool { alive.contains(task) }

  var isIdle: Bool { alive.isEmpty }

  /// The tasks that have not ended.
  private var alive: Set<Int> {
    var alive: Set<Int> = []
    func add(_ task: Int) {
      alive.insert(task)
      if let parent = tasks[task].parent { add(parent) }
    }
    for index in effects.indices where !effects[index].isEnded { add(effects[index].task) }
    for item in queue { add(item.task) }
    for task in tasks.indices where tasks[task].isKept { add(task) }
    return alive
  }

  private mutating func resumeWaits() {
    if waits.isEmpty, idleWaits.isEmpty { return }
    let over = waits.filter { !isAlive($0.task) }.map(\.wait)
    if !over.isEmpty {
      resume(over)
      waits.removeAll { over.contains($0.wait) }
    }
    if !idleWaits.isEmpty, isIdle {
      resume(idleWaits)
      idleWaits = []
    }
  }

  /// R10: not before observers have been told.
  private mutating func resume(_ waits: [Int]) {
    if isTelling { overdue += waits } else { outcome.resumed += waits }
  }

  var contents: MachineContents {
    var contents = MachineContents()
    for index in effects.indices where !effects[index].isEnded && !effects[index].isGroup {
      let number = effects[index].number
      switch effects[index].status {
      case .pending: contents.pending.append(number)
      case .waiting: contents.waiting.append(number)
      case .running where effects[index].hasReturned: break
      case .running: contents.running.append(number)
      case .cancelled: contents.cancelled.append(number)
      case .ended: break
      }
    }
    contents.queue = queue.map { $0.action.number }
    if isHeld {
      for (turn, entries) in turns.enumerated() {
        contents.received += entries.compactMap(\.item).filter { !isDropped($0) }.map {
          .init(
            step: .init(action: $0.action.number, origin: origin($0.sender)), isOfTurn: turn == 0)
        }
      }
    }
    let alive = alive
    contents.tasks = alive.compactMap { tasks[$0].action }
    contents.isIdle = alive.isEmpty
    contents.sortWhatHasNoOrder()
    return contents
  }
}
