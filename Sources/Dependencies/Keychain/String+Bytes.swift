extension String {
  /// Returns whether the UTF-8 of both strings is the same. `==` also equates different UTF-8 of
  /// the same characters.
  package func hasSameBytes(as other: some StringProtocol) -> Bool {
    utf8.elementsEqual(other.utf8)
  }
}
