import SwiftBoardSystem

/// Which request follows a redirect, by the rules of RFC 9110, 15.4, as browsers and curl apply
/// them.
enum Redirect {
  /// The address an answer sends to; nil if it is no redirect that can be followed.
  static func target(of head: ResponseHead, from address: URLBuilder) throws(APIError)
    -> URLBuilder?
  {
    guard [301, 302, 303, 307, 308].contains(head.status),
      let location = head.headers.value(of: "Location"), !location.isEmpty
    else { return nil }
    let scheme = location.prefix { !"/?#".contains($0) }.split(
      separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    if scheme.count == 2, !["http", "https"].contains(scheme[0].lowercased()),
      scheme[0].utf8.allSatisfy({ PercentEncoding.isUnreserved($0) || $0 == UInt8(ascii: "+") })
    {
      throw APIError(
        .malformed,
        """
        \(address.endpoint) redirects to the scheme "\(scheme[0].prefix(64))"; only http and https are followed. \
        Check the address and the service
        """)
    }
    do throws(APIError) {
      return try address.resolving(location)
    } catch {
      throw APIError(
        .malformed,
        "\(address.endpoint) redirects to an address that cannot be used: \(error.message)")
    }
  }

  /// 301 and 302 turn a POST into a GET, 303 turns everything but HEAD into one, 307 and 308 change
  /// nothing.
  ///
  /// If scheme, host or port change, `Authorization`, `Cookie`, every header that the caller marks
  /// as secret, and the query items of the new address that hold a secret are removed, for this and
  /// all further redirects.
  ///
  /// - Throws: `redirectRefused` where a secret would go to another scheme, host or port
  ///   nevertheless: in the body, or in the new address outside of its query.
  static func request(
    _ request: APIRequest, status: Int, from: URLBuilder, to: URLBuilder
  ) async throws(APIError) -> (request: APIRequest, address: URLBuilder) {
    var request = request
    // A long body is searched only where it may leave.
    if !from.hasSameOrigin(as: to), !becomesGet(request, status), let upload = request.upload,
      upload.isRepeatable, !request.hasSecretBody
    {
      request.hasSecretBody = await upload.holdsSecret()
    }
    return try next(request, status: status, from: from, to: to)
  }

  /// As `request`, for a body that is known.
  static func next(
    _ request: APIRequest, status: Int, from: URLBuilder, to: URLBuilder
  ) throws(APIError) -> (request: APIRequest, address: URLBuilder) {
    var next = request
    var address = to
    if becomesGet(request, status) {
      next.method = "GET"
      next.body = nil
      next.upload = nil
      next.hasSecretBody = false
      next.headers.removeAll { $0.name.lowercased().hasPrefix("content-") }
    }
    if let upload = next.upload, !upload.isRepeatable {
      throw refusal(
        from, to, CarriedSecrets(request.secretValues),
        "the body, which can be read only once, would be sent again")
    }
    if !from.hasSameOrigin(as: to) {
      next.digest = nil
      let secrets = CarriedSecrets(request.secretValues)
      if next.hasSecretBody, next.body?.isEmpty == false || next.upload != nil {
        throw refusal(from, to, secrets, "the body, which holds a secret, would be sent there")
      }
      let segments = to.path.split(separator: "/").map(String.init)
      if secrets.areHeld(inHost: to.host)
        || (segments + [to.path]).contains(where: { secrets.areHeld(in: $0) })
      {
        throw refusal(from, to, secrets, "the new address itself holds a secret")
      }
      address = to.droppingQueryItems { item in
        item.split(separator: "=", maxSplits: 1).contains { secrets.areHeld(in: String($0)) }
          || secrets.areHeld(in: String(item))
      }
      let secret = Set(request.secretHeaders.map { $0.lowercased() })
      // `Host` would name the old host; the proxy's credentials are for the proxy, which libcurl
      // configures itself.
      let dropped = secret.union(["authorization", "cookie", "proxy-authorization", "host"])
      next.headers.removeAll { dropped.contains($0.name.lowercased()) }
    }
    next.url = address.url
    return (next, address)
  }

  private static func becomesGet(_ request: APIRequest, _ status: Int) -> Bool {
    status == 303
      ? request.method != "HEAD" && request.method != "GET"
      : (status == 301 || status == 302) && request.method == "POST"
  }

  private static func refusal(
    _ from: URLBuilder, _ to: URLBuilder, _ secrets: CarriedSecrets, _ reason: String
  ) -> APIError {
    func shown(_ address: URLBuilder) -> String {
      if secrets.areHeld(inHost: address.host) { return "another host" }
      return secrets.areHeld(in: address.path) ? address.origin : address.origin + address.path
    }
    return APIError(
      .redirectRefused,
      """
      the redirect from \(shown(from)) to \(shown(to)) was not followed: \(reason). If it is the right place, send \
      the request to that address
      """)
  }
}

/// The secrets that a request carries, for finding them in the address that it is redirected to.
private struct CarriedSecrets {
  private let values: Set<String>
  /// Also finds secrets of six bytes and more in base64, hexadecimal and JSON.
  private let redactor = Redactor()
  /// What is left of the longer ones in the name of a host, which is in lower case: as they are and
  /// in base64.
  private let inHosts: [String]

  /// About 20 µs a value.
  init(_ values: Set<String>) {
    self.values = values.filter { !$0.isEmpty }
    var inHosts: [String] = []
    for value in values where value.utf8.count >= Redactor.shortestValue {
      redactor.registerSecret(Array(value.utf8), name: "secret")
      inHosts += [value, Data(value.utf8).base64EncodedString().filter { $0 != "=" }]
    }
    self.inHosts = inHosts.map { $0.lowercased() }
  }

  /// Whether an encoded part of an address holds a secret. One of fewer than six bytes has to be
  /// the whole part, for it may be in any text by chance.
  func areHeld(in part: String) -> Bool {
    guard !values.isEmpty else { return false }
    // A plus sign is a space in some queries and itself in others. An address inside another
    // address, such as the return address of a login, is encoded again.
    return [part, part.replacing("+", with: "%2B")].contains { text in
      var text = text
      for _ in 0..<4 {
        if isOne(text) { return true }
        let decoded = PercentEncoding.decoded(text[...])
        if decoded == text { return false }
        text = decoded
      }
      return isOne(text)
    }
  }

  /// Whether the name of a host, which is in lower case, holds a secret.
  func areHeld(inHost host: String) -> Bool {
    inHosts.contains { host.contains($0) } || !redactor.mask(host).names.isEmpty
  }

  private func isOne(_ text: String) -> Bool {
    values.contains(text) || !redactor.mask(text).names.isEmpty
      || values.contains { $0.utf8.count >= Redactor.shortestValue && text.contains($0) }
  }
}
