/// The secrets of a request and the known ones, to be searched for in the target of a redirect.
struct RedirectSecrets {
  private let values: Set<String>
  private let known: Redactor
  /// Also finds secrets of at least six bytes in base64, hexadecimal and JSON.
  private let redactor = Redactor()

  /// Registers the values. Takes about 40 µs per value.
  init(_ values: Set<String>, _ known: Redactor) {
    self.known = known
    self.values = values.filter { !$0.isEmpty }
    for value in values where value.utf8.count >= Redactor.shortestValue {
      redactor.registerSecret(Array(value.utf8), name: "secret")
    }
  }

  /// Returns whether an encoded part of a URL contains a secret. A secret of fewer than six bytes
  /// must be the whole part, because any text may contain it by chance.
  func areHeld(in part: String) -> Bool {
    guard !values.isEmpty || known.hasSecrets else { return false }
    // A plus sign is a space in some queries and itself in others. A URL inside another URL, such
    // as the return address of a login, is encoded twice.
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

  /// Returns whether a path or one of its segments contains a secret.
  func areHeld(inPath path: String) -> Bool {
    areHeld(in: path) || path.split(separator: "/").contains { areHeld(in: String($0)) }
  }

  /// Returns whether a host name, which is in lower case, contains a secret.
  func areHeld(inHost host: String) -> Bool {
    [redactor, known].contains { !$0.mask(address: host).names.isEmpty }
  }

  /// Returns whether a secret begins in the host of a URL, or before it. It may be in lower case.
  func areHeld(fromHostOf url: String) -> Bool {
    let text = url.lowercased()
    return areHeld(inHost: text) && !areHeld(inHost: Self.behindHost(of: text))
  }

  private static func behindHost(of url: String) -> String {
    let start = url.firstRange(of: "//")?.upperBound ?? url.startIndex
    return String(url[start...].drop { !"/?#".contains($0) })
  }

  /// Returns whether an item of a query, its name or its value contains a secret.
  func areHeld(inItem item: Substring) -> Bool {
    item.split(separator: "=", maxSplits: 1).contains { areHeld(in: String($0)) }
      || areHeld(in: String(item))
  }

  /// Returns a URL without the items of its query that contain a secret, and without a fragment
  /// that contains one, since it is never sent.
  func droppingItems(of url: String) -> String {
    func parts(_ text: Substring, _ separator: Unicode.Scalar, _ maxSplits: Int) -> [Substring] {
      text.utf8.split(
        separator: UInt8(ascii: separator), maxSplits: maxSplits, omittingEmptySubsequences: false
      ).map(Substring.init)
    }
    func kept(_ query: Substring) -> String {
      parts(query, "&", .max).filter { !areHeld(inItem: $0) }.joined(separator: "&")
    }
    let ends = parts(url[...], "#", 1)
    let starts = parts(ends[0], "?", 1)
    return starts[0] + starts.dropFirst().map { "?" + kept($0) }.joined()
      + ends.dropFirst().filter { !areHeld(in: String($0)) }.map { "#" + $0 }.joined()
  }

  /// Returns the beginning of an address for messages, without any part of a secret.
  ///
  /// - Parameter written: The address as a service wrote it.
  func shown(_ address: URLBuilder, as written: String) -> String {
    let texts = [address.url, written].map(droppingItems)
    let ends = texts.map(Self.behindHost)
    let isInEnd = areHeld(inPath: address.path) || ends.contains(where: areHeld(in:))
    if areHeld(inHost: address.host) || texts.contains(where: areHeld(fromHostOf:))
      || !isInEnd && texts.contains(where: areHeld(in:))
    {
      return "another host"
    }
    return isInEnd ? address.origin : address.origin + address.path
  }

  private func isOne(_ text: String) -> Bool {
    values.contains(text) || [redactor, known].contains { !$0.mask(text).names.isEmpty }
      || values.contains { $0.utf8.count >= Redactor.shortestValue && text.contains($0) }
  }
}
