/// The cause of log records. Loggers add it to the fields of each record as `step` and `job`.
///
/// It is read only when a record is written, so a call with a disabled level does not read it.
///
/// ```swift
/// LogCause.$current.withValue(LogCause(step: 7)) { logger.log("…") }
/// ```
public struct LogCause: Sendable, Equatable {
  /// The number of the step, from 1 in each session.
  public var step: Int
  /// The command that the step starts.
  public var job: Int?

  /// Creates a cause.
  public init(step: Int, job: Int? = nil) {
    self.step = step
    self.job = job
  }

  /// The cause of the current task's work, or `nil` outside of every step.
  @TaskLocal public static var current: LogCause?

  var fields: [LogField] {
    [LogField("step", String(step))] + (job.map { [LogField("job", String($0))] } ?? [])
  }
}
