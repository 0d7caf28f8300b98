/// The request that a partial file belongs to, and the validator that identifies its content.
struct PartialFileTag {
  let size: Int64
  let validator: String
  /// The header of the validator.
  var validatorName: String { validator.hasPrefix("\"") ? "ETag" : "Last-Modified" }
  /// The digest of the address that sent the content; see `address(of:)`.
  let address: String
  /// The size of the whole file, or `nil` if it was not known.
  let total: Int64?

  /// Returns `nil` if the partial file belongs to another request.
  init?(_ part: PartialContent, key: String) {
    let lines = part.tag.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count > 2, lines[0] == contentDigest(of: key), !lines[1].isEmpty else { return nil }
    size = part.size
    validator = String(lines[1])
    address = String(lines[2])
    total = lines.count > 3 ? Int64(lines[3]) : nil
  }

  /// Returns `nil` if the response has no strong validator, which `If-Range` requires (RFC 9110,
  /// 13.1.5).
  static func text(for response: APIResponse, key: String, total: Int64?) -> String? {
    guard response.encoding == nil else { return nil }
    return validator(in: response.headers).map {
      "\(contentDigest(of: key))\n\($0)\n\(address(of: response))\n"
        + (total.map { "\($0)\n" } ?? "")
    }
  }

  /// Returns the validator that identifies the bytes of a response. A weak `ETag` does not.
  ///
  /// A `Last-Modified` does unless `Date` is less than a second later. It is also accepted where
  /// one of the two is no date or there is no `Date`, as nothing says then that it is too recent.
  static func validator(in headers: [HTTPHeader]) -> String? {
    if let tag = headers.value(of: "ETag"), tag.hasPrefix("\"") { return tag }
    guard let modified = headers.value(of: "Last-Modified") else { return nil }
    // Content that changes twice within a second keeps its date (RFC 9110, 8.8.2.2).
    if let time = HTTPDate.seconds(modified),
      let now = headers.value(of: "Date").flatMap(HTTPDate.seconds), now - time < 1
    {
      return nil
    }
    return modified
  }

  /// Returns why a response without a strong validator cannot be continued.
  static func problem(of response: APIResponse) -> String {
    let headers = response.headers
    let lacks =
      if let tag = headers.value(of: "ETag") {
        tag.hasPrefix("W/")
          ? "an ETag that is weak, which stands for several versions"
          : "an ETag without quotes, which is none"
      } else if headers.value(of: "Last-Modified") != nil {
        "a Last-Modified of this second, in which it may change again"
      } else {
        "neither an ETag nor a Last-Modified"
      }
    return "the service sends \(lacks), so that the rest could be that of another version"
  }

  /// Returns the digest of the address that sent a response, after redirects and without its
  /// query: many services redirect to an address that is signed anew each time.
  static func address(of response: APIResponse) -> String {
    contentDigest(of: String(response.url.prefix { $0 != "?" }))
  }
}
