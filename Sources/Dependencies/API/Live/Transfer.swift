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
    var timing: APITiming
  }

  let id: UInt64
  let request: APIRequest
  let address: URLBuilder
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
  private(set) var head: [UInt8] = []
  private(set) var body = Data()
  /// The number of received bytes of the body, after decoding.
  private var bodyBytes = 0
  private var hasBody = false
  /// Whether the head so far has a `Content-Encoding`.
  private var hasEncoding = false
  /// Decodes the body; `nil` if it has no encoding. Set when its first piece arrives.
  private var decoder: BodyDecoder?
  /// The reason why the body is not taken.
  private(set) var bodyFault: BodyFault?
  private var headerBytes = 0
  private(set) var overflow: Overflow?

  /// Whether the head so far has a length that needs a full check.
  private var hasOddLength = false
  private var lengthCount = 0
  /// The problem with the length in the head, if it is malformed or ambiguous.
  private(set) var lengthProblem: ResponseHead.LengthProblem?

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
    id: UInt64, request: APIRequest, address: URLBuilder, deadline: ContinuousClock.Instant?,
    download: DownloadPipe? = nil, upload: UploadPipe? = nil,
    continuation: CheckedContinuation<Result<Answer, APIError>, Never>
  ) {
    self.id = id
    self.request = request
    self.address = address
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

  private func answer(_ result: Result<Answer, APIError>) {
    guard !isAnswered else { return }
    isAnswered = true
    continuation.resume(returning: result)
  }

  /// Appends a header line. Returns false to stop the transfer.
  func receive(headerLine line: UnsafeRawBufferPointer) -> Bool {
    headerBytes += line.count
    guard headerBytes <= Self.headerLimit else {
      overflow = .headers
      return false
    }
    // Fields after the body (trailers) are not part of the head.
    guard !hasBody else { return true }
    // A status line starts a new head. Discard the previous one, which was of an interim response
    // (100 or 103).
    if line.starts(with: "HTTP/".utf8) {
      head.removeAll(keepingCapacity: true)
      lengthCount = 0
      hasOddLength = false
      hasEncoding = false
    }
    head.append(contentsOf: line)
    noteLength(in: line)
    if Self.isField("content-encoding", line) { hasEncoding = true }
    // libcurl ignores a length that it cannot parse and takes the last of several, so the client
    // and the server could disagree about the end of the body.
    let isLast = line.first == UInt8(ascii: "\r") || line.first == UInt8(ascii: "\n")
    guard isLast, lengthCount > 1 || hasOddLength else { return true }
    lengthProblem = ResponseHead(head)?.lengthProblem
    return lengthProblem == nil
  }

  /// Notes a line with a length. A single plain number, which nearly every response has, needs no
  /// further check on the engine's thread.
  private func noteLength(in line: UnsafeRawBufferPointer) {
    guard let first = line.first else { return }
    if first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") { return hasOddLength = true }
    guard Self.isField("content-length", line) else { return }
    lengthCount += 1
    var value = line.dropFirst("content-length".utf8.count + 1).drop { $0 <= 0x20 }
    while let last = value.last, last <= 0x20 { value.removeLast() }
    let isPlain =
      (1...18).contains(value.count)
      && value.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    if !isPlain { hasOddLength = true }
  }

  /// Returns whether a line has the field with this name, which is in lower case.
  private static func isField(_ name: StaticString, _ line: UnsafeRawBufferPointer) -> Bool {
    let count = name.utf8CodeUnitCount
    guard line.count > count, line[count] == UInt8(ascii: ":") || line[count] <= 0x20 else {
      return false
    }
    return name.withUTF8Buffer { zip(line, $0).allSatisfy { $0 | 0x20 == $1 } }
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
      if hasEncoding, !startDecoding() { return .stop }
    }
    if download != nil { answer(.success(Answer(head: head, body: Data(), timing: timing()))) }
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

  /// Notes the end of the response. Returns false if the body ends before its encoding does.
  func endBody() -> Bool {
    guard let decoder, !decoder.isComplete else { return true }
    bodyFault = .truncated
    return false
  }

  /// Prepares for the encoding in the head. Returns false if it is unknown.
  private func startDecoding() -> Bool {
    guard request.decodesBody, let head = ResponseHead(head),
      // The body of a redirect that is followed is not used.
      request.redirectLimit == 0 || !(300..<400).contains(head.status)
        || head.headers.value(of: "Location") == nil
    else { return true }
    let names = head.headers.filter { $0.name.lowercased() == "content-encoding" }
      .flatMap { $0.value.lowercased().split(separator: ",") }
      .map { $0.filter { $0 != " " && $0 != "\t" } }
      .filter { !["", "identity", "none"].contains($0) }
    guard !names.isEmpty else { return true }
    let name = names.joined(separator: ", ")
    if let library = ZLibrary.loaded,
      let encoding = BodyDecoder.Encoding(rawValue: name == "x-gzip" ? "gzip" : name)
    {
      decoder = BodyDecoder(library, encoding)
    } else if request.headers.value(of: "Accept-Encoding") == nil {
      bodyFault = .unknownEncoding(name)
      return false
    }
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
  /// which nothing can be decoded.
  fileprivate var decodesBody: Bool { acceptsCompression && headers.value(of: "Range") == nil }
}

/// An easy handle of libcurl and the buffer for its error text. Used by the engine's thread only.
final class EasyHandle {
  let library: CurlLibrary
  let raw: CurlLibrary.Handle
  private let errorText: UnsafeMutablePointer<CChar>
  /// Whether the handle has only the constant options and those that every request sets.
  private var isPlain = false

  init?(_ library: CurlLibrary) {
    guard let raw = library.easyInit() else { return nil }
    self.library = library
    self.raw = raw
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE) + 1)
  }

  deinit {
    library.easyCleanup(raw)
    errorText.deallocate()
  }

  /// The error text of libcurl for the last failure; empty if there is none.
  var error: String { String(cString: errorText) }

  /// Sets the options for a transfer. `transfer` must live until the handle is removed from the
  /// multi handle.
  func prepare(
    _ transfer: Transfer, _ configuration: LiveAPIClient.Configuration, timeoutMilliseconds: Int?
  ) {
    if !isPlain {
      library.easyReset(raw)
      setConstants(configuration)
    }
    isPlain = transfer.request.isPlain && transfer.download == nil
    errorText.update(repeating: 0, count: Int(CURL_ERROR_SIZE) + 1)
    let context = Unmanaged.passUnretained(transfer).toOpaque()
    library.set(raw, CURLOPT_HEADERDATA, UnsafeRawPointer(context))
    library.set(raw, CURLOPT_WRITEDATA, UnsafeRawPointer(context))
    library.set(raw, CURLOPT_URL, transfer.address.url)
    // 0 would select libcurl's default connection timeout of 300 seconds.
    library.set(raw, CURLOPT_CONNECTTIMEOUT_MS, timeoutMilliseconds ?? Int(Int32.max))
    library.set(raw, CURLOPT_TIMEOUT_MS, timeoutMilliseconds ?? 0)
    setMethodAndBody(of: transfer)
    setHeaders(of: transfer)
    if !isPlain { setRareOptions(of: transfer) }
  }

  /// Sets the options that few requests use. A handle with any of them is reset before its next
  /// use.
  private func setRareOptions(of transfer: Transfer) {
    let request = transfer.request
    if let limit = request.idleLimit {
      library.set(raw, CURLOPT_LOW_SPEED_LIMIT, 1)
      let seconds = (limit.millisecondsRoundedUp + 999) / 1000
      library.set(raw, CURLOPT_LOW_SPEED_TIME, Int(min(max(1, seconds), Int64(Int32.max))))
    }
    // Decoded data may be a thousand times larger, and a piece is decoded whole.
    if transfer.download != nil, !request.acceptsCompression {
      library.set(raw, CURLOPT_BUFFERSIZE, 256 << 10)
    }
    if let digest = request.digest {
      library.set(raw, CURLOPT_HTTPAUTH, 2)
      library.set(raw, CURLOPT_USERNAME, digest.user)
      library.set(raw, CURLOPT_PASSWORD, digest.password)
    }
    let connection = request.connection
    if let file = connection.authorityFile {
      library.set(raw, CURLOPT_CAINFO, file)
      library.set(raw, CURLOPT_CAPATH, nil as UnsafeRawPointer?)
    }
    if let file = connection.certificateFile {
      library.set(raw, CURLOPT_SSLCERT, file)
      library.set(raw, CURLOPT_SSLKEY, connection.keyFile ?? file)
    }
    if !connection.verifiesServer {
      library.set(raw, CURLOPT_SSL_VERIFYPEER, 0)
      library.set(raw, CURLOPT_SSL_VERIFYHOST, 0)
    }
    if let proxy = connection.proxy { library.set(raw, CURLOPT_PROXY, proxy) }
    if let socket = connection.unixSocket { library.set(raw, CURLOPT_UNIX_SOCKET_PATH, socket) }
  }

  /// Releases the copy of a body before the handle becomes idle.
  func release() {
    if !isPlain { library.easyReset(raw) }
  }

  /// Sets the options that are the same for all transfers.
  private func setConstants(_ configuration: LiveAPIClient.Configuration) {
    library.set(raw, CURLOPT_ERRORBUFFER, UnsafeRawPointer(errorText))
    library.set(raw, CURLOPT_NOSIGNAL, 1)
    library.set(raw, CURLOPT_FOLLOWLOCATION, 0)
    library.set(raw, CURLOPT_HTTP09_ALLOWED, 0)
    library.set(raw, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    library.set(raw, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    library.restrictProtocols(raw)
    library.abandonLookupsOnCancel(raw)
    library.set(raw, CURLOPT_SOCKOPTFUNCTION, closeInChildren)
    library.set(raw, CURLOPT_USERAGENT, configuration.userAgent)
    if let file = configuration.certificateFile { library.set(raw, CURLOPT_CAINFO, file) }
    if let folder = configuration.certificateFolder { library.set(raw, CURLOPT_CAPATH, folder) }
    library.set(raw, CURLOPT_HEADERFUNCTION, receiveHeaderLine)
    library.set(raw, CURLOPT_WRITEFUNCTION, receiveBody)
  }

  private func setMethodAndBody(of transfer: Transfer) {
    let request = transfer.request
    if request.method == "HEAD" {
      library.set(raw, CURLOPT_NOBODY, 1)
      return
    }
    if let upload = transfer.upload {
      let context = Unmanaged.passUnretained(transfer).toOpaque()
      library.set(raw, CURLOPT_UPLOAD, 1)
      library.set(raw, CURLOPT_CUSTOMREQUEST, request.method)
      library.set(raw, offset: CURLOPT_INFILESIZE_LARGE, Int(upload.upload.length ?? -1))
      library.set(raw, CURLOPT_UPLOAD_BUFFERSIZE, 512 << 10)
      library.set(raw, CURLOPT_READDATA, UnsafeRawPointer(context))
      library.set(raw, CURLOPT_READFUNCTION, readBody)
      library.set(raw, CURLOPT_SEEKDATA, UnsafeRawPointer(context))
      library.set(raw, CURLOPT_SEEKFUNCTION, rewindBody)
    } else if let body = request.body {
      library.set(raw, offset: CURLOPT_POSTFIELDSIZE_LARGE, body.count)
      body.withUnsafeBytes { bytes in
        if let start = bytes.baseAddress, !bytes.isEmpty {
          library.set(raw, CURLOPT_COPYPOSTFIELDS, start)
        } else {
          library.set(raw, CURLOPT_COPYPOSTFIELDS, "")
        }
      }
      library.set(raw, CURLOPT_CUSTOMREQUEST, request.method)
    } else if ["POST", "PUT", "PATCH"].contains(request.method) {
      // Servers may reject these methods without a length.
      library.set(raw, offset: CURLOPT_POSTFIELDSIZE_LARGE, 0)
      library.set(raw, CURLOPT_COPYPOSTFIELDS, "")
      library.set(raw, CURLOPT_CUSTOMREQUEST, request.method)
    } else {
      library.set(raw, CURLOPT_HTTPGET, 1)
      if request.method != "GET" { library.set(raw, CURLOPT_CUSTOMREQUEST, request.method) }
    }
  }

  private func setHeaders(of transfer: Transfer) {
    var list: UnsafeMutablePointer<curl_slist>?
    // `Name;` sends an empty field. `Name:` suppresses the one of libcurl.
    for header in transfer.request.headers where !isOwn(header.name) {
      let line = header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)"
      list = library.listAppend(list, line) ?? list
    }
    list = library.listAppend(list, "Expect:") ?? list
    if transfer.request.decodesBody, ZLibrary.loaded != nil,
      transfer.request.headers.value(of: "Accept-Encoding") == nil,
      !transfer.request.removedHeaders.contains(where: { $0.lowercased() == "accept-encoding" })
    {
      list = library.listAppend(list, "Accept-Encoding: gzip, deflate") ?? list
    }
    for name in transfer.request.removedHeaders where !isOwn(name) {
      list = library.listAppend(list, "\(name):") ?? list
    }
    if transfer.request.headers.value(of: "Content-Type") == nil {
      list = library.listAppend(list, "Content-Type:") ?? list
    }
    transfer.headerList = list
    library.set(raw, CURLOPT_HTTPHEADER, UnsafeRawPointer(list))
  }

  /// Resumes a paused transfer. libcurl delivers the data that it kept during this call, and only
  /// the result of the call reports a failure of that.
  func resume() -> CURLcode { CURLcode(rawValue: .init(library.easyPause(raw, 0))) }

  /// Returns whether a header follows from the body and can therefore not be set by the caller.
  private func isOwn(_ name: String) -> Bool {
    ["content-length", "transfer-encoding", "expect"].contains(name.lowercased())
  }

  /// The timing of the transfer. The connection stages are 0 if a kept connection was used.
  var timing: APITiming {
    var timing = APITiming()
    if library.get(raw, CURLINFO_NUM_CONNECTS) > 0 {
      timing.lookup = library.get(raw, offset: CURLINFO_NAMELOOKUP_TIME_T)
      timing.connect = library.get(raw, offset: CURLINFO_CONNECT_TIME_T)
      timing.tls = library.get(raw, offset: CURLINFO_APPCONNECT_TIME_T)
    }
    timing.firstByte = library.get(raw, offset: CURLINFO_STARTTRANSFER_TIME_T)
    timing.total = library.get(raw, offset: CURLINFO_TOTAL_TIME_T)
    return timing
  }
}

