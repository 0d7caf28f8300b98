/// The reason why there is no secure connection, as far as the TLS library reports it.
public enum TLSProblem: String, Sendable, Codable, CaseIterable {
  /// No known authority has signed the service's certificate.
  case unknownIssuer
  /// The certificate has expired or is not valid yet.
  case outOfDate
  /// The certificate is for another host name.
  case otherHost
  /// The service requires a client certificate, or rejects the given one. With TLS 1.2, a service
  /// that supports none of the client's ciphers sends the same alert.
  case clientCertificate
  /// The key of the client certificate is encrypted. Its passphrase is never asked for.
  case encryptedKey

  /// Creates the problem that a message of libcurl describes, or returns `nil` if it describes
  /// none. Supports the messages of OpenSSL, and those of GnuTLS that contain a reason.
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

  /// Returns advice for a message, without commands or options.
  ///
  /// - Parameter connection: The files that the request named.
  func advice(for connection: APIConnection) -> String {
    switch self {
    case .unknownIssuer:
      "If the certificate is your own, "
        + (connection.authorityFile.map { "put the authority that signed it into \($0)." }
          ?? "set \(LiveAPIClient.Configuration.fileVariable) to a file with the authority that "
          + "signed it.")
    case .outOfDate: "Its owner has to renew it, unless the clock of this machine is wrong."
    case .otherHost: "Check the address: the certificate belongs to another name."
    case .clientCertificate:
      connection.certificateFile != nil
        ? "The service does not accept the certificate that was shown."
        : "The service may want a certificate of the client."
    case .encryptedKey: "Decrypt the key into a file that only you can read."
    }
  }
}
