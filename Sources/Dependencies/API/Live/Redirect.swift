import SwiftBoardSystem

/// The rules for the request that follows a redirect: RFC 9110, 15.4, as browsers and curl apply
/// it.
enum Redirect {
  /// The statuses of redirects that can be followed.
  fileprivate static let statuses: Set = [301, 302, 303, 307, 308]

  /// Returns the target of a redirect, or `nil` if the response is not a redirect that can be
  /// followed.
  ///
  /// - Parameters:
  ///   - secretValues: The secrets of the request.
  ///   - redactor: Has the known secrets.
  /// - Throws: `malformed` if the target is not an `http` or `https` URL, or `redirectRefused` if
  ///   it holds a secret too. The message has no part of the secret.
  static func target(
    of head: ResponseHead, from address: URLBuilder, _ secretValues: Set<String>,
    _ redactor: Redactor
  ) throws(APIError) -> URLBuilder? {
    guard statuses.contains(head.status),
      let location = head.location, !location.isEmpty
    else { return nil }
    do throws(APIError) { return try target(location, from: address) } catch {
      let secrets = RedirectSecrets(secretValues, redactor)
      guard secrets.areHeld(in: location) || secrets.areHeld(inHost: location.lowercased()) else {
        throw error
      }
      throw APIError(
        .redirectRefused,
        """
        the redirect from \(secrets.shown(address, as: address.url)) to an address that holds a secret was not \
        followed: the address cannot be used. Check the address and the service
        """)
    }
  }

  private static func target(
    _ location: String, from address: URLBuilder
  ) throws(APIError) -> URLBuilder {
    if let scheme = foreignScheme(of: location) {
      throw APIError(
        .malformed,
        """
        \(address.endpoint) redirects to the scheme "\(scheme.prefix(64))"; only http and https are followed. \
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

  /// Returns the scheme of a target if it is not one that is followed.
  private static func foreignScheme(of location: String) -> Substring? {
    let parts = location.prefix { !"/?#".contains($0) }.split(
      separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !["http", "https"].contains(parts[0].lowercased()),
      parts[0].utf8.allSatisfy({ PercentEncoding.isUnreserved($0) || $0 == UInt8(ascii: "+") })
    else { return nil }
    return parts[0]
  }

  /// Returns the request that follows a redirect, and its URL.
  ///
  /// 301 and 302 change a POST into a GET. 303 changes every method but HEAD into a GET. 307 and
  /// 308 change nothing. Conditions for a cached response are removed.
  ///
  /// If scheme, host or port change, `Authorization`, `Cookie`, every secret header, and the query
  /// items of the target that contain a secret are removed, for this redirect and all further ones.
  /// A service may have put a secret there that is not in the request's address or headers, but in
  /// its body, or in none of them.
  ///
  /// - Parameters:
  ///   - location: The target as the service wrote it. It may hold a secret of which `to` has only
  ///     a part.
  ///   - redactor: Has the known secrets.
  /// - Throws: `redirectRefused` if a secret would still reach another scheme, host or port: in the
  ///   body, or in the target outside the items of its query.
  static func request(
    _ request: APIRequest, status: Int, from: URLBuilder, to: URLBuilder, location: String,
    _ redactor: Redactor
  ) async throws(APIError) -> (request: APIRequest, address: URLBuilder) {
    var request = request
    // Search an upload for secrets only if it would be sent to another origin.
    if !from.hasSameOrigin(as: to), !becomesGet(request, status), let upload = request.upload,
      upload.isRepeatable, !request.hasSecretBody
    {
      request.hasSecretBody = await upload.holdsSecret()
    }
    return try next(request, status: status, from: from, to: to, location: location, redactor)
  }

  /// Returns the request that follows a redirect, without searching an upload for secrets.
  static func next(
    _ request: APIRequest, status: Int, from: URLBuilder, to: URLBuilder, location: String? = nil,
    _ redactor: Redactor = Redactor()
  ) throws(APIError) -> (request: APIRequest, address: URLBuilder) {
    var next = request
    var address = to
    if becomesGet(request, status) {
      next.method = "GET"
      next.body = nil
      next.upload = nil
      next.hasSecretBody = false
      next.headers.removeAll {
        let name = $0.name.lowercased()
        return name.hasPrefix("content-") || name == "expect"
      }
    }
    if next.confirmsCached {
      next.headers.removeAll { $0.isNamed("if-none-match") || $0.isNamed("if-modified-since") }
    }
    func refusal(_ reason: String) -> APIError {
      Self.refusal(from, to, location, RedirectSecrets(request.secretValues, redactor), reason)
    }
    if let upload = next.upload, !upload.isRepeatable {
      throw refusal("the body, which can be read only once, would be sent again")
    }
    if !from.hasSameOrigin(as: to) {
      next.digest = nil
      let secrets = RedirectSecrets(request.secretValues, redactor)
      if next.hasSecretBody, next.body?.isEmpty == false || next.upload != nil {
        throw refusal("the body, which holds a secret, would be sent there")
      }
      address = to.droppingQueryItems(where: secrets.areHeld(inItem:))
      // A secret may have the signs that separate the parts of an address.
      let written = secrets.droppingItems(of: location ?? to.url)
      if secrets.areHeld(fromHostOf: written) || secrets.areHeld(inHost: to.host)
        || secrets.areHeld(inPath: to.path) || secrets.areHeld(in: address.url)
        || secrets.areHeld(in: written)
      {
        throw refusal("the new address itself holds a secret")
      }
      let secret = Set(request.secretHeaders.map { $0.lowercased() })
      // `Host` names the old host. The proxy's credentials are for the proxy, which libcurl
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

  /// - Parameter location: `to` as the service wrote it, if known.
  private static func refusal(
    _ from: URLBuilder, _ to: URLBuilder, _ location: String?, _ secrets: RedirectSecrets,
    _ reason: String
  ) -> APIError {
    let (from, to) = (secrets.shown(from, as: from.url), secrets.shown(to, as: location ?? to.url))
    return APIError(
      .redirectRefused,
      """
      the redirect from \(from) to \(to) was not followed: \(reason). If it is the right place, send \
      the request to that address
      """)
  }
}

extension APIAnswer {
  /// Whether the answer is a redirect that `APIRequest.redirectLimit` lets a client follow.
  package var canBeFollowed: Bool {
    guard Redirect.statuses.contains(status), let location = headers.value(of: "Location") else {
      return false
    }
    return !location.isEmpty && (try? URLBuilder(url).resolving(location)) != nil
  }
}
