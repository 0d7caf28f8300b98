/// A query item: `name=value`, or `name` alone.
public struct QueryItem: Sendable, Hashable, Codable {
  /// Not encoded.
  public var name: String
  /// Not encoded.
  public var value: String?

  /// An item; without a value there is no `=`.
  public init(_ name: String, _ value: String?) {
    self.name = name
    self.value = value
  }
}

/// An absolute `http` or `https` address, taken apart, put together and normalised as RFC 3986
/// says.
///
/// What a URL may not hold as it is (spaces, quotes, letters beyond ASCII, a `%` without two
/// digits) is percent-encoded; a fragment is dropped, for it is never sent. All operations are
/// O(length).
package struct URLBuilder: Sendable, Equatable {
  /// `http` or `https`.
  package private(set) var scheme: String
  /// In lower case; an IPv6 address with its brackets.
  package private(set) var host: String
  /// `nil` if it is the scheme's own.
  package private(set) var port: Int?
  /// Encoded, begins with a slash, has no `.` and `..` segments.
  package private(set) var path: String
  /// Encoded, without the question mark.
  package private(set) var query: String?

  /// - Throws: `APIError` of kind `unsupportedScheme` or `invalidURL`, saying what to write
  ///   instead. Its message repeats neither user information nor query.
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

  /// The address as it is sent.
  package var url: String {
    let query = query.map { "?\($0)" } ?? ""
    return "\(origin)\(path)\(query)"
  }

  /// `scheme://host:port`, the port only where it is not the scheme's own.
  package var origin: String { "\(scheme)://\(authority)" }

  /// `host:port`, always with the port: what messages show.
  package var endpoint: String { "\(host):\(port ?? (scheme == "https" ? 443 : 80))" }

  /// One text for all spellings of the same address: scheme and host in lower case, no default
  /// port, no dot segments, unreserved characters not encoded, hexadecimal digits in upper case.
  /// The query keeps its order, which may matter to the server. Leave secrets out of an address of
  /// which this is taken.
  package var cacheKey: String {
    let query = query.map { "?\(PercentEncoding.normalized($0))" } ?? ""
    return "\(origin)\(PercentEncoding.normalized(path))\(query)"
  }

  /// Whether both have the same scheme, host and port.
  package func hasSameOrigin(as other: URLBuilder) -> Bool { origin == other.origin }

  /// The path joined to this one's with exactly one slash between them; it never replaces it. A
  /// query in `path` is added to the query there is.
  ///
  /// `http://h/radarr` and `/api/v3` give `http://h/radarr/api/v3`. Dot segments cannot climb above
  /// the path there is.
  package func appending(path addition: String) throws(APIError) -> URLBuilder {
    try Self.refuseControlCharacters(addition)
    let question = addition.firstIndex { $0 == "?" || $0 == "#" } ?? addition.endIndex
    let (added, query) = Self.pathAndQuery(
      "/" + addition[..<question].drop { $0 == "/" } + addition[question...])
    var result = self
    let isNothing = added == "/"
    if !isNothing { result.path = (path.hasSuffix("/") ? String(path.dropLast()) : path) + added }
    if let query { result.add(query) }
    return result
  }

  /// The items added after the query there is. Everything but RFC 3986's unreserved characters is
  /// encoded.
  package func appending(query items: [QueryItem]) -> URLBuilder {
    var result = self
    for item in items {
      let name = PercentEncoding.encoded(item.name)
      result.add(item.value.map { "\(name)=\(PercentEncoding.encoded($0))" } ?? name)
    }
    return result
  }

  /// Without the query items of which `isDropped` is true. It gets each as it is sent:
  /// `name=value`, encoded.
  func droppingQueryItems(where isDropped: (Substring) -> Bool) -> URLBuilder {
    guard let query else { return self }
    let items = query.split(separator: "&", omittingEmptySubsequences: false)
    let kept = items.filter { !isDropped($0) }
    guard kept.count < items.count else { return self }
    var result = self
    result.query = kept.isEmpty ? nil : kept.joined(separator: "&")
    return result
  }

  /// The address that `reference` means when it is found at this one: RFC 3986, 5.2.
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

  // MARK: parts

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
    guard isHost(host) else {
      throw APIError(.invalidURL, "the host \(shown(host)) has a character that no host name has")
    }
    return (host.lowercased(), port)
  }

  private static func isHost(_ host: Substring) -> Bool {
    if host.hasPrefix("[") {
      return host.hasSuffix("]") && host.count > 3
        && host.dropFirst().dropLast().utf8.allSatisfy {
          PercentEncoding.isHexDigit($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
        }
    }
    // Names beyond ASCII are for libcurl to translate.
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

  /// `path` is empty or begins with a slash.
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
