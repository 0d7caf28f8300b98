/// Everything of a store that changes, as one value behind one lock.
@usableFromInline
struct StoreMachine<State: Sendable, Action: Sendable>: Sendable {
  /// An action on its way to the reducer.
  @usableFromInline
  struct Item: Sendable {
    @usableFromInline let action: Action
    /// `nil`: the effect `source` sent it.
    @usableFromInline let origin: StepOrigin?
    /// The entry that its effects go under; it counts the item while that is queued.
    @usableFromInline let owner: EffectToken
    /// The effect whose cancelling drops the action.
    @usableFromInline let source: EffectToken
    /// Whether the owner's work has ended with it.
    @usableFromInline let endsWork: Bool
    /// The effect was cancelled while this was queued; it may have ended since, and its entry be gone.
    @usableFromInline var isDropped = false

    @inlinable
    init(
      action: Action, origin: StepOrigin?, owner: EffectToken, source: EffectToken, endsWork: Bool
    ) {
      self.action = action
      self.origin = origin
      self.owner = owner
      self.source = source
      self.endsWork = endsWork
    }
  }

  // What a plain step touches comes first, in the cache line of the lock: between threads each line more costs as much as the step.

  /// Nobody watches, nobody is being told, and the store is open: a step is a reduction and nothing else.
  @usableFromInline var isPlain: Bool
  /// The same but for hooks: they are all who watches.
  @usableFromInline var isHooked = false
  /// How many reductions there have been.
  @usableFromInline var steps = 0
  @usableFromInline var state: State
  @usableFromInline var table = EffectTable<Action>()
  @usableFromInline var outbox = Outbox<Action>()
  @usableFromInline var queue: [Item] = []
  @usableFromInline var queueHead = 0
  /// One thread is telling observers of a step; whoever comes queues behind it.
  @usableFromInline var isPublishing = false { didSet { notePlain() } }
  /// A test store takes what effects send one by one: it stays in the queue as it does during a publication.
  @usableFromInline var isHeld = false
  /// The store is shutting down: nothing is begun because the state declares it.
  @usableFromInline var isDraining = false
  @usableFromInline var isClosed = false { didSet { notePlain() } }
  /// Whether steps have an audience, hooks or observers.
  @usableFromInline var isTapped = false { didSet { notePlain() } }
  /// Whether there are observers, or will be from the next step on.
  @usableFromInline var isObserved = false
  /// There is a step in `publication`.
  @usableFromInline var hasPublication = false
  /// Somebody waits for something that has ended, until observers have been told of the step that ended it.
  @usableFromInline var hasPublicationWaiters = false
  // Touched under the store's lock only, as all here is.
  @usableFromInline nonisolated(unsafe) var hooks: Unmanaged<HookBox<State, Action>>?
  // Memory, which the machine owns.
  @usableFromInline nonisolated(unsafe) var publication:
    UnsafeMutablePointer<Publication<State, Action>>?
  /// What runs because the state declares it.
  @usableFromInline var subscriptions: [CancelKey: EffectToken] = [:]
  /// Their keys in the order in which they began.
  @usableFromInline var subscriptionOrder: [CancelKey] = []

  /// Whether the reducer declares subscriptions.
  @usableFromInline let declares: Bool

  @inlinable
  init(state: State, declares: Bool, isHeld: Bool) {
    self.state = state
    self.declares = declares
    self.isHeld = isHeld
    isPublishing = isHeld
    isPlain = !declares && !isHeld
  }

  /// Keeps the entries of an action's owner and sender until `release`: while it waits, and while it is reduced.
  @inlinable
  mutating func hold(_ item: Item) {
    if let owner = table.index(of: item.owner) { table.places[owner].queued += 1 }
    if item.source != item.owner, let source = table.index(of: item.source) {
      table.places[source].queued += 1
    }
  }

  @inlinable
  mutating func release(_ item: Item) {
    if let owner = table.index(of: item.owner) { table.places[owner].queued -= 1 }
    if item.source != item.owner, let source = table.index(of: item.source) {
      table.places[source].queued -= 1
      if table.places[source].phase == .finished, table.places[source].queued == 0 {
        table.unregister(source)
        table.settle(source, &outbox)
      }
    }
  }

  @inlinable
  mutating func enqueue(_ item: Item) {
    hold(item)
    queue.append(item)
  }

  /// Takes the next action of the queue; it is still held.
  @inlinable
  mutating func dequeue() -> Item? {
    guard queueHead < queue.count else { return nil }
    let item = queue[queueHead]
    queueHead += 1
    if queueHead == queue.count {
      queue.removeAll(keepingCapacity: queueHead <= 1024)
      queueHead = 0
    } else if queueHead >= 1024, queueHead * 2 >= queue.count {
      queue.removeFirst(queueHead)
      queueHead = 0
    }
    return item
  }

  /// Marks what cancelled effects sent before: it is not reduced any more. O(length of the queue).
  @inlinable
  mutating func silence(_ effects: [EffectToken]) {
    guard queueHead < queue.count else { return }
    let effects = Set(effects)
    for index in queueHead..<queue.count where effects.contains(queue[index].source) {
      queue[index].isDropped = true
    }
  }

  /// Whether the item's effect was cancelled after it sent the action.
  @inlinable
  func isDropped(_ item: Item) -> Bool {
    if item.isDropped { return true }
    guard let source = table.index(of: item.source) else { return false }
    return table.places[source].phase == .cancelled
  }

