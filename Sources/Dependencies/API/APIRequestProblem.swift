/// Why a request could not be put together: nothing, or not all of it, was sent.
public enum APIRequestProblem: Error, Sendable, Equatable, Codable {
  /// A secret cannot be had: the keychain, or the terminal that asks for its passphrase.
  case keychain(KeychainError), terminal(TerminalError)
  /// A file of the body cannot be read.
  case file(FileError)
  /// The text in `place` has a mark in place of a secret; `nil` for a mark without a name.
  case mark(secret: String?, place: String)
  /// A secret is not text, or has control characters.
  case secretNotText(name: String), secretWithControls(name: String)
  /// A file that a member takes its text from is not text; a value is not JSON.
  case fileNotText(file: String, member: String), notJSON(member: String)

  /// What went wrong, for people, in one line.
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
      "the secret '\(name)' has control characters and cannot go into a request"
    case .fileNotText(let file, _): "the file \(file) is not UTF-8 text"
    case .notJSON(let member): "the value of \(member):= is not JSON"
    }
  }

  /// The error of a service that is the problem, or the problem itself.
  var base: any Error {
    switch self {
    case .keychain(let error): error
    case .terminal(let error): error
    case .file(let error): error
    default: self
    }
  }

  /// The problem of an error; `nil` for an error of another kind.
  init?(_ error: any Error) {
    switch error {
    case let error as APIRequestProblem: self = error
    case let error as KeychainError: self = .keychain(error)
    case let error as TerminalError: self = .terminal(error)
    case let error as FileError: self = .file(error)
    default: return nil
    }
  }

  /// - Throws: `mark` if the text holds a mark in place of a secret.
  static func refuseMarks(_ mark: RedactionMark.Kind?, in place: String) throws {
    switch mark {
    case .secret(let name): throw APIRequestProblem.mark(secret: name, place: place)
    case .redacted: throw APIRequestProblem.mark(secret: nil, place: place)
    case nil: break
    }
  }
}

extension APIError {
  /// The error of a request that could not be put together.
  init(_ problem: APIRequestProblem) {
    self.init(.unprepared, problem.message)
    self.problem = problem
  }
}
