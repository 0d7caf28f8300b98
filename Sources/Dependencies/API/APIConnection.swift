/// The settings for reaching and verifying a server that differ from those of the machine.
public struct APIConnection: Sendable, Equatable {
  /// A PEM file with the authorities to trust, in place of the client's.
  public var authorityFile: String?
  /// A PEM file with the client's own certificate.
  public var certificateFile: String?
  /// A PEM file with the key of that certificate. If it is `nil`, the key is in `certificateFile`.
  public var keyFile: String?
  /// Whether the server's certificate must be trusted and valid for the host.
  public var verifiesServer = true
  /// The URL of a proxy, in place of the one from the environment.
  public var proxy: String?
  /// The path of a Unix socket to connect to, regardless of the host.
  public var unixSocket: String?

  /// The schemes that the URL of a proxy may have.
  package static let proxySchemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

  /// Creates a connection with the settings of the machine.
  public init() {}
}

/// A user name and password.
///
/// The description contains the name only.
public struct APICredentials: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
  /// The user name.
  public var user: String
  /// The password. The description does not contain it.
  public var password: String

  /// Creates credentials. Nothing is checked.
  public init(user: String, password: String) {
    self.user = user
    self.password = password
  }

  /// The user name.
  public var description: String { user }
  /// A mirror with the user name only.
  public var customMirror: Mirror { Mirror(self, children: ["user": user]) }
}
