import SwiftBoardSystem

/// Somewhere that counted events go. It is called on a thread of its own, so it may block; it must
/// not log.
public protocol AnalyticsProvider: Sendable {
  /// For statistics.
  var name: String { get }
  /// Takes events, oldest first.
  /// - Throws: Anything; the same events are then offered again with the next ones, three times at
  ///   most. A provider that may have kept some of them tells them apart by their ids.
  func deliver(_ events: [AnalyticsDelivery]) throws
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
package struct AnalyticsStatistics: Sendable, Equatable, Codable {
  /// The provider's name.
  package var provider: String
  /// Events that it took.
  package var delivered: Int
  /// Found no place in the queue, or were refused three times.
  package var dropped: Int
  /// Events in its queue.
  package var waiting: Int

  /// Counts at one moment.
  package init(provider: String, delivered: Int, dropped: Int, waiting: Int) {
    self.provider = provider
    self.delivered = delivered
    self.dropped = dropped
    self.waiting = waiting
  }
}
