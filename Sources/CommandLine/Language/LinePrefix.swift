/// A prefix of a line that changes how its result counts.
public enum LinePrefix: String, Sendable, Hashable, Codable {
  /// `!`: the line must fail. Success counts as a failure with code 1.
  case mustFail
  /// `-`: the line may fail. A failure counts as success.
  case mayFail
  /// `time`: the duration is printed as well.
  case time
}
