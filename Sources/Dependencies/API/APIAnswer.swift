import SwiftBoardSystem

/// An answer as state and log may have it: without secrets.
public struct APIAnswer: Codable, Sendable, Equatable {
  /// The method that was sent.
  public var method: String
  /// The address that answered, without known secrets.
  public var url: String
  /// The status code.
  public var status: Int
  /// For example `1.1` or `2`.
  public var httpVersion: String
  /// The headers that were sent, without known secrets; `nil` in recordings that were made before
  /// they were kept.
  public var sent: [HTTPHeader]?
  /// In the order received, without secrets.
  public var headers: [HTTPHeader]
  /// The body as text, without known secrets; `nil` if it is none, or so full of control characters
  /// that a recording could not hold it.
  public var text: String?
  /// Base64 of a body that is not in `text`.
  public var base64: String?
  /// Bytes of the body as received.
  public var bytes: Int
  /// When its stages were reached.
  public var timing: APITiming
  /// Whether the cache had a part in it.
  public var verdict: CacheVerdict
  /// How many redirects were followed.
  public var redirects: Int
  /// Why a kept answer replaces the service's.
  public var stale: String?
  /// The file that the body was written to.
  public var file: String?
  /// `BodyChecksum` of the bytes that came and were written there.
  public var checksum: String?
  /// How many bytes of the file an earlier attempt had left.
  public var kept: Int64?
  /// How often it was sent, the first time included.
  public var attempts: Int
  /// The values in headers and body in whose place marks stand.
  public var masked: MaskedValues?
  /// The secrets that were stored, and why one was not.
  public var captured: [CapturedSecret]?
  /// The warning about the keychain that was opened for it.
  public var warning: String?
  /// Whether it answers a body that can be read only once, so that the request cannot be sent
  /// again.
  public var isFinal: Bool?
}

extension APIAnswer {
  /// An answer without a body, for tests.
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

  /// - Parameter redactor: Puts marks in place of known secrets.
  init(
    _ fetched: ResponseRepository.Fetched, to planned: PlannedRequest, _ redactor: Redactor
  ) {
    let response = fetched.response
    var found: [String] = []
    method = planned.request.method
    url = redactor.mask(address: response.url).value
    status = response.status
    httpVersion = response.httpVersion
    let texts = planned.request.references?.headers ?? [:]
    sent = planned.request.headers.enumerated().map { index, header in
      HTTPHeader(header.name, texts[index]?.marked ?? redactor.mask(header.value).value)
    }
    headers = response.headers.map { header in
      let name = redactor.mask(header.name)
      let masked = redactor.mask(header.value)
      found += name.names + masked.names
      return HTTPHeader(
        name.value,
        SecretNames.isHeader(header.name) && masked.names.isEmpty
          ? RedactionMark.redacted : Redactor.redactPositions(masked.value))
    }
    bytes = response.body.count
    if let valid = String(validating: response.body, as: UTF8.self) {
      let type = response.headers.value(of: "Content-Type")?.lowercased()
      let isJSON = type?.end(ofFirst: "json") != nil
      let masked = redactor.mask(valid, isJSON: isJSON)
      found += masked.names
      let fits = masked.value.fitsIntoJSON(of: longestText)
      text = fits ? masked.value : nil
      base64 = fits ? nil : Data(masked.value.utf8).base64EncodedString()
    } else {
      let masked = redactor.mask([UInt8](response.body))
      found += masked.names
      text = nil
      base64 = Data(masked.value).base64EncodedString()
    }
    timing = response.timing
    verdict = fetched.verdict
    redirects = response.redirects
    stale = fetched.networkError.map { redactor.redact($0.message) }
    file = nil
    attempts = planned.attempt
    masked = MaskedValues(found)
  }
}

extension APIAnswer {
  /// The checksum of a body, where the body cannot be found out by it: none of one that holds a
  /// secret or is short.
  func checksum(_ text: String, of bytes: Int) -> String? {
    masked == nil && bytes > 64 ? text : nil
  }
}

/// The longest text of an answer, as JSON: a line of a recording holds 63 MiB, and beside the text
/// there is the rest of the step.
private let longestText = 48 << 20

extension String {
  /// Whether it takes at most so many bytes as JSON, where a control character takes six.
  /// O(length), or less where it does not.
  package func fitsIntoJSON(of limit: Int) -> Bool {
    guard utf8.count > (limit - 2) / 6 else { return true }
    var size = 2
    for byte in utf8 {
      switch byte {
      case 0x08, 0x09, 0x0A, 0x0C, 0x0D, UInt8(ascii: "\""), UInt8(ascii: "\\"): size += 2
      case 0..<0x20: size += 6
      default: size += 1
      }
      if size > limit { return false }
    }
    return true
  }
}
