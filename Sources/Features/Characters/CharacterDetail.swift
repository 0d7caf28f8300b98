import SwiftBoardBoard

/// One character.
public struct CharacterDetail: Codable, Sendable, Equatable {
  /// The number of the character.
  public var id: Int
  /// What is known of it; `nil` before the answer.
  public var item: SeriesCharacter?
  /// The file that its picture was written to last.
  public var image: String?
  /// How far it is.
  public var status = CharactersStatus.idle
}

/// The actions of the character that is shown.
public enum CharacterDetailAction: Codable, Sendable, Equatable {
  /// Asks for a character.
  case load(request: CharactersRequest, id: Int)
  /// The character was loaded.
  case loaded(request: CharactersRequest, answer: ServiceAnswer<SeriesCharacter>)
  /// The character could not be loaded.
  case failed(request: CharactersRequest, id: Int, error: ServiceError)
  /// Downloads the picture at an address into a file.
  case saveImage(request: CharactersRequest, url: String, file: String)
  /// The picture was written.
  case imageSaved(request: CharactersRequest, file: String, bytes: Int)
  /// There is no picture, or it could not be written.
  case imageFailed(request: CharactersRequest, error: ServiceError)
}
