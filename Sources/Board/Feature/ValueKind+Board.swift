import SwiftBoardCommandLine

extension ValueKind {
  /// The name of an alias.
  public static let alias = ValueKind.entity("alias")
  /// The name of an environment of the program or of its configuration.
  static let environment = ValueKind.entity("environment")
  /// The number of a job.
  public static let job = ValueKind.entity("job")
  /// A step of a recording: a number, `@MARK` or `end`.
  public static let step = ValueKind.entity("step")
  /// A link of the board, such as `swiftboard://api`.
  public static let link = ValueKind.entity("link")
}
