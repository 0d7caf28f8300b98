import SwiftBoardCommandLine
import SwiftBoardDependencies

extension Failure {
  /// Creates a failure from an error, without secrets that the error's text may contain.
  public init(_ error: any Error, _ dependencies: Dependencies) {
    self.init(any: error)
    message = dependencies.logger.redact(message)
    help = help.map(dependencies.logger.redact)
  }

  /// Creates a failure like `init(_:_:)`, with the advice of the caller about errors of requests.
  ///
  /// - Parameter helps: The advice by the kinds of errors. Other kinds keep the usual one.
  public init(
    _ error: any Error, _ dependencies: Dependencies, helps: [APIError.Kind: String]
  ) {
    self.init(error, dependencies)
    if let error = error as? APIError { help = helps[error.kind] ?? help }
  }
}
