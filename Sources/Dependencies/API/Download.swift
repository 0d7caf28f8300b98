import SwiftBoardJSON
import SwiftBoardSystem
import Synchronization

/// A client that writes the body of a successful response to a file while it is received. Other
/// responses, and bodies that are small enough for the cache, are also returned.
final class Download: APIClient {
  /// The bytes that were written to the file.
  struct Written: Sendable {
    /// The number of received bytes.
    var bytes: Int
    /// The checksum of the received bytes.
    var checksum: String
    /// The number of bytes from an earlier attempt.
    var kept: Int64?
  }

  private struct State {
    var written: Written?
    var failure: FileError?
    var keptBytes: Int64 = 0
    var discardedBytes: Int64?
    var lossReason: String?
    /// Whether a part of the file has come.
    var hasBegun = false
    /// The file that is written, behind symbolic links; `nil` before it is opened.
    var file: String?
    /// Whether the bytes that have come would be kept with `--resume`.
    var couldContinue = false
  }

  private let client: any APIClient
  private let dependencies: Dependencies
  private let path: String
  private let continues: Bool
  /// Whether the same request may keep the partial file.
  private let mayContinue: Bool
  /// An identifier of the request, without secrets.
  private let key: String
  private let copyLimit: Int
  private let showsProgress: Bool
  private let limit: Duration?
  private let state = Mutex(State())

  /// - Parameters:
  ///   - client: The client that sends the request.
  ///   - path: The file.
  ///   - continues: Whether to keep the partial file after a failure and to continue it.
  ///   - mayContinue: Whether the same request may do so.
  ///   - key: An identifier of the request. Requests with equal keys have the same body.
  ///   - copyLimit: The maximum size of a body that is also kept in memory, in bytes.
  ///   - limit: The time limit for the wait for the reader of a named pipe, or `nil` for none.
  init(
    _ client: any APIClient, _ dependencies: Dependencies, to path: String, continues: Bool,
    mayContinue: Bool = false, key: String, copyLimit: Int, showsProgress: Bool, limit: Duration?
  ) {
    self.client = client
    self.dependencies = dependencies
    self.path = path
    self.continues = continues
    self.mayContinue = mayContinue
    self.key = key
    self.copyLimit = copyLimit
    self.showsProgress = showsProgress
    self.limit = limit
  }

  /// The bytes written for the last response, or `nil` if it was not written by this client.
  var written: Written? { state.withLock { $0.written } }
  /// The error of writing the file.
  var failure: FileError? { state.withLock { $0.failure } }
  /// The size of the partial file that the next attempt is likely to continue, in bytes.
  var keptBytes: Int64 { state.withLock { $0.keptBytes } }
  /// The size of the partial file that was discarded because the service refused the rest, or `nil`
  /// if there was none.
  var discardedBytes: Int64? { state.withLock { $0.discardedBytes } }

  /// The file that is written, behind symbolic links. The partial file is next to it.
  var file: String { state.withLock { $0.file } ?? path }

  /// The reason why the bytes that have come cannot be continued although they should be, or `nil`
  /// if they can or if none has come.
  var lossReason: String? { state.withLock { $0.lossReason } }

  func send(_ request: APIRequest) async throws(APIError) -> APIResponse {
    state.withLock { $0 = State() }
    let result = await withTaskCancellationHandler { () async -> Result<APIResponse, APIError> in
      do throws(APIError) { return .success(try await receive(request)) } catch {
        return .failure(error)
      }
    } onCancel: {
      noteCancelled()
    }
    return try result.get()
  }

  /// Says what is left of the file. Cancelling does so at once, because the program may end before
  /// the task continues.
  private func noteCancelled() {
    let part: CancelledTransfer.Part? = state.withLock { state in
      if state.keptBytes > 0 { return .kept }
      guard state.hasBegun else { return nil }
      if let reason = state.lossReason { return .lost(reason: reason) }
      return state.couldContinue ? .resumable : nil
    }
    guard let part else { return }
    let file = dependencies.logger.redactor.mask(part == .kept ? self.file : path).value
    dependencies.terminal.show(CancelledTransfer(file: file, part: part))
  }

