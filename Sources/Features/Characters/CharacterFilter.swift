/// A filter for characters. Values match any part, regardless of case.
public struct CharacterFilter: Codable, Sendable, Equatable {
  /// A part of the name.
  public var name: String?
  /// `alive`, `dead` or `unknown`.
  public var status: String?
  /// A part of the species.
  public var species: String?
  /// A part of the type.
  public var type: String?
  /// `female`, `male`, `genderless` or `unknown`.
  public var gender: String?

  /// The filters by their names, in the order in which they are sent.
  static let names = ["name", "status", "species", "type", "gender"]

  subscript(name: String) -> String? {
    get { Self.path(name).flatMap { self[keyPath: $0] } }
    set { if let path = Self.path(name) { self[keyPath: path] = newValue } }
  }

  private static func path(_ name: String) -> WritableKeyPath<CharacterFilter, String?>? {
    switch name {
    case "name": \.name
    case "status": \.status
    case "species": \.species
    case "type": \.type
    case "gender": \.gender
    default: nil
    }
  }

  /// The filters that are set, as names and values.
  var items: [(name: String, value: String)] {
    Self.names.compactMap { name in self[name].map { (name, $0) } }
  }

  /// As a line has it: `name==rick status==alive`.
  var text: String { items.map { "\($0.name)==\($0.value)" }.joined(separator: " ") }
}
