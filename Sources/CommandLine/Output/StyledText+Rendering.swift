extension StyledText {
  /// Returns the text with escape sequences. A line feed at the end of a style stands behind them,
  /// so that a text that ends its row can be recognized.
  package func rendered(_ palette: Palette) -> [UInt8] {
    guard !spans.isEmpty else { return bytes }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count * 2)
    forEachToken { palette.append($0, $1, to: &result) }
    return result
  }

  /// Calls `body` with the text in pieces, rendered one after the other, until it throws. Together
  /// they look like `rendered(_:)`. Neither an escape sequence, a style nor a character is open at
  /// the end of a piece.
  ///
  /// - Parameters:
  ///   - size: The number of bytes without escape sequences from which on a piece ends, at least 4.
  ///   - palette: The colors, or `nil` for text without escape sequences.
  package func forEachPiece<Failure: Error>(
    of size: Int, _ palette: Palette?, _ body: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    var piece: [UInt8] = []
    var count = 0
    func add(_ part: ArraySlice<UInt8>, _ style: Style?) throws(Failure) {
      var rest = part
      while !rest.isEmpty {
        let next = rest.prefixOfCharacters(atMost: max(1, size - count))
        palette.append(next, style, to: &piece)
        rest = rest[next.endIndex...]
        count += next.count
        guard count >= size else { continue }
        try body(piece)
        (piece, count) = ([], 0)
      }
    }
    if palette == nil { try add(bytes[...], nil) } else { try forEachToken(add) }
    if !piece.isEmpty { try body(piece) }
  }
}

extension Palette? {
  /// Appends a part with the escape sequences of its style, if there are colors.
  fileprivate func append(
    _ part: ArraySlice<UInt8>, _ style: StyledText.Style?, to bytes: inout [UInt8]
  ) {
    if let self { self.append(part, style, to: &bytes) } else { bytes += part }
  }
}

extension Palette {
  /// Appends a part with the escape sequences of its style.
  fileprivate func append(
    _ part: ArraySlice<UInt8>, _ style: StyledText.Style?, to bytes: inout [UInt8]
  ) {
    guard let style else { return bytes += part }
    let endsRow = part.last == UInt8(ascii: "\n")
    bytes += escapeSequence(style).utf8
    bytes += endsRow ? part.dropLast() : part[...]
    bytes += Palette.reset.utf8
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