  private func receive(_ request: APIRequest) async throws(APIError) -> APIResponse {
    // Before the file is opened, which may create it.
    // A download that continues takes no answer that is compressed.
    let couldContinue =
      !continues && mayContinue && request.headers.value(of: "Accept-Encoding") == nil
      && dependencies.files.takesPart(path)
    let output = try await onFile(try await dependencies.files.output(path, continues: continues))
    state.withLock { ($0.file, $0.couldContinue) = (output.resolvedPath, couldContinue) }
    let isEnded: Bool
    let result: Result<APIResponse, APIError>
    do throws(APIError) {
      let response = try await answer(to: request, output)
      isEnded = written != nil
      result = .success(response)
    } catch {
      isEnded = false
      result = .failure(error)
    }
    if showsProgress { dependencies.terminal.show(nil) }
    if !isEnded { await output.discard() }
    return try result.get()
  }

  private func answer(
    to request: APIRequest, _ output: any FileOutput
  ) async throws(APIError) -> APIResponse {
    var asking = request
    // A range refers to the bytes as sent, so do not ask for compression.
    if continues { asking.acceptsCompression = false }
    let part = output.kept.flatMap { PartialFileTag($0, key: key) }
    if let part {
      // The connection may break before the first byte.
      state.withLock { $0.keptBytes = part.size }
      asking.headers += [
        HTTPHeader("Range", "bytes=\(part.size)-"), HTTPHeader("If-Range", part.validator),
      ]
    }
    let stream = try await client.open(asking)
    let head = stream.response
    switch head.status {
    case 206 where part != nil:
      if let part { return try await continued(part, by: stream, of: request, output) }
    case 206 where continues:
      throw try await refused("it was asked for the whole, and sent a part", output)
    case 416 where part != nil:
      guard let part else { break }
      let total = ContentRange(head)?.total
      if total == part.size {
        let now = head.headers.value(of: part.validatorName)
        guard part.total ?? total == total, now ?? part.validator == part.validator,
          part.address == PartialFileTag.address(of: head)
        else {
          // What was there is the beginning of another version, as long as the whole is now.
          return try await beginAnew(request, output, validator: now)
        }
        return try await write(stream, output, after: part.size, total: part.size, isEmpty: true)
      }
      if let total, total < part.size {
        // The partial file is not a prefix of the service's content.
        return try await beginAnew(request, output, validator: nil)
      }
      // The service would refuse the range again at every attempt.
      try await discardPart(output)
      state.withLock { $0.discardedBytes = part.size }
    case 204 where continues, 205 where continues:
      // These say that there is no content, which is not the same as an empty file.
      throw APIError(
        .malformed,
        "the service has nothing to send for the file (HTTP \(head.status)); no file is changed")
    case 200..<300 where request.method != "HEAD" && head.status != 204 && head.status != 205:
      try refuseEncoding(of: stream)
      return try await write(stream, output, after: nil, total: nil)
    default: break
    }
    return try await whole(stream, request.bodyLimit)
  }

  /// Appends the body of a 206 response to the partial file, if it is what was asked for.
  private func continued(
    _ part: PartialFileTag, by stream: APIStream, of request: APIRequest, _ output: any FileOutput
  ) async throws(APIError) -> APIResponse {
    let head = stream.response
    guard let range = ContentRange(head), let first = range.first, let last = range.last,
      first == part.size
    else {
      let found = head.headers.value(of: "Content-Range").map { "'\($0)'" } ?? "no range"
      throw try await refused(
        "it was asked for the bytes from \(part.size), and sent \(found)", output)
    }
    let now = head.headers.value(of: part.validatorName)
    // The service ignores If-Range, and its content has changed; or a redirect leads to other
    // content, whose validator may be the same by chance.
    guard now ?? part.validator == part.validator,
      part.address == PartialFileTag.address(of: head)
    else { return try await beginAnew(request, output, validator: now) }
    if let before = part.total, let now = range.total, now != before {
      throw try await refused("the file had \(before) bytes, and has \(now) now", output)
    }
    if let encoding = head.encoding {
      // The next attempt would end in the same way.
      state.withLock { $0.keptBytes = 0 }
      throw APIError(
        .malformed,
        "the service sent the rest of the file in the encoding \(encoding), which was not asked for: "
          + "remove \(file).part to begin anew")
    }
    let count = last - first + 1
    if let length = head.headers.value(of: "Content-Length").flatMap({ Int64($0) }), length != count
    {
      throw mismatch("with \(length) bytes as a range of \(count)")
    }
    // A service may leave the size out, and may send less than the rest.
    return try await write(
      stream, output, after: part.size, total: range.total ?? part.total, count: count)
  }

