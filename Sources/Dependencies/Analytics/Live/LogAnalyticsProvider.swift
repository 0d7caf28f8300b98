/// Writes events into a log, in the category `analytics`: for looking at what would be counted.
public final class LogAnalyticsProvider: AnalyticsProvider {
  /// For statistics.
  public let name: String
  private let logger: any Logger
  private let level: LogLevel

  /// - Parameter level: Of the records; with `debug` a log at its usual level has none of them.
  public init(logger: any Logger, level: LogLevel = .debug, name: String = "log") {
    self.name = name
    self.logger = logger
    self.level = level
  }

  /// A record for each event, with its id. Never fails.
  public func deliver(_ events: [AnalyticsDelivery]) {
    // The thread is a provider's, whose records would be dropped. A logger gives none to a
    // provider, so that nothing goes round in a circle.
    LogRecursion.leave()
    defer { LogRecursion.enter() }
    for delivery in events {
      logger.log(
        delivery.event.name, level: level, category: "analytics",
        fields: delivery.event.properties + [LogField("event", delivery.id.uuidString)])
    }
  }
}
