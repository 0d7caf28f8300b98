/// Which request follows a redirect, by the rules of RFC 9110, 15.4, as browsers and curl apply them.
enum Redirect {
  /// The address an answer sends to; nil where it is no redirect that can be followed.
  static func target(of head: ResponseHead, from address: URLBuilder) throws(APIError)
    -> URLBuilder?
  {
    guard [301, 302, 303, 307, 308].contains(head.status),
      let location = head.headers.value(of: "Location"), !location.isEmpty
    else { return nil }
    do throws(APIError) {
      return try address.resolving(location)
    } catch {
      throw APIError(
        error.kind == .unsupportedScheme ? .unsupportedScheme : .malformed,
        "\(address.endpoint) redirects to an address that cannot be used: \(error.message)")
    }
  }

  /// 301 and 302 turn a POST into a GET, 303 turns everything but HEAD into one, 307 and 308 change nothing.
  ///
  /// Where scheme, host or port change, `Authorization`, `Cookie` and every header the caller calls secret stay behind, for
  /// this and all further redirects.
  static func request(
    _ request: APIRequest, status: Int, from: URLBuilder, to: URLBuilder
  ) -> APIRequest {
    var next = request
    next.url = to.url
    let becomesGet =
      status == 303
      ? request.method != "HEAD" && request.method != "GET"
      : (status == 301 || status == 302) && request.method == "POST"
    if becomesGet {
      next.method = "GET"
      next.body = nil
      next.headers.removeAll { $0.name.lowercased().hasPrefix("content-") }
    }
    if !from.hasSameOrigin(as: to) {
      let secret = Set(request.secretHeaders.map { $0.lowercased() })
      // `Host` would name the old host; the proxy's credentials are for the proxy, which libcurl configures itself.
      let dropped = secret.union(["authorization", "cookie", "proxy-authorization", "host"])
      next.headers.removeAll { dropped.contains($0.name.lowercased()) }
    }
    return next
  }
}
