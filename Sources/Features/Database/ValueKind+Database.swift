import SwiftBoardCommandLine

extension ValueKind {
  /// The name of a collection of documents.
  public static let collection = ValueKind.entity("collection")
  /// The name of a preference.
  public static let preference = ValueKind.entity("preference")
}
