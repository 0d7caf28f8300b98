/// Writes events into a log, in the category `analytics`, to inspect what would be counted.
public final class LogAnalyticsProvider: AnalyticsProvider {
  /// The name, for statistics.
  public let name: String
  private let logger: any Logger
  private let level: LogLevel

  /// - Parameter level: The level of the records. At its default level, a log omits `debug`
  ///   records.
  public init(logger: any Logger, level: LogLevel = .debug, name: String = "log") {
    self.name = name
    self.logger = logger
    self.level = level
  }

  /// Writes a record with the id of each event. Never fails.
  public func deliver(_ events: [AnalyticsDelivery]) {
    // This thread belongs to a provider, so its records would be dropped. A logger gives no records
    // to a provider, so there is no endless loop.
    LogRecursion.leave()
    defer { LogRecursion.enter() }
    for delivery in events {
      logger.log(
        delivery.event.name, level: level, category: "analytics",
        fields: delivery.event.properties + [LogField("event", delivery.id.uuidString)])
    }
  }
}
