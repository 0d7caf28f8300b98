import SwiftBoardJSON

/// A part of the documents that a query finds.
public struct DocumentPage: Sendable, Equatable {
  /// The documents in the order of the query, without damaged ones.
  public var documents: [Document]
  /// The error that names the damaged documents of the page, or `nil` if there are none.
  public var damage: PersistenceError?
  /// The start of the next page, or `nil` after the last page.
  public var next: DocumentCursor?

  /// Creates a page, by default an empty one.
  public init(
    _ documents: [Document] = [], damage: PersistenceError? = nil, next: DocumentCursor? = nil
  ) {
    self.documents = documents
    self.damage = damage
    self.next = next
  }
}

/// The end of a page, from which a query continues. Only the service that has made it reads it.
public struct DocumentCursor: Sendable, Equatable {
  /// The documents that follow.
  public enum Rest: Sendable, Equatable {
    /// The documents after this id.
    case after(String)
    /// The documents with these ids, in this order.
    case these(ArraySlice<String>)
  }

  /// The documents that follow.
  public var rest: Rest
  /// The number of documents that may still follow, or `nil` for all.
  public var limit: Int?

  /// Creates a cursor.
  public init(rest: Rest, limit: Int?) {
    self.rest = rest
    self.limit = limit
  }
}

/// An index of the values at a path in the documents of a collection.
public struct DocumentIndex: Sendable, Equatable, Codable {
  /// The name of the collection.
  public var collection: String
  /// A path such as `a.b[0]`.
  public var path: String

  /// Creates an index. Nothing is checked before it is stored.
  public init(collection: String, path: String) {
    self.collection = collection
    self.path = path
  }

  /// Returns whether both have the same bytes.
  public static func == (left: DocumentIndex, right: DocumentIndex) -> Bool {
    left.collection.hasSameBytes(as: right.collection) && left.path.hasSameBytes(as: right.path)
  }
}
