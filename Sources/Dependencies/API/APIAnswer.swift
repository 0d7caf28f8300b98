import SwiftBoardSystem

/// An HTTP response without secrets, as actions, the state and recordings contain it.
public struct APIAnswer: Codable, Sendable, Equatable {
  /// The method of the request.
  public var method: String
  /// The URL of the response, with known secrets masked, and without the values of secret query
  /// items. In earlier recordings it has these.
  public var url: String
  /// The status code.
  public var status: Int
  /// The version of HTTP, for example `1.1` or `2`.
  public var httpVersion: String
  /// The request headers, with known secrets masked, or `nil` in recordings of versions that did
  /// not store them.
  public var sent: [HTTPHeader]?
  /// The body of the request, if it was asked to be shown; `nil` if it has none, and in earlier
  /// recordings.
  public var sentBody: SentBody?
  /// The response headers in the order received, with secrets masked.
  public var headers: [HTTPHeader]
  /// The body if it is text, and shorter as JSON than in Base64.
  private var readableText: String?
  /// Any other body in Base64, with known secrets masked.
  public private(set) var base64: String?
  /// The size of the received body in bytes.
  public var bytes: Int
  /// The times at which the stages of the exchange were reached.
  public var timing: APITiming
  /// The source of the response: the service or the cache.
  public var verdict: CacheVerdict
  /// The number of redirects that were followed.
  public var redirects: Int
  /// The reason why a cached response replaces that of the service, or `nil` if none does.
  public var staleReason: String?
  /// The file that contains the body.
  public var file: String?
  /// The `BodyChecksum` of the received bytes that were written to the file.
  public var checksum: String?
  /// The number of bytes in the file from an earlier attempt.
  public var kept: Int64?
  /// The number of times the request was sent, including the first.
  public var attempts: Int
  /// The secrets that marks replace in the headers and the body.
  public var masked: MaskedValues?
  /// The secrets captured from the response. A secret that was not stored has the reason.
  public var captured: [CapturedSecret]?
  /// The proxy that may have sent the response itself, see `APIResponse.proxy`; `nil` in earlier
  /// recordings.
  public var proxy: String?
  /// The warning about the keychain that was opened for the request, or about a file that was not
  /// written, or of which a part was discarded.
  public var warning: String?
  /// Whether the request is not repeated, because its body can be read only once, or because the
  /// service asks to wait for too long.
  public var isFinal: Bool?
  /// Whether the request's body can be read only once. `nil` if not, and in earlier recordings.
  public var isReadOnce: Bool?
  /// The names of the request's headers that ask for a response only if it has changed, for status
  /// 304; `nil` for others, and in earlier recordings.
  public var conditions: [String]?
  /// Whether the request's file keeps its content because of the status, which makes the status a
  /// failure at a prompt too, where others are none. `nil` if not, and in earlier recordings.
  public var leavesFile: Bool?
  /// Whether the request is refused for its key (401 or 403) and is one to an address, without a
  /// service that would have a key. `nil` if not, and in earlier recordings.
  public var hasNoService: Bool?

  private enum CodingKeys: String, CodingKey {
    case method, url, status, httpVersion, sent, sentBody, headers, readableText = "text", base64
    case bytes, timing, verdict, redirects, staleReason = "stale", file, checksum, kept, attempts
    case masked, captured, proxy, warning, isFinal, isReadOnce, conditions, leavesFile
    case hasNoService
  }

  /// The body as text, with known secrets masked, or `nil` if it is not text. Recordings contain it
  /// in Base64 if escapes would make it 40 % longer. O(length) in that case.
  public var text: String? {
    get {
      readableText
        ?? base64.flatMap { Data(base64Encoded: $0) }
        .flatMap { String(validating: $0, as: UTF8.self) }
    }
    set {
      let isReadable = newValue?.isReadableAsJSON ?? true
      readableText = isReadable ? newValue : nil
      base64 = isReadable ? nil : newValue.map { Data($0.utf8).base64EncodedString() }
    }
  }
}

/// The body of a request, for display.
public struct SentBody: Codable, Sendable, Equatable {
  /// The body with known secrets masked. It is `nil` if the body is not text, if it has more than
  /// `longestText` bytes, and if it contains a secret that is too short to be recognized.
  public var text: String?
  /// The size in bytes, or `nil` if it is not known in advance.
  public var bytes: Int64?

  /// The most bytes of a text.
  static let longestText = 64 << 10

  /// Creates a body, for tests.
  package init(text: String?, bytes: Int64?) {
    self.text = text
    self.bytes = bytes
  }

