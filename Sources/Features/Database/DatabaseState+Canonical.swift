import SwiftBoardBoard
import SwiftBoardJSON

extension DatabaseState: CanonicalEncodable {
  /// Writes the same JSON as `encode(to:)`.
  public func encodeCanonical(to writer: inout CanonicalWriter) throws {
    writer.beginObject()
    writer.member("changes", changes) { $0.encodeCanonical(to: &$1) }
    if let collection { writer.member("collection", collection) }
    if let collections {
      writer.key("collections")
      writer.beginObject()
      for (name, count) in collections {
        writer.key(name.rawValue)
        if let count { writer.int(count) } else { writer.null() }
      }
      writer.endObject()
    }
    try writer.member("document", document) { try $0.write(to: &$1) }
    writer.member("imports", imports) { $0.encodeCanonical(to: &$1) }
    if let isLoaded { writer.member("isLoaded", isLoaded) }
    try writer.array("pending", pending) { try $1.value($0) }
    writer.array("preferences", preferences) { $1.string($0) }
    try writer.member("query", query) { try $1.value($0) }
    writer.array("reads", reads) { $1.int($0) }
    if let tellsFormsApart { writer.member("tellsFormsApart", tellsFormsApart) }
    writer.member("writes", writes)
    writer.endObject()
  }
}

extension ShownDocument {
  fileprivate func write(to writer: inout CanonicalWriter) throws {
    writer.beginObject()
    try writer.member("body", body) { try $1.value($0) }
    writer.member("bytes", bytes)
    writer.member("collection", collection)
    if let digest { writer.member("digest", digest) }
    writer.member("id", id)
    writer.endObject()
  }
}
