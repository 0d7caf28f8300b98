/// The parts of a request that are replaced when it is sent: secrets, given by name, and files,
/// given by path. `ResolvingAPIClient` replaces them.
public struct APIReferences: Sendable, Equatable {
  /// The URL with references. The request's own `url` is safe to display.
  public var url: SecretText?
  /// The values of headers, by position in the request's `headers`.
  public var headers: [Int: SecretText] = [:]
  /// The body.
  public var content: APIContent?
  /// Whether the transfer of the body has no time limit as long as bytes are transferred.
  public var mayTakeLong = false
  /// The credentials for a Digest challenge.
  public var digest: Digest?

  /// A user, and the name of the secret with the password.
  public struct Digest: Sendable, Equatable {
    /// The user's name.
    public var user: String
    /// The name of the secret.
    public var secret: String

    /// Creates credentials whose password is named.
    public init(user: String, secret: String) {
      self.user = user
      self.secret = secret
    }
  }

  /// Creates references for a body only.
  public init(content: APIContent? = nil) { self.content = content }
}

/// A body that is assembled when it is sent.
public struct APIContent: Sendable, Equatable {
  /// A source of bytes or text.
  public enum Value: Sendable, Equatable {
    /// Text, or text that must be JSON.
    case text(SecretText), json(SecretText)
    /// A file that contains text, or JSON. Messages call it `shown`.
    case textFile(path: SecretText, shown: String), jsonFile(path: SecretText, shown: String)
    /// A file that is sent unchanged, with its media type if known.
    case file(path: SecretText, shown: String, type: String?)
  }

  /// A named part of the body.
  public struct Member: Sendable, Equatable {
    /// Its name.
    public var name: String
    /// Its content.
    public var value: Value
    /// Whether the name is a path into a JSON body, as in HTTPie: `a[b]`, `a[]`, `a[0]`. Other
    /// bodies have it as it is.
    public var isPath: Bool

    /// Creates a member.
    public init(name: String, value: Value, isPath: Bool = false) {
      self.name = name
      self.value = value
      self.isPath = isPath
    }
  }

  /// The form of the body.
  public enum Form: Sendable, Equatable {
    /// A single value without a name, a JSON object, or `application/x-www-form-urlencoded`.
    case whole(Value), json, urlEncoded
    /// `multipart/form-data` with this boundary.
    case multipart(boundary: String)
  }

  /// The form of the body.
  public var form: Form
  /// The members, none for `whole`.
  public var members: [Member]

  /// Creates a body.
  public init(_ form: Form, members: [Member] = []) {
    self.form = form
    self.members = members
  }
}

extension APIRequest {
  /// Throws if the request contains references, so that names are never sent instead of secrets.
  func checkReferences() throws(APIError) {
    guard references == nil else {
      throw APIError(
        .unprepared, "the request names secrets or files: send it with a ResolvingAPIClient")
    }
  }
}
