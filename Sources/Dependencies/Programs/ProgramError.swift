/// The error of a program that manages media or downloads.
///
/// The error contains the kind and the server. The caller provides the message for users and the
/// exit code.
public struct ProgramError: UncertainChange, Sendable, Equatable {
  /// The kind of the error.
  public enum Kind: Sendable, Equatable {
    /// There was no response.
    case api(APIError)
    /// The key of the service could not be read.
    case keychain(KeychainError)
    /// The passphrase of the keychain could not be asked for.
    case terminal(TerminalError)
    /// The secret is not text that a request can contain.
    case unusableKey(secret: String)
    /// The program refuses the key, or `nil` if none was sent.
    case wrongKey(secret: String?)
    /// An unidentified server refuses the key.
    case refusedKey(secret: String)
    /// The program refuses the request whatever its key is, with the given reason. Without a
    /// reason, the cause may be the key as well.
    case denied(reason: String?)
    /// Another program responds, with its name if it is known.
    case wrongProgram(found: String?)
    /// The server responds, but the API is not at this address.
    case wrongPath
    /// The server redirects to another address, given without its query.
    case redirected(to: String)
    /// The server redirects to another path at the same origin, such as that of a login page. The
    /// path may contain a secret.
    case redirectedWithin(origin: String)
    /// The server responds with a page that is not the program's, such as a login.
    case page(title: String)
    /// The program has no item with this identifier.
    case missing(id: String)
    /// The program's queue has no download with this identifier, or with any of several.
    case notQueued(id: String)
    /// The item already exists.
    case exists
    /// The program rejects the request, with the given reasons.
    case refused(reasons: [String])
    /// The response has a status that the API does not use. The program may give a reason.
    case status(Int, reason: String? = nil)
    /// The response does not have the format of the API. `path` is the invalid member,
    /// empty if the response is not JSON, `[]` if it is JSON but no array, and `{}` if it is not
    /// the empty object.
    case undecodable(path: String)
    /// A mock has no content for the service. The message explains how to set it.
    case unanswered(String)
  }

  /// The kind of the error.
  public var kind: Kind
  /// The program, for example `Radarr`.
  public var program: String
  /// The name of the service.
  public var service: String
  /// The address of the service.
  public var address: String
  /// The proxy that may have answered in place of the program, or `nil` for none: see
  /// `APIResponse.proxy`.
  public var proxy: String?
  /// Whether the request asked for a change.
  public var isOfChange = false

  /// An error of a program.
  public init(_ kind: Kind, program: String, service: String, address: String = "") {
    self.kind = kind
    self.program = program
    self.service = service
    self.address = address
  }

  /// Whether the program may have made the change that was asked for.
  public var mayHaveChanged: Bool {
    switch kind {
    case .api(let error): error.mayHaveArrived
    case .status, .page, .undecodable, .unanswered: true
    case .keychain, .terminal, .unusableKey, .wrongKey, .refusedKey, .denied, .wrongProgram,
      .wrongPath, .redirected, .redirectedWithin, .missing, .notQueued, .exists, .refused:
      false
    }
  }

  /// Whether the same request may succeed a moment later.
  public var isTemporary: Bool {
    switch kind {
    case .api(let error): error.isTemporary
    case .status(let status, _): [429, 502, 503, 504].contains(status)
    default: false
    }
  }
}
