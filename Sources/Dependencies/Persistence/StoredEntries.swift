/// Documents, preferences and services that are stored together.
public struct StoredEntries: Sendable, Equatable {
  /// The documents, in the order in which they are stored.
  public var documents: [Document]
  /// The preferences, which are stored after the documents.
  public var preferences: [Preference]
  /// The services, which are stored last.
  public var services: [APIService]

  /// Creates a list of entries. Nothing is checked before they are stored.
  public init(
    documents: [Document] = [], preferences: [Preference] = [], services: [APIService] = []
  ) {
    self.documents = documents
    self.preferences = preferences
    self.services = services
  }

  /// The number of entries.
  public var count: Int { documents.count + preferences.count + services.count }
}

extension StoredEntries {
  /// Checks that all documents and preferences are JSON.
  ///
  /// - Throws: `invalid` at the first one that is not.
  func validate() throws(PersistenceError) {
    for document in documents { try document.check(operation: "putEntries") }
    for preference in preferences {
      try StoredJSON.validate(
        preference.json, limits: .default, operation: "putEntries",
        what: "The value of \(preference.name)")
    }
  }
}

/// The rule for entries whose names are taken, and the number of entries that it let through.
struct EntryInsertion {
  private let existing: ImportDuplicates
  private(set) var counts = DatabaseImport()

  init(_ existing: ImportDuplicates) { self.existing = existing }

  /// Stores an entry by the rule, and counts it.
  ///
  /// - Parameters:
  ///   - entry: The entry, for the error.
  ///   - put: Stores the entry. Without `replaces`, returns false if its name is taken.
  /// - Returns: Whether the entry was stored.
  /// - Throws: `exists` if the name is taken and the rule refuses that.
  @discardableResult
  mutating func store(
    _ entry: @autoclosure () -> DatabaseEntry,
    put: (_ replaces: Bool) throws(PersistenceError) -> Bool
  ) throws(PersistenceError) -> Bool {
    if try put(false) {
      counts.added += 1
      return true
    }
    switch existing {
    case .keep:
      counts.kept += 1
      return false
    case .replace:
      _ = try put(true)
      counts.replaced += 1
      return true
    case .refuse:
      throw PersistenceError(
        .exists, operation: "putEntries", message: "\(entry().name) is here already")
    }
  }
}
