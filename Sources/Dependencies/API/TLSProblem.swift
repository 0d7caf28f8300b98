/// Why there is no secure connection, as far as the TLS library says so.
public enum TLSProblem: String, Sendable, Codable, CaseIterable {
  /// No known authority has signed the service's certificate.
  case unknownIssuer
  /// The certificate has ended, or has not begun.
  case outOfDate
  /// The certificate is for another host name.
  case otherHost
  /// The service wants a certificate of the client, or does not accept the one that was shown. With
  /// TLS 1.2, a service that knows none of the client's ciphers sends the same alert.
  case clientCertificate

  /// Returns the problem that a text of libcurl names, or `nil` if it names none. The texts are
  /// those of libcurl with OpenSSL, and with GnuTLS as far as it gives a reason.
  init?(libcurl text: String) {
    let text = text.lowercased()
    func has(_ parts: String...) -> Bool { parts.contains { text.contains($0) } }
    if has("expired", "not yet valid", "expiration date has passed", "not activated yet"),
      !has(" alert ")
    {
      self = .outOfDate
    } else if has("alternative certificate subject name", "does not match target host name") {
      self = .otherHost
    } else if has(" alert "),
      has("certificate", "unknown ca", "handshake failure", "access denied")
    {
      self = .clientCertificate
    } else if has("issuer", "self-signed", "self signed", "unable to verify the first certificate")
    {
      self = .unknownIssuer
    } else {
      return nil
    }
  }

  /// What to do, for a message. The words of a command line are not among it.
  ///
  /// - Parameter hasCertificate: Whether a certificate of the client was shown.
  func advice(hasCertificate: Bool) -> String {
    switch self {
    case .unknownIssuer:
      "If the certificate is your own, set SSL_CERT_FILE or CURL_CA_BUNDLE to a file with the "
        + "authority that signed it."
    case .outOfDate: "The service has to renew it, unless the clock of this machine is wrong."
    case .otherHost: "Check the address: the certificate belongs to another name."
    case .clientCertificate:
      hasCertificate
        ? "The service does not accept the certificate that was shown."
        : "The service may want a certificate of the client."
    }
  }
}
