import SwiftBoardSystem

/// A destination of counted events. It is called on a thread of its own, so it may block. It must
/// not log.
public protocol AnalyticsProvider: Sendable {
  /// The name, for statistics.
  var name: String { get }
  /// Delivers events, oldest first.
  ///
  /// - Throws: Any error. The same events are then delivered again after `delay`, up to `attempts`
  ///   times in all. A provider that may have stored some of them recognizes them by their ids.
  ///   After an `AnalyticsRefusal`, events are not delivered again.
  func deliver(_ events: [AnalyticsDelivery]) throws
  /// The maximum number of attempts to deliver an event.
  var attempts: Int { get }
  /// Returns the time until the next attempt, or `nil` to wait for another event.
  ///
  /// - Parameter count: The number of consecutive failed attempts, from 1.
  func delay(afterFailures count: Int) -> Duration?
}

extension AnalyticsProvider {
  /// Three attempts.
  public var attempts: Int { 3 }
  /// `nil`: waits for another event.
  public func delay(afterFailures count: Int) -> Duration? { nil }
}

/// An error of a provider that will never accept the delivered events.
public struct AnalyticsRefusal: Error, Sendable, Equatable {
  /// The reason.
  public var message: String

  /// Creates a refusal with a reason.
  public init(message: String) {
    self.message = message
  }
}

/// An event to deliver.
public struct AnalyticsDelivery: Sendable, Equatable, Codable {
  /// The id, the same in every attempt.
  public var id: UUID
  /// The time in wall-clock microseconds since 1970.
  public var time: Int64
  /// The redacted event.
  public var event: AnalyticsEvent

  /// Creates a delivery like `LiveAnalytics`, for tests of providers.
  public init(id: UUID, time: Int64, event: AnalyticsEvent) {
    self.id = id
    self.time = time
    self.event = event
  }
}

/// The statistics of a provider.
public struct AnalyticsStatistics: Sendable, Equatable, Codable {
  /// The provider's name.
  public var provider: String
  /// The number of events that were delivered.
  public var delivered: Int
  /// The number of events that did not fit into the queue, or failed in every attempt.
  public var dropped: Int
  /// The number of events in the queue.
  public var waiting: Int

  /// Creates statistics.
  public init(provider: String, delivered: Int, dropped: Int, waiting: Int) {
    self.provider = provider
    self.delivered = delivered
    self.dropped = dropped
    self.waiting = waiting
  }
}
