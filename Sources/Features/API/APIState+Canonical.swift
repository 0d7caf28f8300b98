import SwiftBoardBoard
import SwiftBoardJSON

extension APIState: CanonicalEncodable {
  /// Writes what `encode(to:)` does.
  public func encodeCanonical(to writer: inout CanonicalWriter) {
    writer.beginObject()
    writer.member("answers", answers)
    writer.key("pending")
    writer.beginArray()
    for request in pending {
      writer.beginObject()
      writer.member("job", request.job)
      writer.member("method", request.method)
      writer.member("target", request.target)
      writer.endObject()
    }
    writer.endArray()
    writer.member("requests", requests)
    writer.endObject()
  }
}
