import SwiftBoardSystem

/// A body that is sent piece by piece, of whatever size.
public struct APIUpload: Sendable {
  /// Waits for the next piece; `nil` at the end.
  public typealias Pieces = @Sendable () async throws(APIError) -> Data?

  /// The number of bytes, where it is known before; otherwise the body is sent in chunks.
  public let length: Int64?
  /// Whether `open` may be called again, for a redirect, a challenge or a connection that was
  /// closed meanwhile.
  public let isRepeatable: Bool
  /// Begins at the first byte.
  public let open: @Sendable () async throws(APIError) -> Pieces
  /// Whether the body holds a secret. Asked before a redirect takes it to another scheme, host or
  /// port, where a secret must not go.
  public let holdsSecret: @Sendable () async -> Bool
  private let identity = Identity()

  /// Copies are equal to one another and to no other upload.
  private final class Identity: Sendable {}

  /// An upload from its parts.
  public init(
    length: Int64?, isRepeatable: Bool,
    holdsSecret: @escaping @Sendable () async -> Bool = { false },
    open: @escaping @Sendable () async throws(APIError) -> Pieces
  ) {
    self.length = length
    self.isRepeatable = isRepeatable
    self.holdsSecret = holdsSecret
    self.open = open
  }
}

extension APIUpload: Equatable {
  public static func == (one: APIUpload, other: APIUpload) -> Bool {
    one.identity === other.identity
  }
}
