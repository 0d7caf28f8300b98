/// What an address has to have.
package enum ServiceAddress {
  /// The problem with an address, in words; `nil` if it can be asked.
  package static func problem(_ url: String) -> String? {
    let parts = url.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      return "'\(url)' is not an address: it has no http:// or https://"
    }
    let scheme = parts[0].lowercased()
    guard scheme == "http" || scheme == "https" else {
      return "'\(scheme)' is not spoken here; http and https are"
    }
    let rest = parts[1]
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    if authority.contains("@") {
      return
        "the address holds a user or password; name a secret with --auth basic:USER:{{secret:N}} instead"
    }
    let host = authority.hasPrefix("[") ? authority : authority.prefix { $0 != ":" }
    if host.isEmpty { return "the address has no host" }
    if url.unicodeScalars.contains(where: { $0.value <= 0x20 || $0.value == 0x7F }) {
      return "the address has a space or a control character; write it as %20"
    }
    return nil
  }
}
