import SwiftBoardSystem

/// The rules of HTTP caching that the board follows (RFC 9111), as functions of values: no clock,
/// no network, no disk.
///
/// Not followed: heuristic freshness (an answer that does not say how long it holds is never
/// fresh), `Vary` other than `*` (what varies belongs into the key), `s-maxage` and `private` (the
/// cache is one user's own).
enum CacheRules {
  /// Whether the entry may answer without asking. One that was stored in the future is not fresh:
  /// the clock was set back.
  static func isFresh(_ entry: CachedResponse, now: Int64) -> Bool {
    guard let expires = entry.expires, entry.stored <= now else { return false }
    return now < expires
  }

  /// Whether the entry may answer without asking, where the caller may have said how long.
  static func isFresh(_ entry: CachedResponse, _ lifetime: CacheLifetime, now: Int64) -> Bool {
    guard case .fixed(let duration) = lifetime else { return isFresh(entry, now: now) }
    return entry.stored <= now && .microseconds(now - entry.stored) < duration
  }

  /// Whether an answer may be kept: 200 to GET or HEAD, unless it or the request forbids it.
  static func mayStore(_ response: APIResponse, to request: APIRequest) -> Bool {
    guard response.status == 200, isCacheable(request) else { return false }
    if directives(response.headers)["no-store"] != nil { return false }
    if directives(request.headers)["no-store"] != nil { return false }
    return !list(response.headers, "vary").contains("*")
  }

  /// Whether the cache has a part in the request at all. A request that brings conditions or a
  /// range of its own means the answer for itself.
  static func isCacheable(_ request: APIRequest) -> Bool {
    guard request.method == "GET" || request.method == "HEAD" else { return false }
    let own: Set<String> = [
      "if-none-match", "if-modified-since", "if-match", "if-unmodified-since", "if-range", "range",
    ]
    return !request.headers.contains { own.contains($0.name.lowercased()) }
  }

  /// Until when the answer holds, in microseconds since 1970; `nil` if it does not say.
  static func expiry(of headers: [HTTPHeader], now: Int64) -> Int64? {
    let directives = directives(headers)
    if directives["no-cache"] != nil { return now }
    if let text = directives["max-age"] {
      // A malformed age is an old one.
      let age = seconds(headers.value(of: "Age"))
      return now + 1_000_000 * max(0, seconds(text) - age)
    }
    guard let expires = headers.value(of: "Expires") else { return nil }
    guard let end = HTTPDate.seconds(expires) else { return now }
    // By the server's own clock, where it is given.
    let start = headers.value(of: "Date").flatMap(HTTPDate.seconds) ?? now / 1_000_000
    return now + 1_000_000 * max(0, min(end - start, farthest))
  }

  /// The request with the question whether the entry still holds. The same request where the entry
  /// has nothing to ask by.
  static func validating(_ request: APIRequest, _ entry: CachedResponse) -> APIRequest {
    var request = request
    if let tag = entry.headers.value(of: "ETag") {
      request.headers.append(HTTPHeader("If-None-Match", tag))
    }
    if let date = entry.headers.value(of: "Last-Modified") {
      request.headers.append(HTTPHeader("If-Modified-Since", date))
    }
    return request
  }

  /// The headers that may be kept: no cookies, nothing that belongs to the connection, nothing that
  /// describes a body which was decoded since.
  static func kept(_ headers: [HTTPHeader]) -> [HTTPHeader] {
    var dropped: Set<String> = [
      "set-cookie", "set-cookie2", "connection", "keep-alive", "transfer-encoding", "te",
      "trailer", "upgrade", "proxy-authenticate", "proxy-authorization", "proxy-connection",
    ]
    if headers.value(of: "Content-Encoding") != nil {
      dropped.formUnion(["content-encoding", "content-length"])
    }
    dropped.formUnion(list(headers, "connection"))
    return headers.filter { !dropped.contains($0.name.lowercased()) }
  }

  /// Merges a 304 into the stored answer: its fields replace fields of the same name, except fields
  /// that describe the body.
  static func merged(_ stored: [HTTPHeader], with answer: [HTTPHeader]) -> [HTTPHeader] {
    let body: Set<String> = [
      "content-length", "content-encoding", "content-type", "content-range",
    ]
    let new = kept(answer).filter { !body.contains($0.name.lowercased()) }
    var waiting = Dictionary(grouping: new) { $0.name.lowercased() }
    let names = Set(waiting.keys)
    // In the order of what is stored, so that a confirmed answer looks like the one that it
    // confirms.
    let merged = stored.flatMap { field -> [HTTPHeader] in
      let name = field.name.lowercased()
      return names.contains(name) ? waiting.removeValue(forKey: name) ?? [] : [field]
    }
    return merged + new.filter { waiting[$0.name.lowercased()] != nil }
  }

  /// Whether the kept answer may replace one that did not arrive: only if the service could not be
  /// reached in time. A service whose certificate is not trusted, or that breaks the protocol, may
  /// not be the one that gave the kept answer.
  static func mayStandIn(for error: APIError) -> Bool {
    switch error.kind {
    case .dns, .refused, .unreachable, .offline, .timeout: true
    default: false
    }
  }

  // MARK: Fields

  /// About 68 years, in seconds: a longer time is as good.
  private static let farthest: Int64 = 1 << 31

  /// What is no number is 0, what is beyond all numbers is `farthest`.
  private static func seconds(_ text: String?) -> Int64 {
    guard let text, !text.isEmpty,
      text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return 0 }
    return min(Int64(text) ?? farthest, farthest)
  }

  /// `Cache-Control` as names and values, in lower case and without quotes.
  private static func directives(_ headers: [HTTPHeader]) -> [String: String] {
    var directives: [String: String] = [:]
    for element in list(headers, "cache-control") {
      let parts = element.split(separator: "=", maxSplits: 1)
      guard let name = parts.first else { continue }
      let value = parts.count > 1 ? String(parts[1].filter { $0 != "\"" }) : ""
      // The first counts.
      if directives[String(name)] == nil { directives[String(name)] = value }
    }
    return directives
  }

  /// The elements of a field that is a list, over all of its lines, in lower case.
  private static func list(_ headers: [HTTPHeader], _ name: String) -> [String] {
    headers.filter { $0.name.lowercased() == name }
      .flatMap { $0.value.lowercased().split(separator: ",") }
      .map { $0.filter { $0 != " " && $0 != "\t" } }
  }
}

/// The date of HTTP: `Sun, 06 Nov 1994 08:49:37 GMT`. The two obsolete forms are not read.
package enum HTTPDate {
  /// Seconds since 1970; `nil` for what is no such date.
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
    let days = daysSince1970(year: Int64(year), month: Int64(month) + 1, day: Int64(day))
    return days * 86_400 + Int64(hour) * 3600 + Int64(minute) * 60 + Int64(second)
  }

  /// In the proleptic Gregorian calendar, counted in eras of 400 years that begin in March.
  private static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
