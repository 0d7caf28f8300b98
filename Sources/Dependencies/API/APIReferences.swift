/// What of a request stands for something else until it is sent: secrets by their names, and files
/// by their paths. `ResolvingAPIClient` replaces it.
public struct APIReferences: Sendable, Equatable {
  /// The address; the request's own `url` is what may be shown of it.
  public var url: SecretText?
  /// Values of headers, by their positions in the request's `headers`.
  public var headers: [Int: SecretText] = [:]
  /// The body.
  public var content: APIContent?
  /// Whether a body of any length may take as long as it likes, as long as it goes on.
  public var mayTakeLong = false
  /// The user and the name of the secret that answer a challenge of the scheme Digest.
  public var digest: Digest?

  /// A user and the name of a secret.
  public struct Digest: Sendable, Equatable {
    /// The user's name.
    public var user: String
    /// The name of the secret.
    public var secret: String

    /// Credentials by name.
    public init(user: String, secret: String) {
      self.user = user
      self.secret = secret
    }
  }

  /// No references, but for a body.
  public init(content: APIContent? = nil) { self.content = content }
}

/// A body that is put together when it is sent.
public struct APIContent: Sendable, Equatable {
  /// A source of bytes or text.
  public enum Value: Sendable, Equatable {
    /// Text; text that is JSON.
    case text(SecretText), json(SecretText)
    /// A file with text, and one with JSON. `shown` is what messages call it.
    case textFile(path: SecretText, shown: String), jsonFile(path: SecretText, shown: String)
    /// A file as it is, with its type, if it is known.
    case file(path: SecretText, shown: String, type: String?)
  }

  /// A named part of the body.
  public struct Member: Sendable, Equatable {
    /// Its name.
    public var name: String
    /// Its content.
    public var value: Value

    /// A part from its name and its content.
    public init(name: String, value: Value) {
      self.name = name
      self.value = value
    }
  }

  /// The form of the body.
  public enum Form: Sendable, Equatable {
    /// One value without a name; an object in JSON; `application/x-www-form-urlencoded`.
    case whole(Value), json, urlEncoded
    /// `multipart/form-data` with this text between its parts.
    case multipart(boundary: String)
  }

  /// The form of the body.
  public var form: Form
  /// Its parts; none for `whole`.
  public var members: [Member]

  /// A body from its parts.
  public init(_ form: Form, members: [Member] = []) {
    self.form = form
    self.members = members
  }
}

extension APIRequest {
  /// Refuses a request that is not complete, instead of sending names in place of secrets.
  func checkReferences() throws(APIError) {
    guard references == nil else {
      throw APIError(
        .unprepared, "the request names secrets or files: send it with a ResolvingAPIClient")
    }
  }
}
