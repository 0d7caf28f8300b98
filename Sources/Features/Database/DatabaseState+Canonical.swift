import SwiftBoardBoard
import SwiftBoardJSON

extension DatabaseState: CanonicalEncodable {
  /// Writes the same JSON as `encode(to:)`.
  public func encodeCanonical(to writer: inout CanonicalWriter) throws {
    writer.beginObject()
    if let changes {
      writer.key("changes")
      changes.encodeCanonical(to: &writer)
    }
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
    if let document {
      writer.key("document")
      try document.write(to: &writer)
    }
    if let imports {
      writer.key("imports")
      imports.encodeCanonical(to: &writer)
    }
    if let isLoaded { writer.member("isLoaded", isLoaded) }
    if let pending {
      writer.key("pending")
      writer.beginArray()
      for command in pending { try writer.value(command) }
      writer.endArray()
    }
    if let preferences {
      writer.key("preferences")
      writer.beginArray()
      for name in preferences { writer.string(name) }
      writer.endArray()
    }
    if let query {
      writer.key("query")
      try writer.value(query)
    }
    if let reads {
      writer.key("reads")
      writer.beginArray()
      for job in reads { writer.int(job) }
      writer.endArray()
    }
    if let tellsFormsApart { writer.member("tellsFormsApart", tellsFormsApart) }
    writer.member("writes", writes)
    writer.endObject()
  }
}

extension ShownDocument {
  fileprivate func write(to writer: inout CanonicalWriter) throws {
    writer.beginObject()
    if let body {
      writer.key("body")
      try writer.value(body)
    }
    writer.member("bytes", bytes)
    writer.member("collection", collection)
    if let digest { writer.member("digest", digest) }
    writer.member("id", id)
    writer.endObject()
  }
}
