extension String {
  /// Returns whether the UTF-8 of both strings is the same. `==` also equates different UTF-8 of
  /// the same characters.
  package func hasSameBytes(as other: some StringProtocol) -> Bool {
    let isSame = utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right in
        left.count == right.count
          && (left.baseAddress == right.baseAddress || compareBytes(left, right) == 0)
      }
    }
    return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
  }

  /// Returns whether the UTF-8 of the string contains that of another. `contains` searches for
  /// characters, and does not find a line break in CR LF.
  package func hasBytes(_ part: String) -> Bool {
    guard let first = part.utf8.first else { return true }
    var (text, part) = (self, part)
    return text.withUTF8 { text in
      part.withUTF8 { part in
        var rest = text[...]
        while rest.count >= part.count, let start = rest.firstIndex(of: first) {
          rest = rest[start...]
          if rest.starts(with: part) { return true }
          rest = rest.dropFirst()
        }
        return false
      }
    }
  }
}
