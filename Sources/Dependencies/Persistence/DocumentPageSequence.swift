/// The documents that a query finds, a page at a time.
///
/// ```swift
/// for try await page in persistence.pages(of: query) { show(page.documents) }
/// ```
///
/// The next page is read on demand, so memory use is limited to one page.
public struct DocumentPageSequence: AsyncSequence, Sendable {
  /// A page with its place in the sequence.
  public struct Element: Sendable, Equatable {
    /// The documents, in the order of the query.
    public var documents: [Document]
    /// The number of documents up to the end of this page, including omitted ones.
    public var count: Int
    /// Whether it is the last page.
    public var isLast: Bool

  }

  /// Reads the pages.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let store: any DocumentStore
    fileprivate let query: DocumentQuery
    /// The IDs to leave out that have not come yet, by their bytes.
    private var shown: Set<[UInt8]>
    private var cursor: DocumentCursor?
    private var count: Int
    private var isOver = false

    fileprivate init(_ sequence: DocumentPageSequence) {
      store = sequence.store
      query = sequence.query
      shown = Set(sequence.shown.map { Array($0.utf8) })
      count = sequence.shown.count
    }

    /// Returns the next page. The last page may have no documents.
    ///
    /// - Throws: `PersistenceError`.
    public mutating func next() async throws -> Element? {
      while !isOver {
        var page = try await store.documents(query, from: cursor)
        if !shown.isEmpty {
          page.documents.removeAll { shown.remove(Array($0.id.utf8)) != nil }
        }
        cursor = page.next
        isOver = page.next == nil
        count += page.documents.count
        if isOver || !page.documents.isEmpty {
          return Element(documents: page.documents, count: count, isLast: isOver)
        }
      }
      return nil
    }
  }

  fileprivate let store: any DocumentStore
  fileprivate let query: DocumentQuery
  fileprivate let shown: [String]

  /// Starts again at the first page.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

extension DocumentStore {
  /// Returns the documents that match, a page at a time. Nothing is read before the first page is
  /// asked for.
  ///
  /// - Parameter shown: The IDs of documents to omit, because they were shown before. Changes since
  ///   then may have moved documents to other pages.
  public func pages(
    of query: DocumentQuery, without shown: [String] = []
  ) -> DocumentPageSequence {
    DocumentPageSequence(store: self, query: query, shown: shown)
  }
}
