import SwiftBoardDependencies
import SwiftBoardJSON

/// Documents in memory. Queries and bodies are the business of `DocumentQuery` and `Document`.
actor Shelf: DocumentStore {
  private var shelves: [ByteText: [ByteText: Document]] = [:]
  private var indexes: [DocumentIndex] = []
  private let ignoresPlaces: Bool

  /// - Parameter ignoresPlaces: A mistake, for showing what a check says of it.
  init(ignoresPlaces: Bool = false) { self.ignoresPlaces = ignoresPlaces }

  func putDocument(_ document: Document) throws(PersistenceError) -> Bool {
    do throws(PersistenceError) { try document.check() } catch {
      guard ignoresPlaces else { throw error }
      throw PersistenceError(.invalid, operation: "putDocument", message: "this is not JSON")
    }
    let (collection, id) = (ByteText(document.collection), ByteText(document.id))
    return shelves[collection, default: [:]].updateValue(document, forKey: id) == nil
  }

  func collections() -> [String] { shelves.keys.sorted().map(\.rawValue) }

  func document(collection: String, id: String) -> Document? {
    shelves[ByteText(collection)]?[ByteText(id)]
  }

  func documents(
    _ query: DocumentQuery, from cursor: DocumentCursor?
  ) throws(PersistenceError) -> DocumentPage {
    DocumentPage(try query.found(in: shelves[ByteText(query.collection), default: [:]].values))
  }

  func removeDocument(collection: String, id: String) -> Bool {
    let collection = ByteText(collection)
    let removed = shelves[collection]?.removeValue(forKey: ByteText(id))
    if shelves[collection]?.isEmpty == true { shelves[collection] = nil }
    return removed != nil
  }

  func makeDocumentIndex(_ index: DocumentIndex) throws(PersistenceError) -> Bool {
    do { _ = try JSONPath(parsing: index.path) } catch {
      throw PersistenceError(
        .invalid, operation: "makeDocumentIndex", message: "no path: \(index.path)")
    }
    guard !indexes.contains(index) else { return false }
    indexes.append(index)
    return true
  }

  func removeDocumentIndex(_ index: DocumentIndex) -> Bool {
    let count = indexes.count
    indexes.removeAll { $0 == index }
    return indexes.count < count
  }

  func documentIndexes() -> [DocumentIndex] {
    indexes.sorted {
      (ByteText($0.collection), ByteText($0.path)) < (ByteText($1.collection), ByteText($1.path))
    }
  }
}
