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
    fileprivate let shownID: @Sendable (String) -> String
    /// The IDs to leave out that have not come yet, by their bytes, and how often each was shown.
    private var shown: [[UInt8]: Int]
    private var cursor: DocumentCursor?
    private var count: Int
    /// The first damage, which is thrown after the last page.
    private var damage: PersistenceError?
    private var isOver = false

    fileprivate init(_ sequence: DocumentPageSequence) {
      store = sequence.store
      query = sequence.query
      shownID = sequence.shownID
      shown = Dictionary(sequence.shown.map { (Array($0.utf8), 1) }, uniquingKeysWith: +)
      count = sequence.shown.count
    }

    /// Returns the next page. The last page may have no documents.
    ///
    /// - Throws: `PersistenceError`; `corrupted` in place of the end if a document was damaged.
    public mutating func next() async throws -> Element? {
      while !isOver {
        var page = try await store.documents(query, from: cursor)
        page.documents.removeAll { document in
          !shown.isEmpty && (takeShown(document.id) || takeShown(shownID(document.id)))
        }
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

    /// Returns whether an ID was shown, and expects it once less.
    private mutating func takeShown(_ id: String) -> Bool {
      let key = Array(id.utf8)
      guard let count = shown[key] else { return false }
      shown[key] = count == 1 ? nil : count - 1
      return true
    }
  }

  fileprivate let store: any DocumentStore
  fileprivate let query: DocumentQuery
  fileprivate let shown: [String]
  fileprivate let shownID: @Sendable (String) -> String

  /// Starts again at the first page.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

extension DocumentStore {
  /// Returns the documents that match, a page at a time. Nothing is read before the first page is
  /// asked for.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - shown: The IDs of documents to omit, because they were shown before. Changes since then
  ///     may have moved documents to other pages.
  ///   - shownID: How an ID was shown, if it may have been shown differently, such as without a
  ///     secret.
  public func pages(
    of query: DocumentQuery, without shown: [String] = [],
    shownAs shownID: @escaping @Sendable (String) -> String = { $0 }
  ) -> DocumentPageSequence {
    DocumentPageSequence(store: self, query: query, shown: shown, shownID: shownID)
  }
}
