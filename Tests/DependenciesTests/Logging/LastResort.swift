extension ContinuousClock.Instant {
  /// A deadline that even a busy machine does not reach: an hour from each use.
  // Real time: a sink has no other clock, and what is flushed does not wait for the deadline.
  static var lastResort: Self { .now.advanced(by: .seconds(3600)) }
}
