import SwiftBoardJSON

/// JSON documents by collection and id. Bodies are JSON text and are returned byte for byte.
public protocol DocumentStore: DocumentReader {
  /// Inserts or replaces a document, durable on return.
  ///
  /// - Returns: False if it replaced a document.
  /// - Throws: `.invalid` if the body is not JSON, with a message that names the place as
  ///   `line 2, column 8` and repeats nothing of the body (`Document.check()`).
  @discardableResult
  func putDocument(_ document: Document) async throws(PersistenceError) -> Bool
  /// Returns the names of the collections that have documents, sorted.
  func collections() async throws(PersistenceError) -> [String]
  /// Returns a document, or `nil` if there is none.
  ///
  /// - Throws: `.corrupted` if the stored body does not match its digest.
  func document(collection: String, id: String) async throws(PersistenceError) -> Document?
  /// Removes a document. Returns false if there is none.
  func removeDocument(collection: String, id: String) async throws(PersistenceError) -> Bool
  /// Creates an index, so that queries for a value at the path read only the documents with that
  /// value. Returns false if it exists. Durable on return.
  ///
  /// - Throws: `invalid` if the path is not valid.
  func makeDocumentIndex(_ index: DocumentIndex) async throws(PersistenceError) -> Bool
  /// Removes an index. Returns false if there is none.
  func removeDocumentIndex(_ index: DocumentIndex) async throws(PersistenceError) -> Bool
  /// Returns the indexes, sorted by collection and path.
  func documentIndexes() async throws(PersistenceError) -> [DocumentIndex]
}

/// A JSON text with an id in a collection.
public struct Document: Sendable, Equatable, Codable {
  /// The name of the collection: any text, compared by its bytes.
  public var collection: String
  /// The id, unique in the collection and compared by its bytes.
  public var id: String
  /// The content as JSON text.
  public var body: String
  /// The time in microseconds since 1970, set by the caller.
  public var updated: Int64

  /// Creates a document. Nothing is checked before it is stored.
  public init(collection: String, id: String, body: String, updated: Int64) {
    self.collection = collection
    self.id = id
    self.body = body
    self.updated = updated
  }
}

/// A query for documents of a collection. Numbers sort before text. Documents with equal sort keys
/// are in ascending order of their ids.
public struct DocumentQuery: Sendable, Equatable, Codable {
  /// The name of the collection.
  public var collection: String
  /// The conditions, which must all hold.
  public var conditions: [Condition]
  /// A path such as `a.b[0]` to sort by, or `nil` to sort by id. A leading `-` means descending
  /// order. Values are compared by content, as those of conditions are.
  public var sort: String?
  /// The maximum number of documents, after sorting, or `nil` for all. 0 returns none, and a
  /// negative limit is `invalid`.
  public var limit: Int?

  /// A comparison of the value at a path.
  public struct Condition: Sendable, Equatable, Codable {
    /// A path such as `a.b[0]`. The value at a missing path equals nothing, not even `null`.
    public var path: String
    /// The value, compared by content: numbers by value, objects regardless of the order of
    /// members.
    public var equals: JSON

    /// Creates a condition. Nothing is checked before the query runs.
    public init(path: String, equals: JSON) {
      self.path = path
      self.equals = equals
    }
  }

  /// Creates a query. Without conditions, it returns all documents of the collection by id.
  public init(
    collection: String, conditions: [Condition] = [], sort: String? = nil, limit: Int? = nil
  ) {
    self.collection = collection
    self.conditions = conditions
    self.sort = sort
    self.limit = limit
  }
}
