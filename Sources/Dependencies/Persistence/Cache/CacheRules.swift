import SwiftBoardJSON

/// The rules of HTTP caching (RFC 9111) as pure functions.
///
/// Not implemented: heuristic freshness (a response without a lifetime is never fresh), `Vary`
/// other than `*` (headers that vary the response belong in the key), `s-maxage`,
/// `proxy-revalidate` and `private` (the cache belongs to one user). `localFirst` without a
/// lifetime uses responses that have expired, also those that the service wants confirmed.
enum CacheRules {
  /// Returns whether the entry may be used without asking the service. An entry that was stored in
  /// the future is not fresh, because the clock was set back.
  static func isFresh(_ entry: CachedResponse, now: Int64) -> Bool {
    guard let expires = entry.expires, entry.stored <= now else { return false }
    return now < expires
  }

  /// Returns whether the entry may be used without asking the service. A fixed lifetime replaces
  /// the time that the service set.
  static func isFresh(_ entry: CachedResponse, _ lifetime: CacheLifetime, now: Int64) -> Bool {
    guard case .fixed(let duration) = lifetime else { return isFresh(entry, now: now) }
    let (age, isOverflow) = now.subtractingReportingOverflow(entry.stored)
    return !isOverflow && age >= 0 && .microseconds(age) < duration
  }

  /// Returns whether a response may be stored: status 200 for GET or HEAD, unless the response or
  /// the request forbids it, or the response comes from the target of a redirect.
  static func mayStore(_ response: APIResponse, to request: APIRequest) -> Bool {
    guard response.status == 200, response.redirects == 0, isCacheable(request) else {
      return false
    }
    if directives(response.headers)["no-store"] != nil { return false }
    if directives(request.headers)["no-store"] != nil { return false }
    return !list(response.headers, "vary").contains("*")
  }

  /// Returns whether the cache applies to the request. A request with its own conditions or range
  /// bypasses it.
  static func isCacheable(_ request: APIRequest) -> Bool {
    guard request.method == "GET" || request.method == "HEAD" else { return false }
    let own: Set<String> = [
      "if-none-match", "if-modified-since", "if-match", "if-unmodified-since", "if-range", "range",
    ]
    return !request.headers.contains { own.contains($0.name.lowercased()) }
  }

  /// Returns whether the stored responses of the target no longer hold: after any method but the
  /// safe ones, unless the service refused it (RFC 9111, 4.4).
  static func changesTarget(_ response: APIResponse, to request: APIRequest) -> Bool {
    !request.isSafe && (200..<400).contains(response.status)
  }

  /// Returns the time at which the response expires in microseconds since 1970, or `nil` if it does
  /// not say.
  static func expiry(of headers: [HTTPHeader], now: Int64) -> Int64? {
    let directives = directives(headers)
    if directives["no-cache"] != nil { return now }
    if let text = directives["max-age"] {
      // A malformed `Age` counts as 0.
      let age = seconds(headers.value(of: "Age"))
      return now + 1_000_000 * max(0, seconds(text) - age)
    }
    guard let expires = headers.value(of: "Expires") else { return nil }
    guard let end = HTTPDate.seconds(expires) else { return now }
    // Relative to the server's own clock, if it sent its time.
    let start = headers.value(of: "Date").flatMap(HTTPDate.seconds) ?? now / 1_000_000
    return now + 1_000_000 * max(0, min(end - start, farthest))
  }

  /// Returns the request with conditions that ask whether the entry is still valid. Returns the
  /// request unchanged if the entry has neither an `ETag` nor a `Last-Modified`.
  static func validating(_ request: APIRequest, _ entry: CachedResponse) -> APIRequest {
    var request = request
    if let tag = entry.headers.value(of: "ETag") {
      request.headers.append(HTTPHeader("If-None-Match", tag))
    }
    if let date = entry.headers.value(of: "Last-Modified") {
      request.headers.append(HTTPHeader("If-Modified-Since", date))
    }
    request.confirmsCached = true
    return request
  }

  /// Returns the headers that may be stored: no cookies, none of the connection, and none that
  /// describe an encoding that was removed.
  static func kept(_ response: APIResponse) -> [HTTPHeader] {
    let headers = response.headers
    var dropped: Set<String> = [
      "set-cookie", "set-cookie2", "connection", "keep-alive", "transfer-encoding", "te",
      "trailer", "upgrade", "proxy-authenticate", "proxy-authorization", "proxy-connection",
    ]
    if response.isDecoded {
      dropped.formUnion(["content-encoding", "content-length"])
    }
    dropped.formUnion(list(headers, "connection"))
    return headers.filter { !dropped.contains($0.name.lowercased()) }
  }

