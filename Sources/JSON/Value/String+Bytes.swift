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

  /// Returns the end of the first occurrence of a text, or `nil` if there is none. Compares bytes,
  /// which takes a small part of the time of `firstRange(of:)`, which compares characters. These do
  /// not find a line break in CR LF.
  package func end(ofFirst text: String) -> Index? {
    guard let first = text.utf8.first else { return startIndex }
    var rest = utf8[...]
    while let start = rest.firstIndex(of: first) {
      rest = rest[start...]
      if rest.starts(with: text.utf8) { return utf8.index(start, offsetBy: text.utf8.count) }
      rest = rest.dropFirst()
    }
    return nil
  }
}
