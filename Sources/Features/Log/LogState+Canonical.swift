import SwiftBoardBoard
import SwiftBoardJSON

extension LogState: CanonicalEncodable {
  /// Writes the same JSON as `encode(to:)`.
  public func encodeCanonical(to writer: inout CanonicalWriter) throws {
    writer.beginObject()
    if let changes {
      writer.key("changes")
      changes.encodeCanonical(to: &writer)
    }
    if let counts {
      writer.key("counts")
      writer.beginObject()
      for (level, count) in counts {
        writer.key(level)
        writer.int(count)
      }
      writer.endObject()
    }
    if let level { writer.member("level", level.rawValue) }
    if let levels {
      writer.key("levels")
      writer.beginObject()
      for (category, level) in levels {
        writer.key(category)
        writer.int(level.rawValue)
      }
      writer.endObject()
    }
    writer.member("notes", notes)
    if let query {
      writer.key("query")
      try writer.value(query)
    }
    writer.endObject()
  }
}
