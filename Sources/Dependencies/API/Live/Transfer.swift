import CCurl
import SwiftBoardSystem

/// One exchange with a server, without redirects, for which a task waits.
///
/// The task creates it. The engine's thread then owns it.
final class Transfer: @unchecked Sendable {
  // Unchecked: handed over once through the engine's inbox. Only the engine's thread uses it then.

  /// The received bytes. The task parses them, because all transfers share the engine's thread.
  struct Answer: Sendable {
    var head: [UInt8]
    var body: Data
    /// Whether the encoding of the body was removed.
    var isDecoded: Bool
    var timing: APITiming
    /// The proxy that may have sent the answer, or `nil` for none.
    var proxy: UsedProxy?
  }

  let id: UInt64
  let request: APIRequest
  let address: URLBuilder
  /// The proxy to ask, or `nil` for none.
  let proxy: UsedProxy?
  /// The time at which the transfer fails, or `nil` for no limit.
  let deadline: ContinuousClock.Instant?
  /// Receives the body piece by piece. If it is `nil`, the body is part of the answer.
  let download: DownloadPipe?
  /// Supplies the body of the request if it is sent piece by piece.
  let upload: UploadPipe?
  private let continuation: CheckedContinuation<Result<Answer, APIError>, Never>
  private var isAnswered = false

  /// The handle while the transfer is active.
  var easy: EasyHandle?
  /// The time at which the transfer entered the queue, or `nil` if it did not have to wait.
  var waitsSince: ContinuousClock.Instant?
  private(set) var waitedMicroseconds: Int64 = 0
  /// libcurl reads the list during the transfer.
  var headerList: UnsafeMutablePointer<curl_slist>?
  private(set) var head = ReceivedHead()
  private(set) var body = Data()
  /// The number of received bytes of the body, after decoding.
  private var bodyBytes = 0
  private var hasBody = false
  /// Whether the connection ended before the head of a final response did. libcurl takes what has
  /// come for the response.
  private(set) var endsInHead = false
  /// Decodes the body; `nil` if it has no encoding. Set when its first piece arrives.
  private var decoder: BodyDecoder?
  /// The reason why the body is not taken.
  private(set) var bodyFault: BodyFault?
  private var headerBytes = 0
  /// Whether the request, and not only that of a tunnel, has been sent or was about to be.
  private(set) var wasSent = false
  /// Whether the request has been sent and its answer has not begun.
  private var awaitsAnswer = false
  /// Whether libcurl was kept from sending the request a second time.
  private(set) var isResendingRefused = false
  private(set) var overflow: Overflow?
  /// `EMFILE` or `ENFILE` if a socket was not opened because too many files were open.
  private(set) var socketFailure: Int32?

  enum Overflow {
    case headers, body, decoded
  }

  enum BodyFault {
    /// The encoded bytes are invalid, continue after their end, or do not reach it.
    case damaged, trailing, truncated
    /// The body has an encoding that was not asked for.
    case unknownEncoding(String)
  }

  static let headerLimit = 1 << 20

  init(
    id: UInt64, request: APIRequest, address: URLBuilder, proxy: UsedProxy? = nil,
    deadline: ContinuousClock.Instant?,
    download: DownloadPipe? = nil, upload: UploadPipe? = nil,
    continuation: CheckedContinuation<Result<Answer, APIError>, Never>
  ) {
    self.id = id
    self.request = request
    self.address = address
    self.proxy = proxy
    self.deadline = deadline
    self.download = download
    self.upload = upload
    self.continuation = continuation
  }

  func endWait(at now: ContinuousClock.Instant) {
    guard let start = waitsSince else { return }
    waitedMicroseconds = (now - start).microseconds
  }

  /// Returns the time left, or `nil` if there is no limit. It is at least 1, because 0 would mean
  /// no limit to libcurl.
  func millisecondsLeft(at now: ContinuousClock.Instant) -> Int? {
    deadline.map { Int(min(max(1, ($0 - now).millisecondsRoundedUp), Int64(Int32.max))) }
  }

  /// Ends the transfer. Passes the result to the task or, if the task already has the head, ends
  /// the body.
  func finish(_ result: Result<Answer, APIError>) {
    download?.finish(result.map(\.timing))
    upload?.close()
    answer(result)
  }

  /// Returns the answer with what has been received so far.
  func answer(with body: Data, _ timing: APITiming) -> Answer {
    // What comes out of a tunnel or over SOCKS is the server's.
    let sender = address.scheme == "http" && proxy?.speaksHTTP == true ? proxy : nil
    return Answer(
      head: head.bytes, body: body, isDecoded: decoder != nil, timing: timing, proxy: sender)
  }

  private func answer(_ result: Result<Answer, APIError>) {
    guard !isAnswered else { return }
    isAnswered = true
    continuation.resume(returning: result)
  }

