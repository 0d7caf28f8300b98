/// What causes log records: loggers add it to the fields of each, as `step` and `job`.
///
/// Read when a record is written, and at no other time: a call whose level is off does not look.
///
/// ```swift
/// LogCause.$current.withValue(LogCause(step: 7)) { logger.log("…") }
/// ```
public struct LogCause: Sendable, Equatable {
  /// The number of the step, from 1 in each session.
  public var step: Int
  /// The command that the step starts.
  public var job: Int?

  /// A cause.
  public init(step: Int, job: Int? = nil) {
    self.step = step
    self.job = job
  }

  /// The cause of what the current task does; `nil` outside of every step.
  @TaskLocal public static var current: LogCause?

  var fields: [LogField] {
    [LogField("step", String(step))] + (job.map { [LogField("job", String($0))] } ?? [])
  }
}
