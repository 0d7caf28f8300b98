import SwiftBoardCommandLine

extension ValueKind {
  /// The name of a service defined with `api service`.
  public static let service = ValueKind.entity("service")
  /// The name of a request kept with `api … --save`.
  public static let savedRequest = ValueKind.entity("request")
  /// A path of a service, such as `sample/character/1`, or an address.
  public static let target = ValueKind.entity("target")
}
