import SwiftBoardJSON

/// The rule for the names of services.
package enum ServiceName {
  /// Returns whether the name consists of letters, digits, `-` and `_`, which lines require.
  package static func isValid(_ name: String) -> Bool {
    !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
  }
}

/// The rule for the addresses of services.
package enum ServiceAddress {
  /// Returns whether a target is an address and not a path at a service: a scheme (RFC 3986, 3.1)
  /// is directly in front of its first `://`.
  package static func isAddress(_ target: String) -> Bool {
    guard let end = target.end(ofFirst: "://") else { return false }
    let scheme = target.utf8[..<target.utf8.index(end, offsetBy: -3)]
    func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
    return scheme.first.map(isLetter) ?? false
      && scheme.allSatisfy {
        isLetter($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0)
      }
  }

  /// Returns the user and the password in an address, or `nil` if it has none.
  package static func user(in address: String) -> Substring? {
    // Most addresses have none, and looking for one byte costs less than for a text.
    guard address.utf8.contains(UInt8(ascii: "@")), let start = address.end(ofFirst: "://") else {
      return nil
    }
    let authority = address[start...].prefix { !"/?#".contains($0) }
    guard let end = authority.lastIndex(of: "@"), start < end else { return nil }
    return authority[..<end]
  }

  /// Returns the problem with the address of a service, or `nil` if the address is valid. The paths
  /// of requests are appended to it.
  package static func problem(ofService url: String) -> String? {
    guard !url.utf8.contains(UInt8(ascii: "#")) else {
      return "the address of a service has no fragment: leave out the '#' and what follows it, "
        + "which is never sent"
    }
    let query = url.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()
    let secret = query.split(separator: UInt8(ascii: "&")).lazy
      .compactMap { SecretQueryItem(Substring($0)) }.first
    if let secret {
      return "the address of a service has no secret: leave '\(secret.name)' out, and name a "
        + "stored secret in the authentication"
    }
    return problem(url)
  }

  /// Returns the problem with an address, or `nil` if the address is valid.
  package static func problem(_ url: String) -> String? {
    guard let schemeEnd = url.end(ofFirst: "://") else {
      return "'\(url)' is not an address: it has no http:// or https://"
    }
    let scheme = url[..<url.utf8.index(schemeEnd, offsetBy: -3)].lowercased()
    guard scheme == "http" || scheme == "https" else {
      return "'\(scheme)' is not supported; http and https are"
    }
    let authority = url[schemeEnd...].utf8.prefix { !"/?#".utf8.contains($0) }
    if authority.contains(UInt8(ascii: "@")) { return "the address holds a user or password" }
    let host =
      authority.first == UInt8(ascii: "[")
      ? authority : authority.prefix { $0 != UInt8(ascii: ":") }
    if host.isEmpty { return "the address has no host" }
    if let byte = url.utf8.first(where: { $0 <= 0x20 || $0 == 0x7F }) {
      let code = (byte < 0x10 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      let what = byte == 0x20 ? "a space" : "a control character"
      return "the address has \(what); write it as \(code)"
    }
    return nil
  }
}
