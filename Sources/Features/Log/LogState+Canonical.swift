import SwiftBoardBoard
import SwiftBoardJSON

extension LogState: CanonicalEncodable {
  /// Writes the same JSON as `encode(to:)`.
  public func encodeCanonical(to writer: inout CanonicalWriter) throws {
    writer.beginObject()
    writer.member("changes", changes) { $0.encodeCanonical(to: &$1) }
    writer.dictionary("counts", counts) { $1.int($0) }
    if let level { writer.member("level", level.rawValue) }
    writer.dictionary("levels", levels) { $1.int($0.rawValue) }
    writer.member("notes", notes)
    try writer.member("query", query) { try $1.value($0) }
    writer.endObject()
  }
}
