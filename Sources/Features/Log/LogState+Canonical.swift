import SwiftBoardBoard
import SwiftBoardJSON

extension LogState: CanonicalEncodable {
  /// Writes what `encode(to:)` does.
  public func encodeCanonical(to writer: inout CanonicalWriter) {
    writer.beginObject()
    if let level { writer.member("level", level.rawValue) }
    writer.member("notes", notes)
    writer.endObject()
  }
}
