import SwiftBoardSystem

/// The proxies that variables of the environment name, and the hosts that are reached without one.
///
/// libcurl could read the same variables, but only its newest versions say which proxy they used,
/// and errors have to name it.
struct ProxySettings: Sendable, Equatable {
  private var plain: UsedProxy?
  private var secure: UsedProxy?
  private var exceptions: [String] = []

  /// The variables that name a proxy, by scheme and for both. They do not include `HTTP_PROXY`,
  /// which a server sets from a header of a request.
  private static let plainVariables = ["http_proxy"]
  private static let secureVariables = ["https_proxy", "HTTPS_PROXY"]
  private static let commonVariables = ["all_proxy", "ALL_PROXY"]
  static let variables = plainVariables + secureVariables + commonVariables

  /// Creates the settings of an environment.
  ///
  /// - Parameter variable: Returns the value of a variable, or `nil` if it is unset or empty.
  init(_ variable: (String) -> String?) {
    func proxy(_ names: [String]) -> UsedProxy? {
      for name in names + Self.commonVariables {
        if let url = variable(name) { return UsedProxy(url: url, variable: name) }
      }
      return nil
    }
    plain = proxy(Self.plainVariables)
    secure = proxy(Self.secureVariables)
    guard let list = variable("no_proxy") ?? variable("NO_PROXY") else { return }
    exceptions = list.lowercased().split { $0 == "," || $0.isWhitespace }.map(String.init)
  }

  /// Returns the proxy of a request, or `nil` if it is sent to the server itself.
  func proxy(for address: URLBuilder, _ connection: APIConnection) -> UsedProxy? {
    let configured =
      connection.proxy.map { UsedProxy(url: $0, variable: nil) }
      ?? (address.scheme == "http" ? plain : secure)
    guard let configured, connection.unixSocket == nil, !isException(address.host) else {
      return nil
    }
    return configured
  }

  /// Returns whether a host is reached without a proxy: by its name, that of a domain above it, its
  /// address, or a block of addresses such as `10.0.0.0/8`.
  private func isException(_ host: String) -> Bool {
    let host = Self.trimmed(host)
    let address = Self.bytes(of: host)
    return exceptions.contains { entry in
      if entry == "*" { return true }
      let parts = entry.split(separator: "/", maxSplits: 1)
      let name = Self.trimmed(parts.first.map(String.init) ?? "")
      guard let address else {
        return !name.isEmpty && (host == name || host.hasSuffix(".\(name)"))
      }
      guard let block = Self.bytes(of: name), block.count == address.count else { return false }
      let length = parts.count > 1 ? Int(parts[1]) ?? -1 : block.count * 8
      return (0...block.count * 8).contains(length)
        && zip(address, block).enumerated().allSatisfy { index, bytes in
          let bits = min(max(0, length - index * 8), 8)
          return (bytes.0 ^ bytes.1) >> (8 - bits) == 0
        }
    }
  }

  /// Removes the dots around a name, and the brackets and the zone of an IPv6 address.
  private static func trimmed(_ host: String) -> String {
    guard !host.hasPrefix("[") else {
      return String(host.dropFirst().prefix { $0 != "]" && $0 != "%" })
    }
    let host = host.hasSuffix(".") ? host.dropLast() : host[...]
    return String(host.hasPrefix(".") ? host.dropFirst() : host)
  }

  /// Returns the bytes of an IP address, or `nil` if it is none.
  private static func bytes(of text: String) -> [UInt8]? {
    var short = in_addr()
    if inet_aton(text, &short) != 0 { return withUnsafeBytes(of: short) { [UInt8]($0) } }
    var long = in6_addr()
    guard inet_pton(AF_INET6, text, &long) == 1 else { return nil }
    return withUnsafeBytes(of: long) { [UInt8]($0) }
  }
}

/// The proxy of a request. The description has no user name and no password.
struct UsedProxy: Sendable, Equatable, CustomStringConvertible {
  /// The address as libcurl takes it: `HOST:PORT` or a URL, possibly with a user and a password.
  let url: String
  /// The variable that names it, or `nil` if the request does.
  let variable: String?

  /// The scheme in lower case.
  var scheme: String { schemeEnd.map { url[..<$0.lowerBound].lowercased() } ?? "http" }

  /// The `://` behind the scheme. In an address without one, a password may contain the same.
  private var schemeEnd: Range<String.Index>? {
    guard ServiceAddress.isAddress(url) else { return nil }
    return url.firstRange(of: "://")
  }

  /// The parts of the address behind its scheme: the user and the password, and the host with its
  /// port. A password may contain any character, so its end is searched for from behind.
  private var parts: (login: Substring, host: Substring) {
    let rest = url[(schemeEnd?.upperBound ?? url.startIndex)...]
    guard let end = rest.lastIndex(of: "@") else {
      return ("", rest.prefix { !"/?#".contains($0) })
    }
    return (rest[..<end], rest[rest.index(after: end)...].prefix { !"/?#".contains($0) })
  }

  /// The reason why libcurl cannot use the address, or `nil` if it can. It repeats no part of the
  /// address, because in a wrong one a password may be in any place.
  var problem: String? {
    let (login, place) = parts
    let schemes = APIConnection.proxySchemes
    guard (schemes + ["socks"]).contains(scheme) else {
      return "its scheme is none of \(schemes.joined(separator: ", "))"
    }
    if url.unicodeScalars.contains(where: {
      $0.properties.isWhitespace || $0.properties.generalCategory == .control
    }) {
      return "it has a blank or a control character"
    }
    if login.contains(where: { "/?#".contains($0) }) {
      return "its user name or password has a /, a ? or a #, which has to be percent-encoded"
    }
    var host = place
    // The colons of an IPv6 address are in brackets.
    if let colon = place.lastIndex(of: ":"), !place[colon...].contains("]") {
      host = place[..<colon]
      let port = place[place.index(after: colon)...]
      // Without a number behind the colon, the port is that of the scheme.
      guard
        port.isEmpty
          || port.utf8.allSatisfy({ (0x30...0x39).contains($0) })
            && (1...65535).contains(Int(port) ?? 0)
      else { return "its port is not a number from 1 to 65535" }
    }
    if host.isEmpty { return "it has no host" }
    if !host.utf8.allSatisfy({ $0 < 0x80 }) {
      return "its host is not ASCII: write it in the form xn--"
    }
    return (try? URLBuilder("http://\(host)")) == nil
      ? "its host has a character that no host name has" : nil
  }

  /// The error of an address that cannot be used, with its variable; `nil` if it can.
  var addressError: APIError? {
    problem.map {
      let place = variable.map { " in \($0)" } ?? ""
      return APIError(.invalidProxy, "the address of the proxy\(place) cannot be used: \($0)")
    }
  }

  /// Whether the address has a user or a password.
  var hasLogin: Bool { url.contains("@") }

  /// Whether it answers in HTTP. One of SOCKS does not.
  var speaksHTTP: Bool { scheme == "http" || scheme == "https" }

  /// The URL without credentials, and its variable, for example
  /// `http://127.0.0.1:3128 (http_proxy)`.
  var description: String {
    "\(scheme)://\(parts.host)" + (variable.map { " (\($0))" } ?? "")
  }
}

extension APIConnection {
  /// Returns the reason why the address of a proxy cannot be used, or `nil` if it can. It repeats
  /// no part of the address.
  package static func problem(ofProxy url: String) -> String? {
    UsedProxy(url: url, variable: nil).problem
  }
}
