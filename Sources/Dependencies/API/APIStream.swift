import SwiftBoardSystem
import Synchronization

/// An answer whose body comes piece by piece. Dropping it closes the connection.
///
/// Memory holds about a megabyte of the body: what is not taken stays with the server.
public final class APIStream: Sendable {
  /// The answer without its body; its timing ends with the head.
  public let response: APIResponse
  private let pieces: @Sendable () async throws(APIError) -> Data?
  private let end: @Sendable () -> APITiming?
  private let drop: @Sendable () -> Void

  /// A stream from its parts.
  ///
  /// - Parameters:
  ///   - pieces: Waits for the next piece; `nil` at the end.
  ///   - end: The timing of the whole answer, once it is known.
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

  /// A whole answer as a stream of one piece.
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

  /// Waits for the next piece of the body, after decompression; `nil` at its end. For one task at a
  /// time.
  ///
  /// - Throws: `APIError`; `cancelled` when the task is cancelled.
  public func next() async throws(APIError) -> Data? { try await pieces() }

  /// When the stages of the whole answer were reached, once `next()` has returned `nil`; until then
  /// those of the head.
  public var timing: APITiming { end() ?? response.timing }
}
