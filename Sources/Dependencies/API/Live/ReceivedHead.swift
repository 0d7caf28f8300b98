/// The head of a response while its lines arrive.
struct ReceivedHead {
  /// The lines of the last head.
  private(set) var bytes: [UInt8] = []
  /// Whether there is a `Content-Encoding` so far.
  private(set) var hasEncoding = false
  /// The reason why the response cannot be received.
  private(set) var problem: Problem?
  /// Whether the blank line has arrived.
  private var isWhole = false
  /// Whether there is a length so far that needs a full check.
  private var hasOddLength = false
  /// Whether there is a transfer coding so far that is not plain `chunked`.
  private var hasOddCoding = false
  private var lengthCount = 0
  private var challengeCount = 0

  /// The number of challenges after which a log-in fails. Most servers send one, and another one
  /// when the first is stale.
  private static let challengeLimit = 5

  enum Problem {
    /// The length is malformed or ambiguous.
    case length(ResponseHead.LengthProblem)
    /// The body has a transfer coding other than `chunked`, which was not asked for. libcurl would
    /// decode it without a limit, and take a body that is cut off for a whole one.
    case coding(String)
    /// The response changes the protocol (101).
    case otherProtocol
    /// Each log-in is answered by a new challenge. libcurl would follow them for ever.
    case challenges
  }

  /// Whether this is the whole head of a final response.
  var isFinal: Bool { isWhole && status.first != UInt8(ascii: "1") }

  /// Appends a line. Returns false if the response cannot be received.
  ///
  /// A status line starts a new head. It discards the previous one, which was of an interim
  /// response (100 or 103). Other lines after a whole head are trailers and are not part of it.
  mutating func append(_ line: UnsafeRawBufferPointer) -> Bool {
    if line.starts(with: "HTTP/".utf8) {
      bytes.removeAll(keepingCapacity: true)
      lengthCount = 0
      hasOddLength = false
      hasOddCoding = false
      hasEncoding = false
      isWhole = false
    }
    guard !isWhole else { return true }
    bytes.append(contentsOf: line)
    noteLength(in: line)
    if Self.isField("content-encoding", line) { hasEncoding = true }
    if Self.isField("transfer-encoding", line), !Self.isChunked(line) { hasOddCoding = true }
    // libcurl ignores a length that it cannot parse and takes the last of several, so the client
    // and the server could disagree about the end of the body.
    let isLast = line.first == UInt8(ascii: "\r") || line.first == UInt8(ascii: "\n")
    guard isLast else { return true }
    isWhole = true
    if status.elementsEqual("101".utf8) { problem = .otherProtocol }
    if status.elementsEqual("401".utf8) {
      challengeCount += 1
      if challengeCount == Self.challengeLimit { problem = .challenges }
    }
    if lengthCount > 1 || hasOddLength || hasOddCoding, let head = ResponseHead(bytes) {
      problem = problem ?? head.lengthProblem.map { .length($0) }
      problem = problem ?? head.unknownCoding.map { .coding($0) }
    }
    return problem == nil
  }

  /// The digits of the status.
  private var status: ArraySlice<UInt8> {
    bytes.drop { $0 != UInt8(ascii: " ") }.drop { $0 == UInt8(ascii: " ") }.prefix(3)
  }

  /// Notes a line with a length. A single plain number, which nearly every response has, needs no
  /// further check on the engine's thread.
  private mutating func noteLength(in line: UnsafeRawBufferPointer) {
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

  private static func isChunked(_ line: UnsafeRawBufferPointer) -> Bool {
    var value = line.dropFirst("transfer-encoding".utf8.count + 1).drop { $0 <= 0x20 }
    while let last = value.last, last <= 0x20 { value.removeLast() }
    return value.count == 7 && zip(value, "chunked".utf8).allSatisfy { $0 | 0x20 == $1 }
  }

  /// Returns whether a line has the field with this name, which is in lower case.
  private static func isField(_ name: StaticString, _ line: UnsafeRawBufferPointer) -> Bool {
    let count = name.utf8CodeUnitCount
    guard line.count > count, line[count] == UInt8(ascii: ":") || line[count] <= 0x20 else {
      return false
    }
    return name.withUTF8Buffer { zip(line, $0).allSatisfy { $0 | 0x20 == $1 } }
  }
}
