/// A typed item of an address's query whose name is that of a secret.
package struct SecretQueryItem {
  /// The name as typed.
  package let encodedName: String
  /// The name without percent encoding.
  package let name: String
  /// The value as typed, which is not empty.
  package let value: Substring

  /// Returns `nil` if the item has no value, or the name is not that of a secret.
  package init?(_ item: Substring) {
    // Bytes, as the parts of an address are separated, and because characters take long.
    let parts = item.utf8.split(
      separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[1].isEmpty else { return nil }
    name = PercentEncoding.decoded(Substring(parts[0]))
    guard SecretNames.isQueryItem(name) else { return nil }
    encodedName = String(Substring(parts[0]))
    value = Substring(parts[1])
  }
}