  /// Returns the error for a response whose body cannot be appended. The partial file is kept.
  private func mismatch(_ reason: String) -> APIError {
    APIError(
      .malformed,
      "the service sent the rest of the file \(reason): try again, or remove \(file).part to begin anew"
    )
  }

  /// Discards the partial file and requests the whole content.
  ///
  /// - Parameter validator: The validator of the refused continuation. If the next response has
  ///   another one, its partial file is not continued later.
  private func beginAnew(
    _ request: APIRequest, _ output: any FileOutput, validator: String?
  ) async throws(APIError) -> APIResponse {
    try await discardPart(output)
    let stream = try await openPlain(request)
    guard stream.response.status != 206 else {
      throw try await refused("it was asked for the whole, and sent a part", output)
    }
    try refuseEncoding(of: stream)
    let headers = stream.response.headers
    let isSame =
      validator == nil
      || [headers.value(of: "ETag"), headers.value(of: "Last-Modified")].contains(validator)
    return try await write(stream, output, after: nil, total: nil, isContinuable: isSame)
  }

  private func discardPart(_ output: any FileOutput) async throws(APIError) {
    state.withLock { $0.keptBytes = 0 }
    try await onFile(try await output.begin(afterKept: false, tag: nil))
  }

  /// Discards the partial file, so that the next attempt starts from the beginning. Returns the
  /// error for a response with another range than the requested one.
  private func refused(
    _ reason: String, _ output: any FileOutput
  ) async throws(APIError) -> APIError {
    try await discardPart(output)
    return APIError(
      .malformed,
      "the service does not continue the file: \(reason); what was there is discarded, try again")
  }

  private func openPlain(_ request: APIRequest) async throws(APIError) -> APIStream {
    var request = request
    request.acceptsCompression = false
    return try await client.open(request)
  }

  /// Refuses a whole response that is compressed, because its bytes are not those of the file that
  /// the line would write without `--resume`.
  private func refuseEncoding(of stream: APIStream) throws(APIError) {
    guard continues, let encoding = stream.response.encoding else { return }
    throw APIError(
      .malformed,
      "the service compresses the file (\(encoding)), which cannot be continued later: get it in one piece"
    )
  }

  /// - Parameters:
  ///   - kept: The number of bytes in the partial file, or `nil` to start from the beginning.
  ///   - total: The size of the complete file, if known.
  ///   - count: The number of bytes that a continued response announces.
  ///   - isEmpty: Whether the body of the response is not part of the file.
  ///   - isContinuable: Whether the partial file may be continued after a failure.
  private func write(
    _ stream: APIStream, _ output: any FileOutput, after kept: Int64?, total: Int64?,
    count: Int64? = nil, isEmpty: Bool = false, isContinuable: Bool = true
  ) async throws(APIError) -> APIResponse {
    var response = stream.response
    guard (200..<300).contains(response.status) || isEmpty else {
      return try await whole(stream, APIRequest(url: "").bodyLimit)
    }
    let total = total ?? response.total(after: kept ?? 0)
    let tag =
      continues && isContinuable
      ? PartialFileTag.text(for: response, key: key, total: total) : nil
    // A continued part keeps its own tag.
    let lossReason: String? =
      if !continues || kept != nil || tag != nil { nil } else if isContinuable {
        PartialFileTag.problem(of: response)
      } else { "the service has sent two versions of it" }
    let hasValidator = PartialFileTag.validator(in: response.headers) != nil
    let wait = PipeTimeout(limit: limit, clock: dependencies.clock)
    let begun: Void? = try await onFile(
      try await wait.result([path]) { () throws(FileError) in
        try await output.begin(afterKept: kept != nil, tag: tag)
      })
    if begun == nil { throw wait.error([path]) }
    // Without what was kept, the part begins anew.
    state.withLock { state in
      state.keptBytes = kept ?? 0
      state.couldContinue = state.couldContinue && hasValidator
    }
    var checksum = BodyChecksum()
    var bytes = 0
    var copy: Data? = Data()
    show(kept ?? 0, total)
    while !isEmpty, let piece = try await stream.next() {
      if let count, count - Int64(bytes) < piece.count {
        throw try await rolledBack(
          to: kept, "with more than the \(count) bytes of its range", output)
      }
      try await onFile(try await output.write(piece))
      checksum.add(piece)
      bytes += piece.count
      if let kept = copy, kept.count + piece.count > copyLimit { copy = nil }
      copy?.append(piece)
      let done = (kept ?? 0) + Int64(bytes)
      state.withLock { state in
        state.hasBegun = true
        if kept != nil || tag != nil { state.keptBytes = done }
        state.lossReason = lossReason
      }
      show(done, total)
    }
    if let count, bytes < count, response.saysItsEnd {
      throw try await rolledBack(
        to: kept, "with \(bytes) of the \(count) bytes of its range", output)
    }
    if kept != nil, let total, total != (kept ?? 0) + Int64(bytes) {
      throw APIError(
        .truncated,
        "the service sent \(bytes) bytes of the \(total - (kept ?? 0)) that are missing")
    }
    // While the file gets its name, there may be no part any more to be named if it is cancelled.
    let part = state.withLock { state in
      defer { (state.keptBytes, state.hasBegun) = (0, false) }
      return (state.keptBytes, state.hasBegun)
    }
    do throws(APIError) { try await onFile(try await output.finish()) } catch {
      state.withLock { ($0.keptBytes, $0.hasBegun) = part }
      throw error
    }
    let written = Written(bytes: bytes, checksum: checksum.text, kept: kept)
    state.withLock { $0.written = written }
    response.timing = stream.timing
    if kept == nil { response.body = copy ?? Data() }
    return response
  }

