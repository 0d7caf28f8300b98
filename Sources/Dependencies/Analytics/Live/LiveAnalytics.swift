import SwiftBoardSystem
import Synchronization

/// Delivers events to several providers. Each has its own queue and thread, so a slow, hanging or
/// failing provider delays neither the caller nor the other providers.
///
/// A queue holds `capacity` events. If it is full, the oldest events are dropped and counted.
/// Events that a provider fails to deliver stay in its queue for the next attempt. Without consent,
/// `track` does nothing.
public final class LiveAnalytics: Analytics {
  private let outlets: [AnalyticsOutlet]
  private let redactor: Redactor
  private let date: DateGenerator
  private let uuid: UUIDGenerator
  private let onLoss: @Sendable (_ provider: String, _ count: Int) -> Void
  private let consent = Atomic(false)
  private let isDecided = Atomic(false)
  /// The newest events, oldest first.
  private let kept = Mutex<[AnalyticsEvent]>([])
  /// The most events that are kept for `recent`.
  private static let keptEvents = 100

  /// - Parameters:
  ///   - capacity: The maximum number of events in the queue of each provider.
  ///   - date, uuid: The generators of the events' times and ids. They are separate from those of
  ///     the dependencies, so that they are not recorded as draws.
  ///   - redactor: The logger's redactor, which removes secrets from events.
  ///   - onLoss: Called by `shutDown` with the name of a provider and the number of events that it
  ///     has not delivered, if there are any.
  public init(
    providers: [any AnalyticsProvider] = [], capacity: Int = 1000, date: DateGenerator = .live,
    uuid: UUIDGenerator = .live, redactor: Redactor = Redactor(),
    onLoss: @escaping @Sendable (_ provider: String, _ count: Int) -> Void = { _, _ in }
  ) {
    self.outlets = providers.map { AnalyticsOutlet($0, capacity: capacity) }
    self.date = date
    self.uuid = uuid
    self.redactor = redactor
    self.onLoss = onLoss
  }

  /// Redacts the event and adds it to every queue. Does nothing without consent or providers, or
  /// inside a log sink.
  ///
  /// - Complexity: The redaction, and one lock for each provider. Never waits for a provider.
  public func track(_ event: AnalyticsEvent) {
    guard hasConsent, !outlets.isEmpty, !LogRecursion.isInside else { return }
    let event = AnalyticsEvent(
      redactor.redact(event.name), properties: event.properties.map(redactor.redact))
    let delivery = AnalyticsDelivery(id: uuid.next(), time: date.now, event: event)
    for outlet in outlets { outlet.add(delivery) }
    kept.withLock { events in
      if events.count == Self.keptEvents { events.removeFirst() }
      events.append(event)
    }
    // If consent was withdrawn in the meantime, the queues were emptied before the event was added.
    if !hasConsent { removeAll() }
  }

  /// Whether the user has given consent.
  public var hasConsent: Bool { consent.load(ordering: .sequentiallyConsistent) }

  /// Whether `setConsent` was called.
  public var isConsentDecided: Bool { isDecided.load(ordering: .sequentiallyConsistent) }

  /// Takes effect immediately. Withdrawing consent empties all queues. Events that a provider is
  /// already delivering may still arrive.
  public func setConsent(_ granted: Bool) {
    consent.store(granted, ordering: .sequentiallyConsistent)
    isDecided.store(true, ordering: .sequentiallyConsistent)
    if !granted { removeAll() }
  }

  /// Returns the statistics of the providers, in the order given.
  public func statistics() -> [AnalyticsStatistics] { outlets.map { $0.statistics() } }

  /// Waits until every provider was offered the events tracked so far. Returns false if the time
  /// ran out first. Blocks the thread.
  @discardableResult
  public func flush(within duration: Duration) -> Bool {
    let deadline = ContinuousClock().now.advanced(by: duration)
    return outlets.reduce(true) { $1.flush(deadline: deadline) && $0 }
  }

  /// Flushes on a thread of its own, and reports what has not been delivered.
  public func shutDown(within duration: Duration) async -> Bool {
    let isComplete = await DetachedThread.run { self.flush(within: duration) }
    for statistics in statistics() {
      let lost = statistics.waiting + statistics.dropped
      if lost > 0 { onLoss(statistics.provider, lost) }
    }
    return isComplete
  }

  /// Returns the redacted events, at most 100.
  public func recent(limit: Int) -> [AnalyticsEvent] { kept.withLock { $0.suffix(limit) } }

  private func removeAll() {
    kept.withLock { $0 = [] }
    for outlet in outlets { outlet.removeAll() }
  }
}

/// The queue of a provider.
private final class AnalyticsOutlet: Sendable {
  private struct Item {
    var delivery: AnalyticsDelivery
    var attempts = 0
  }

  private struct Counts {
    var delivered = 0
    var refused = 0
    /// The number of consecutive failed attempts.
    var failures = 0
  }

  private let provider: any AnalyticsProvider
  private let worker: BackgroundWorker<Item>
  private let counts = Shared(Counts())

  init(_ provider: any AnalyticsProvider, capacity: Int) {
    self.provider = provider
    let counts = counts
    var limits = BackgroundWorker<Item>.Limits()
    limits.elements = max(1, capacity)
    limits.bytes = .max
    limits.batch = 64
    limits.overflow = .dropOldest
    worker = BackgroundWorker(retrying: limits) { items in
      let offered = items.count
      do {
        try provider.deliver(items.map(\.delivery))
        items = []
        counts.value.withLock {
          $0.delivered += offered
          $0.failures = 0
        }
        return nil
      } catch {
        for index in items.indices { items[index].attempts += 1 }
        // The oldest deliveries have the most attempts, so the ones to remove are at the front.
        let most = error is AnalyticsRefusal ? 0 : provider.attempts
        items.removeAll { $0.attempts >= most }
        let refused = offered - items.count
        let failures = counts.value.withLock { counts in
          counts.refused += refused
          counts.failures = error is AnalyticsRefusal ? 0 : counts.failures + 1
          return counts.failures
        }
        return failures == 0 ? nil : provider.delay(afterFailures: failures)
      }
    }
  }

  func add(_ delivery: AnalyticsDelivery) { worker.add(Item(delivery: delivery)) }
  func removeAll() { worker.removeAll() }
  func flush(deadline: ContinuousClock.Instant) -> Bool { worker.flush(deadline: deadline) }

  func statistics() -> AnalyticsStatistics {
    let counts = counts.value.withLock { $0 }
    return AnalyticsStatistics(
      provider: provider.name, delivered: counts.delivered,
      dropped: counts.refused + worker.dropped, waiting: worker.count)
  }
}
