/// Names of headers and query items whose values are always secret.
///
/// Case, `_` and `-` are ignored. Members of bodies and documents are data, whatever their names.
package enum SecretNames {
  private static let headers: Set<String> = [
    "authorization", "proxyauthorization", "cookie", "setcookie", "xapikey",
  ]
  private static let queryItems: Set<String> = [
    "apikey", "accesstoken", "token", "password",
  ]
  private static let members: Set<String> = [
    "refreshtoken", "idtoken", "authtoken", "sessiontoken", "passwd", "passphrase", "secret",
    "clientsecret",
  ]

  /// Returns whether the value of a header with this name is secret.
  package static func isHeader(_ name: some StringProtocol) -> Bool {
    headers.contains(normalized(name))
  }

  /// Returns whether the value of a query item with this name is secret.
  package static func isQueryItem(_ name: some StringProtocol) -> Bool {
    queryItems.contains(normalized(name))
  }

  /// Returns whether the name is typical of a credential: a header, a query item, a field of a log
  /// record, or a member of a login response.
  package static func isCredential(_ name: some StringProtocol) -> Bool {
    let name = normalized(name)
    return headers.contains(name) || queryItems.contains(name) || members.contains(name)
  }

  private static func normalized(_ name: some StringProtocol) -> String {
    guard name.utf8.count <= 40 else { return "" }
    guard name.utf8.allSatisfy({ $0 < 0x80 }) else {
      return String(name.lowercased().filter { $0 != "_" && $0 != "-" })
    }
    // Without the `Character`s of the general case, which take much longer.
    return String(unsafeUninitializedCapacity: 40) { buffer in
      var count = 0
      for byte in name.utf8 where byte != UInt8(ascii: "_") && byte != UInt8(ascii: "-") {
        let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
        buffer[count] = isUpper ? byte | 0x20 : byte
        count += 1
      }
      return count
    }
  }
}
