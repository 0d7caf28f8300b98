/// The names in a database, without the values.
public struct DatabaseContents: Sendable, Equatable, Codable {
  /// A collection and the number of its documents.
  public struct Collection: Sendable, Equatable, Codable {
    /// The name.
    public var name: String
    /// The number of documents, or `nil` if counting them would take long.
    public var count: Int?

    /// Creates a collection.
    public init(_ name: String, count: Int? = nil) {
      self.name = name
      self.count = count
    }
  }

  /// The collections that have documents, sorted by name.
  public var collections: [Collection]
  /// The names of the preferences, sorted.
  public var preferences: [String]

  /// Creates contents; by default, of an empty database.
  public init(collections: [Collection] = [], preferences: [String] = []) {
    self.collections = collections
    self.preferences = preferences
  }
}
