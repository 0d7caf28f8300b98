extension JSON {
  /// The text that `JSON(parsing: text).text` has, without making the value where `text` is written
  /// so already; `nil` for what is no JSON.
  ///
  /// Cost: linear in the text.
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
    // No string has a `\` in it, so each quote begins or ends one.
    var isInString = false
    for byte in bytes {
      if byte == UInt8(ascii: "\"") { isInString.toggle() }
      if byte <= 0x20, !isInString { return false }
    }
    return true
  }
}