  /// Notes that libcurl is about to send the request. Returns false if it must not be sent again.
  ///
  /// If a kept connection closes before the answer begins, libcurl sends the request once more, on
  /// a new connection. The service may have carried it out by then.
  func willSend() -> Bool {
    isResendingRefused = awaitsAnswer && !request.isRepeatable
    // libcurl counts this for the handle, and after five times it sends nothing again.
    if awaitsAnswer { easy?.needsReset() }
    (awaitsAnswer, wasSent) = (true, true)
    return !isResendingRefused
  }

  /// Takes the request for sent from the start.
  func assumeSent() { wasSent = true }

  /// Notes that the service has refused the request's stream. It has not processed the request (RFC
  /// 9113, 8.7), so libcurl may send it again.
  func noteRefusedStream() { awaitsAnswer = false }

  /// Notes the error with which the system refused to open a socket.
  ///
  /// Any other error, such as that of a family of addresses that this machine does not have, may
  /// concern one address of several.
  func noteSocketFailure(_ error: Int32) {
    if error == EMFILE || error == ENFILE { socketFailure = error }
  }

  /// Appends a header line. Returns false to stop the transfer.
  func receive(headerLine line: UnsafeRawBufferPointer) -> Bool {
    awaitsAnswer = false
    headerBytes += line.count
    guard headerBytes <= Self.headerLimit else {
      overflow = .headers
      return false
    }
    // Fields after the body (trailers) are not part of the head.
    guard !hasBody else { return true }
    return head.append(line)
  }

  /// The result of receiving a piece of the body.
  enum Reception {
    case taken
    /// libcurl must deliver the piece again once the task has taken bytes from the buffer.
    case pause
    case stop
  }

  /// Receives a piece of the body as it was sent.
  ///
  /// - Parameter timing: Returns the timing so far, for the head of a streamed response.
  func receive(body piece: UnsafeRawBufferPointer, timing: () -> APITiming) -> Reception {
    guard !piece.isEmpty else { return .taken }
    if !hasBody {
      hasBody = true
      if head.hasEncoding, !startDecoding() { return .stop }
    }
    if download != nil {
      answer(.success(answer(with: Data(), timing())))
    }
    // Before decoding, because the decoder cannot take back a piece.
    if let download, !download.hasSpace() { return .pause }
    guard let decoder else { return take(piece) ? .taken : .stop }
    do throws(BodyDecoder.Stop) {
      try decoder.decode(piece) { decoded in
        guard decoded.count <= (request.decodedLimit ?? .max) - bodyBytes else {
          overflow = .decoded
          return false
        }
        return take(decoded)
      }
      return .taken
    } catch {
      switch error {
      case .receiver: break
      case .damaged: bodyFault = .damaged
      case .trailing: bodyFault = .trailing
      }
      return .stop
    }
  }

  /// Notes the end of the response. Returns false if it ends within its head, or if the body ends
  /// before its encoding does.
  func end() -> Bool {
    guard head.isFinal else {
      endsInHead = true
      return false
    }
    guard let decoder, !decoder.isComplete else { return true }
    bodyFault = .truncated
    return false
  }

  /// Prepares for the encoding in the head. Returns false if it is unknown.
  private func startDecoding() -> Bool {
    guard request.decodesBody, let head = ResponseHead(head.bytes),
      // The body of a redirect that is followed is not used.
      request.redirectLimit == 0 || !(300..<400).contains(head.status)
        || head.headers.value(of: "Location") == nil
    else { return true }
    let names = head.headers.filter { $0.isNamed("content-encoding") }
      .flatMap { $0.value.lowercased().split(separator: ",") }
      .map { $0.filter { $0 != " " && $0 != "\t" } }
      .filter { !["", "identity", "none"].contains($0) }
    guard !names.isEmpty else { return true }
    // Refuse two encodings: two kilobytes could unpack to a gigabyte, and a piece is taken whole
    // once `DownloadPipe` has space.
    let name = names.joined(separator: ", ")
    guard let library = ZLibrary.loaded,
      let encoding = BodyDecoder.Encoding(rawValue: name == "x-gzip" ? "gzip" : name)
    else {
      bodyFault = .unknownEncoding(name)
      return false
    }
    decoder = BodyDecoder(library, encoding)
    return true
  }

  /// Keeps decoded bytes. Returns false if they are too many.
  private func take(_ piece: UnsafeRawBufferPointer) -> Bool {
    if let download {
      download.append(piece)
    } else {
      guard piece.count <= request.bodyLimit - bodyBytes else {
        overflow = .body
        return false
      }
      body.append(contentsOf: piece)
    }
    bodyBytes += piece.count
    return true
  }
}

extension APIRequest {
  /// Whether a compressed body is asked for and decoded. A range is a part of the encoded body, of
  /// which nothing can be decoded. A request with its own `Accept-Encoding`, or one that leaves it
  /// out, gets the body as it is sent.
  var decodesBody: Bool {
    acceptsCompression && headers.value(of: "Range") == nil
      && headers.value(of: "Accept-Encoding") == nil
      && !removedHeaders.contains { $0.lowercased() == "accept-encoding" }
  }
}
