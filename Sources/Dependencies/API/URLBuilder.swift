import SwiftBoardJSON

/// A query item: `name=value`, or `name` alone.
public struct QueryItem: Sendable, Hashable, Codable {
  /// The name, not encoded.
  public var name: String
  /// The value, not encoded, or `nil` for a name alone.
  public var value: String?

  /// Creates an item. Without a value, it has no `=`.
  public init(_ name: String, _ value: String?) {
    self.name = name
    self.value = value
  }
}

/// A parsed and normalized absolute `http` or `https` URL by RFC 3986.
///
/// Characters that a URL may not contain (spaces, quotes, letters beyond ASCII, a `%` without two
/// digits) are percent-encoded. The fragment is removed, because it is never sent. All operations
/// are O(length).
package struct URLBuilder: Sendable, Equatable {
  /// The scheme, `http` or `https`.
  package private(set) var scheme: String
  /// The host in lower case. An IPv6 address has its brackets and, if there is one, the name of the
  /// interface by RFC 6874: `[fe80::1%25eth0]`.
  package private(set) var host: String
  /// The port, or `nil` if it is the default port of the scheme.
  package private(set) var port: Int?
  /// The encoded path. It begins with a slash and has no `.` and `..` segments.
  package private(set) var path: String
  /// The encoded query without the question mark.
  package private(set) var query: String?

  /// Parses a URL.
  ///
  /// - Throws: `APIError` of kind `unsupportedScheme` or `invalidURL`, which says what to write
  ///   instead. The message contains neither user information nor the query.
  package init(_ text: String) throws(APIError) {
    try Self.refuseControlCharacters(text)
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
      text.utf8[colon...].starts(with: "://".utf8)
    else {
      throw APIError(
        .invalidURL, "the address has no scheme: begin it with http:// or https://")
    }
    scheme = text[..<colon].lowercased()
    guard scheme == "http" || scheme == "https" else {
      throw APIError(
        .unsupportedScheme,
        "the scheme \(Self.shown(text[..<colon])) is not supported: use http or https")
    }
    let rest = text[text.utf8.index(colon, offsetBy: 3)...]
    let end =
      rest.utf8.firstIndex { byte in
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
      } ?? rest.endIndex
    (host, port) = try Self.authority(rest[..<end], scheme: scheme)
    path = "/"
    (path, query) = Self.pathAndQuery(rest[end...])
  }

  /// The URL as it is sent.
  package var url: String {
    let query = query.map { "?\($0)" } ?? ""
    return "\(origin)\(path)\(query)"
  }

  /// The origin as `scheme://host:port`, without the default port of the scheme.
  package var origin: String { "\(scheme)://\(authority)" }

  /// The endpoint as `host:port`, always with the port, for messages.
  package var endpoint: String { "\(host):\(port ?? (scheme == "https" ? 443 : 80))" }

  /// A text that is equal for all spellings of the same URL: scheme and host in lower case, no
  /// default port, no dot segments, unreserved characters decoded, hexadecimal digits in upper
  /// case. The query keeps its order, which may matter to the server. The URL must not contain
  /// secrets.
  package var cacheKey: String {
    let query = query.map { "?\(PercentEncoding.normalized($0))" } ?? ""
    return "\(origin)\(PercentEncoding.normalized(path))\(query)"
  }

  /// Returns whether both have the same scheme, host and port.
  package func hasSameOrigin(as other: URLBuilder) -> Bool { origin == other.origin }

  /// Returns the URL with items added to its query. Every byte that is not unreserved by RFC 3986
  /// is encoded.
  package func appending(query items: [QueryItem]) -> URLBuilder {
    var result = self
    for item in items {
      let name = PercentEncoding.encoded(item.name)
      result.add(item.value.map { "\(name)=\(PercentEncoding.encoded($0))" } ?? name)
    }
    return result
  }

  /// Returns the URL without the query items for which `isDropped` returns true. It receives each
  /// item as it is sent: `name=value`, encoded.
  func droppingQueryItems(where isDropped: (Substring) -> Bool) -> URLBuilder {
    guard let query else { return self }
    let items = query.split(separator: "&", omittingEmptySubsequences: false)
    let kept = items.filter { !isDropped($0) }
    guard kept.count < items.count else { return self }
    var result = self
    result.query = kept.isEmpty ? nil : kept.joined(separator: "&")
    return result
  }

  /// Returns the URL that `reference` refers to relative to this one, by RFC 3986, 5.2.
  ///
  /// - Throws: `APIError` of kind `unsupportedScheme` or `invalidURL`.
  package func resolving(_ reference: String) throws(APIError) -> URLBuilder {
    try Self.refuseControlCharacters(reference)
    let head = reference.prefix { !"/?#".contains($0) }
    if head.contains(":") { return try URLBuilder(reference) }
    if reference.hasPrefix("//") { return try URLBuilder("\(scheme):\(reference)") }
    var result = self
    if reference.hasPrefix("/") {
      (result.path, result.query) = Self.pathAndQuery(reference[...])
    } else if head.isEmpty {
      if reference.hasPrefix("?") { result.query = Self.pathAndQuery("/\(reference)").query }
    } else {
      let folder = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
      (result.path, result.query) = Self.pathAndQuery("\(folder)\(reference)")
    }
    return result
  }

  // MARK: Parts

  private var authority: String { port.map { "\(host):\($0)" } ?? host }

  private mutating func add(_ item: String) {
    if let query, !query.isEmpty { self.query = "\(query)&\(item)" } else { query = item }
  }

  private static func authority(_ text: Substring, scheme: String) throws(APIError)
    -> (host: String, port: Int?)
  {
    if text.utf8.contains(UInt8(ascii: "@")) {
      throw APIError(
        .invalidURL,
        """
        the address holds a user name or password before the @: leave them out, and give the service an authentication \
        that names a secret
        """)
    }
    var host = text
    var port: Int?
    let hostEnd =
      text.utf8.lastIndex(of: UInt8(ascii: "]")).map { text.utf8.index(after: $0) }
      ?? text.startIndex
    let isOpenBracket = text.hasPrefix("[") && hostEnd == text.startIndex
    if !isOpenBracket, let colon = text[hostEnd...].utf8.firstIndex(of: UInt8(ascii: ":")) {
      host = text[..<colon]
      let digits = text[text.utf8.index(after: colon)...]
      if !digits.isEmpty {
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits),
          (1...65535).contains(number)
        else {
          throw APIError(.invalidURL, "the port \(shown(digits)) is not a number from 1 to 65535")
        }
        port = number == (scheme == "https" ? 443 : 80) ? nil : number
      }
    }
    guard !host.isEmpty else {
      throw APIError(.invalidURL, "the address has no host: write one behind \(scheme)://")
    }
    guard let normalized = normalized(host) else {
      throw APIError(.invalidURL, "the host \(shown(host)) has a character that no host name has")
    }
    return (normalized, port)
  }

  /// Returns a host as `host` describes it, or `nil` if it has an invalid character.
  private static func normalized(_ host: Substring) -> String? {
    guard host.hasPrefix("[") else { return isName(host) ? host.lowercased() : nil }
    let parts = host.dropFirst().dropLast().split(
      separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    guard host.hasSuffix("]"), parts[0].utf8.count > 1,
      parts[0].utf8.allSatisfy({
        hexDigit($0) != nil || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
      })
    else { return nil }
    guard parts.count > 1 else { return host.lowercased() }
    // The name of an interface keeps its case. As in curl, the `%` need not be encoded.
    let zone = parts[1].hasPrefix("25") ? parts[1].dropFirst(2) : parts[1]
    guard !zone.isEmpty, zone.utf8.allSatisfy(PercentEncoding.isUnreserved) else { return nil }
    return "[\(parts[0].lowercased())%25\(zone)]"
  }

  private static func isName(_ host: Substring) -> Bool {
    // libcurl translates names beyond ASCII; see `EasyHandle.prepare`.
    return host.unicodeScalars.allSatisfy { scalar in
      scalar.isASCII
        ? PercentEncoding.isUnreserved(UInt8(scalar.value))
        : scalar.properties.generalCategory != .control && !scalar.properties.isWhitespace
    }
  }

  private static func pathAndQuery(_ text: Substring) -> (path: String, query: String?) {
    let visible = text[..<(text.utf8.firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex)]
    let question = visible.utf8.firstIndex(of: UInt8(ascii: "?"))
    let path = visible[..<(question ?? visible.endIndex)]
    let query = question.map { visible[visible.utf8.index(after: $0)...] }
    return (
      withoutDotSegments(PercentEncoding.repaired(path)),
      query.map { PercentEncoding.repaired($0) }
    )
  }

  private static func pathAndQuery(_ text: String) -> (path: String, query: String?) {
    pathAndQuery(text[...])
  }

  /// Removes dot segments. `path` is empty or begins with a slash.
  private static func withoutDotSegments(_ path: String) -> String {
    if path.isEmpty { return "/" }
    let mayHaveSome = path.utf8.contains { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "%") }
    guard mayHaveSome else { return path }
    var kept: [Substring] = []
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    for (index, segment) in segments.enumerated() {
      let isLast = index == segments.count - 1
      switch PercentEncoding.normalized(String(segment)) {
      case ".": if isLast { kept.append("") }
      case "..":
        kept = kept.dropLast()
        if isLast { kept.append("") }
      default: kept.append(segment)
      }
    }
    return "/" + kept.joined(separator: "/")
  }

  private static func refuseControlCharacters(_ text: String) throws(APIError) {
    // All control characters: C0 and DEL are one byte, C1 is 0xC2 and a byte below 0xA0.
    var previous: UInt8 = 0
    let hasOne = text.utf8.contains { byte in
      defer { previous = byte }
      return byte < 0x20 || byte == 0x7f || (previous == 0xc2 && byte < 0xa0)
    }
    guard hasOne else { return }
    throw APIError(
      .invalidURL, "the address has a line break or another control character: remove it")
  }

  private static func shown(_ text: Substring) -> String { "\"\(text.prefix(64))\"" }
}
