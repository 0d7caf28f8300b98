import SwiftBoardBoard
import SwiftBoardJSON

extension DatabaseState: CanonicalEncodable {
  /// Writes what `encode(to:)` does.
  public func encodeCanonical(to writer: inout CanonicalWriter) {
    writer.beginObject()
    if let collection { writer.member("collection", collection) }
    writer.member("writes", writes)
    writer.endObject()
  }
}
