import SwiftBoardBoard
import SwiftBoardJSON

// What every step of a recording has is written by hand; what only some have is left to `Codable`.

extension CharactersState: CanonicalEncodable {
  /// Writes what `encode(to:)` does.
  public func encodeCanonical(to writer: inout CanonicalWriter) throws {
    writer.beginObject()
    writer.member("changes", changes) { $0.encodeCanonical(to: &$1) }
    try writer.member("detail", detail) { try $0.write(to: &$1) }
    writer.member("list", list) { $0.write(to: &$1) }
    try writer.array("pending", pending) { try $1.value($0) }
    writer.array("recent", recent) { $1.string($0) }
    writer.member("route", route) { $0.write(to: &$1) }
    writer.member("search", search) { $0.write(to: &$1) }
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
    writer.array("shown", shown) { page, writer in
      writer.beginObject()
      writer.member("number", page.number)
      writer.array("rows", page.rows) { $0.write(to: &$1) }
      writer.endObject()
    }
    writer.member("status", status) { $0.write(to: &$1) }
    writer.endObject()
  }
}

extension CharacterList.Row {
  fileprivate func write(to writer: inout CanonicalWriter) {
    writer.beginObject()
    writer.member("id", id)
    writer.member("name", name)
    writer.member("status", status)
    writer.endObject()
  }
}

extension CharacterDetail {
  fileprivate func write(to writer: inout CanonicalWriter) throws {
    writer.beginObject()
    writer.member("id", id)
    if let image { writer.member("image", image) }
    try writer.member("item", item) { try $1.value($0) }
    writer.member("status", status) { $0.write(to: &$1) }
    writer.endObject()
  }
}

extension CharacterSearch {
  fileprivate func write(to writer: inout CanonicalWriter) {
    writer.beginObject()
    if let count { writer.member("count", count) }
    writer.member("filter", filter) { $0.write(to: &$1) }
    if let knowsRecent { writer.member("knowsRecent", knowsRecent) }
    writer.member("page", page)
    if let pages { writer.member("pages", pages) }
    writer.array("results", results) { $0.write(to: &$1) }
    writer.member("status", status) { $0.write(to: &$1) }
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
