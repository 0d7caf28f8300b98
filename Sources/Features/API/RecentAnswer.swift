import SwiftBoardDependencies

/// An answer as the state keeps it.
public struct RecentAnswer: Codable, Sendable, Equatable {
  /// The job of the command that asked.
  public var job: Int
  /// The method that was sent.
  public var method: String
  /// The address that answered, without known secrets.
  public var url: String
  /// The status code.
  public var status: Int
  /// Whether the cache had a part in it.
  public var verdict: CacheVerdict
  /// Microseconds from the beginning of the exchange to its last byte.
  public var microseconds: Int64
  /// How often it was sent, the first time included.
  public var attempts: Int
  /// What describes the body and its validity, under names in small letters.
  public var headers: [String: String]
  /// Bytes of the body as received.
  public var bytes: Int
  /// The body: JSON where it is, else text; `nil` for one that is no text, is in a file, or has
  /// more than `longestBody` bytes.
  public var body: KeptBody?
  /// A checksum of a body that is text and too long to be kept.
  public var digest: String?
  /// The file that the body was written to.
  public var file: String?

  /// The most bytes of a body that is kept.
  package static let longestBody = 64 << 10

  /// The headers that are kept.
  static let namedHeaders: Set<String> = [
    "allow", "cache-control", "content-type", "etag", "expires", "last-modified", "link",
    "location", "retry-after", "x-total-count",
  ]

  /// What is kept of an answer. O(length of the body) if the body is too long to be kept.
  package init(_ answer: APIAnswer, job: Int) {
    self.job = job
    method = answer.method
    url = String(answer.url.prefix(Self.longestText))
    status = answer.status
    verdict = answer.verdict
    microseconds = answer.timing.total
    attempts = answer.attempts
    headers = [:]
    for header in answer.headers {
      let name = header.name.lowercased()
      guard Self.namedHeaders.contains(name), headers[name] == nil else { continue }
      headers[name] = String(header.value.prefix(Self.longestText))
    }
    bytes = answer.bytes
    file = answer.file
    guard let text = answer.text else { return }
    if text.utf8.count <= Self.longestBody {
      // In the state, a value that is null is one that is not there.
      if text.contains(where: { !$0.isWhitespace && !"nul".contains($0) }) {
        body = KeptBody(text: text)
      }
    } else {
      var checksum = BodyChecksum()
      checksum.add(Data(text.utf8))
      digest = checksum.text
    }
  }

  private static let longestText = 2048
}
