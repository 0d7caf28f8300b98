import SwiftBoardJSON

/// A validated document query. Paths and values are parsed once, and errors are thrown before any
/// document is read. Every document store uses it, so that all of them find the same documents in
/// the same order.
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
    isDescending = query.sort?.utf8.first == UInt8(ascii: "-")
    sortPath =
      if let sort = query.sort {
        try Self.path(isDescending ? String(sort.dropFirst()) : sort)
      } else { nil }
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

  /// Returns whether all conditions hold. The value at a missing path equals nothing, not even
  /// null.
  func matches(_ body: JSON) -> Bool {
    conditions.allSatisfy { path, value in
      body.value(at: path).map { JSON.compare(StoredJSON.normalised($0), value) == 0 } ?? false
    }
  }

  /// A matching document: its id and the value it is sorted by.
  struct Match: Sendable {
    var id: ByteText
    var key: JSON?

    /// Creates a match.
    ///
    /// - Parameter key: The value, whose members are sorted as those of conditions are.
    init(_ id: String, key: JSON?) {
      self.id = ByteText(id)
      self.key = key.map(StoredJSON.normalised)
    }
  }

  /// Returns whether `left` comes first. Documents without a value at the sort path come last in
  /// both directions. Equal documents are in ascending order of their ids, compared by bytes.
  private func precedes(_ left: Match, _ right: Match) -> Bool {
    let order = order(left.key, right.key)
    return order != 0 ? order < 0 : left.id < right.id
  }

  /// Returns a negative number if the key `left` comes first, and 0 if the ids decide.
  private func order(_ left: JSON?, _ right: JSON?) -> Int {
    switch (left, right) {
    case (.some(let left), .some(let right)):
      isDescending ? JSON.compare(right, left) : JSON.compare(left, right)
    case (.some, nil): -1
    case (nil, .some): 1
    case (nil, nil): 0
    }
  }

  /// The matches found so far. With a limit, they are few more than the limit, so that a small part
  /// of many documents takes little memory.
  struct Matches: Sendable {
    private let filter: DocumentFilter
    private var found: [Match] = []
    /// The last match that can still be within the limit.
    private var last: Match?

    init(_ filter: DocumentFilter) { self.filter = filter }

    /// Adds a match if it can be within the limit.
    ///
    /// - Parameters:
    ///   - key: The value at the sort path.
    ///   - id: The id, which is read only if the key does not decide.
    mutating func add(key: JSON?, id: @autoclosure () -> String) {
      let key = key.map(StoredJSON.normalised)
      let order = last.map { filter.order(key, $0.key) } ?? -1
      if order > 0 { return }
      let match = Match(id(), key: key)
      if order == 0, let last, match.id >= last.id { return }
      found.append(match)
      guard let limit = filter.limit, found.count / 2 >= max(128, limit) else { return }
      found = filter.arranged(found)
      last = found.last
    }

    /// The matches in order, up to the limit.
    var arranged: [Match] { filter.arranged(found) }
  }

  /// Returns the matches in order, up to the limit.
  func arranged(_ matches: [Match]) -> [Match] {
    let sorted = matches.sorted(by: precedes)
    return limit.map { Array(sorted.prefix($0)) } ?? sorted
  }
}

extension DocumentQuery {
  /// Returns those of the documents that the query finds, in its order, for a store that has its
  /// documents in memory. All stores find the same ones.
  ///
  /// - Parameter documents: Documents of the collection, each with its own id, in any order.
  /// - Throws: `invalid` if a path or the limit of the query is not valid, or a body is not JSON.
  /// - Complexity: O(n log n) of the documents, each of which is parsed.
  public func found(in documents: some Sequence<Document>) throws(PersistenceError) -> [Document] {
    let filter = try DocumentFilter(self)
    var matches: [DocumentFilter.Match] = []
    var byID: [ByteText: Document] = [:]
    for document in documents {
      let body = try StoredJSON.parse(document.body, operation: "documents", what: document.name)
      guard filter.matches(body) else { continue }
      let key = filter.sortPath.flatMap { body.value(at: $0) }
      matches.append(DocumentFilter.Match(document.id, key: key))
      byID[ByteText(document.id)] = document
    }
    return filter.arranged(matches).compactMap { byID[$0.id] }
  }
}

extension Document {
  /// Checks that the body is JSON without equal keys in an object, as a store must before it keeps
  /// the document.
  ///
  /// - Parameter operation: The name of the store's call, for the error.
  /// - Throws: `invalid` with the line and the column of the first error, and nothing of the body.
  /// - Complexity: O(length of the body).
  public func check(operation: String = "putDocument") throws(PersistenceError) {
    // Strict, because the database would read the first of equal keys.
    try StoredJSON.validate(
      body, limits: .strict, operation: operation, what: "The body of \(name)")
  }
}

/// Conversions of JSON text for stores.
enum StoredJSON {
  /// Parses a text.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - operation: The name of the call, for the error.
  ///   - what: What the text is, for the error, which never quotes the text.
  /// - Throws: `invalid` if the text is not JSON.
  static func parse(
    _ text: String, operation: String, what: String
  ) throws(PersistenceError) -> JSON {
    do { return try JSON(parsing: text) } catch {
      throw invalid(error, operation: operation, what: what)
    }
  }

  /// Checks that a text is JSON.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - limits: What is accepted.
  ///   - operation: The name of the call, for the error.
  ///   - what: What the text is, for the error, which never quotes the text.
  /// - Throws: `invalid` if the text is not JSON.
  static func validate(
    _ text: String, limits: JSONLimits, operation: String, what: @autoclosure () -> String
  ) throws(PersistenceError) {
    do { try JSON.validate(text, limits: limits) } catch {
      throw invalid(error, operation: operation, what: what())
    }
  }

  private static func invalid(
    _ error: JSONError, operation: String, what: String
  ) -> PersistenceError {
    PersistenceError(
      .invalid, operation: operation,
      message: "\(what) is not JSON: line \(error.line), column \(error.column): \(error.message)")
  }

  /// Returns a value with members in the order of their keys, so that equal content is an equal
  /// value. Number literals are kept and compare by value.
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

  /// Returns names and values as a flat JSON array: `["a","1","b","2"]`.
  static func text(ofPairs pairs: some Sequence<(String, String)>) -> String {
    var elements: [JSON] = []
    for (name, value) in pairs {
      elements.append(.string(name))
      elements.append(.string(value))
    }
    return elements.isEmpty ? "[]" : JSON.array(elements).text
  }

  /// Returns the names and values of such an array, or `nil` if the text is not one.
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
