/// The head of a response while its lines arrive.
struct ReceivedHead {
  /// The lines of the last head.
  private(set) var bytes: [UInt8] = []
  /// Whether there is a `Content-Encoding` so far.
  private(set) var hasEncoding = false
  /// The problem with the length, if it is malformed or ambiguous.
  private(set) var lengthProblem: ResponseHead.LengthProblem?
  /// Whether the blank line has arrived.
  private var isWhole = false
  /// Whether there is a length so far that needs a full check.
  private var hasOddLength = false
  private var lengthCount = 0

  /// Whether this is the whole head of a final response.
  var isFinal: Bool {
    let code = bytes.drop { $0 != UInt8(ascii: " ") }.drop { $0 == UInt8(ascii: " ") }
    return isWhole && code.first != UInt8(ascii: "1")
  }

  /// Appends a line. Returns false if the length is malformed or ambiguous.
  ///
  /// A status line starts a new head. It discards the previous one, which was of an interim
  /// response (100 or 103).
  mutating func append(_ line: UnsafeRawBufferPointer) -> Bool {
    if line.starts(with: "HTTP/".utf8) {
      bytes.removeAll(keepingCapacity: true)
      lengthCount = 0
      hasOddLength = false
      hasEncoding = false
      isWhole = false
    }
    bytes.append(contentsOf: line)
    noteLength(in: line)
    if Self.isField("content-encoding", line) { hasEncoding = true }
    // libcurl ignores a length that it cannot parse and takes the last of several, so the client
    // and the server could disagree about the end of the body.
    let isLast = line.first == UInt8(ascii: "\r") || line.first == UInt8(ascii: "\n")
    if isLast { isWhole = true }
    guard isLast, lengthCount > 1 || hasOddLength else { return true }
    lengthProblem = ResponseHead(bytes)?.lengthProblem
    return lengthProblem == nil
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

  /// Returns whether a line has the field with this name, which is in lower case.
  private static func isField(_ name: StaticString, _ line: UnsafeRawBufferPointer) -> Bool {
    let count = name.utf8CodeUnitCount
    guard line.count > count, line[count] == UInt8(ascii: ":") || line[count] <= 0x20 else {
      return false
    }
    return name.withUTF8Buffer { zip(line, $0).allSatisfy { $0 | 0x20 == $1 } }
  }
}