  /// What has to be done outside the lock, on the way there.
  @inlinable
  mutating func depart() -> Departure<State, Action> {
    if isTelling, !hasPublication { detainWaiters() }
    guard hasPublication || !outbox.partings.isEmpty else { return .nothing }
    let departure = Departure(
      publication: hasPublication ? publication : nil, partings: outbox.takePartings())
    hasPublication = false
    return departure
  }

  /// Another thread tells of a step: who is to be resumed waits until it has.
  @inlinable
  mutating func detainWaiters() {
    var others: [Parting<Action>] = []
    for parting in outbox.partings {
      if case .resume(let waiter) = parting {
        hasPublicationWaiters = true
        table.waiters[-1, default: Few()].append(waiter)
      } else {
        others.append(parting)
      }
    }
    outbox.partings = others
  }

  /// Who is to be told that the store has closed: not before the last step has been published.
  @inlinable
  mutating func takeEnds() -> [@Sendable () -> Void] {
    guard isClosed, !isTelling, let register = publication?.pointee.register else { return [] }
    defer { register.pointee.ends = [] }
    return register.pointee.ends.map(\.body)
  }

  /// Observers are being told of a step.
  @inlinable
  var isTelling: Bool { isPublishing && !isHeld }

  /// Notes who waits for an effect and for observers to have been told of its last step. True if there is nothing to wait for.
  @inlinable
  mutating func wait(for token: EffectToken, _ waiter: UnsafeContinuation<Void, Never>) -> Bool {
    if let index = table.index(of: token) {
      table.places[index].flags.insert(.awaited)
      table.waiters[index, default: Few()].append(waiter)
    } else if isTelling {
      hasPublicationWaiters = true
      table.waiters[-1, default: Few()].append(waiter)
    } else {
      return true
    }
    return false
  }

  /// The observers have been told.
  @inlinable
  mutating func endPublication() {
    isPublishing = isHeld
    renewObservers()
  }

  @inlinable
  mutating func renewObservers() {
    guard let publication, publication.pointee.register.pointee.hasSuccessors else { return }
    outbox.partings.append(.other(publication.pointee.renew()))
  }

  @inlinable
  mutating func resumePublicationWaiters() {
    guard hasPublicationWaiters else { return }
    hasPublicationWaiters = false
    table.waiters.removeValue(forKey: -1)?.forEach { outbox.partings.append(.resume($0)) }
  }

  @inlinable
  var hasMore: Bool {
    hasPublication || hasPublicationWaiters || !outbox.partings.isEmpty
      || queueHead < queue.count
      || !outbox.raised.isEmpty || !outbox.starts.isEmpty
  }

  @inlinable
  mutating func notePlain() {
    let isOpen = !declares && !isPublishing && !isClosed
    isPlain = isOpen && !isTapped
    isHooked = isOpen && hooks != nil && outbox.meter == nil && !isObserved
  }

  /// How many observe from the next step on.
  var observerCount: Int { publication.map { $0.pointee.count() } ?? 0 }

  mutating func add(
    _ body: @escaping @Sendable (Step<Action>, borrowing State) -> Void,
    _ end: (@Sendable () -> Void)?
  ) -> Int {
    let publication = publication ?? .allocate(capacity: 1)
    if self.publication == nil {
      publication.initialize(to: Publication())
      self.publication = publication
    }
    let register = publication.pointee.register
    register.pointee.lastID += 1
    let id = register.pointee.lastID
    changeObservers { $0.append(Observer(id: id, body: body)) }
    if let end { register.pointee.ends.append((id, end)) }
    return id
  }

  /// Takes out an observer and what it wants to be told at the end.
  mutating func removeObserver(
    _ id: Int
  ) -> (Observer<State, Action>?, (@Sendable () -> Void)?) {
    guard let register = publication?.pointee.register else { return (nil, nil) }
    let observer = changeObservers { $0.remove(id) } ?? nil
    let end = register.pointee.ends.firstIndex { $0.id == id }
    return (observer, end.map { register.pointee.ends.remove(at: $0).body })
  }

  /// Lets go of all observers: there are no steps any more, and they may hold the store.
  @usableFromInline
  mutating func dismissObservers() {
    changeObservers { $0 = ObserverList() }
    if !isTelling { renewObservers() }
  }

  /// Changes who observes: for good, or from the end of the publication under way.
  @discardableResult
  private mutating func changeObservers<Result>(
    _ change: (inout ObserverList<State, Action>) -> Result
  ) -> Result? {
    guard let publication else { return nil }
    defer { noteAudience() }
    return isPublishing
      ? publication.pointee.changeSuccessors(change) : change(&publication.pointee.observers)
  }

  @inlinable
  @inline(__always)
  func withHooks(_ body: (HookBox<State, Action>) -> Void) {
    guard let hooks else { return }
    // They change under the lock alone, which is held: nobody need count references.
    hooks._withUnsafeGuaranteedRef { body($0) }
  }

  /// Tells hooks of a step that has been reduced.
  @inlinable
  @inline(__always)
  mutating func tellHooks(_ step: Step<Action>) {
    hooks?._withUnsafeGuaranteedRef { if $0.hasDidReduce { $0.tell(step, &state) } }
  }

  mutating func noteAudience() {
    isObserved = observerCount > 0
    isTapped = hooks != nil || isObserved || outbox.meter != nil
  }
}
