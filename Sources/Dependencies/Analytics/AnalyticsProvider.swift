import SwiftBoardSystem

/// Somewhere that counted events go. It is called on a thread of its own, so it may block; it must
/// not log.
public protocol AnalyticsProvider: Sendable {
  /// For statistics.
  var name: String { get }
  /// Takes events, oldest first.
  /// - Throws: Anything; the same events are then offered again, `attempts` times at most, and not
  ///   before `delay` is over. A provider that may have kept some of them tells them apart by their
  ///   ids. Events of an `AnalyticsRefusal` are not offered again.
  func deliver(_ events: [AnalyticsDelivery]) throws
  /// How often an event is offered at most.
  var attempts: Int { get }
  /// How long to wait before the next attempt; `nil`: until there is another event.
  ///
  /// - Parameter count: How many attempts have failed one after the other; from 1.
  func delay(afterFailures count: Int) -> Duration?
}

extension AnalyticsProvider {
  /// Three.
  public var attempts: Int { 3 }
  /// Waits for another event.
  public func delay(afterFailures count: Int) -> Duration? { nil }
}

/// Thrown by a provider that will never take the events it was offered.
public struct AnalyticsRefusal: Error, Sendable, Equatable {
  /// Why, in words.
  public var message: String

  /// A refusal for a reason.
  public init(message: String) {
    self.message = message
  }
}

/// An event on its way.
public struct AnalyticsDelivery: Sendable, Equatable, Codable {
  /// The same at every attempt.
  public var id: UUID
  /// Wall-clock microseconds since 1970.
  public var time: Int64
  /// What happened, redacted.
  public var event: AnalyticsEvent

  /// A delivery as `LiveAnalytics` makes it; for tests of providers.
  public init(id: UUID, time: Int64, event: AnalyticsEvent) {
    self.id = id
    self.time = time
    self.event = event
  }
}

/// What became of a provider's events.
public struct AnalyticsStatistics: Sendable, Equatable, Codable {
  /// The provider's name.
  public var provider: String
  /// Events that it took.
  public var delivered: Int
  /// Did not fit into the queue, or were refused as often as the provider is asked.
  public var dropped: Int
  /// Events in its queue.
  public var waiting: Int

  /// Counts at one moment.
  public init(provider: String, delivered: Int, dropped: Int, waiting: Int) {
    self.provider = provider
    self.delivered = delivered
    self.dropped = dropped
    self.waiting = waiting
  }
}
