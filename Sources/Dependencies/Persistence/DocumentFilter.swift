import SwiftBoardJSON

/// A document query made ready to run: paths and values are parsed once, and what is malformed is
/// said before any document is read. Every document store uses it, so that all find the same
/// documents in the same order.
struct DocumentFilter: Sendable {
  let conditions: [(path: JSONPath, value: JSON)]
  let sortPath: JSONPath?
  private let isDescending: Bool
  let limit: Int?

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

  static func path(_ text: String) throws(PersistenceError) -> JSONPath {
    do { return try JSONPath(parsing: text) } catch {
      throw PersistenceError(
        .invalid, operation: "documents",
        message: "\(JSON.string(text).description) is not a path: \(error.message). "
          + "Write it like a.b[0].c")
    }
  }

  /// Whether every condition holds. A path that leads nowhere equals nothing, not even null.
  func matches(_ body: JSON) -> Bool {
    conditions.allSatisfy { path, value in
      body.value(at: path).map { JSON.compare(StoredJSON.normalised($0), value) == 0 } ?? false
    }
  }

  /// A document that matches, by its id, with the value it is sorted by.
  struct Match: Sendable {
    var id: ByteText
    var key: JSON?

    init(_ id: String, key: JSON?) {
      self.id = ByteText(id)
      self.key = key
    }
  }

  /// Documents without a value at the sort path come last, whichever way is sorted; ids, by their
  /// bytes, decide between equals and are ascending in both.
  private func precedes(_ left: Match, _ right: Match) -> Bool {
    switch (left.key, right.key) {
    case (.some(let a), .some(let b)):
      let order = JSON.compare(a, b)
      if order != 0 { return isDescending ? order > 0 : order < 0 }
    case (.some, nil): return true
    case (nil, .some): return false
    case (nil, nil): break
    }
    return left.id < right.id
  }

  /// The matches that were found so far: of a limited query not many more than the limit, so that
  /// few of many cost no memory.
  struct Matches: Sendable {
    private let filter: DocumentFilter
    private var found: [Match] = []
    /// The last one that may still be among the first.
    private var last: Match?

    init(_ filter: DocumentFilter) { self.filter = filter }

    mutating func add(_ match: Match) {
      if let last, !filter.precedes(match, last) { return }
      found.append(match)
      guard let limit = filter.limit, found.count / 2 >= max(128, limit) else { return }
      found = filter.arranged(found)
      last = found.last
    }

    /// Sorted and cut.
    var arranged: [Match] { filter.arranged(found) }
  }

  /// Sorted and cut.
  func arranged(_ matches: [Match]) -> [Match] {
    let sorted = matches.sorted(by: precedes)
    return limit.map { Array(sorted.prefix($0)) } ?? sorted
  }
}

/// JSON text on its way into a store.
enum StoredJSON {
  /// - Parameters:
  ///   - what: What the text is, for the error, which never quotes the text.
  ///   - limits: `.strict` for what is stored: of equal keys the database would read the first one.
  static func parse(
    _ text: String, operation: String, what: String, limits: JSONLimits = .default
  ) throws(PersistenceError) -> JSON {
    do { return try JSON(parsing: text, limits: limits) } catch {
      throw PersistenceError(
        .invalid, operation: operation,
        message: "\(what) is not JSON: line \(error.line), column \(error.column): \(error.message)"
      )
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
