import SwiftBoardSystem
import Synchronization

/// A response whose body arrives piece by piece. Releasing the stream closes the connection.
///
/// About a megabyte of the body is in memory, and one piece more, which can be much longer after it
/// is decoded. The server sends more only when the pieces are taken.
public final class APIStream: Sendable {
  /// The response without its body. Its timing ends with the head.
  public let response: APIResponse
  private let pieces: @Sendable () async throws(APIError) -> Data?
  private let end: @Sendable () -> APITiming?
  private let drop: @Sendable () -> Void

  /// Creates a stream from its parts.
  ///
  /// - Parameters:
  ///   - pieces: Waits for the next piece. Returns `nil` at the end.
  ///   - end: Returns the timing of the whole response, or `nil` while it is unknown.
  ///   - drop: Called when the stream is released.
  public init(
    _ response: APIResponse, pieces: @escaping @Sendable () async throws(APIError) -> Data?,
    end: @escaping @Sendable () -> APITiming? = { nil },
    drop: @escaping @Sendable () -> Void = {}
  ) {
    self.response = response
    self.pieces = pieces
    self.end = end
    self.drop = drop
  }

  /// Creates a stream that returns the body of a whole response as one piece.
  public convenience init(whole response: APIResponse) {
    var head = response
    head.body = Data()
    let body = Mutex(response.body.isEmpty ? nil : Optional(response.body))
    self.init(
      head,
      pieces: { () throws(APIError) in
        body.withLock { body in
          defer { body = nil }
          return body
        }
      }, end: { response.timing })
  }

  deinit { drop() }

  /// Waits for the next piece of the body, after decompression. Returns `nil` at its end. Only one
  /// task may call it at a time.
  ///
  /// - Throws: `APIError`, with `cancelled` if the task is cancelled.
  public func next() async throws(APIError) -> Data? { try await pieces() }

  /// The timing of the whole response once `next()` has returned `nil`, and of the head before.
  public var timing: APITiming { end() ?? response.timing }
}