  /// Returns `nil` if the request has no body.
  ///
  /// - Parameter request: The request as it is sent.
  init?(of request: APIRequest, _ redactor: Redactor) {
    guard request.upload == nil else {
      bytes = request.upload?.length
      return
    }
    guard let body = request.body else { return nil }
    bytes = Int64(body.count)
    let holdsShortSecret =
      request.hasSecretBody
      && request.secretValues.contains { $0.utf8.count < Redactor.shortestValue }
    guard body.count <= Self.longestText, !body.contains(0), !holdsShortSecret,
      let text = String(validating: body, as: UTF8.self)
    else { return }
    self.text = redactor.mask(text, isJSON: AnswerJSON.isNamed(in: request.headers)).value
  }
}

extension APIAnswer {
  /// Creates a response without a body, for tests.
  package init(
    method: String, url: String, status: Int, httpVersion: String = "1.1",
    headers: [HTTPHeader] = [], bytes: Int = 0, timing: APITiming = APITiming(),
    verdict: CacheVerdict = .miss, redirects: Int = 0, attempts: Int = 1
  ) {
    self.method = method
    self.url = url
    self.status = status
    self.httpVersion = httpVersion
    self.headers = headers
    self.bytes = bytes
    self.timing = timing
    self.verdict = verdict
    self.redirects = redirects
    self.attempts = attempts
  }

  /// - Parameter redactor: Replaces known secrets by marks.
  init(
    _ fetched: Fetched<APIResponse>, to planned: PlannedRequest, _ redactor: Redactor
  ) {
    let response = fetched.value
    var found: [String] = []
    method = planned.request.method
    // The request has its own address as it is; this one may be a redirect's, which is a header.
    url = redactor.redact(response.url)
    status = response.status
    httpVersion = response.httpVersion
    let texts = planned.request.references?.headers ?? [:]
    sent = planned.request.headers.enumerated().map { index, header in
      HTTPHeader(header.name, texts[index]?.marked ?? redactor.mask(header.value).value)
    }
    headers = response.headers.map { header in
      let name = redactor.mask(header.name)
      let value = redactor.mask(header.value, ofHeader: header.name)
      found += name.names + value.names
      return HTTPHeader(name.value, value.value)
    }
    bytes = response.body.count
    var text: String?
    if let valid = String(validating: response.body, as: UTF8.self) {
      let masked = redactor.mask(valid, isJSON: AnswerJSON.isNamed(in: response.headers))
      found += masked.names
      text = masked.value
    } else {
      let masked = redactor.mask([UInt8](response.body))
      found += masked.names
      base64 = Data(masked.value).base64EncodedString()
    }
    timing = response.timing
    verdict = fetched.verdict
    redirects = response.redirects
    staleReason = fetched.staleReason(redactor)
    file = nil
    attempts = planned.attempt
    proxy = response.proxy.map { redactor.mask(address: $0).value }
    masked = MaskedValues(found)
    if status == 304 {
      conditions = planned.request.headers.map(\.name)
        .filter { ["if-none-match", "if-modified-since"].contains($0.lowercased()) }
    }
    if [401, 403].contains(status), planned.service.isEmpty { hasNoService = true }
    if let text { self.text = text }
  }
}

extension APIAnswer {
  /// Returns the secrets in the headers of a response, which marks replace.
  static func masked(in headers: [HTTPHeader], _ redactor: Redactor) -> MaskedValues? {
    MaskedValues(headers.flatMap { redactor.mask($0.name).names + redactor.mask($0.value).names })
  }

  /// Returns the checksum, or `nil` if it could reveal the body: for a short body and for one that
  /// contains a secret.
  func checksum(_ text: String, of bytes: Int) -> String? {
    masked == nil && bytes > 64 ? text : nil
  }
}

extension String {
  /// Whether the escapes of JSON make the text less than 40 % longer. Base64 makes it a third
  /// longer. O(length).
  package var isReadableAsJSON: Bool {
    func added(_ bytes: some Sequence<UInt8>) -> Int {
      bytes.reduce(into: 0) { added, byte in
        switch byte {
        case 0x08, 0x09, 0x0A, 0x0C, 0x0D, UInt8(ascii: "\""), UInt8(ascii: "\\"): added += 1
        case 0..<0x20: added += 5
        default: break
        }
      }
    }
    // A buffer takes a fraction of the time of a view.
    let added = utf8.withContiguousStorageIfAvailable { added($0) } ?? added(utf8)
    return added == 0 || added * 5 < utf8.count * 2
  }
}
