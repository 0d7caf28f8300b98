import CSQLite
import SwiftBoardJSON

/// The search for the documents of a query, one page at a time.
struct DocumentPages {
  private static let columns = "id, updated, checksum, body"
  private static let maximalCount = 256
  private static let maximalBytes = 1 << 20

  private let query: DocumentQuery
  private let filter: DocumentFilter
  private let selection: DocumentSelection
  private let connection: SQLiteConnection

  init(_ query: DocumentQuery, _ filter: DocumentFilter, _ connection: SQLiteConnection) {
    self.query = query
    self.filter = filter
    self.connection = connection
    selection = DocumentSelection(filter.conditions)
  }

  /// Returns how long it takes to read a page. Without conditions or an order, no more documents
  /// are read than are returned.
  static func length(of filter: DocumentFilter, from cursor: DocumentCursor?) -> CallLength {
    filter.conditions.isEmpty && (filter.sortPath == nil || cursor != nil) ? .brief : .long
  }

  func page(from cursor: DocumentCursor?) throws(PersistenceError) -> DocumentPage {
    let cursor =
      if let cursor { cursor } else if filter.sortPath != nil {
        DocumentCursor(rest: .these(try sortedIDs()[...]), limit: nil)
      } else { DocumentCursor?.none }
    switch cursor?.rest {
    case .these(let ids): return try page(of: ids)
    case .after(let id): return try page(after: id, limit: cursor?.limit)
    case nil: return try page(after: nil, limit: filter.limit)
    }
  }

  // MARK: In the order of ids

  private func page(after lower: String?, limit: Int?) throws(PersistenceError) -> DocumentPage {
    var page = Page(limit: limit)
    guard limit != 0 else { return DocumentPage() }
    let statement = try selection.statement(
      Self.columns, collection: query.collection, after: lower, index: try index(), connection)
    let reader = DocumentTable.Reader(query.collection)
    try statement.readRows { (row) throws(PersistenceError) -> Bool in
      switch reader.read(row) {
      case .damaged(let id): page.damaged.append(id)
      case .whole(let document): if try matches(document) { page.add(document) }
      }
      return !page.isFull
    }
    return page.ended(query.collection, connection) { last in .after(last.id) }
  }

  private func matches(_ document: Document) throws(PersistenceError) -> Bool {
    if filter.conditions.isEmpty { return true }
    return filter.matches(
      try StoredJSON.parse(document.body, operation: "documents", what: document.name))
  }

  // MARK: Sorted

  /// Returns the ids of all matching documents in order. Documents are parsed only where SQL
  /// cannot determine the value at the sort path.
  private func sortedIDs() throws(PersistenceError) -> [String] {
    guard let path = filter.sortPath else { return [] }
    let statement = try selection.statement(
      "id, \(DocumentSelection.value(at: path) ?? "NULL"), body", collection: query.collection,
      after: nil, index: try index(), connection)
    var found = DocumentFilter.Matches(filter)
    try statement.forEachRow { row in
      if filter.conditions.isEmpty, let key = Self.sortKey(row) {
        return found.add(key: key, id: row.text(0))
      }
      // A damaged document comes last. The damage is reported if it is part of a page.
      let value = try? JSON(parsing: row.text(2))
      guard filter.conditions.isEmpty || value.map(filter.matches) == true else { return }
      found.add(key: value?.value(at: path), id: row.text(0))
    }
    return found.arranged.map(\.id.rawValue)
  }

  /// Returns the value at the sort path, or `nil` if it can only be determined from the document.
  private static func sortKey(_ row: SQLiteStatement) -> JSON? {
    switch row.type(1) {
    case SQLITE_INTEGER:
      let number = row.integer(1)
      return number == 0 || number == 1 ? nil : .number(String(number))
    case SQLITE_TEXT:
      let text = row.text(1)
      return text.utf8.first == UInt8(ascii: "{") || text.utf8.first == UInt8(ascii: "[")
        ? nil : .string(text)
    default: return nil
    }
  }

  private func page(of ids: ArraySlice<String>) throws(PersistenceError) -> DocumentPage {
    var page = Page(limit: nil)
    var rest = ids
    while !page.isFull, let id = rest.popFirst() {
      // Skip a document that was removed in the meantime, or no longer matches.
      switch try DocumentTable.row(collection: query.collection, id: id, connection) {
      case nil: break
      case .damaged(let id): page.damaged.append(id)
      case .whole(let document): if try matches(document) { page.add(document) }
      }
    }
    return DocumentPage(
      page.documents, damage: page.damage(query.collection, connection),
      next: rest.isEmpty ? nil : DocumentCursor(rest: .these(rest), limit: nil))
  }

  /// Returns an index for a condition of the query, or `nil` if there is none.
  private func index() throws(PersistenceError) -> (number: Int64, key: String)? {
    for condition in filter.conditions {
      let number = try DocumentIndexTable.number(query.collection, condition.path, connection)
      if let number { return (number, DocumentIndexTable.key(condition.value)) }
    }
    return nil
  }

  /// A page under construction.
  private struct Page {
    /// The number of documents that the query may still return.
    var limit: Int?
    var documents: [Document] = []
    var damaged: [String] = []
    private var bytes = 0

    init(limit: Int?) { self.limit = limit }

    var isFull: Bool {
      documents.count >= min(limit ?? .max, maximalCount) || bytes >= maximalBytes
    }

    mutating func add(_ document: Document) {
      documents.append(document)
      bytes += document.body.utf8.count
    }

    func damage(_ collection: String, _ connection: SQLiteConnection) -> PersistenceError? {
      damaged.isEmpty ? nil : DocumentTable.damage(damaged, collection, connection)
    }

    func ended(
      _ collection: String, _ connection: SQLiteConnection,
      next: (Document) -> DocumentCursor.Rest
    ) -> DocumentPage {
      let damage = damage(collection, connection)
      let left = limit.map { $0 - documents.count }
      guard isFull, left != 0, let last = documents.last else {
        return DocumentPage(documents, damage: damage)
      }
      return DocumentPage(
        documents, damage: damage, next: DocumentCursor(rest: next(last), limit: left))
    }
  }
}
