import SwiftBoardDependencies
import SwiftBoardRecording

extension Failure {
  /// Creates a failure from an error, without secrets that the error's text may contain.
  public init(_ error: any Error, _ dependencies: Dependencies) {
    let redactor = dependencies.logger.redactor
    self.init(
      any: (error as? RecordingError)?.mapValues { redactor.masking($0).value } ?? error)
    message = dependencies.logger.redact(message)
    help = help.map(dependencies.logger.redact)
  }

  /// Creates a failure like `init(_:_:)`, with the advice of the caller about errors of requests.
  ///
  /// - Parameter attempts: The number of requests sent. The message names several, unless the error
  ///   was a failure already.
  public init(
    _ error: any Error, _ dependencies: Dependencies, helps: RequestHelps, attempts: Int = 1
  ) {
    self.init(error, dependencies)
    if attempts > 1, !(error is Failure) { message += " (after \(attempts) tries)" }
    if let error = error as? FileError, error.kind == .missing {
      help = helps.missingFiles[error.path] ?? help
    }
    if let error = error as? APIError {
      help = error.tlsProblem.map { helps.tls[$0] } ?? helps.kinds[error.kind] ?? help
      if error.hasUnconfirmed == true, let unconfirmed = helps.unconfirmed {
        help = help.map { "\($0); \(unconfirmed)" } ?? unconfirmed
      }
    }
    help = help.map(dependencies.logger.redact)
  }
}

/// What a user can do about errors of a request, in the words of the command line. Errors without
/// an entry keep the usual advice.
public struct RequestHelps: Sendable {
  /// The advice by the kinds of errors.
  public var kinds: [APIError.Kind: String] = [:]
  /// The advice about a secure connection, where its problem is known.
  public var tls: [TLSProblem: String] = [:]
  /// The advice about files that do not exist, by their paths.
  public var missingFiles: [String: String] = [:]
  /// The advice about a cached response that its service wants confirmed.
  public var unconfirmed: String?

  /// Creates an empty advice.
  public init() {}
}