  /// Merges the headers of a 304 into the stored ones. Its fields replace the fields of the same
  /// name, except those that describe the body.
  static func merged(_ stored: [HTTPHeader], with answer: APIResponse) -> [HTTPHeader] {
    let body: Set<String> = [
      "content-length", "content-encoding", "content-type", "content-range",
    ]
    let new = kept(answer).filter { !body.contains($0.name.lowercased()) }
    var waiting = Dictionary(grouping: new) { $0.name.lowercased() }
    let names = Set(waiting.keys)
    // Keep the stored order, so that a confirmed response has the headers in the same order as
    // before.
    let merged = stored.flatMap { field -> [HTTPHeader] in
      let name = field.name.lowercased()
      return names.contains(name) ? waiting.removeValue(forKey: name) ?? [] : [field]
    }
    return merged + new.filter { waiting[$0.name.lowercased()] != nil }
  }

  /// Returns whether the cached response may replace one that failed: only if the service could not
  /// be reached in time. A service with an untrusted certificate, or one that violates the
  /// protocol, may not be the one that sent the cached response. A proxy that refuses the login was
  /// reached.
  static func mayStandIn(for error: APIError) -> Bool {
    guard error.status == nil else { return false }
    return switch error.kind {
    case .dns, .refused, .unreachable, .offline, .timeout: true
    default: false
    }
  }

  /// Whether a response shows that cached ones of its URL are outdated. Others, such as a 404, may
  /// be temporary, and a redirect may lead to the cached one.
  static func outdatesCached(_ response: APIResponse) -> Bool {
    [200, 410].contains(response.status)
  }

  /// Returns whether the cached response may be used although the service has not confirmed it. One
  /// that has expired may not if the service forbids it (RFC 9111, 4.2.4).
  static func mayReplaceFailure(
    _ entry: CachedResponse, _ lifetime: CacheLifetime, now: Int64
  ) -> Bool {
    let directives = directives(entry.headers)
    return directives["must-revalidate"] == nil && directives["no-cache"] == nil
      || isFresh(entry, lifetime, now: now)
  }

  /// Returns whether a 304 is about the version of the entry (RFC 9111, 4.3.4). Tags are compared
  /// weakly. A 304 without a tag is.
  static func confirms(_ answer: APIResponse, _ entry: CachedResponse) -> Bool {
    func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
    guard let kept = entry.headers.value(of: "ETag"), let tag = answer.headers.value(of: "ETag")
    else { return true }
    return opaque(kept) == opaque(tag)
  }

  // MARK: Fields

  /// About 68 years in seconds. Longer times are shortened to it.
  private static let farthest: Int64 = 1 << 31

  /// Returns a number of seconds. Text that is not a number is 0, and larger numbers are
  /// `farthest`.
  private static func seconds(_ text: String?) -> Int64 {
    guard let text, !text.isEmpty, text.utf8.allSatisfy(isDigit) else { return 0 }
    return min(Int64(text) ?? farthest, farthest)
  }

  /// Returns the directives of `Cache-Control` with their values, in lower case and without quotes.
  private static func directives(_ headers: [HTTPHeader]) -> [String: String] {
    var directives: [String: String] = [:]
    for element in list(headers, "cache-control") {
      let parts = element.split(separator: "=", maxSplits: 1)
      guard let name = parts.first else { continue }
      let value = parts.count > 1 ? String(parts[1].filter { $0 != "\"" }) : ""
      // The first of equal directives counts.
      if directives[String(name)] == nil { directives[String(name)] = value }
    }
    return directives
  }

  /// Returns the elements of a list field over all of its lines, in lower case.
  private static func list(_ headers: [HTTPHeader], _ name: String) -> [String] {
    headers.filter { $0.isNamed(name) }
      .flatMap { $0.value.lowercased().split(separator: ",") }
      .map { $0.filter { $0 != " " && $0 != "\t" } }
  }
}

/// The date format of HTTP: `Sun, 06 Nov 1994 08:49:37 GMT`. The two obsolete forms are not
/// supported.
package enum HTTPDate {
  /// Returns the seconds since 1970, or `nil` if the text is not such a date.
  package static func seconds(_ text: String) -> Int64? {
    let parts = text.split(separator: " ")
    guard parts.count == 6, parts[0].utf8.count == 4, parts[5] == "GMT" else { return nil }
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    let clock = parts[4].split(separator: ":").map { UInt8($0) }
    guard let day = UInt8(parts[1]), (1...31).contains(day),
      let month = months.firstIndex(of: String(parts[2])),
      let year = UInt16(parts[3]), parts[3].utf8.count == 4, clock.count == 3,
      let hour = clock[0], let minute = clock[1], let second = clock[2],
      hour < 24, minute < 60, second < 61
    else { return nil }
    let days = Timestamp.days(year: Int(year), month: month + 1, day: Int(day))
    return Int64(days) * 86_400 + Int64(hour) * 3600 + Int64(minute) * 60 + Int64(second)
  }
}
