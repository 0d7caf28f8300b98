extension JSON {
  /// Returns the line and the column, both from 1, of the value at a path in a valid text. For a
  /// member of an object, the position is that of its key. Returns `nil` if there is no such value.
  ///
  /// - Complexity: O(length of the text).
  package static func location(of path: JSONPath, in text: [UInt8]) -> (line: Int, column: Int)? {
    text.withUnsafeBufferPointer { bytes in
      guard let tape = try? JSONTokenizer.tape(of: bytes, limits: .default),
        let offset = offset(of: path.steps[...], at: 0, in: tape.tokens, bytes)
      else { return nil }
      let found = JSONError(at: offset, of: bytes, message: "")
      return (found.line, found.column)
    }
  }

  private static func offset(
    of steps: ArraySlice<JSONPath.Step>, at index: Int, in tokens: UnsafeMutablePointer<JSONToken>,
    _ bytes: UnsafeBufferPointer<UInt8>
  ) -> Int? {
    let container = tokens[index]
    guard let step = steps.first else { return Int(container.start) }
    var next = index + 1
    var position = 0
    while next < Int(container.next) {
      switch (step, container.kind) {
      case (.key(let key), .object):
        let value = next + 1
        if bytes.string(tokens[next]).utf8.elementsEqual(key.utf8) {
          // The token of a string begins after its opening quote.
          if steps.count == 1 { return Int(tokens[next].start) - 1 }
          return offset(of: steps.dropFirst(), at: value, in: tokens, bytes)
        }
        next = Int(tokens[value].next)
      case (.index(let wanted), .array):
        if position == wanted { return offset(of: steps.dropFirst(), at: next, in: tokens, bytes) }
        position += 1
        next = Int(tokens[next].next)
      default: return nil
      }
    }
    return nil
  }
}
