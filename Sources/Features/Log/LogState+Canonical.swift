import SwiftBoardBoard
import SwiftBoardJSON

extension LogState: CanonicalEncodable {
  /// Writes the same JSON as `encode(to:)`.
  public func encodeCanonical(to writer: inout CanonicalWriter) {
    writer.beginObject()
    if let level { writer.member("level", level.rawValue) }
    writer.member("notes", notes)
    writer.endObject()
  }
}
