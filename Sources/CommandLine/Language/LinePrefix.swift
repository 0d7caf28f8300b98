/// A prefix of a line that changes how its outcome counts.
public enum LinePrefix: String, Sendable, Hashable, Codable {
  /// `!`: the line must fail; success is a failure with code 1.
  case mustFail
  /// `-`: the line may fail; a failure counts as success.
  case mayFail
  /// `time`: the duration is shown as well.
  case time
}