// MARK: Callbacks, on the engine's thread, during curl_multi_perform

private func transfer(_ context: UnsafeMutableRawPointer) -> Transfer {
  Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
}

private let receiveHeaderLine: swiftboard_data_callback = { bytes, size, count, context in
  guard let bytes, let context else { return 0 }
  let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return transfer(context).receive(headerLine: line) ? line.count : 0
}

private let receiveBody: swiftboard_data_callback = { bytes, size, count, context in
  guard let context else { return 0 }
  let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
  // A count other than the given one is an error, also for an empty piece.
  let transfer = transfer(context)
  let reception = transfer.receive(body: piece) { transfer.easy?.timing ?? APITiming() }
  return switch reception {
  case .taken: piece.count
  case .pause: Int(CURL_WRITEFUNC_PAUSE)
  case .stop: Int(UInt32.max)
  }
}

private let readBody: swiftboard_data_callback = { bytes, size, count, context in
  guard let bytes, let context, let upload = transfer(context).upload else { return 0 }
  return upload.read(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
}

/// libcurl only seeks to the beginning.
private let rewindBody: swiftboard_seek_callback = { context, offset, _ in
  guard offset == 0, let context, let upload = transfer(context).upload, upload.rewind() else {
    return Int32(CURL_SEEKFUNC_FAIL)
  }
  return Int32(CURL_SEEKFUNC_OK)
}

/// Closes connections in child processes, such as a pager, so that these do not keep them open.
private let closeInChildren: swiftboard_socket_callback = { _, socket, _ in
  _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
  return 0
}
