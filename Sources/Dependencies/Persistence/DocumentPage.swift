/// Some of the documents that a query finds, and where the next ones begin.
public struct DocumentPage: Sendable, Equatable {
  /// In the query's order.
  public var documents: [Document]
  /// `nil` after the last page.
  public var next: DocumentCursor?

  /// A page; nothing by default.
  public init(_ documents: [Document] = [], next: DocumentCursor? = nil) {
    self.documents = documents
    self.next = next
  }
}

/// The end of a page, from which a query goes on.
public struct DocumentCursor: Sendable, Equatable {
  enum Rest: Sendable, Equatable {
    /// The documents behind this id.
    case after(String)
    /// The documents with these ids, in this order.
    case these(ArraySlice<String>)
  }

  var rest: Rest
  /// How many of them may still come; `nil`: all.
  var limit: Int?
}

/// What an index is of: the values at a path, in the documents of a collection.
public struct DocumentIndex: Sendable, Equatable, Codable {
  /// Which collection.
  public var collection: String
  /// A path like `a.b[0]`.
  public var path: String

  /// An index; nothing is checked before it is made.
  public init(collection: String, path: String) {
    self.collection = collection
    self.path = path
  }
}
