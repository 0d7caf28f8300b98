import SwiftBoardCommandLine

extension ValueKind {
  /// The name of a collection of documents.
  public static let collection = ValueKind.entity("collection")
}
