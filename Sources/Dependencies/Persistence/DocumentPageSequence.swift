/// The documents that a query finds, a page at a time.
///
/// ```swift
/// for try await page in persistence.pages(of: query) { show(page.documents) }
/// ```
///
/// All pages are of one state of the documents. The next page is read on demand, so memory use is
/// limited to one page.
public struct DocumentPageSequence: AsyncSequence, Sendable {
  /// A page with its place in the sequence.
  public struct Element: Sendable, Equatable {
    /// The documents, in the order of the query.
    public var documents: [Document]
    /// The number of documents up to the end of this page.
    public var count: Int
    /// Whether it is the last page.
    public var isLast: Bool
  }

  /// Reads the pages.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private var reader: any DocumentReader
    private let query: DocumentQuery
    private var hasBegun = false
    private var cursor: DocumentCursor?
    private var count = 0
    /// The first damage, which is thrown after the last page.
    private var damage: PersistenceError?
    private var isOver = false

    fileprivate init(_ sequence: DocumentPageSequence) {
      reader = sequence.reader
      query = sequence.query
    }

    /// Returns the next page. The last page may have no documents.
    ///
    /// - Throws: `PersistenceError`; `corrupted` in place of the end if a document was damaged.
    public mutating func next() async throws -> Element? {
      if !hasBegun {
        reader = try await reader.snapshot()
        hasBegun = true
      }
      while !isOver {
        let page = try await reader.documents(query, from: cursor)
        cursor = page.next
        isOver = page.next == nil
        count += page.documents.count
        if damage == nil { damage = page.damage }
        let isLast = isOver && damage == nil
        if isLast || !page.documents.isEmpty {
          return Element(documents: page.documents, count: count, isLast: isLast)
        }
      }
      defer { damage = nil }
      if let damage { throw damage }
      return nil
    }
  }

  let reader: any DocumentReader
  let query: DocumentQuery

  /// Starts again at the first page, of the state then.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}
