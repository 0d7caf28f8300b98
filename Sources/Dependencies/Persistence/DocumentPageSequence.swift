/// The documents that a query finds, a page at a time.
///
/// ```swift
/// for try await page in persistence.pages(of: query) { show(page.documents) }
/// ```
///
/// Reads the next page when it is asked for, so that any number of documents takes the memory of
/// one page.
public struct DocumentPageSequence: AsyncSequence, Sendable {
  /// A page with its place in the sequence.
  public struct Element: Sendable, Equatable {
    /// The documents, in the order of the query.
    public var documents: [Document]
    /// The number of documents up to the end of this page.
    public var count: Int
    /// Whether it is the last page.
    public var isLast: Bool

    /// Whether no other page comes before or after this one.
    public var isWhole: Bool { isLast && count == documents.count }
  }

  /// Reads the pages.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let store: any DocumentStore
    fileprivate let query: DocumentQuery
    private var cursor: DocumentCursor?
    private var count = 0
    private var isOver = false

    fileprivate init(_ store: any DocumentStore, _ query: DocumentQuery) {
      self.store = store
      self.query = query
    }

    /// Returns the next page. The first page comes also if nothing matches.
    ///
    /// - Throws: `PersistenceError`.
    public mutating func next() async throws -> Element? {
      guard !isOver else { return nil }
      let page = try await store.documents(query, from: cursor)
      cursor = page.next
      isOver = page.next == nil
      count += page.documents.count
      return Element(documents: page.documents, count: count, isLast: isOver)
    }
  }

  fileprivate let store: any DocumentStore
  fileprivate let query: DocumentQuery

  /// Starts again at the first page.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(store, query) }
}

extension DocumentStore {
  /// Returns the documents that match, a page at a time. Nothing is read before the first page is
  /// asked for.
  public func pages(of query: DocumentQuery) -> DocumentPageSequence {
    DocumentPageSequence(store: self, query: query)
  }
}
