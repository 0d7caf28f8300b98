extension JSON {
  /// Returns the text of the parsed value, or `nil` if the text is not JSON. A text that is already
  /// compact is returned without creating a value.
  ///
  /// - Complexity: O(length of the text).
  package static func compactText(of text: String) -> String? {
    var text = text
    if text.withUTF8({ isCompact($0) }) { return text }
    return (try? JSON(parsing: text))?.text
  }

  private static func isCompact(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    do throws(JSONError) {
      let tape = try JSONTokenizer.tape(of: bytes, limits: .default)
      for index in 0..<tape.count
      where !tape.tokens[index].flags.isDisjoint(with: [.escaped, .duplicates]) {
        return false
      }
    } catch {
      return false
    }
    // Without escapes, every quote begins or ends a string.
    var isInString = false
    for byte in bytes {
      if byte == UInt8(ascii: "\"") { isInString.toggle() }
      if byte <= 0x20, !isInString { return false }
    }
    return true
  }
}
