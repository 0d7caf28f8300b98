/// How a server is reached and trusted, where it is not as the machine's settings say.
public struct APIConnection: Sendable, Equatable {
  /// A PEM file with the authorities to trust instead of the client's.
  public var authorityFile: String?
  /// A PEM file with the certificate that the client shows.
  public var certificateFile: String?
  /// A PEM file with its key; `nil`: the key is in `certificateFile`.
  public var keyFile: String?
  /// Whether the server's certificate has to be trusted and to be for its host.
  public var verifiesServer = true
  /// The address of the proxy, instead of what the environment names.
  public var proxy: String?
  /// The path of the socket that is connected to, whatever the host.
  public var unixSocket: String?

  /// As the machine's settings say.
  public init() {}
}

/// A user's name and password.
///
/// The description shows the name only.
public struct APICredentials: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
  /// The user.
  public var user: String
  /// The password, which is in no text.
  public var password: String

  /// Holds both as they are.
  public init(user: String, password: String) {
    self.user = user
    self.password = password
  }

  public var description: String { user }
  public var customMirror: Mirror { Mirror(self, children: ["user": user]) }
}
