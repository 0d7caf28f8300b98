/// The content of a response, with the name of the service.
///
/// In JSON the name is a member of the content, so that paths in the state are those of the
/// response: `media.item.title` and `media.item.service`.
@dynamicMemberLookup
public struct ServiceContent<Content: Codable & Sendable & Equatable>: Sendable, Equatable {
  /// The name of the service that answered.
  public var service: String
  /// What it answered.
  public var content: Content

  /// An answer of a service.
  public init(_ content: Content, of service: String) {
    self.content = content
    self.service = service
  }

  /// A member of the content.
  public subscript<Member>(dynamicMember path: WritableKeyPath<Content, Member>) -> Member {
    get { content[keyPath: path] }
    set { content[keyPath: path] = newValue }
  }
}

extension ServiceContent: Codable {
  private enum Key: CodingKey { case service }

  /// Decodes what `encode(to:)` writes.
  public init(from decoder: any Decoder) throws {
    service = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .service)
    content = try Content(from: decoder)
  }

  /// Encodes the members of the content, and the name of the service as one more.
  public func encode(to encoder: any Encoder) throws {
    try content.encode(to: encoder)
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(service, forKey: .service)
  }
}
