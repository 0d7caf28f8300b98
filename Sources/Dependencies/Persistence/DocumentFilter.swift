import SwiftBoardJSON

/// A document query made ready to run: paths and values are parsed once, and what is malformed is
/// said before any document is read. Every document store uses it, so that all find the same
/// documents in the same order.
struct DocumentFilter: Sendable {
  private let conditions: [(path: JSONPath, value: JSON)]
  private let sortPath: JSONPath?
  private let isDescending: Bool
  private let limit: Int?

  /// Whether documents must be parsed at all.
  var readsBodies: Bool { !conditions.isEmpty || sortPath != nil }

  init(_ query: DocumentQuery) throws(PersistenceError) {
    var conditions: [(JSONPath, JSON)] = []
    for condition in query.conditions {
      conditions.append((try Self.path(condition.path), StoredJSON.normalised(condition.equals)))
    }
    self.conditions = conditions
    let sort = query.sort ?? ""
    isDescending = sort.utf8.first == UInt8(ascii: "-")
    sortPath = sort.isEmpty ? nil : try Self.path(isDescending ? String(sort.dropFirst()) : sort)
    if let limit = query.limit, limit < 0 {
      throw PersistenceError(
        .invalid, operation: "documents", message: "The limit is \(limit), less than none.")
    }
    limit = query.limit
  }

  private static func path(_ text: String) throws(PersistenceError) -> JSONPath {
    do { return try JSONPath(parsing: text) } catch {
      throw PersistenceError(
        .invalid, operation: "documents",
        message: "\(JSON.string(text).description) is no path: \(error.message). "
          + "Write it like a.b[0].c")
    }
  }

  /// One document that matches, with the value it is sorted by.
  struct Match: Sendable {
    var document: Document
    fileprivate var key: JSON?
  }

  /// `nil` if a condition fails. A path that leads nowhere equals nothing, not even null.
  func match(_ document: Document) throws(PersistenceError) -> Match? {
    guard readsBodies else { return Match(document: document, key: nil) }
    let body = try StoredJSON.parse(
      document.body, operation: "documents", what: "\(document.collection)/\(document.id)")
    for (path, value) in conditions {
      guard let found = body.value(at: path),
        JSON.compare(StoredJSON.normalised(found), value) == 0
      else { return nil }
    }
    return Match(document: document, key: sortPath.flatMap { body.value(at: $0) })
  }

  /// Sorted and cut. Documents without a value at the sort path come last, whichever way is sorted;
  /// ids, by their bytes, decide between equals and are ascending in both.
  func arranged(_ matches: [Match]) -> [Document] {
    let sorted = matches.sorted { left, right in
      switch (left.key, right.key) {
      case (.some(let a), .some(let b)):
        let order = JSON.compare(a, b)
        if order != 0 { return isDescending ? order > 0 : order < 0 }
      case (.some, nil): return true
      case (nil, .some): return false
      case (nil, nil): break
      }
      return ByteText(left.document.id) < ByteText(right.document.id)
    }
    return sorted.prefix(limit ?? sorted.count).map(\.document)
  }
}

/// JSON text on its way into a store.
enum StoredJSON {
  /// - Parameter what: What the text is, for the error, which never quotes the text.
  static func parse(_ text: String, operation: String, what: String) throws(PersistenceError)
    -> JSON
  {
    do { return try JSON(parsing: text) } catch {
      throw PersistenceError(
        .invalid, operation: operation,
        message: "\(what) is no JSON: line \(error.line), column \(error.column): \(error.message)")
    }
  }

  /// Equal content, equal value: members in the order of their keys. Number literals stay, they
  /// compare by value.
  static func normalised(_ value: JSON) -> JSON {
    switch value {
    case .array(let elements): .array(elements.map(normalised))
    case .object(let members):
      .object(
        members.map { JSON.Member($0.key, normalised($0.value)) }
          .sorted { ByteText($0.key) < ByteText($1.key) })
    default: value
    }
  }

  // MARK: Pairs

  /// Names and values as a flat JSON array: `["a","1","b","2"]`.
  static func text(ofPairs pairs: some Sequence<(String, String)>) -> String {
    var elements: [JSON] = []
    for (name, value) in pairs {
      elements.append(.string(name))
      elements.append(.string(value))
    }
    return elements.isEmpty ? "[]" : JSON.array(elements).text
  }

  /// `nil` for what is no such array.
  static func pairs(of text: String) -> [(String, String)]? {
    if text == "[]" { return [] }
    guard let elements = (try? JSON(parsing: text))?.elements, elements.count % 2 == 0 else {
      return nil
    }
    var pairs: [(String, String)] = []
    for index in stride(from: 0, to: elements.count, by: 2) {
      guard let name = elements[index].stringValue, let value = elements[index + 1].stringValue
      else { return nil }
      pairs.append((name, value))
    }
    return pairs
  }
}

/// Text that is compared by its bytes, as the database does: `String` takes `é` and `e` with an
/// accent for the same.
struct ByteText: Hashable, Comparable, Sendable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (left: ByteText, right: ByteText) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
  }

  static func < (left: ByteText, right: ByteText) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }

  func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
    hasher.combine(0xff as UInt8)
  }
}
