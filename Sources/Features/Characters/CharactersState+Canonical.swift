import SwiftBoardBoard
import SwiftBoardJSON

// What every step of a recording has is written by hand; what only some have is left to `Codable`.

extension CharactersState: CanonicalEncodable {
  /// Writes what `encode(to:)` does.
  public func encodeCanonical(to writer: inout CanonicalWriter) throws {
    writer.beginObject()
    if let changes {
      writer.key("changes")
      changes.encodeCanonical(to: &writer)
    }
    if let detail {
      writer.key("detail")
      try detail.write(to: &writer)
    }
    writer.key("list")
    list.write(to: &writer)
    writer.key("pending")
    writer.beginArray()
    for command in pending { try writer.value(command) }
    writer.endArray()
    writer.key("recent")
    writer.beginArray()
    for text in recent { writer.string(text) }
    writer.endArray()
    writer.key("route")
    route.write(to: &writer)
    writer.key("search")
    search.write(to: &writer)
    if let service { writer.member("service", service) }
    writer.endObject()
  }
}

extension CharactersRoute {
  fileprivate func write(to writer: inout CanonicalWriter) {
    writer.beginObject()
    switch self {
    case .list: writer.key("list")
    case .detail: writer.key("detail")
    case .search: writer.key("search")
    }
    writer.beginObject()
    if case .detail(let id) = self { writer.member("id", id) }
    writer.endObject()
    writer.endObject()
  }
}

extension CharactersStatus {
  fileprivate func write(to writer: inout CanonicalWriter) {
    writer.beginObject()
    switch self {
    case .idle:
      writer.key("idle")
      writer.beginObject()
    case .loading(let job):
      writer.key("loading")
      writer.beginObject()
      writer.member("job", job)
    case .shown(let isStale):
      writer.key("shown")
      writer.beginObject()
      writer.member("isStale", isStale)
    case .failed(let error):
      writer.key("failed")
      writer.beginObject()
      writer.member("error", error)
    }
    writer.endObject()
    writer.endObject()
  }
}

extension CharacterList {
  fileprivate func write(to writer: inout CanonicalWriter) {
    writer.beginObject()
    if let count { writer.member("count", count) }
    writer.member("page", page)
    if let pages { writer.member("pages", pages) }
    if let prefetched { writer.member("prefetched", prefetched) }
    writer.key("shown")
    writer.beginArray()
    for page in shown {
      writer.beginObject()
      writer.member("number", page.number)
      writer.key("rows")
      Row.write(page.rows, to: &writer)
      writer.endObject()
    }
    writer.endArray()
    writer.key("status")
    status.write(to: &writer)
    writer.endObject()
  }
}

extension CharacterList.Row {
  fileprivate static func write(_ rows: [Self], to writer: inout CanonicalWriter) {
    writer.beginArray()
    for row in rows {
      writer.beginObject()
      writer.member("id", row.id)
      writer.member("name", row.name)
      writer.member("status", row.status)
      writer.endObject()
    }
    writer.endArray()
  }
}

extension CharacterDetail {
  fileprivate func write(to writer: inout CanonicalWriter) throws {
    writer.beginObject()
    writer.member("id", id)
    if let image { writer.member("image", image) }
    if let item {
      writer.key("item")
      try writer.value(item)
    }
    writer.key("status")
    status.write(to: &writer)
    writer.endObject()
  }
}

extension CharacterSearch {
  fileprivate func write(to writer: inout CanonicalWriter) {
    writer.beginObject()
    if let count { writer.member("count", count) }
    writer.key("filter")
    filter.write(to: &writer)
    if let knowsRecent { writer.member("knowsRecent", knowsRecent) }
    writer.member("page", page)
    if let pages { writer.member("pages", pages) }
    writer.key("results")
    CharacterList.Row.write(results, to: &writer)
    writer.key("status")
    status.write(to: &writer)
    writer.endObject()
  }
}

extension CharacterFilter {
  fileprivate func write(to writer: inout CanonicalWriter) {
    writer.beginObject()
    if let gender { writer.member("gender", gender) }
    if let name { writer.member("name", name) }
    if let species { writer.member("species", species) }
    if let status { writer.member("status", status) }
    if let type { writer.member("type", type) }
    writer.endObject()
  }
}
