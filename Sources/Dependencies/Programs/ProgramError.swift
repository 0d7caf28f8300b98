/// The error of a program that manages media or downloads.
///
/// It says what went wrong and where. The words for people, and the exit codes, are the caller's.
public struct ProgramError: Error, Sendable, Equatable {
  /// What went wrong.
  public enum Kind: Sendable, Equatable {
    /// There is no answer.
    case api(APIError)
    /// The key of the service could not be read.
    case keychain(KeychainError)
    /// The passphrase of the keychain could not be asked for.
    case terminal(TerminalError)
    /// The secret is not text that a request can hold.
    case unusableKey(secret: String)
    /// The program refuses the key; `nil`: none was sent.
    case wrongKey(secret: String?)
    /// Something refuses the key, and does not say whether it is the program.
    case refusedKey(secret: String)
    /// Another program answers; its name, if it says one.
    case wrongProgram(found: String?)
    /// A server answers, and the program's API is not at this address.
    case wrongPath
    /// The program has nothing with this ID.
    case missing(id: String)
    /// The program has it already.
    case exists
    /// The program refuses what was sent, with its reasons.
    case refused(reasons: [String])
    /// Another status than those of the API.
    case status(Int)
    /// The answer does not have the form of the API; the path of the member at fault.
    case undecodable(path: String)
    /// A mock has no content for the service; the message says how to give it some.
    case unanswered(String)
  }

  /// What went wrong.
  public var kind: Kind
  /// The program, for example `Radarr`.
  public var program: String
  /// The service's name on the board.
  public var service: String
  /// The address of the service.
  public var address: String

  /// An error of a program.
  public init(_ kind: Kind, program: String, service: String, address: String = "") {
    self.kind = kind
    self.program = program
    self.service = service
    self.address = address
  }

  /// Whether the same request may succeed a moment later.
  public var isTemporary: Bool {
    switch kind {
    case .api(let error): error.isTemporary
    case .status(let status): [429, 502, 503, 504].contains(status)
    default: false
    }
  }
}
