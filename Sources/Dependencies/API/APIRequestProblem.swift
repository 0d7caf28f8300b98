/// The reason why a request could not be assembled. It was not sent, or not completely.
public enum APIRequestProblem: Error, Sendable, Equatable, Codable {
  /// A secret is unavailable: the keychain, or the terminal that asks for its passphrase, failed.
  case keychain(KeychainError), terminal(TerminalError)
  /// A file of the body cannot be read.
  case file(FileError)
  /// A mark replaces a secret in the text at `place`. `secret` is `nil` for a mark without a name.
  case mark(secret: String?, place: String)
  /// A secret is not text, or contains control characters that the address or a header cannot have.
  case secretNotText(name: String), secretWithControls(name: String)
  /// A secret contains characters that a JSON string escapes, and would be inserted unchanged.
  case secretNeedsEscape(name: String)
  /// The file of a text member does not contain text.
  case fileNotText(file: String, member: String)
  /// A value is not JSON. `place` is where, and `file` the file that contains it; both are `nil` in
  /// earlier recordings.
  case notJSON(member: String, place: String? = nil, file: String? = nil)

  /// The problem, for users, in one line.
  public var message: String {
    switch self {
    case .keychain(let error): error.message
    case .terminal(let error): error.message
    case .file(let error): error.message
    case .mark(let secret?, let place):
      "\(place) holds the secret '\(secret)' in place of its value"
    case .mark(nil, let place): "\(place) holds \(RedactionMark.redacted) in place of a value"
    case .secretNotText(let name):
      "the secret '\(name)' is not text and cannot go into a request"
    case .secretWithControls(let name):
      "the secret '\(name)' has control characters, such as line breaks, and cannot go into an "
        + "address or a header"
    case .secretNeedsEscape(let name):
      "the secret '\(name)' has characters that JSON escapes, and would be inserted as it is"
    case .fileNotText(let file, _): "the file \(file) is not UTF-8 text"
    case .notJSON(let member, let place, let file):
      (file.map { "the file \($0) for \(member):=" } ?? "the value of \(member):=") + " is not JSON"
        + (place.map { " (\($0))" } ?? "")
    }
  }

  /// The underlying error of a service, or the problem itself.
  var base: any Error {
    switch self {
    case .keychain(let error): error
    case .terminal(let error): error
    case .file(let error): error
    default: self
    }
  }

  /// Creates the problem for an error, or returns `nil` if the error is of another kind.
  init?(_ error: any Error) {
    switch error {
    case let error as APIRequestProblem: self = error
    case let error as KeychainError: self = .keychain(error)
    case let error as TerminalError: self = .terminal(error)
    case let error as FileError: self = .file(error)
    default: return nil
    }
  }

  /// - Throws: `mark` if there is a mark, which replaces a secret.
  static func refuseMarks(_ mark: RedactionMark.Kind?, in place: String) throws {
    switch mark {
    case .secret(let name): throw APIRequestProblem.mark(secret: name, place: place)
    case .redacted: throw APIRequestProblem.mark(secret: nil, place: place)
    case nil: break
    }
  }
}

extension APIError {
  /// Creates the error of a request that could not be assembled.
  init(_ problem: APIRequestProblem) {
    self.init(.unprepared, problem.message)
    self.problem = problem
  }
}
