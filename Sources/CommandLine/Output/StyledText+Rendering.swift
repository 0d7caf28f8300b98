extension StyledText {
  /// Returns the text with escape sequences. A line feed at the end of a style stands behind them,
  /// so that a text that ends its row can be recognized.
  package var rendered: [UInt8] {
    guard !spans.isEmpty else { return bytes }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count * 2)
    forEachToken { Palette.append($0, $1, to: &result) }
    return result
  }

  /// Calls `body` with the text in pieces, rendered one after the other, until it throws. Together
  /// they look like `rendered`, or like `bytes` without `color`. Neither an escape sequence, a
  /// style nor a character is open at the end of a piece.
  ///
  /// - Parameters:
  ///   - size: The number of bytes without escape sequences from which on a piece ends, at least 4.
  ///   - color: Whether the pieces have escape sequences.
  package func forEachPiece<Failure: Error>(
    of size: Int, color: Bool, _ body: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    var piece: [UInt8] = []
    var count = 0
    func add(_ part: ArraySlice<UInt8>, _ style: Style?) throws(Failure) {
      var rest = part
      while !rest.isEmpty {
        let next = rest.prefixOfCharacters(atMost: max(1, size - count))
        Palette.append(next, style, to: &piece)
        rest = rest[next.endIndex...]
        count += next.count
        guard count >= size else { continue }
        try body(piece)
        (piece, count) = ([], 0)
      }
    }
    if color { try forEachToken(add) } else { try add(bytes[...], nil) }
    if !piece.isEmpty { try body(piece) }
  }
}

extension Palette {
  /// Appends a part with the escape sequences of its style.
  fileprivate static func append(
    _ part: ArraySlice<UInt8>, _ style: StyledText.Style?, to bytes: inout [UInt8]
  ) {
    guard let style else { return bytes += part }
    let endsRow = part.last == UInt8(ascii: "\n")
    bytes += escapeSequence(style).utf8
    bytes += endsRow ? part.dropLast() : part[...]
    bytes += reset.utf8
    if endsRow { bytes.append(UInt8(ascii: "\n")) }
  }
}

extension ArraySlice<UInt8> {
  /// Returns the longest prefix of at most `count` bytes that ends with a character of UTF-8. If
  /// there is none, returns one that is longer by up to three bytes.
  fileprivate func prefixOfCharacters(atMost count: Int) -> ArraySlice<UInt8> {
    guard count < self.count else { return self }
    func isInside(_ index: Int) -> Bool { index < endIndex && self[index] & 0xC0 == 0x80 }
    let limit = startIndex + count
    for end in stride(from: limit, to: Swift.max(startIndex, limit - 4), by: -1)
    where !isInside(end) {
      return self[..<end]
    }
    for end in limit..<Swift.min(endIndex, limit + 4) where !isInside(end) { return self[..<end] }
    return self[..<limit]
  }
}