  /// Removes what a response has added to the partial file. Returns the error for it.
  private func rolledBack(
    to kept: Int64?, _ reason: String, _ output: any FileOutput
  ) async throws(APIError) -> APIError {
    try await onFile(try await output.begin(afterKept: true, tag: nil))
    state.withLock { $0.keptBytes = kept ?? 0 }
    return mismatch(reason)
  }

  private func whole(_ stream: APIStream, _ limit: Int) async throws(APIError) -> APIResponse {
    var response = stream.response
    while let piece = try await stream.next() {
      guard piece.count <= limit - response.body.count else {
        throw APIError(
          .tooLarge,
          "the answer with status \(response.status) has more than \(limit) bytes, and was not kept"
        )
      }
      response.body.append(piece)
    }
    response.timing = stream.timing
    return response
  }

  private func show(_ done: Int64, _ total: Int64?) {
    guard showsProgress else { return }
    dependencies.terminal.show(TransferProgress(name: path, done: done, total: total))
  }

  /// Runs an operation on the file and stores its error.
  private func onFile<Value: Sendable>(
    _ body: @autoclosure () async throws(FileError) -> Value
  ) async throws(APIError) -> Value {
    do throws(FileError) { return try await body() } catch {
      state.withLock { $0.failure = error }
      throw APIError(.file, error.message)
    }
  }
}

extension APIResponse {
  /// The `Content-Encoding`, or `nil` for none.
  var encoding: String? {
    guard let name = headers.value(of: "Content-Encoding"),
      !["", "identity", "none"].contains(name.lowercased())
    else { return nil }
    return name
  }

  /// Returns the size of the complete file, of which `kept` bytes came before, or `nil` if it is
  /// unknown.
  fileprivate func total(after kept: Int64) -> Int64? {
    guard encoding == nil,
      let length = headers.value(of: "Content-Length").flatMap({ Int64($0) })
    else { return nil }
    let (sum, isTooLarge) = length.addingReportingOverflow(kept)
    return isTooLarge ? nil : sum
  }

  /// Whether the end of the body is distinct from the end of the connection.
  fileprivate var saysItsEnd: Bool {
    !httpVersion.hasPrefix("1") || headers.value(of: "Content-Length") != nil
      || headers.value(of: "Transfer-Encoding") != nil
  }
}

extension FileService {
  /// Returns whether a partial file can be kept next to the file at the path: a regular one, or one
  /// that does not exist.
  fileprivate func takesPart(_ path: String) -> Bool {
    if isFile(path) { return true }
    do throws(FileError) { try checkReadable(path) } catch { return error.kind == .missing }
    return false
  }
}
