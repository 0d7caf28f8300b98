/// Reads documents.
public protocol DocumentReader: Sendable {
  /// Returns a page of the documents that match, in the order of the query. Any number of documents
  /// takes the memory of one page.
  ///
  /// Changes between two pages may be visible, also in the order, unless the reader is a
  /// `snapshot()`. A document that exists the whole time is returned once. The page names damaged
  /// documents in its `damage`, and has the others. One that no longer matches a condition may be
  /// left out without that, because conditions apply to what is stored now.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - cursor: The end of the previous page of the same query, or `nil` for the first page.
  /// - Throws: `invalid` for an invalid path, value or limit, before anything is read.
  func documents(_ query: DocumentQuery, from cursor: DocumentCursor?)
    async throws(PersistenceError) -> DocumentPage
  /// Returns a reader of the documents as they are now. As long as it is in use, storage that
  /// changes have replaced may stay occupied.
  func snapshot() async throws(PersistenceError) -> any DocumentReader
}

extension DocumentReader {
  /// The reader itself. A store whose queries may have several pages has a snapshot of its own.
  public func snapshot() async throws(PersistenceError) -> any DocumentReader { self }

  /// Returns all documents that match, in the order of the query and all in memory.
  ///
  /// - Throws: `invalid` for an invalid path, value or limit, before anything is read; `corrupted`
  ///   if a document is damaged.
  public func documents(_ query: DocumentQuery) async throws(PersistenceError) -> [Document] {
    var documents: [Document] = []
    var cursor: DocumentCursor?
    repeat {
      let page = try await self.documents(query, from: cursor)
      if let damage = page.damage { throw damage }
      documents += page.documents
      cursor = page.next
    } while cursor != nil
    return documents
  }

  /// Returns the documents of a snapshot that match, a page at a time. Nothing is read before the
  /// first page is asked for.
  public func pages(of query: DocumentQuery) -> DocumentPageSequence {
    DocumentPageSequence(reader: self, query: query)
  }
}
