import SwiftBoardSystem

/// A body of any size that is sent piece by piece.
public struct APIUpload: Sendable {
  /// Waits for the next piece. Returns `nil` at the end.
  public typealias Pieces = @Sendable () async throws(APIError) -> Data?

  /// The number of bytes, or `nil` if it is unknown. A body of unknown length is sent in chunks.
  public let length: Int64?
  /// Whether `open` may be called again, for a redirect, a challenge, or a connection that was
  /// closed in the meantime.
  public let isRepeatable: Bool
  /// Opens the body at its first byte.
  public let open: @Sendable () async throws(APIError) -> Pieces
  /// Whether the body contains a secret. Called before a redirect to another scheme, host or port,
  /// which must not receive a secret.
  public let holdsSecret: @Sendable () async -> Bool
  private let identity = Identity()

  /// An identity that is shared by the copies of an upload and distinguishes it from all others.
  private final class Identity: Sendable {}

  /// Creates an upload from its parts.
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
  /// Returns whether both are copies of the same upload.
  public static func == (one: APIUpload, other: APIUpload) -> Bool {
    one.identity === other.identity
  }
}
