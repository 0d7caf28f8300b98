import SwiftBoardJSON

/// A collection that does not exist, with the names of existing ones for a message.
public struct MissingCollection: Codable, Sendable, Equatable {
  /// The maximum number of existing collections to name.
  static let listed = 20

  /// The name.
  public var name: String
  /// The existing collections, or the first of them, sorted by name.
  public var others: [String]
  /// The number of existing collections that are not in `others`.
  public var more: Int

  /// Creates a missing collection of a database with these collections.
  public init(_ name: String, among collections: [String]) {
    self.name = name
    others = Array(collections.prefix(Self.listed))
    more = collections.count - others.count
  }
}

extension DocumentStore {
  /// Returns the collection of this name if it does not exist, or `nil` if it does.
  package func missingCollection(
    _ name: String
  ) async throws(PersistenceError) -> MissingCollection? {
    let names = try await collections()
    let isThere = names.contains { $0.hasSameBytes(as: name) }
    return isThere ? nil : MissingCollection(name, among: names)
  }
}
