import SwiftBoardDependencies

/// A character of the series, as far as the board shows it.
public struct SeriesCharacter: Codable, Sendable, Equatable, Identifiable {
  /// The service's number of it.
  public var id: Int
  /// For example `Rick Sanchez`.
  public var name: String
  /// `Alive`, `Dead` or `unknown`.
  public var status = "unknown"
  /// For example `Human`.
  public var species = ""
  /// A kind within the species; often empty.
  public var type = ""
  /// `Female`, `Male`, `Genderless` or `unknown`.
  public var gender = "unknown"
  /// The name of the place that it comes from.
  public var origin = "unknown"
  /// The name of the place where it was last.
  public var location = "unknown"
  /// The address of its picture.
  public var image = ""
  /// The number of episodes that it is in.
  public var episodes = 0
}

/// A page of the list of characters, or of what a search found.
public struct CharacterPage: Codable, Sendable, Equatable {
  /// Its number, from 1.
  public var number: Int
  /// The number of pages.
  public var pages: Int
  /// The number of characters on all pages.
  public var count: Int
  /// In the order of the service.
  public var characters: [SeriesCharacter]

  /// The number of the page after this one; `nil` for the last page.
  var next: Int? { number < pages ? number + 1 : nil }
}

extension SeriesCharacter {
  /// A character from what the service writes.
  init(json: Data) throws {
    self.init(try JSONDecoder().decode(ReceivedCharacter.self, from: json))
  }

  fileprivate init(_ received: ReceivedCharacter) {
    (id, name, status, gender) = (received.id, received.name, received.status, received.gender)
    (species, type, image) = (received.species, received.type ?? "", received.image ?? "")
    (origin, location) = (received.origin?.name ?? "unknown", received.location?.name ?? "unknown")
    episodes = received.episode?.count ?? 0
  }
}

extension CharacterPage {
  /// A page from what the service writes, which says all of it but its number.
  init(_ received: ReceivedPage, number: Int) {
    (self.number, pages, count) = (number, received.info.pages, received.info.count)
    characters = received.results.map(SeriesCharacter.init)
  }
}

/// A character as the service writes it.
struct ReceivedCharacter: Decodable {
  /// A place by its name; copies of the data have a number of the database here, which is no name.
  struct Place: Decodable {
    enum CodingKeys: CodingKey { case name }

    var name: String?

    init(from decoder: any Decoder) throws {
      name = try? decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
    }
  }

  var id: Int
  var name: String
  var status: String
  var species: String
  var type: String?
  var gender: String
  var origin: Place?
  var location: Place?
  var image: String?
  var episode: [String]?
}

/// A page as the service writes it.
struct ReceivedPage: Decodable {
  struct Info: Decodable {
    var count: Int
    var pages: Int
  }

  var info: Info
  var results: [ReceivedCharacter]
}
